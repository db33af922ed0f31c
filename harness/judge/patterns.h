#pragma once
// The patterns that a wrong result is matched against. Each returns an explanation, or nothing.

#include <optional>
#include <string>

#include "judge/explain.h"

namespace kata::patterns {

using Sentence = std::optional<Explanation>;

// Where the output is wrong (positions.cpp).
Sentence nothing_written(const Wrong& wrong);
Sentence partly_written(const Wrong& wrong);
Sentence wrong_place(const Wrong& wrong);

// Right values in wrong places (orders.cpp).
Sentence tiles_out_of_order(const Wrong& wrong);
Sentence written_with_other_stride(const Wrong& wrong);
Sentence misplaced(const Wrong& wrong);
Sentence groups_reversed(const Wrong& wrong);

// A result that should be sorted (sorting.cpp).
Sentence unsorted(const Wrong& wrong);

// Integers (integers.cpp).
Sentence wrong_index(const Wrong& wrong);
Sentence off_by_one(const Wrong& wrong);
Sentence wrong_total(const Wrong& wrong);
Sentence no_flags(const Wrong& wrong);
Sentence wrong_flags(const Wrong& wrong);
Sentence summed_in_float(const Wrong& wrong);
Sentence float_bits(const Wrong& wrong);
Sentence truncated(const Wrong& wrong);

// Infinities, NaN, and the number that a maximum starts from (special_values.cpp).
Sentence exp_overflow(const Wrong& wrong);
Sentence exp_underflow(const Wrong& wrong);
Sentence not_a_number(const Wrong& wrong);
Sentence infinite(const Wrong& wrong);
Sentence wrong_identity(const Wrong& wrong);
Sentence lost_sign_of_zero(const Wrong& wrong);
Sentence lost_infinity(const Wrong& wrong);

// The inputs, or a simple function of them (input_values.cpp).
Sentence other_element(const Wrong& wrong);
Sentence other_row(const Wrong& wrong);
Sentence copy_of_input(const Wrong& wrong);
Sentence multiple_of_input(const Wrong& wrong);
Sentence straight_line(const Wrong& wrong);

// Parts of the input left out (missing_terms.cpp).
Sentence missing_terms(const Wrong& wrong);
Sentence part_of_the_input(const Wrong& wrong);

// The reference, evaluated on inputs as a faulty kernel reads them (misread_inputs.cpp).
Sentence known_mistake(const Wrong& wrong);
Sentence changed_values(const Wrong& wrong);
Sentence whole_numbers(const Wrong& wrong);
Sentence neighbouring_input(const Wrong& wrong);
Sentence read_column_by_column(const Wrong& wrong);
Sentence read_backwards(const Wrong& wrong);
Sentence end_left_out(const Wrong& wrong);
Sentence along_the_columns(const Wrong& wrong);
Sentence read_with_other_stride(const Wrong& wrong);
Sentence in_parts(const Wrong& wrong);
Sentence beginning_left_out(const Wrong& wrong);
Sentence halves_misread(const Wrong& wrong);
Sentence ignored_real(const Wrong& wrong);

// Operands that are confused (operands.cpp).
Sentence one_input_for_another(const Wrong& wrong);
Sentence signs_lost(const Wrong& wrong);
Sentence sign_of_an_operand(const Wrong& wrong);
Sentence pairs_for_halves(const Wrong& wrong);
Sentence channels_confused(const Wrong& wrong);
Sentence bytes_with_a_sign(const Wrong& wrong);
Sentence repeated_terms(const Wrong& wrong);

// The right values, changed (values.cpp).
Sentence transposed(const Wrong& wrong);
Sentence wrong_divisor(const Wrong& wrong);
Sentence carried_over(const Wrong& wrong);
Sentence scaled_by_a_known_number(const Wrong& wrong);
Sentence shifted(const Wrong& wrong);
Sentence reversed(const Wrong& wrong);
Sentence constant_added(const Wrong& wrong);
Sentence rounded_otherwise(const Wrong& wrong);
Sentence scaled_by_rows(const Wrong& wrong);
Sentence one_or_two_values(const Wrong& wrong);
Sentence wrapped_around(const Wrong& wrong);
Sentence narrowed(const Wrong& wrong);
Sentence imprecise(const Wrong& wrong);
Sentence scaled(const Wrong& wrong);

/// Whether an element, right or wrong, is `other`, as far as its tolerance shows.
bool holds(const Wrong& wrong, std::int64_t element, double other);

/// Whether `other` is what an element holds instead of the right value: closer than its tolerance,
/// and close enough to account for nine tenths of the error.
bool accounts_for(const Wrong& wrong, std::int64_t element, double other);

/// Whether other(i) accounts for every wrong element, but for a share of `exceptions`.
template <class Other>
bool accounts_for_all(const Wrong& wrong, Other other, double exceptions = 0) {
  const auto allowed =
      static_cast<std::int64_t>(exceptions * static_cast<double>(wrong.bad.size()));
  std::int64_t missed = 0;
  for (std::int64_t i : wrong.bad) {
    if (!accounts_for(wrong, i, other(i)) && ++missed > allowed) return false;
  }
  return true;
}

/// More than one row and more than one column.
bool is_matrix(const Dims& dims);

/// What element `i` is, and what it should be.
double got(const Wrong& wrong, std::int64_t i);
double want(const Wrong& wrong, std::int64_t i);

/// Whether most of what is wrong is 0, which agrees with too much that is nearly zero.
bool mostly_zero(const Wrong& wrong);

/// Whether the reference can be evaluated again without a noticeable wait.
bool cheap_to_evaluate(const Wrong& wrong);

/// What the reference says of the output that is wrong, for other inputs and another shape.
Expected reference_of(const Wrong& wrong, const Inputs& inputs, const Shape& shape);

/// Whether inputs hold indices or depend on one another: then the reference can be evaluated at no
/// other shape.
bool has_indices(const Problem& problem);

/// The dimensions of input number `k`.
Dims input_dims(const Wrong& wrong, std::size_t k);

/// Whether the reference of these inputs accounts for the wrong elements, but for a share of
/// `exceptions`.
bool explained_by(const Wrong& wrong, const Inputs& inputs, double exceptions = 0);

/// "the wrong elements are what they would be `what`", and an example.
std::string as_if(const Wrong& wrong, const std::string& what);

/// Whether the reference may be evaluated with any other numbers in an input.
bool may_be_misread(const Wrong& wrong, std::size_t input);

/// The elements of that order.
Array selected(const Array& x, const std::vector<std::int64_t>& elements);

/// Whether condition(x[i]) for every i.
template <class Condition>
bool every(const Array& x, Condition condition) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!condition(x[i])) return false;
  }
  return true;
}

/// Whether the output is one number.
bool single(const Wrong& wrong);

/// Whether one number is made of one vector of floats, of any length.
bool whole_vector(const Wrong& wrong);

/// Whether that number is the maximum of the vector.
bool is_maximum(const Wrong& wrong);

/// Whether all elements are equal.
bool is_constant(const Array& x);

/// "y[3] is 0.5 and should be 0.25"
std::string example(const Wrong& wrong, std::int64_t element);

/// The name of the size parameter number `i`.
std::string size_name(const Problem& problem, std::size_t i);

}  // namespace kata::patterns
