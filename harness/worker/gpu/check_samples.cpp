#include "worker/gpu/check_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "problems/spec/random.h"
#include "timing/statistics.h"
#include "timing/true_time.h"

namespace kata {
namespace {

// Work that is left undone in fewer than half of the calls leaves the median as it is; in half of
// them or more, one of 8 calls shows it with a probability of 99.6 %.
constexpr int checked_of_yours = 8, checked_of_others = 2;

bool is_poison(const Array& array, std::size_t i) {
  const std::size_t size = size_of(array.type());
  return std::all_of(&array.bytes()[i * size], &array.bytes()[i * size] + size,
                     [](std::byte one) { return one == std::byte{0xff}; });
}

/// Sums for ||got - want|| / ||want|| of one output over several calls.
struct Difference {
  double squares = 0, norm = 0;

  /// What `want` leaves unwritten may hold anything; NaN where it holds a number is infinitely far.
  void add(const Array& got, const Array& want) {
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (is_poison(want, i)) continue;
      const double a = got[i], b = want[i];
      if (std::isnan(b)) continue;
      if (a != b) squares += std::isfinite(a) && std::isfinite(b) ? std::pow(a - b, 2) : HUGE_VAL;
      if (std::isfinite(b)) norm += std::pow(b, 2);
    }
  }
  double relative() const { return squares == 0 ? 0 : std::sqrt(squares / norm); }
};

/// Whose outputs count as right: the fastest rung that was timed, else the first that is there for
/// comparison. Libraries may round otherwise than the operator says.
std::size_t trusted_of(const std::vector<Timed>& all) {
  std::size_t trusted = all.size();
  double least_us = HUGE_VAL;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Measured& one = all[i].measured;
    if (one.kind != RowKind::rung || !one.error.empty()) continue;
    if (all[i].only_compared && trusted == all.size()) trusted = i;
    if (one.samples_us.empty()) continue;
    const double us = summarize(one.samples_us).median;
    if (us >= least_us) continue;
    least_us = us;
    trusted = i;
  }
  return trusted;
}

class Comparison {
 public:
  Comparison(const std::vector<Timed>& all, std::size_t trusted, const TimedBuffers& buffers,
             const Conditions& conditions)
      : all_(all),
        trusted_(trusted),
        buffers_(buffers),
        conditions_(conditions),
        differences_(all.size()) {}

  /// Some of the kernel's witnesses; rungs that were not timed compute the same inputs, too.
  void add(std::size_t kernel, const std::vector<Witness>& witnesses, int count) {
    const Random random = Random(conditions_.seed).stream(2).stream(kernel);
    for (int k = 0; k < count; ++k) {
      const Witness& witness =
          witnesses[random.below(static_cast<std::uint64_t>(k), witnesses.size())];
      const std::vector<Array> want = outputs_of(trusted_, witness.seed);
      add(kernel, witness.outputs, want);
      for (std::size_t i = 0; i < all_.size(); ++i) {
        if (all_[i].only_compared && i != trusted_ && all_[i].measured.error.empty())
          add(i, outputs_of(i, witness.seed), want);
      }
    }
  }

  /// One for each output; none where the kernel was not compared.
  std::vector<double> of(std::size_t kernel) const {
    std::vector<double> relative;
    for (const Difference& one : differences_[kernel]) relative.push_back(one.relative());
    return relative;
  }

  /// The largest of any rung.
  double among_rungs(std::size_t output) const {
    double most = 0;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].measured.kind == RowKind::rung && output < differences_[i].size())
        most = std::max(most, differences_[i][output].relative());
    }
    return most;
  }

 private:
  void add(std::size_t kernel, const std::vector<Array>& got, const std::vector<Array>& want) {
    differences_[kernel].resize(want.size());
    for (std::size_t o = 0; o < want.size(); ++o) differences_[kernel][o].add(got[o], want[o]);
  }

  std::vector<Array> outputs_of(std::size_t kernel, std::uint64_t seed) const {
    conditions_.turn(all_[kernel].measured.name);
    buffers_.renew(seed);
    all_[kernel].call();
    buffers_.enqueue_picks(seed);
    cudaDeviceSynchronize();
    return buffers_.picked();
  }

  const std::vector<Timed>& all_;
  std::size_t trusted_;
  const TimedBuffers& buffers_;
  const Conditions& conditions_;
  std::vector<std::vector<Difference>> differences_;  ///< of each kernel, by output
};

}  // namespace

void check_samples(std::vector<Timed>& all, const std::vector<std::vector<Witness>>& witnesses,
                   const TimedBuffers& buffers, const Conditions& conditions) {
  const std::size_t trusted = trusted_of(all);
  if (trusted == all.size()) return;
  Comparison comparison(all, trusted, buffers, conditions);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Measured& one = all[i].measured;
    if (i == trusted || !one.error.empty() || witnesses[i].empty()) continue;
    const bool yours = one.kind == RowKind::yours;
    comparison.add(i, witnesses[i], yours ? checked_of_yours : checked_of_others);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    Measured& one = all[i].measured;
    const std::vector<double> differences = comparison.of(i);
    for (std::size_t o = 0; o < differences.size() && one.error.empty(); ++o) {
      const Type type = buffers.compared(o).type;
      if (differences[o] <= allowed_difference(type, comparison.among_rungs(o))) continue;
      one.invalid = true;
      one.error = fmt::format(
          "not timed: in timed calls its output is not that of {} on the same inputs ({})",
          all[trusted].measured.name,
          std::isfinite(differences[o]) ? fmt::format("relative difference {:.2g}", differences[o])
                                        : "NaN, or never written");
    }
  }
}

}  // namespace kata
