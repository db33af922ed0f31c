#pragma once
// Which field a launch reads and which it writes: `in` first, then scratch and `out` in turn, so
// that the last launch writes `out`.

#include <kata/kata.h>

#include "../common/scratch.h"

class Fields {
 public:
  Fields(const float* in, float* out, size_t cells, int launches)
      : in_(in), out_(out), launches_(launches) {
    static Scratch<float> scratch;
    if (launches > 1) scratch_ = scratch.get(cells);
  }

  float* to(int launch) const { return (launches_ - 1 - launch) % 2 == 0 ? out_ : scratch_; }
  const float* from(int launch) const { return launch == 0 ? in_ : to(launch - 1); }

 private:
  const float* in_;
  float* out_;
  float* scratch_ = nullptr;
  int launches_;
};
