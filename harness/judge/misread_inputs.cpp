// Patterns of inputs that are read in a wrong way: the reference is evaluated on the inputs as such
// a kernel reads them, and compared with the output.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "judge/patterns.h"

namespace kata::patterns {
namespace {

/// Whether the output has an element for each of an only input, and the shape is its dimensions.
bool maps_one_input(const Wrong& wrong) {
  return wrong.inputs.size() == 1 && !single(wrong) && input_dims(wrong, 0) == wrong.dims &&
         wrong.one_case.shape.size() == wrong.dims.size() && !has_indices(wrong.problem) &&
         !wrong.problem.limits.nearest && may_be_misread(wrong, 0);
}

/// The inputs with number `k` replaced by element(i) for each i.
template <class Element>
Inputs with_input(const Wrong& wrong, std::size_t k, Element element) {
  Inputs inputs = wrong.inputs;
  for (std::size_t i = 0; i < inputs[k].size(); ++i) {
    inputs[k].set(i, element(static_cast<std::int64_t>(i)));
  }
  return inputs;
}

/// Whether most of what would be wrong is right.
bool refuted_by_right_elements(const Wrong& wrong, const Expected& other) {
  std::size_t would_be_wrong = 0;
  for (std::size_t i = 0; i < other.value.size(); ++i)
    would_be_wrong +=
        !(error_of(wrong.expected, i, other.value[i]) <= wrong.expected.tolerance_of(i));
  return would_be_wrong > 2 * wrong.bad.size();
}

/// Whether nine tenths of the wrong elements are right by another formula, with half of the error.
bool is_right_by(const Wrong& wrong, const Expected& other, const std::vector<std::int64_t>& bad) {
  std::size_t missed = 0;
  double error = 0, rest = 0;
  for (std::int64_t element : bad) {
    const auto i = static_cast<std::size_t>(element);
    missed += !(error_of(other, i, wrong.got[i]) <= other.tolerance_of(i));
    error += error_of(wrong.expected, i, wrong.got[i]);
    rest += error_of(other, i, wrong.got[i]);
  }
  return 10 * missed <= bad.size() && rest <= 0.5 * error;
}

/// Whether the elements from `begin` to `end`, right or wrong, are what the reference says of the
/// input from `from` to `end` alone.
bool is_sum_from(const Wrong& wrong, std::int64_t from, std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> elements(static_cast<std::size_t>(end - from));
  std::iota(elements.begin(), elements.end(), from);
  const Array x = selected(wrong.inputs[0], elements);
  const Expected other = reference_of(wrong, {x}, {static_cast<int>(x.size())});
  for (std::int64_t i = begin; i < end; ++i) {
    if (!holds(wrong, i, other.value[static_cast<std::size_t>(i - from)])) return false;
  }
  return true;
}

/// Whether each block from `first` on is made of itself and so many blocks before it.
bool is_sum_of_blocks(const Wrong& wrong, std::int64_t first, std::int64_t width,
                      std::int64_t before) {
  const auto end = static_cast<std::int64_t>(wrong.got.size());
  for (std::int64_t begin = first; begin < end; begin += width) {
    const std::int64_t from = begin - before * width;
    if (!is_sum_from(wrong, from, begin, std::min(begin + width, end))) return false;
  }
  return true;
}

/// Why blocks may lack what is before these, whose totals reach them.
std::string scanned_in_words(std::int64_t blocks) {
  return blocks > 1 ? fmt::format(" (are only {} block totals scanned together?)", blocks) : "";
}

}  // namespace

Sentence known_mistake(const Wrong& wrong) {
  const bool all_alike = std::all_of(wrong.inputs.begin(), wrong.inputs.end(), is_constant);
  if (wrong.problem.mistakes.empty() || all_alike || !cheap_to_evaluate(wrong)) return {};
  // Where a formula has no value, as for a query that sees no key, kernels write what they like.
  std::vector<std::int64_t> numbers = wrong.bad;
  std::erase_if(numbers, [&](std::int64_t i) { return std::isnan(got(wrong, i)); });
  if (2 * numbers.size() < wrong.bad.size()) return {};
  Case one_case = wrong.one_case;
  one_case.reals = arguments_of(wrong.problem, wrong.one_case).reals;
  for (const Mistake& mistake : wrong.problem.mistakes) {
    const Expected other = mistake.reference(wrong.inputs, one_case)[wrong.output];
    if (is_right_by(wrong, other, numbers) && !refuted_by_right_elements(wrong, other))
      return as_if(wrong, mistake.what);
  }
  return {};
}

Sentence changed_values(const Wrong& wrong) {
  struct Change {
    const char* what;
    float (*of)(float);
  };
  static constexpr Change changes[] = {
      {"if all inputs were 0 (is cleared memory read, or does a loop over whole vectors or tiles "
       "run 0 times?)",
       [](float) { return 0.0f; }},
      {"with 2^x instead of e^x (exp2 needs a factor log2(e))",
       [](float x) { return x * 0.69314718f; }},
      {"if no input had a minus sign", [](float x) { return std::fabs(x); }},
      {"if every input had the opposite sign", [](float x) { return -x; }}};
  if (!cheap_to_evaluate(wrong) || !may_be_misread(wrong, 0)) return {};
  const Array& x = wrong.inputs[0];
  const bool negative = every(x, [](double value) { return value < 0; });
  for (const Change& change : changes) {
    const Inputs inputs = with_input(wrong, 0, [&](std::int64_t i) {
      return change.of(static_cast<float>(x[static_cast<std::size_t>(i)]));
    });
    if (!explained_by(wrong, inputs)) continue;
    const bool sign_alone = negative && change.of(-1) == 1;  // both of them: it may be either
    if (sign_alone) return as_if(wrong, "if no input had a minus sign");
    const bool fractions = change.of(1) == 0 && is_float(x.type()) &&
                           every(x, [](double value) { return std::fabs(value) < 1; });
    return as_if(wrong, fractions ? "if all inputs were 0 (they are below 1: is a value kept in an "
                                    "int, or is cleared memory read?)"
                                  : change.what);
  }
  return {};
}

Sentence whole_numbers(const Wrong& wrong) {
  const bool only_zero = std::all_of(wrong.bad.begin(), wrong.bad.end(),
                                     [&](std::int64_t i) { return got(wrong, i) == 0; });
  if (only_zero || !cheap_to_evaluate(wrong) || !may_be_misread(wrong, 0)) return {};
  const Inputs inputs = with_input(wrong, 0, [&](std::int64_t i) {
    return std::clamp(std::trunc(wrong.inputs[0][static_cast<std::size_t>(i)]), -0x1p31, 0x1p31);
  });
  const Expected other = reference_of(wrong, inputs, wrong.one_case.shape);
  const auto value = [&](std::int64_t i) { return other.value[static_cast<std::size_t>(i)]; };
  if (!accounts_for_all(wrong, value) || refuted_by_right_elements(wrong, other)) return {};
  return as_if(wrong, narrowed(wrong)
                          ? "if the inputs were whole numbers: is a value kept in an int, "
                            "or narrowed to half?"
                          : "if the inputs were whole numbers: is a value kept in an int?");
}

Sentence neighbouring_input(const Wrong& wrong) {
  if (wrong.inputs.size() < 2 || wrong.bad.size() < 4 || !cheap_to_evaluate(wrong)) return {};
  for (std::size_t k = 0; k < wrong.inputs.size(); ++k) {
    if (input_dims(wrong, k) != wrong.dims || !may_be_misread(wrong, k)) continue;
    const Array& x = wrong.inputs[k];
    const auto n = static_cast<std::int64_t>(x.size());
    for (const int by : {1, -1}) {
      const Inputs moved = with_input(
          wrong, k, [&](std::int64_t i) { return x[static_cast<std::size_t>((i + by + n) % n)]; });
      if (!explained_by(wrong, moved, 1.0 / static_cast<double>(wrong.bad.size()))) continue;
      return as_if(wrong, fmt::format("with {0}[i {1} 1] instead of {0}[i]",
                                      wrong.problem.signature.inputs[k].name, by > 0 ? '+' : '-'));
    }
  }
  return {};
}

Sentence read_column_by_column(const Wrong& wrong) {
  if (mostly_zero(wrong) || !cheap_to_evaluate(wrong)) return {};
  for (std::size_t k = 0; k < wrong.inputs.size(); ++k) {
    const Dims dims = input_dims(wrong, k);
    if (!is_matrix(dims) || !may_be_misread(wrong, k)) continue;
    const Inputs other = with_input(wrong, k, [&](std::int64_t i) {
      return wrong.inputs[k][static_cast<std::size_t>(i % dims[1] * dims[0] + i / dims[1])];
    });
    if (!explained_by(wrong, other)) continue;
    return as_if(wrong, fmt::format("if {} were stored column by column, not row by row",
                                    wrong.problem.signature.inputs[k].name));
  }
  return {};
}

Sentence read_backwards(const Wrong& wrong) {
  if (mostly_zero(wrong) || !cheap_to_evaluate(wrong)) return {};
  for (std::size_t k = wrong.inputs.size(); k-- > 0;) {
    const Array& x = wrong.inputs[k];
    if (!may_be_misread(wrong, k)) continue;
    const Inputs other = with_input(
        wrong, k, [&](std::int64_t i) { return x[x.size() - 1 - static_cast<std::size_t>(i)]; });
    if (!explained_by(wrong, other)) continue;
    return as_if(wrong, fmt::format("if {} were read from its last element to its first",
                                    wrong.problem.signature.inputs[k].name));
  }
  return {};
}

Sentence end_left_out(const Wrong& wrong) {
  if (mostly_zero(wrong) || !cheap_to_evaluate(wrong)) return {};
  for (std::size_t k = wrong.inputs.size(); k-- > 0;) {
    const Array& x = wrong.inputs[k];
    if (!is_float(x.type())) continue;
    for (const bool last : {true, false}) {
      const std::int64_t end = last ? static_cast<std::int64_t>(x.size()) - 1 : 0;
      const Inputs other = with_input(
          wrong, k, [&](std::int64_t i) { return i == end ? 0 : x[static_cast<std::size_t>(i)]; });
      if (!explained_by(wrong, other)) continue;
      return as_if(wrong, fmt::format("without the {} element of {}", last ? "last" : "first",
                                      wrong.problem.signature.inputs[k].name));
    }
  }
  return {};
}

Sentence along_the_columns(const Wrong& wrong) {
  if (!maps_one_input(wrong) || wrong.dims.size() != 2 || mostly_zero(wrong) ||
      !cheap_to_evaluate(wrong))
    return {};
  const std::int64_t rows = wrong.dims[0], cols = wrong.dims[1];
  const Inputs flipped = with_input(wrong, 0, [&](std::int64_t i) {
    return wrong.inputs[0][static_cast<std::size_t>(i % rows * cols + i / rows)];
  });
  const Shape& shape = wrong.one_case.shape;
  const Expected other = reference_of(wrong, flipped, {shape[1], shape[0]});
  const auto value = [&](std::int64_t i) {
    return other.value[static_cast<std::size_t>(i % cols * rows + i / cols)];
  };
  if (!accounts_for_all(wrong, value)) return {};
  return as_if(wrong, "along each column, not along each row");
}

Sentence read_with_other_stride(const Wrong& wrong) {
  if (wrong.bad.size() < 3 || mostly_zero(wrong) || !cheap_to_evaluate(wrong)) return {};
  const Shape& shape = wrong.one_case.shape;
  for (std::size_t k = 0; k < wrong.inputs.size(); ++k) {
    const Dims dims = input_dims(wrong, k);
    if (!is_matrix(dims) || !may_be_misread(wrong, k)) continue;
    for (std::size_t s = 0; s < shape.size(); ++s) {
      if (shape[s] == dims[1]) continue;
      const Inputs other = with_input(wrong, k, [&](std::int64_t i) {
        const auto from = static_cast<std::size_t>(i / dims[1] * shape[s] + i % dims[1]);
        return from < wrong.inputs[k].size() ? wrong.inputs[k][from] : NAN;
      });
      if (!explained_by(wrong, other, 0.3)) continue;  // past the end there may be anything
      return as_if(wrong, fmt::format("if the rows of {} began {} = {} apart, not {}",
                                      wrong.problem.signature.inputs[k].name,
                                      size_name(wrong.problem, s), shape[s], dims[1]));
    }
  }
  return {};
}

Sentence in_parts(const Wrong& wrong) {
  struct Parts {
    std::string what;
    std::function<std::int64_t(std::int64_t col)> of;  ///< which part a column belongs to
  };
  if (!maps_one_input(wrong) || wrong.bad.size() < 3 || mostly_zero(wrong) ||
      !cheap_to_evaluate(wrong))
    return {};
  const std::int64_t cols = wrong.dims.back();
  const bool matrix = wrong.dims.size() == 2;
  std::vector<Parts> all{{"each half of a warp", [](std::int64_t col) { return col % 32 / 16; }}};
  for (std::int64_t width = 32; width <= 1024; width *= 2) {
    all.push_back({fmt::format("each block of {}", width),
                   [width](std::int64_t col) { return col / width; }});
  }
  for (const Parts& parts : all) {
    std::vector<double> value(wrong.got.size());
    for (std::int64_t row = 0; row < static_cast<std::int64_t>(value.size()) / cols; ++row) {
      std::vector<std::vector<std::int64_t>> members;
      for (std::int64_t col = 0; col < cols; ++col) {
        const auto part = static_cast<std::size_t>(parts.of(col));
        if (part >= members.size()) members.resize(part + 1);
        members[part].push_back(row * cols + col);
      }
      for (const auto& elements : members) {
        const Array x = selected(wrong.inputs[0], elements);
        const int size = static_cast<int>(x.size());
        const Expected part = reference_of(wrong, {x}, matrix ? Shape{1, size} : Shape{size});
        for (std::size_t i = 0; i < x.size(); ++i) {
          value[static_cast<std::size_t>(elements[i])] = part.value[i];
        }
      }
    }
    const auto other = [&](std::int64_t i) { return value[static_cast<std::size_t>(i)]; };
    // Each part: what is right by accident is that value, too.
    bool holds_everywhere = accounts_for_all(wrong, other);
    for (std::size_t i = 0; holds_everywhere && i < value.size(); ++i)
      holds_everywhere = holds(wrong, static_cast<std::int64_t>(i), value[i]);
    if (holds_everywhere) {
      return as_if(wrong, fmt::format("if {} were taken on its own", parts.what));
    }
  }
  return {};
}

Sentence beginning_left_out(const Wrong& wrong) {
  if (!maps_one_input(wrong) || wrong.dims.size() != 1 || wrong.bad.size() < 3 ||
      mostly_zero(wrong) || !cheap_to_evaluate(wrong))
    return {};
  const auto end = static_cast<std::int64_t>(wrong.got.size());
  const std::int64_t first = wrong.bad.front();
  const std::string& x = wrong.problem.signature.inputs[0].name;
  if (first > 0 && is_sum_from(wrong, first, first, end))
    return as_if(wrong, fmt::format("without the first {} elements of {}", first, x));
  for (std::int64_t width = 32; width <= 8192; width *= 2) {
    if (first % width != 0 || first < 2 * width) continue;
    if (is_sum_from(wrong, first - width, first, end)) {
      const std::int64_t blocks = first / width - 1;
      return as_if(wrong, fmt::format("without the first {} elements of {}, {} blocks of {}{}",
                                      first - width, x, blocks, width, scanned_in_words(blocks)));
    }
    for (const std::int64_t before : {0, 1}) {
      if (!is_sum_of_blocks(wrong, first, width, before)) continue;
      return as_if(wrong, fmt::format("if, from element {} on, each block of {}{} were taken on "
                                      "its own{}",
                                      first, width, before ? " with the one before" : "",
                                      scanned_in_words(first / width - before)));
    }
  }
  return {};
}

Sentence halves_misread(const Wrong& wrong) {
  if (mostly_zero(wrong) || !cheap_to_evaluate(wrong)) return {};
  struct Order {
    const char* what;
    std::int64_t (*from)(std::int64_t col, std::int64_t half);
  };
  static constexpr Order orders[] = {
      {"if the two halves of {} were exchanged",
       [](std::int64_t col, std::int64_t half) { return (col + half) % (2 * half); }},
      {"if {} held interleaved pairs instead of two halves",
       [](std::int64_t col, std::int64_t half) { return col % half * 2 + col / half; }}};
  for (std::size_t k = 0; k < wrong.inputs.size(); ++k) {
    const std::int64_t cols = input_dims(wrong, k).back();
    if (cols < 4 || cols % 2 != 0 || !may_be_misread(wrong, k)) continue;
    for (const Order& order : orders) {
      const Inputs other = with_input(wrong, k, [&](std::int64_t i) {
        const std::int64_t from = i / cols * cols + order.from(i % cols, cols / 2);
        return wrong.inputs[k][static_cast<std::size_t>(from)];
      });
      if (!explained_by(wrong, other)) continue;
      return as_if(wrong,
                   fmt::format(fmt::runtime(order.what), wrong.problem.signature.inputs[k].name));
    }
  }
  return {};
}

Sentence ignored_real(const Wrong& wrong) {
  if (!cheap_to_evaluate(wrong)) return {};
  const std::vector<float> reals = arguments_of(wrong.problem, wrong.one_case).reals;
  for (std::size_t k = 0; k < reals.size(); ++k) {
    const Parameter& real = wrong.problem.signature.reals[k];
    for (const float instead : {real.value, 0.0f, 1.0f}) {
      if (instead == reals[k]) continue;
      Case other = wrong.one_case;
      other.reals = reals;
      other.reals[k] = instead;
      const Expected expected = expected_outputs(wrong.problem, wrong.inputs, other)[wrong.output];
      const auto value = [&](std::int64_t i) {
        return expected.value[static_cast<std::size_t>(i)];
      };
      if (!accounts_for_all(wrong, value)) continue;
      return as_if(wrong, fmt::format("with {} = {:g}, not {:g} (is the argument used?)", real.name,
                                      instead, reals[k]));
    }
  }
  return {};
}

}  // namespace kata::patterns
