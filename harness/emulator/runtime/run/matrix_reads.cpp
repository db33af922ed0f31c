#include "emulator/runtime/run/matrix_reads.h"

namespace kata::emulator {

void MatrixReads::add(const AsyncRead& read, unsigned warpgroup) {
  std::vector<std::uint64_t>& cells = cells_[warpgroup];
  if (cells.empty()) cells.resize(shared_span / 16);
  for (const SharedRange& range : read.ranges) {
    for (std::uintptr_t at = range.low; at < range.low + range.bytes; at += 16)
      cells[cell_of(at)] = read.number;
  }
  reads_.emplace(read.number, Read{read.code});
  if (reads_.size() > kept) reads_.erase(reads_.begin());
}

void MatrixReads::add_wait(std::uint64_t number, std::uint64_t who) {
  const auto read = reads_.find(number);
  if (read != reads_.end()) read->second.waits.push_back(who);
}

}  // namespace kata::emulator
