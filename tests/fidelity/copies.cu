// Asynchronous copies into shared memory, by where their lanes read and write: one warp or a part
// of it, one copy of each lane, and a launch for each pattern. What an H200 counts of them is in
// h200_copies.csv, launch by launch; docs/fidelity.md has the command.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <utility>

namespace {

constexpr int SHARED_BYTES = 96 * 1024;
constexpr int RANDOM_PATTERNS = 24;

/// The pieces that the lanes copy: each as large as a copy.
struct Pattern {
  int lanes = 32;
  int from[32], to[32];
};

enum Way { THROUGH_L1, PAST_L1 };

template <int FLOATS, Way way>
__global__ void copy_kernel(const float* in, float* out, Pattern pattern) {
  extern __shared__ __align__(128) float shared[];
  const int lane = threadIdx.x;
  float* to = shared + pattern.to[lane] * FLOATS;
  const float* from = in + pattern.from[lane] * FLOATS;
  if (FLOATS == 4 && way == THROUGH_L1) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(to))),
                 "l"(from)
                 : "memory");
  } else {
    __pipeline_memcpy_async(to, from, FLOATS * sizeof(float));
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[lane] = *to;
}

template <int FLOATS, Way way>
class Launches {
 public:
  Launches(const float* in, float* out) : in_(in), out_(out) {
    cudaFuncSetAttribute(copy_kernel<FLOATS, way>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         SHARED_BYTES);
  }

  void all() {
    for (int offset = 0; offset < 8; ++offset) {
      launch([=](int lane) { return lane + offset; }, side_by_side);
      launch([=](int lane) { return lane ^ offset; }, side_by_side);
    }
    for (int offset = 1; offset < 16; offset *= 2) {
      launch(side_by_side, [=](int lane) { return lane + offset; });
      launch([=](int lane) { return lane + offset; }, [=](int lane) { return lane + offset; });
    }
    for (int stride : {2, 3, 4, 8, 9, 32, 33}) {
      launch([=](int lane) { return lane * stride; }, side_by_side);
      launch(side_by_side, [=](int lane) { return lane * stride; });
      launch([=](int lane) { return lane * stride; }, [=](int lane) { return lane * stride; });
    }
    for (int same : {2, 4, 8, 16, 32}) {
      launch([=](int lane) { return lane / same; }, side_by_side);
      launch([=](int lane) { return lane / same * 65; }, side_by_side);
      launch([=](int lane) { return lane % same; }, side_by_side);
    }
    for (int row : {2, 4, 8, 16}) rows(row);
    for (int lanes : {32, 8}) at_random(lanes);
  }

 private:
  static int side_by_side(int lane) { return lane; }

  /// Tiles with rows of so many lanes: as they lie, padded, swizzled, transposed, cut off.
  void rows(int row) {
    const auto of_matrix = [=](int lane) { return lane / row * 256 + lane % row; };
    for (int pad : {0, 1, 2, 4}) {
      const auto padded = [=](int lane) { return lane / row * (row + pad) + lane % row; };
      launch(of_matrix, padded);
      launch([=](int lane) { return lane / row * 65 + lane % row; }, padded);
      launch(of_matrix, [=](int lane) { return lane % row * (32 / row + pad) + lane / row; });
    }
    launch(of_matrix, [=](int lane) { return lane ^ lane / row % row; });
    launch([=](int lane) { return lane / row * 65 + (lane % row < 2 ? lane % row : 1); },
           side_by_side);
  }

  void at_random(int lanes) {
    for (int i = 0; i < RANDOM_PATTERNS; ++i) {
      const int pieces = i % 3 == 0 ? 8 : i % 3 == 1 ? 32 : 256;
      Pattern pattern;
      pattern.lanes = lanes;
      for (int lane = 0; lane < lanes; ++lane) {
        pattern.from[lane] = random() % pieces;
        pattern.to[lane] = lane;
      }
      for (int lane = lanes - 1; lane > 0 && i % 2 == 0; --lane)
        std::swap(pattern.to[lane], pattern.to[random() % (lane + 1)]);
      launch(pattern);
    }
  }

  template <class From, class To>
  void launch(From from, To to) {
    Pattern pattern;
    for (int lane = 0; lane < 32; ++lane) {
      pattern.from[lane] = from(lane);
      pattern.to[lane] = to(lane);
    }
    launch(pattern);
  }

  void launch(const Pattern& pattern) {
    copy_kernel<FLOATS, way><<<1, pattern.lanes, SHARED_BYTES>>>(in_, out_, pattern);
  }

  /// The same on every machine: a linear congruential generator, with the numbers of C99's example.
  int random() {
    state_ = state_ * 1103515245u + 12345u;
    return static_cast<int>(state_ >> 16 & 0x7fff);
  }

  const float* in_;
  float* out_;
  unsigned state_ = 1;
};

}  // namespace

extern "C" int launch_all() {
  float *in = nullptr, *out = nullptr;
  cudaMalloc(&in, 1 << 20);
  cudaMalloc(&out, 32 * sizeof(float));
  cudaMemset(in, 0, 1 << 20);
  Launches<1, THROUGH_L1>(in, out).all();
  Launches<2, THROUGH_L1>(in, out).all();
  Launches<4, THROUGH_L1>(in, out).all();
  Launches<4, PAST_L1>(in, out).all();
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  cudaFree(in);
  cudaFree(out);
  return error != cudaSuccess;
}

int main() {
  return launch_all();
}
