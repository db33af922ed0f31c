#pragma once
// Which buffers each of four passes moves the pairs between.

#include "../common/scratch.h"

struct PairsIn {
  const unsigned* keys;
  const int* values;
};

struct PairsOut {
  unsigned* keys;
  int* values;
};

// Calls run(pass, from, to) for passes 0 to 3: inputs, scratch, outputs, scratch, outputs. The
// inputs are only read.
template <class Run>
void four_passes(PairsIn in, PairsOut out, int n, Run run) {
  static Scratch<unsigned> keys;
  static Scratch<int> values;
  const PairsOut scratch = {keys.get(n), values.get(n)};
  PairsIn from = in;
  for (int pass = 0; pass < 4; ++pass) {
    const PairsOut to = pass % 2 == 0 ? scratch : out;
    run(pass, from, to);
    from = {to.keys, to.values};
  }
}
