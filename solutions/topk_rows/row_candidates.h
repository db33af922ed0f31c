#pragma once
// Rung 6's loop over the tiles of a row.

#include <kata/kata.h>

#include "candidates.h"
#include "row_tile.h"
#include "value_bound.h"

// Adds columns `begin` to `end` - 1 of a row, and sets the tightest bound that their values give.
// The bound is renewed when the number of tiles has doubled, and after the last one.
template <bool VECTOR>
__device__ void add_columns(Candidates& candidates, const float* row, int begin, int end, int k) {
  const int tile_cols = TILE_ITEMS * blockDim.x;
  const int tiles = kata::ceil_div(end - begin, tile_cols);
  unsigned largest = NO_KEY;  // key_of() the largest value of this thread so far
  for (int t = 0; t < tiles; ++t) {
    const RowTile<VECTOR> tile(row, begin + t * tile_cols, end);
    largest = max(largest, key_of(tile.largest() + 0.0f));
    if ((t & (t + 1)) == 0) candidates.raise_bound(value_bound(largest, k));
    candidates.add(tile.may_pass(candidates), [&](int j) { return tile.key(row, j); });
  }
  const bool is_new = (tiles & (tiles - 1)) == 0;
  if (!is_new) candidates.raise_bound(value_bound(largest, k));
}
