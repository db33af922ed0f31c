#include "practice/interview/classifier.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string_view>

namespace kata {
namespace {

// Fitted to the interviewer's questions: docs/measured/listening.md.
constexpr int epochs = 3;
constexpr unsigned orders = 3;  // of the examples: their mean depends less on chance
constexpr float rate = 1, decay = 5e-4F;

/// FNV-1a.
std::uint64_t hashed(std::string_view text, std::uint64_t hash = 0xcbf29ce484222325) {
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return hash;
}

/// Hashes of the words, of pairs of words that follow each other, and of four letters at a time:
/// those find "aligned" in "alignment" and in "misalinged". Each once.
std::vector<std::uint64_t> features_of(const std::vector<std::string>& words) {
  constexpr std::size_t letters = 4;
  std::vector<std::uint64_t> features = {0};  // of every text: how likely a class is anyway
  std::string_view previous = "^";
  for (const std::string& word : words) {
    features.push_back(hashed(word));
    features.push_back(hashed(word, hashed(" ", hashed(previous))));
    previous = word;
    if (word.size() < letters) continue;
    const std::string marked = "#" + word + "#";
    for (std::size_t i = 0; i + letters <= marked.size(); ++i)
      features.push_back(hashed(std::string_view(marked).substr(i, letters), hashed("#")));
  }
  features.push_back(hashed(" $", hashed(previous)));
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  return features;
}

/// What a feature of the text counts, so that a long text counts no more than a short one.
float value_in(const std::vector<std::size_t>& features) {
  return 1 / std::sqrt(static_cast<float>(std::max<std::size_t>(1, features.size())));
}

}  // namespace

void Classifier::add_example(const std::vector<std::string>& words, std::size_t label,
                             float weight) {
  Example example{{}, label, weight};
  for (const std::uint64_t one : features_of(words))
    example.features.push_back(indices_.try_emplace(one, indices_.size()).first->second);
  examples_.push_back(std::move(example));
}

void Classifier::balance() {
  std::vector<float> sums(classes_);
  float all = 0;
  for (const Example& one : examples_) {
    sums[one.label] += one.weight;
    all += one.weight;
  }
  for (Example& one : examples_) one.weight *= all / static_cast<float>(classes_) / sums[one.label];
}

/// Gradient descent, one example at a time. The more a feature has learnt, the smaller its steps,
/// as in AdaGrad (Duchi, Hazan and Singer, 2011).
void Classifier::learn() {
  balance();
  std::vector<float> sum(indices_.size() * classes_);
  for (unsigned order = 1; order <= orders; ++order) {
    learn_in_order(order);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weights_[i] / orders;
  }
  weights_ = std::move(sum);
  examples_.clear();
}

void Classifier::learn_in_order(unsigned seed) {
  weights_.assign(indices_.size() * classes_, 0);
  std::vector<float> learnt(indices_.size(), 1e-2F);
  std::mt19937 chance(seed);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    std::shuffle(examples_.begin(), examples_.end(), chance);
    for (const Example& example : examples_) {
      std::vector<float> errors = shares_of(example.features);
      errors[example.label] -= 1;
      float squares = 0;
      for (float& one : errors) {
        one *= example.weight * value_in(example.features);
        squares += one * one;
      }
      for (const std::size_t feature : example.features) {
        learnt[feature] += squares / 2;
        const float step = rate / std::sqrt(learnt[feature]);
        float* weights = &weights_[feature * classes_];
        for (std::size_t i = 0; i < classes_; ++i)
          weights[i] -= step * (errors[i] + decay * weights[i]);
      }
    }
  }
}

std::vector<float> Classifier::shares_of(const std::vector<std::size_t>& features) const {
  std::vector<float> shares(classes_);
  for (const std::size_t feature : features) {
    for (std::size_t i = 0; i < classes_; ++i) shares[i] += weights_[feature * classes_ + i];
  }
  const float most = *std::max_element(shares.begin(), shares.end()), value = value_in(features);
  float sum = 0;
  for (float& one : shares) sum += one = std::exp((one - most) * value);
  for (float& one : shares) one /= sum;
  return shares;
}

std::vector<float> Classifier::shares(const std::vector<std::string>& words) const {
  std::vector<std::size_t> known;
  for (const std::uint64_t one : features_of(words)) {
    if (const auto found = indices_.find(one); found != indices_.end())
      known.push_back(found->second);
  }
  return shares_of(known);
}

}  // namespace kata
