#pragma once
// Cases for a module without instruments: large in every dimension, and many calls in one process.

#include <cstdint>
#include <vector>

#include "judge/near_constants.h"
#include "problems/spec/problem.h"

namespace kata {

/// Cases of one form, each with several times the work of the one before: how their time grows says
/// whether there is time for the next.
using GrowingCases = std::vector<Case>;

/// Of a long life: so many calls are made whatever they cost.
inline constexpr std::size_t least_of_a_life = 50;

/// What is judged at native speed.
struct LargeCases {
  /// Called once each, as the first call of a process: nothing is kept, and new memory holds NaN.
  std::vector<Case> first_calls = {};
  /// Small ones, one after the other in one process, each called twice: some sizes grow while
  /// others shrink, then some are multiples of others, then all are drawn, with all the
  /// distributions of the problem's cases.
  std::vector<Case> long_life;
  /// Called once each, after all else, for which scratch has to be small: large ones, and small
  /// ones between them.
  std::vector<Case> in_turn = {};
  /// Each two sizes together beyond two tiles of 256, those of a grid of outputs beyond a group of
  /// tiles, and each size alone as large as the problem's ranges and about a second in all allow.
  std::vector<GrowingCases> forms = {};
  /// Near the constants of the candidate's source, the most promising first (near_constants.h).
  std::vector<std::vector<Case>> near_constants = {};

  /// Of the long life, of each form, and of what is near constants.
  std::size_t results() const { return 1 + forms.size() + !near_constants.empty(); }

  std::vector<Case> all() const;
};

/// Of one of many small cases (price() in shapes.h).
inline constexpr double most_of_a_call = 2e5;

/// What cases near constants may cost together (price() in shapes.h).
inline constexpr double price_near_constants = 0.6e9;

LargeCases large_cases(const Problem& problem, std::uint64_t seed,
                       const std::vector<std::vector<Shape>>& near_constants = {},
                       const std::vector<int>& periods = {});

/// Whether elements of the inputs have to fit together, as a matrix's row starts or those of a
/// positive definite matrix: they cannot be repeated.
bool has_structure(const Problem& problem);

/// Elements of one input, at most 2^16 + 1, to be repeated until the tensor is full: drawn as the
/// problem draws them at smaller sizes, and ids, lengths and labels as at the case's own.
Array values_to_repeat(const Problem& problem, const Parameter& tensor, const Case& one_case,
                       const Random& random);

/// Whether host code can decide by no input: none is drawn for launches alone.
bool draws_floats_alone(const Problem& problem);

/// The distribution of inputs that are repeated: equal elements, if those of an input have to
/// ascend.
Values values_that_repeat(const Problem& problem);

/// All sizes together as large as the exercise promises: each is the first once to take what limits
/// of the tensors leave, or with has_structure() what can be drawn. Then those with
/// their sizes made odd, all the same power of two, and `near`.
std::vector<Case> maximum_cases(const Problem& problem, const std::vector<Shape>& near = {});

/// Whether its largest tensor has some more elements than an int counts. What a later launch takes
/// addresses from has to be whole there: more blocks run.
bool is_just_beyond_ints(const Problem& problem, const Shape& shape);

/// Sizes that fill the tensors and are not at the ends of their ranges, some with whole tiles and
/// some just below the limit; for one size, or what has to fit together, none.
std::vector<Case> drawn_maximum_cases(const Problem& problem, std::uint64_t seed);

/// On both sides of each threshold of the source, the other sizes as large: a path may launch a
/// grid that only other paths cut into parts. Eight at most.
std::vector<Shape> largest_near(const Problem& problem, const std::vector<NearSizes>& sizes);

/// All elements equal, each size alone as large as hundredths of a second allow, and each two
/// beyond what 16 bits count; none where sums of them are rounded.
std::vector<Case> cases_of_equal_elements(const Problem& problem);

/// Whether the outputs are far within their types: some distributions are for some sizes alone.
bool fits_outputs(const Problem& problem, const Case& one, std::uint64_t seed);

/// The distributions of the problem's cases; and those for any operator before them.
std::vector<Values> distributions(const Problem& problem);
std::vector<Values> all_values(const Problem& problem);

/// Elements that are too many for 16 bits to count, and no power of two.
inline constexpr int beyond_16_bits = (1 << 16) + 8193;

/// These distributions at sizes of each length: a path for short rows may be wrong for large
/// values.
std::vector<Case> short_cases_of(const std::vector<Values>& values, const Problem& problem,
                                 std::uint64_t seed);

/// All sizes together, as large as hundredths of a second allow.
Case wide_case(const Problem& problem, Values values);

/// These distributions along each size in turn: buffers that are emptied when they are nearly full,
/// and what is sorted already.
std::vector<Case> long_cases_of(const std::vector<Values>& values, const Problem& problem,
                                std::uint64_t seed, const std::vector<int>& lengths,
                                double most_of_each);

/// Small ones, one after the other, whose sizes a key may take for those of the call before.
std::vector<Case> cases_of_like_sizes(const Problem& problem);

/// Small ones in which some sizes are other sizes, twice or three times those, or a little more.
std::vector<Case> cases_of_multiples(const Problem& problem);

/// The usual cases that have no second call of their own, `near`, and long ones of each
/// distribution, for a module with instruments.
LargeCases cases_called_once(const Problem& problem, std::uint64_t seed,
                             const std::vector<Shape>& near = {},
                             const std::vector<int>& periods = {});

/// Drawn and long ones for a device that runs all others with the same module: small, so that no
/// kernel takes long there.
LargeCases drawn_cases_for_gpu(const Problem& problem, std::uint64_t seed);

/// For a module with instruments, some of whose code the usual cases have not reached: each size
/// alone, and all, as large as some seconds allow.
LargeCases cases_for_unreached(const Problem& problem);

/// The first result of the second half of the work.
std::size_t middle_of(const Problem& problem, const LargeCases& cases);

}  // namespace kata
