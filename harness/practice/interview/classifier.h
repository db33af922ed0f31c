#pragma once
// Decides what a short text is about, as learnt from examples: softmax regression over its words.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace kata {

/// Classes are numbers from 0; texts are their words in small letters.
class Classifier {
 public:
  explicit Classifier(std::size_t classes) : classes_(classes) {}

  void add_example(const std::vector<std::string>& words, std::size_t label, float weight);

  /// To be called once, after all examples. The sum of each class's weights is made the same.
  void learn();

  /// How likely each class is: numbers that add up to 1.
  std::vector<float> shares(const std::vector<std::string>& words) const;

 private:
  struct Example {
    std::vector<std::size_t> features;
    std::size_t label;
    float weight;
  };

  void balance();
  void learn_in_order(unsigned seed);
  std::vector<float> shares_of(const std::vector<std::size_t>& features) const;

  std::size_t classes_;
  std::unordered_map<std::uint64_t, std::size_t> indices_;  ///< of features, by their hashes
  std::vector<Example> examples_;
  std::vector<float> weights_;  ///< [feature][class]
};

}  // namespace kata
