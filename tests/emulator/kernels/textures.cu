// Textures of linear memory.
#include "expect.cuh"

template <class T>
__global__ void fetch(cudaTextureObject_t texture, int first, T* out) {
  out[threadIdx.x] = tex1Dfetch<T>(texture, first + (int)threadIdx.x);
}
__global__ void fetch_by_pointer(cudaTextureObject_t texture, float* out) {
  tex1Dfetch(&out[threadIdx.x], texture, (int)threadIdx.x);
}

template <class T>
static cudaError_t make(cudaTextureObject_t* texture, void* memory, size_t bytes) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = cudaCreateChannelDesc<T>();
  resource.res.linear.sizeInBytes = bytes;
  cudaTextureDesc description = {};
  description.readMode = cudaReadModeElementType;
  return cudaCreateTextureObject(texture, &resource, &description, nullptr);
}

static void one_number_a_texel() {
  Values<float, 64> in;
  Values<float, 32> out;
  float values[64];
  for (int i = 0; i < 64; ++i) values[i] = 1.0f + i;
  in.set(values);
  cudaTextureObject_t texture = 0;
  EXPECT(make<float>(&texture, in, 48 * sizeof(float)) == cudaSuccess && texture != 0);
  fetch<float><<<1, 32>>>(texture, 0, out);
  EXPECT(out.get()[0] == 1 && out.host[31] == 32);
  fetch_by_pointer<<<1, 32>>>(texture, out);
  EXPECT(out.get()[5] == 6);
  fetch<float><<<1, 32>>>(texture, 32, out);  // the texture ends after 16 of them
  EXPECT(out.get()[15] == 48 && out.host[16] == 0 && out.host[31] == 0);
  fetch<float><<<1, 32>>>(texture, -16, out);
  EXPECT(out.get()[15] == 0 && out.host[16] == 1);
  EXPECT(cudaDestroyTextureObject(texture) == cudaSuccess);
}

static void whole_vectors_a_texel() {
  Values<int4, 4> in;
  const int4 values[4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}};
  in.set(values);
  cudaTextureObject_t fours = 0, pairs = 0, bytes = 0;
  EXPECT(make<int4>(&fours, in, sizeof values) == cudaSuccess);
  EXPECT(make<uint2>(&pairs, in, sizeof values) == cudaSuccess);
  EXPECT(make<uchar4>(&bytes, in, sizeof values) == cudaSuccess && bytes != pairs);
  Values<int4, 4> four;
  fetch<int4><<<1, 4>>>(fours, 0, four);
  EXPECT(four.get()[1].x == 5 && four.host[3].w == 16);
  Values<uint2, 4> two;
  fetch<uint2><<<1, 4>>>(pairs, 2, two);
  EXPECT(two.get()[0].x == 5 && two.host[3].y == 12);
  Values<uchar4, 4> one;
  fetch<uchar4><<<1, 4>>>(bytes, 0, one);
  EXPECT(one.get()[2].x == 3 && one.host[2].y == 0);
  EXPECT(cudaDestroyTextureObject(fours) == cudaSuccess);
  EXPECT(cudaDestroyTextureObject(pairs) == cudaSuccess);
  EXPECT(cudaDestroyTextureObject(bytes) == cudaSuccess);
}

static void fixture() {
  one_number_a_texel();
  whole_vectors_a_texel();
  const cudaChannelFormatDesc two_shorts = cudaCreateChannelDesc<short2>();
  EXPECT(two_shorts.x == 16 && two_shorts.y == 16 && two_shorts.z == 0);
  EXPECT(two_shorts.f == cudaChannelFormatKindSigned);
}
