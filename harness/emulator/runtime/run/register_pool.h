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
  /// A setmaxnreg of one warpgroup, which all of its threads have to execute.
  struct Step {
    Place place;      ///< of the thread that came to it first
    unsigned thread;  ///< that one
    bool to_more;
    unsigned registers;
    unsigned threads = 0;  ///< that have executed it
    unsigned warps = 0;    ///< theirs, one bit each
  };

  /// Each thread of a new block has what `__launch_bounds__(threads)` allows it.
  void begin(unsigned threads);

  /// Registers that the running thread may have.
  unsigned held() const;

  // Called by the running thread, with the registers that it shall have.

  void decrease(unsigned registers, const Place& place);
  void increase(unsigned registers, const Place& place);

  /// The block is over: the first step of each warpgroup that not all of its threads have executed.
  std::vector<Step> incomplete() const;

 private:
  void note_step(bool to_more, unsigned registers, const Place& place);

  std::vector<unsigned> held_;            ///< by thread; empty: all as at launch
  std::vector<unsigned> taken_;           ///< steps, by thread
  std::vector<std::vector<Step>> steps_;  ///< by warpgroup
  unsigned at_launch_ = 0, threads_ = 0;
  unsigned free_ = 0;
};

}  // namespace kata::emulator
