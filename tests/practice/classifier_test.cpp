#include "practice/interview/classifier.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kata;

namespace {

std::size_t likeliest(const Classifier& classifier, const std::vector<std::string>& words) {
  const std::vector<float> shares = classifier.shares(words);
  return static_cast<std::size_t>(std::ranges::max_element(shares) - shares.begin());
}

}  // namespace

TEST_CASE("a text is classified by its words, by their order, and by parts of words") {
  Classifier classifier(3);
  classifier.add_example({"how", "big", "is", "it"}, 0, 1);
  classifier.add_example({"is", "it", "aligned"}, 1, 1);
  classifier.add_example({"it", "is", "big"}, 2, 1);
  classifier.learn();
  CHECK(likeliest(classifier, {"how", "big"}) == 0);
  CHECK(likeliest(classifier, {"alignment"}) == 1);
  CHECK(likeliest(classifier, {"it", "is"}) == 2);
}

TEST_CASE("many examples of one class do not make it likelier") {
  Classifier classifier(2);
  for (int i = 0; i < 50; ++i) classifier.add_example({"rows"}, 0, 1);
  classifier.add_example({"columns"}, 1, 1);
  classifier.learn();
  const std::vector<float> shares = classifier.shares({"something", "else"});
  CHECK(shares[0] + shares[1] == doctest::Approx(1));
  CHECK(shares[0] == doctest::Approx(0.5).epsilon(0.2));
}

TEST_CASE("examples that several interviewers learn from are prepared once, and mean the same") {
  const std::vector<std::string> shared = {"how", "big", "is", "it"}, own = {"which", "type"};
  Features features;
  const Features::Indices prepared = features.add(shared);
  Classifier alone(2), sharing(2, &features);
  alone.add_example(shared, 0, 1);
  sharing.add_example(prepared, 0, 1);
  for (Classifier* const one : {&alone, &sharing}) {
    one->add_example(own, 1, 1);
    one->learn();
  }
  for (const auto& asked : {shared, own, {"what", "type", "is", "big"}})
    CHECK(alone.shares(asked) == sharing.shares(asked));
  CHECK(features.size() == Features(&features).size());
}
