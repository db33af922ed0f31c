// Functors of a library whose algorithms run on the host: there is no thread whose index they could
// read. On a device the values follow from a launch that the library chooses.

#include <algorithm>

#include "emulator/rewriter/passes.h"
#include "emulator/rewriter/spaces.h"
#include "emulator/rewriter/statements.h"

namespace kata::emulator {

void rewrite_thread_indices(Tokens& tokens) {
  const std::vector<FunctionBody> bodies = function_bodies(tokens);
  auto body = bodies.begin();
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    while (body != bodies.end() && body->close < i) ++body;
    if (body != bodies.end() && i == body->head && space_of(tokens, *body) == Space::kernel)
      i = body->close;
    const bool is_read = is_one_of(tokens, i, {"threadIdx", "blockIdx", "blockDim", "gridDim"}) &&
                         is(tokens, next(tokens, i), ".") &&
                         !is_one_of(tokens, previous(tokens, i), {".", "->"});
    if (is_read) tokens[i].output = "__KATA_IN_KERNEL(" + tokens[i].text + ")";
  }
}

}  // namespace kata::emulator
