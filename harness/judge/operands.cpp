// Patterns of operands that are confused: one input for the other, channels in another order, signs
// lost, terms added more than once.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "judge/patterns.h"

namespace kata::patterns {
namespace {

const std::string& input_name(const Wrong& wrong, std::size_t k) {
  return wrong.problem.signature.inputs[k].name;
}

/// Input `k` with the elements from(i) for each i.
template <class From>
Inputs rearranged(const Wrong& wrong, std::size_t k, From from) {
  std::vector<std::int64_t> order(wrong.inputs[k].size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = from(static_cast<std::int64_t>(i));
  Inputs inputs = wrong.inputs;
  inputs[k] = selected(wrong.inputs[k], order);
  return inputs;
}

}  // namespace

Sentence one_input_for_another(const Wrong& wrong) {
  if (!cheap_to_evaluate(wrong)) return {};
  for (std::size_t k = 0; k < wrong.inputs.size(); ++k) {
    for (std::size_t m = 0; m < wrong.inputs.size(); ++m) {
      const Array &read = wrong.inputs[m], &meant = wrong.inputs[k];
      if (k == m || read.type() != meant.type() || input_dims(wrong, k) != input_dims(wrong, m) ||
          !may_be_misread(wrong, k)) {
        continue;
      }
      Inputs inputs = wrong.inputs;
      inputs[k] = read;
      if (explained_by(wrong, inputs)) {
        return as_if(wrong, fmt::format("if {} were read instead of {}", input_name(wrong, m),
                                        input_name(wrong, k)));
      }
      inputs[m] = meant;
      if (k < m && may_be_misread(wrong, m) && explained_by(wrong, inputs)) {
        return as_if(wrong, fmt::format("if {} and {} were exchanged", input_name(wrong, k),
                                        input_name(wrong, m)));
      }
    }
  }
  return {};
}

Sentence signs_lost(const Wrong& wrong) {
  if (wrong.inputs.size() < 2 || !cheap_to_evaluate(wrong)) return {};
  Inputs inputs = wrong.inputs;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (!may_be_misread(wrong, k)) return {};
    for (std::size_t i = 0; i < inputs[k].size(); ++i) inputs[k].set(i, std::fabs(inputs[k][i]));
  }
  if (!explained_by(wrong, inputs)) return {};
  return as_if(wrong, "if no input had a minus sign");
}

Sentence sign_of_an_operand(const Wrong& wrong) {
  if (!cheap_to_evaluate(wrong)) return {};
  for (std::size_t k = 1; k < wrong.inputs.size(); ++k) {
    if (!is_float(wrong.inputs[k].type())) continue;
    Inputs inputs = wrong.inputs;
    for (std::size_t i = 0; i < inputs[k].size(); ++i) inputs[k].set(i, -inputs[k][i]);
    if (!explained_by(wrong, inputs)) continue;
    return as_if(wrong, fmt::format("if {} had the opposite sign", input_name(wrong, k)));
  }
  return {};
}

Sentence pairs_for_halves(const Wrong& wrong) {
  const std::int64_t cols = wrong.dims.back(), half = cols / 2;
  if (cols < 4 || cols % 2 != 0 || !cheap_to_evaluate(wrong)) return {};
  const auto paired = [&](std::int64_t i) {
    const std::int64_t col = i % cols;
    return i - col + col % half * 2 + col / half;
  };
  std::vector<std::int64_t> order(wrong.got.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = paired(static_cast<std::int64_t>(i));
  Inputs inputs = wrong.inputs;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (input_dims(wrong, k) != wrong.dims) continue;
    if (!may_be_misread(wrong, k)) return {};
    inputs[k] = selected(wrong.inputs[k], order);
  }
  const Expected halves = reference_of(wrong, inputs, wrong.one_case.shape);
  std::vector<double> pairs(order.size());  // written where they were read
  for (std::size_t i = 0; i < order.size(); ++i) {
    pairs[static_cast<std::size_t>(order[i])] = halves.value[i];
  }
  const auto value = [&](std::int64_t i) { return pairs[static_cast<std::size_t>(i)]; };
  if (!accounts_for_all(wrong, value)) return {};
  return as_if(wrong,
               "if elements 2j and 2j + 1 of a row formed a pair, not element j of each half");
}

Sentence channels_confused(const Wrong& wrong) {
  if (wrong.bad.size() < 3 || !cheap_to_evaluate(wrong)) return {};
  for (std::size_t k = 0; k < wrong.inputs.size(); ++k) {
    const Dims dims = input_dims(wrong, k);
    const std::int64_t channels = dims.back();
    if (dims.size() != 3 || channels < 2 || channels > 4 || wrong.inputs[k].type() != Type::u8) {
      continue;
    }
    const std::int64_t pixels = dims[0] * dims[1];
    const auto reversed = [&](std::int64_t i) { return i + channels - 1 - 2 * (i % channels); };
    const auto planes = [&](std::int64_t i) { return i % channels * pixels + i / channels; };
    if (explained_by(wrong, rearranged(wrong, k, reversed))) {
      return as_if(wrong, fmt::format("if the {} channels of {} came in reverse order (BGR for "
                                      "RGB?)",
                                      channels, input_name(wrong, k)));
    }
    if (explained_by(wrong, rearranged(wrong, k, planes))) {
      return as_if(wrong, fmt::format("if {} had {} planes, one per channel; but the channels of "
                                      "a pixel are neighbours",
                                      input_name(wrong, k), channels));
    }
  }
  return {};
}

Sentence bytes_with_a_sign(const Wrong& wrong) {
  if (wrong.inputs.size() != 1 || wrong.inputs[0].type() != Type::u8) return {};
  const Array& x = wrong.inputs[0];
  const std::size_t per_element = x.size() / wrong.got.size();
  if (per_element == 0 || x.size() % wrong.got.size() != 0) return {};
  std::vector<bool> bad(wrong.got.size());
  for (std::int64_t i : wrong.bad) bad[static_cast<std::size_t>(i)] = true;
  std::size_t below = 0, right_above = 0;
  for (std::size_t i = 0; i < bad.size(); ++i) {
    bool above = false;
    for (std::size_t k = 0; k < per_element; ++k) above |= x[i * per_element + k] > 127;
    if (bad[i] && !above) return {};
    below += !above;
    right_above += above && !bad[i];
  }
  if (below < 4 || 4 * right_above > bad.size()) return {};
  return fmt::format("wrong only where a byte of {} is above 127: is it read as a signed char? {}",
                     input_name(wrong, 0), example(wrong, wrong.bad.front()));
}

Sentence repeated_terms(const Wrong& wrong) {
  const Shape& shape = wrong.one_case.shape;
  if (!single(wrong) || shape.size() != 1 || !is_float(wrong.tensor.type) ||
      !cheap_to_evaluate(wrong) || has_indices(wrong.problem)) {
    return {};
  }
  const int n = shape[0];
  for (const int width : {4, 8, 16, 32}) {
    const int tail = n % width;
    if (tail == 0 || tail == n) continue;
    std::vector<std::int64_t> order(static_cast<std::size_t>(tail));
    for (int i = 0; i < tail; ++i) order[static_cast<std::size_t>(i)] = n - tail + i;
    Inputs last;
    for (const Array& x : wrong.inputs) last.push_back(selected(x, order));
    const double once = reference_of(wrong, last, {tail}).value[0];
    const double times = std::round((wrong.got[0] - wrong.expected.value[0]) / once);
    if (times < 1 || !accounts_for(wrong, 0, wrong.expected.value[0] + times * once)) continue;
    return as_if(wrong, fmt::format("if the last {} of {} = {} terms were added {:.0f} times "
                                    "(by every block?)",
                                    tail, size_name(wrong.problem, 0), n, times + 1));
  }
  return {};
}

}  // namespace kata::patterns
