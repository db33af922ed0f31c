#pragma once
// Rung 7's kernel: a block per tile, and decoupled look-back (common/look_back.h) for maps.

#include "../common/look_back.h"
#include "tile.h"

/// Two words for each tile and sequence, [tiles, sequences] each: a and b of the tile's map. Once h
/// at the end of the tile is known, it takes the place of b, and a does not matter any more.
struct MapStates {
  TileStates states;
  size_t count;  // tiles x sequences

  __device__ void publish_map(size_t i, Map map) const {
    publish(&states.words[i], states.aggregate_tag(), map.a);
    publish(&states.words[count + i], states.aggregate_tag(), map.b);
  }
  __device__ void publish_end(size_t i, float h) const {
    publish(&states.words[count + i], states.inclusive_tag(), h);
  }

  // Waits for both words. A tile whose h is known is a map that forgets everything before.
  __device__ Map observe_map(size_t i) const {
    Word words[2];
    for (int k = 0; k < 2; ++k) {
      do {
        words[k] = observe(&states.words[k * count + i]);
      } while (tag_of(words[k]) < states.aggregate_tag());
    }
    const bool is_end = tag_of(words[1]) == states.inclusive_tag();
    return {is_end ? 0.0f : value_of<float>(words[0]), value_of<float>(words[1])};
  }
};

// h before the tile. Each segment of the block looks at one of the tiles before it, the last
// segment at the nearest one.
template <int WIDTH>
__device__ float h_before(const MapStates& states, size_t column, int sequences, int tile,
                          bool exists, WarpMaps<WIDTH>& of_warps) {
  constexpr int SEGMENTS = TILE_THREADS / WIDTH;
  const int segment = threadIdx.x / WIDTH;
  Map later{1.0f, 0.0f};  // what the tiles do that have been looked at
  for (int end = tile;; end -= SEGMENTS) {
    const int mine = end - SEGMENTS + segment;
    Map map{0.0f, 0.0f};  // before tile 0, h is 0
    if (mine >= 0 && exists) {
      map = states.observe_map(static_cast<size_t>(mine) * sequences + column);
    }
    later = then(scan_maps<WIDTH>(map, of_warps).total, later);
    if (!__syncthreads_or(later.a != 0.0f)) return later.b;
  }
}

template <int WIDTH>
__global__ void __launch_bounds__(TILE_THREADS)
    look_back_kernel(const float* a, const float* b, float* h, int sequences, int length,
                     int channels, MapStates states) {
  __shared__ typename Tile<WIDTH>::Memory memory;
  __shared__ WarpMaps<WIDTH> of_warps;
  const int groups = sequences / channels * kata::ceil_div(channels, WIDTH);
  const int number = take_tile(states.states);  // in order of time, so that earlier ones run
  const Group group = Group::number<WIDTH>(number % groups, length, channels);
  const int place = number / groups, start = place * Tile<WIDTH>::LENGTH;
  Tile<WIDTH> tile;
  tile.load(a, b, group, start, memory);
  const Scanned scanned = scan_maps<WIDTH>(tile.map(), of_warps);

  const int column = threadIdx.x % WIDTH;
  const bool exists = column < group.width;
  const size_t own = static_cast<size_t>(place) * sequences + group.sequence + column;
  if (threadIdx.x < WIDTH && exists) states.publish_map(own, scanned.total);
  __syncthreads();  // of_warps may be written again
  const float before =
      h_before<WIDTH>(states, group.sequence + column, sequences, place, exists, of_warps);
  if (threadIdx.x < WIDTH && exists) {
    states.publish_end(own, scanned.total.a * before + scanned.total.b);
  }
  tile.store(h, scanned.before.a * before + scanned.before.b, group, start, memory);
}

template <int WIDTH>
void launch_look_back(const float* a, const float* b, float* h, int batch, int length,
                      int channels) {
  const int sequences = batch * channels;
  const int tiles = kata::ceil_div(length, Tile<WIDTH>::LENGTH);
  const size_t count = static_cast<size_t>(tiles) * sequences;
  const MapStates states{new_tile_states(2 * count), count};
  const int blocks = tiles * batch * kata::ceil_div(channels, WIDTH);
  look_back_kernel<WIDTH><<<blocks, TILE_THREADS>>>(a, b, h, sequences, length, channels, states);
}
