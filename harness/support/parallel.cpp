#include "support/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace kata {

void in_parallel(std::size_t count, const std::function<void(std::size_t)>& visit,
                 unsigned threads) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < count;) visit(i);
  };
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> others(std::min<std::size_t>(count, threads));
  for (std::jthread& other : others) other = std::jthread(work);
}

}  // namespace kata
