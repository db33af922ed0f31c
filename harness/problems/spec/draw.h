#pragma once
// How the elements of one input are drawn. A tensor without a rule of its own follows the case's
// distribution; a rule of its own sets the range, and still follows the case where that asks for
// an order (sorted, few distinct, constant, ...).

#include <functional>
#include <span>
#include <vector>

#include "problems/spec/array.h"
#include "problems/spec/case.h"
#include "problems/spec/random.h"

namespace kata {

/// Fills `x`, whose type and size are set.
using Draw = std::function<void(Array& x, const Case& one_case, const Random& random)>;

namespace draw {

/// What the case says: floats of that distribution, integers from the whole range of their type.
Draw as_the_case_says();

/// The same with outliers 50 times as large as the other floats, not 1000: for factors of an
/// exponent, whose rounding errors grow with it.
Draw mild_outliers();

/// The same for rows of shape[i] exponents: of `two_levels`, each row has both (level_of()).
Draw rows_of(std::size_t i);

/// The same with these among the values of a normal case: one element in 20.
Draw with_special(std::vector<float> special);

/// The same with what arithmetic changes or flushes: for inputs that are copied bit for bit.
Draw any_bits();

/// Whole numbers from `least` to `most`.
Draw between(std::int64_t least, std::int64_t most);

/// Whole numbers from 0 to shape[i] - 1: labels, ids, bins.
Draw below(std::size_t i);

/// Whole numbers from 1 to shape[i], the longest and the shortest among them: lengths.
Draw lengths(std::size_t i);
/// The same of sequences; `uniform`, which is timed, has the longest alone.
Draw sequence_lengths(std::size_t i);

/// 0 to n - 1 in random order.
Draw permutation();

/// 0.1 + |N(0, 1)| for every case: variances, scales.
Draw positive();

/// mean + spread N(0, 1) for every case.
Draw around(double mean, double spread);

/// Uniform in [least, most) for every case.
Draw uniform(double least, double most);

/// Keys and values of a cache, which is large: only the first 2^20 elements are drawn, and then
/// repeated. Equal keys have different values, or a forgotten one would not show.
Draw cached_keys();
Draw cached_values();

}  // namespace draw

/// The exponent that is added to element `i` of so many, of `two_levels`: to three quarters so much
/// that a sum of exp(exponent - x) is infinite if x is of the first quarter, and hardly more.
double level_of(std::size_t i, std::size_t count);

/// The structure of a sparse matrix in CSR form with col.size() entries, for Problem::arrange:
/// row_start has rows + 1 elements, the columns of a row ascend. Some rows are empty and the first
/// non-empty one is as full as it can be, up to half of all entries.
void draw_csr(std::span<int> row_start, std::span<int> col, int cols, const Random& random);

}  // namespace kata
