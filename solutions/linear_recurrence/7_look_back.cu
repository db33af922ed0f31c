// Few sequences: a block per tile, which looks back at the maps that earlier tiles have published.
//
// A tile publishes its own map as soon as it has it, and later h at its end. The next tile composes
// maps backwards until it meets such an h, or until their product is 0 and nothing earlier counts:
// sequences that forget soon hardly wait. A pair of floats with a tag is more than one 64-bit word,
// so each float has a word and a tag of its own. Used where rung 6 would leave SMs without a block.
//
// Prediction: 1 x 65536 x 64 is 50 MB, 11 us. 1024 tiles run in two waves, and each looks back
// once or twice, 1 us each time: 25 us, where rung 3 needs 45. 64 x 16384 x 1: 7 us instead of 12.
// Measured: 25.6 us at 1x65536x64, 57 % of the limit (H200, 2026-11-29)
#include "../common/grid_size.h"
#include "copied_tiles.h"
#include "narrow_tiles.h"
#include "recurrence_look_back.h"

// Whether rung 6 would give each SM at most one block, although there are more tiles.
template <int WIDTH>
bool few_sequences(int batch, int length, int channels) {
  const int groups = batch * kata::ceil_div(channels, WIDTH);
  return length > Tile<WIDTH>::LENGTH && one_wave(groups, 1) == groups;
}

extern "C" void linear_recurrence(const float* a, const float* b, float* h, int batch, int length,
                                  int channels) {
  if (channels > 4) {
    const bool few = few_sequences<32>(batch, length, channels);
    (few ? launch_look_back<32> : launch_copied_tiles)(a, b, h, batch, length, channels);
  } else if (channels > 1) {
    const bool few = few_sequences<4>(batch, length, channels);
    (few ? launch_look_back<4> : launch_narrow_tiles<4>)(a, b, h, batch, length, channels);
  } else {
    const bool few = few_sequences<1>(batch, length, channels);
    (few ? launch_look_back<1> : launch_narrow_tiles<1>)(a, b, h, batch, length, channels);
  }
}
