#pragma once
// Work on many things at once.

#include <cstddef>
#include <functional>

namespace kata {

/// Calls visit(0) to visit(count - 1), as many at a time as `threads`, or as there are processors
/// if that is 0, and waits.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& visit,
                 unsigned threads = 0);

}  // namespace kata
