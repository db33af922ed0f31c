#pragma once
// The registers of a block, which setmaxnreg moves from some warpgroups to others. Only their
// number is kept: an increase waits until others have given up enough.

#include <vector>

#include "emulator/runtime/memory/place.h"

namespace kata::emulator {

/// Of one block, on the device and as ptxas gives them to a thread.
inline constexpr unsigned registers_per_block = 65536, registers_step = 8;
inline constexpr unsigned most_registers = 256;

class RegisterPool {
 public:
  /// Each thread of a new block has what `__launch_bounds__(threads)` allows it.
  void begin(unsigned threads);

  // Called by the running thread, with the registers that it shall have.

  void decrease(unsigned registers, const Place& place);
  void increase(unsigned registers, const Place& place);

 private:
  std::vector<unsigned> held_;  ///< by thread; empty: all as at launch
  unsigned at_launch_ = 0, threads_ = 0;
  unsigned free_ = 0;
};

}  // namespace kata::emulator
