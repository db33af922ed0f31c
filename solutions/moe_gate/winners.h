#pragma once
// The k winners of a token, kept by the lanes of its warp, 32 at a time: lane r % 32 has number r.

#include "../common/best.h"

// A total order without ties: larger logits come first, of equal ones the lower index.
__device__ inline bool comes_after(Best last, Best other) {
  return other.value < last.value || (other.value == last.value && other.index > last.index);
}

class Winners {
 public:
  __device__ Winners(float* weights, int* chosen, int k)
      : weights_(weights), chosen_(chosen), k_(k) {}

  // Winner number r. All lanes call it, with the same arguments.
  __device__ void add(int r, Best best) {
    if (r == 0) largest_ = best.value;
    if (threadIdx.x % 32 == r % 32) mine_ = best;
    if (r % 32 == 31 || r == k_ - 1) store(r / 32 * 32);
  }

  // Divides by the sum. Each lane meets the weights that it has stored itself.
  __device__ void normalise() {
    for (int offset = 16; offset > 0; offset /= 2) {
      sum_ += __shfl_xor_sync(0xffffffffu, sum_, offset);
    }
    for (int r = threadIdx.x % 32; r < k_; r += 32) weights_[r] /= sum_;
  }

 private:
  __device__ void store(int first) {
    const int r = first + threadIdx.x % 32;
    if (r >= k_) return;
    const float exponential = expf(mine_.value - largest_);
    sum_ += exponential;
    weights_[r] = exponential;
    chosen_[r] = mine_.index;
  }

  float* weights_;
  int* chosen_;
  int k_;
  Best mine_ = {0.0f, 0};
  float largest_ = 0.0f;
  float sum_ = 0.0f;
};
