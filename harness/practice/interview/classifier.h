#pragma once
// Decides what a short text is about, as learnt from examples: softmax regression over its words.

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace kata {

/// What texts have in common, by number. Texts are their words in small letters.
class Features {
 public:
  using Indices = std::vector<std::uint32_t>;

  Features() = default;
  /// `base` has the numbers below its size, and stays as it is.
  explicit Features(const Features* base) : base_(base) {}

  Indices add(const std::vector<std::string>& words);
  /// Without those that no text had that was added.
  Indices known(const std::vector<std::string>& words) const;
  std::size_t size() const { return (base_ ? base_->size() : 0) + indices_.size(); }

 private:
  const std::uint32_t* find(std::uint64_t hash) const;

  const Features* base_ = nullptr;
  std::unordered_map<std::uint64_t, std::uint32_t> indices_;  ///< by the features' hashes
};

/// Classes are numbers from 0.
class Classifier {
 public:
  /// `shared`: the features of examples that other classifiers have as well.
  explicit Classifier(std::size_t classes, const Features* shared = nullptr)
      : classes_(classes), features_(shared) {}

  void add_example(const std::vector<std::string>& words, std::size_t label, float weight);
  /// Of shared features, which stay where they are until all is learnt.
  void add_example(std::span<const std::uint32_t> features, std::size_t label, float weight) {
    examples_.push_back({features, label, weight});
  }

  /// To be called once, after all examples. The sum of each class's weights is made the same.
  void learn();

  /// How likely each class is: numbers that add up to 1.
  std::vector<float> shares(const std::vector<std::string>& words) const;

 private:
  struct Example {
    std::span<const std::uint32_t> features;
    std::size_t label;
    float weight;
  };

  void balance();
  void learn_in_order(unsigned seed);
  void find_shares(std::span<const std::uint32_t> features, std::vector<float>& shares) const;

  std::size_t classes_;
  Features features_;
  std::vector<Features::Indices> own_;  ///< of the examples that are not shared
  std::vector<Example> examples_;
  std::vector<float> weights_;  ///< [feature][class]
};

}  // namespace kata
