#pragma once
// Cases too large for the host (RepeatedCase in judge.h): how one is run and compared.

#include "judge/call.h"
#include "judge/judge.h"

namespace kata {

/// Gives every buffer what it holds before the call: the pattern's inputs again and again, and
/// poison.
void prepare_repeated(const Problem& problem, const Inputs& pattern, const Buffers& buffers,
                      Device& device);

/// Compares parts of every output, the first and the last elements among them. CaseResult::of and
/// ::bad count the elements of these parts.
CaseResult compare_repeated(const Problem& problem, const RepeatedCase& one, const Outputs& pattern,
                            const Buffers& buffers, Device& device);

}  // namespace kata
