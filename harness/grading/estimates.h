#pragma once
// Without a GPU: how long yours and every rung would take on a named chip.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "compile/registers.h"
#include "grading/grade.h"
#include "grading/kept_profiles.h"
#include "problems/spec/problem.h"
#include "report/profile.h"
#include "timing/chip.h"

namespace kata {

/// Something to estimate: a compiled candidate.
struct Estimated {
  RowKind kind = RowKind::rung;
  std::string name;
  Module module;
  std::string entry;
};

/// How much of a call is profiled, in accesses to memory: no clock decides what is estimated.
struct ProfilePrice {
  std::uint64_t enough_accesses = 0;  ///< a launch begins no more blocks after them
  std::uint64_t most_accesses = 0;    ///< of the call, before it ends without a profile
};

/// Through the cache. Without launches and without a reason: it costs more.
Result<Profiled> profile_within(const Problem& problem, const Shape& shape, const Estimated& what,
                                const ProfilePrice& price);

/// The time of a call that makes these launches, whose kernels have such registers.
Estimate estimate_of(std::vector<LaunchProfile> launches,
                     const std::vector<KernelResources>& kernels, const Cost& cost,
                     const Chip& chip);

/// What the launches of a call at that size do: as it is kept for a rung, else profiled in the
/// emulator, or read from the cache. An Error where that takes too long or the call fails.
Result<std::vector<LaunchProfile>> profile_of(const Problem& problem, const Shape& shape,
                                              const Candidate& candidate, const Estimated& what);

/// A candidate that is compiled to be profiled, at any size.
struct CallToProfile {
  Candidate candidate;
  Estimated what;
  std::vector<KernelResources> kernels;  ///< as nvcc counts them; empty if there is none
};
Result<CallToProfile> call_to_profile(const Candidate& candidate, const Chip& chip);

/// What its launches do at that size: fills of memory left out, with the registers. Never empty.
Result<std::vector<LaunchProfile>> kernels_of_call(const Problem& problem, const Shape& shape,
                                                   const CallToProfile& call);

/// After how long no other rung is profiled: after a check, and where a person has asked for
/// nothing else.
inline constexpr double checking_limit_s = 3, benching_limit_s = 60;

/// Yours (if there is one) and then the ladder's rungs at that size, on request.chip. What a rung's
/// launches do is kept (solutions/<operator>/profiles.jsonl, and the cache); what is not known yet
/// is profiled in the emulator, at a smaller size where that one takes too long: yours first, with
/// a limit of its own, then the rungs from the last to the first. A rung that has changed since its
/// profile was kept, and is still to be profiled after `limit_s`, is estimated from that profile
/// (Estimate::older); without one it has an error that says so.
std::vector<Estimate> estimate_ladder(const Problem& problem, const Shape& shape, const Chip& chip,
                                      const Estimated* yours, double limit_s,
                                      const GradeRequest& request);

/// The ladder's rungs whose profile is kept, at that size or at the smaller one that has to do:
/// nothing is compiled or run.
std::vector<Estimate> kept_estimates(const Problem& problem, const Shape& shape, const Chip& chip);

/// The rungs of which a profile at that size is kept, or why there is none: those that were not
/// edited since.
std::vector<std::string> rungs_with_profiles(const Problem& problem, const Shape& shape);

/// Profiles every rung at every size that is benched, and writes
/// solutions/<operator>/profiles.jsonl, with the registers that nvcc counts, if there is one. Takes
/// minutes. Where the emulator takes more than 60 s for a size, or finds a fault, that is what is
/// kept, and at the first size the profile of a smaller one. An Error says which rungs' runs were
/// cut short; the others' profiles are written.
std::optional<Error> keep_profiles(const Problem& problem, const std::string& only,
                                   const GradeRequest& request);

}  // namespace kata
