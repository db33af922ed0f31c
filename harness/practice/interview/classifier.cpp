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
float value_in(std::span<const std::uint32_t> features) {
  return 1 / std::sqrt(static_cast<float>(std::max<std::size_t>(1, features.size())));
}

}  // namespace

const std::uint32_t* Features::find(std::uint64_t hash) const {
  if (const std::uint32_t* const found = base_ ? base_->find(hash) : nullptr) return found;
  const auto found = indices_.find(hash);
  return found == indices_.end() ? nullptr : &found->second;
}

Features::Indices Features::add(const std::vector<std::string>& words) {
  Indices indices;
  for (const std::uint64_t one : features_of(words)) {
    const std::uint32_t* const found = find(one);
    const auto next = static_cast<std::uint32_t>(size());
    indices.push_back(found ? *found : indices_.emplace(one, next).first->second);
  }
  return indices;
}

Features::Indices Features::known(const std::vector<std::string>& words) const {
  Indices indices;
  for (const std::uint64_t one : features_of(words))
    if (const std::uint32_t* const found = find(one)) indices.push_back(*found);
  return indices;
}

void Classifier::add_example(const std::vector<std::string>& words, std::size_t label,
                             float weight) {
  own_.push_back(features_.add(words));
  add_example(own_.back(), label, weight);
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
  std::vector<float> sum(features_.size() * classes_);
  for (unsigned order = 1; order <= orders; ++order) {
    learn_in_order(order);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weights_[i] / orders;
  }
  weights_ = std::move(sum);
  examples_.clear();
  own_.clear();
}

void Classifier::learn_in_order(unsigned seed) {
  weights_.assign(features_.size() * classes_, 0);
  std::vector<float> learnt(features_.size(), 1e-2F);
  std::vector<float> errors(classes_);
  std::mt19937 chance(seed);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    std::shuffle(examples_.begin(), examples_.end(), chance);
    for (const Example& example : examples_) {
      find_shares(example.features, errors);
      errors[example.label] -= 1;
      float squares = 0;
      const float weight = example.weight * value_in(example.features);
      for (float& one : errors) {
        one *= weight;
        squares += one * one;
      }
      for (const std::uint32_t feature : example.features) {
        learnt[feature] += squares / 2;
        const float step = rate / std::sqrt(learnt[feature]);
        float* const weights = &weights_[feature * classes_];
        const float* const error = errors.data();
        for (std::size_t i = 0, end = classes_; i < end; ++i)
          weights[i] -= step * (error[i] + decay * weights[i]);
      }
    }
  }
}

void Classifier::find_shares(std::span<const std::uint32_t> features,
                             std::vector<float>& shares) const {
  shares.assign(classes_, 0);
  for (const std::uint32_t feature : features) {
    const float* const weights = &weights_[feature * classes_];
    float* const sums = shares.data();
    for (std::size_t i = 0, end = classes_; i < end; ++i) sums[i] += weights[i];
  }
  const float most = *std::max_element(shares.begin(), shares.end()), value = value_in(features);
  float sum = 0;
  for (float& one : shares) sum += one = std::exp((one - most) * value);
  for (float& one : shares) one /= sum;
}

std::vector<float> Classifier::shares(const std::vector<std::string>& words) const {
  std::vector<float> shares;
  find_shares(features_.known(words), shares);
  return shares;
}

}  // namespace kata
