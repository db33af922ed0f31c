#pragma once
// What would help a kernel most, by the model of the drills (practice/drill/cause.h): the time is
// estimated again as if one cause were gone.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "practice/drill/cause.h"

namespace kata::diagnose {

using drill::Cause;

/// A line of the candidate that has a share in a cause.
struct Line {
  std::string file = {};
  int line = 0;
  double share = 0;          ///< of what the cause is counted in
  std::string counted = {};  ///< "of the sectors beyond the fewest"
};

struct Advice {
  Cause cause = Cause::latency;
  double gain = 1;  ///< how many times as fast without it, by the estimate
  std::string evidence = {};
  std::vector<Line> lines = {};  ///< those with the largest shares
  std::string remedy = {};       ///< the usual one, as a sentence
};

enum class Outcome {
  advice,      ///< one cause stands out
  near_limit,  ///< no cause would gain much, and the estimate is near what the chip allows
  cannot_say,
};

struct Diagnosis {
  Outcome outcome = Outcome::cannot_say;
  double us = 0, limit_us = 0;      ///< estimated; what the chip's datasheet allows
  std::vector<Advice> causes = {};  ///< the first one, then at most two that cost most after it
  std::string reason = {};          ///< why no cause stands out
};

/// `launches`: of one call, with registers where they are known; at least one is a kernel.
/// `counted`: the kernels of any run of the same code, with their lines; empty: no lines are known.
Diagnosis diagnose(const std::vector<LaunchProfile>& launches,
                   const std::vector<KernelRecord>& counted, const Cost& cost, const Chip& chip);

/// The usual remedy of that cause, or what is left to do where the launches follow it already.
std::string remedy_of(Cause cause, const std::vector<LaunchProfile>& launches);

void to_json(nlohmann::json& json, const Diagnosis& diagnosis);

}  // namespace kata::diagnose
