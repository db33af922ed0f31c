// Arrays, textures of arrays and of pitched memory, surfaces.
#include "expect.cuh"

__global__ void along_a_row(cudaTextureObject_t texture, float first, float step, float row,
                            float* out) {
  out[threadIdx.x] = tex2D<float>(texture, first + step * threadIdx.x, row);
}
__global__ void as_floats(cudaTextureObject_t texture, float4* out) {
  tex2D(&out[threadIdx.x], texture, threadIdx.x + 0.5f, 1.5f);
}
__global__ void in_three_dimensions(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex3D<float>(texture, 0.5f, 0.5f, 1.0f + 0.25f * threadIdx.x);
}
__global__ void of_layers(cudaTextureObject_t texture, int* out) {
  out[threadIdx.x] = tex2DLayered<int>(texture, 1.5f, 0.5f, threadIdx.x);
}
__global__ void add_one(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
  const int x = threadIdx.x * sizeof(uchar4), y = blockIdx.x;
  uchar4 value = surf2Dread<uchar4>(from, x, y);
  value.x += 1;
  surf2Dwrite(value, to, x, y);
}
__global__ void past_the_edge(cudaSurfaceObject_t surface, uchar4* out) {
  out[0] = surf2Dread<uchar4>(surface, 400, 9, cudaBoundaryModeZero);
  out[1] = surf2Dread<uchar4>(surface, 400, 9, cudaBoundaryModeClamp);
}

constexpr int width = 8, height = 4;

/// An array with 10 * row + column.
struct Numbers {
  cudaArray_t array = nullptr;
  float host[height][width];
  Numbers() {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) host[y][x] = 10 * y + x;
    }
    const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &floats, width, height);
    cudaMemcpy2DToArray(array, 0, 0, host, sizeof host[0], sizeof host[0], height,
                        cudaMemcpyHostToDevice);
  }
  ~Numbers() { cudaFreeArray(array); }
};

static cudaTextureObject_t texture_of(cudaArray_t array, const cudaTextureDesc& how) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureObject_t texture = 0;
  EXPECT(cudaCreateTextureObject(&texture, &resource, &how, nullptr) == cudaSuccess);
  return texture;
}

static cudaSurfaceObject_t surface_of(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  EXPECT(cudaCreateSurfaceObject(&surface, &resource) == cudaSuccess);
  return surface;
}

static void filtered() {
  Numbers in;
  Values<float, 8> out;
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModeLinear;
  const cudaTextureObject_t texture = texture_of(in.array, how);
  along_a_row<<<1, 8>>>(texture, 0, 0.5f, 1.25f, out);  // rows 0 and 1, weights 1/4 and 3/4
  EXPECT(out.get()[0] == 7.5f && out.host[1] == 7.5f);  // the first texel's centre is 0.5
  EXPECT(out.host[2] == 8 && out.host[7] == 10.5f);
  along_a_row<<<1, 8>>>(texture, 6.5f, 1, 9, out);  // the last row, and past the last column
  EXPECT(out.get()[0] == 36 && out.host[1] == 37 && out.host[7] == 37);
  along_a_row<<<1, 1>>>(texture, 1.5f + 1 / 512.0f - 1 / 4096.0f, 0, 0.5f, out);
  EXPECT(out.get()[0] == 1);  // weights have 8 bits
  EXPECT(cudaDestroyTextureObject(texture) == cudaSuccess);
}

static void wrapped_mirrored_and_bordered() {
  Numbers in;
  Values<float, 8> out;
  cudaTextureDesc how = {};
  how.normalizedCoords = 1;
  how.addressMode[0] = cudaAddressModeWrap;
  how.addressMode[1] = cudaAddressModeMirror;
  cudaTextureObject_t texture = texture_of(in.array, how);
  along_a_row<<<1, 8>>>(texture, -1, 0.25f, 1.05f, out);  // row 4.2 is row 3 in the mirror
  EXPECT(out.get()[0] == 30 && out.host[1] == 32 && out.host[3] == 36 && out.host[4] == 30);
  EXPECT(cudaDestroyTextureObject(texture) == cudaSuccess);
  how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder;
  how.borderColor[0] = 0.5f;
  texture = texture_of(in.array, how);
  along_a_row<<<1, 8>>>(texture, -1.5f, 1.5f, 2.5f, out);
  EXPECT(out.get()[0] == 0.5f && out.host[1] == 20 && out.host[6] == 27 && out.host[7] == 0.5f);
  EXPECT(cudaDestroyTextureObject(texture) == cudaSuccess);
}

static void integers_as_floats_and_surfaces() {
  uchar4 pixels[2][4];
  for (uchar4(&row)[4] : pixels) {
    for (int x = 0; x < 4; ++x) row[x] = make_uchar4(51 * x, 255, 0, 102);
  }
  const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>();
  cudaArray_t from, to;
  EXPECT(cudaMallocArray(&from, &bytes, 4, 2, cudaArraySurfaceLoadStore) == cudaSuccess);
  EXPECT(cudaMallocArray(&to, &bytes, 4, 2, cudaArraySurfaceLoadStore) == cudaSuccess);
  cudaMemcpy2DToArray(from, 0, 0, pixels, 16, 16, 2, cudaMemcpyHostToDevice);
  cudaTextureDesc how = {};
  how.readMode = cudaReadModeNormalizedFloat;
  const cudaTextureObject_t texture = texture_of(from, how);
  Values<float4, 4> out;
  as_floats<<<1, 4>>>(texture, out);
  EXPECT(out.get()[1].x == 0.2f && out.host[3].y == 1 && out.host[0].w == 0.4f);
  const cudaSurfaceObject_t in = surface_of(from), result = surface_of(to);
  add_one<<<2, 4>>>(in, result);
  cudaMemcpy2DFromArray(pixels, 16, to, 0, 0, 16, 2, cudaMemcpyDeviceToHost);
  EXPECT(pixels[1][3].x == 154 && pixels[0][0].x == 1 && pixels[1][2].w == 102);
  Values<uchar4, 2> edge;
  past_the_edge<<<1, 1>>>(result, edge);
  EXPECT(edge.get()[0].y == 0 && edge.host[1].x == 154);
  EXPECT(cudaDestroySurfaceObject(in) == cudaSuccess);
  EXPECT(cudaDestroySurfaceObject(result) == cudaSuccess);
  EXPECT(cudaDestroyTextureObject(texture) == cudaSuccess);
  EXPECT(cudaFreeArray(from) == cudaSuccess && cudaFreeArray(to) == cudaSuccess);
}

static void volumes_and_layers() {
  float host[3][2][2] = {};
  for (int z = 0; z < 3; ++z) host[z][0][0] = 4 * z;
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaArray_t volume;
  EXPECT(cudaMalloc3DArray(&volume, &floats, make_cudaExtent(2, 2, 3)) == cudaSuccess);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host, sizeof host[0][0], 2, 2);
  copy.dstArray = volume;
  copy.extent = make_cudaExtent(2, 2, 3);
  copy.kind = cudaMemcpyHostToDevice;
  EXPECT(cudaMemcpy3D(&copy) == cudaSuccess);
  cudaTextureDesc how = {};
  how.filterMode = cudaFilterModeLinear;
  how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
  cudaTextureObject_t texture = texture_of(volume, how);
  Values<float, 8> out;
  in_three_dimensions<<<1, 8>>>(texture, out);  // from 1.0 on: half of slice 0, half of slice 1
  EXPECT(out.get()[0] == 2 && out.host[1] == 3 && out.host[2] == 4 && out.host[6] == 8);
  EXPECT(cudaDestroyTextureObject(texture) == cudaSuccess && cudaFreeArray(volume) == cudaSuccess);

  int layers[2][1][2] = {{{1, 2}}, {{3, 4}}};
  const cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
  EXPECT(cudaMalloc3DArray(&volume, &ints, make_cudaExtent(2, 1, 2), cudaArrayLayered) ==
         cudaSuccess);
  copy.srcPtr = make_cudaPitchedPtr(layers, sizeof layers[0][0], 2, 1);
  copy.dstArray = volume;
  copy.extent = make_cudaExtent(2, 1, 2);
  EXPECT(cudaMemcpy3D(&copy) == cudaSuccess);
  how.filterMode = cudaFilterModePoint;
  texture = texture_of(volume, how);
  Values<int, 4> values;
  of_layers<<<1, 4>>>(texture, values);
  EXPECT(values.get()[0] == 2 && values.host[1] == 4 && values.host[3] == 4);
  EXPECT(cudaDestroyTextureObject(texture) == cudaSuccess && cudaFreeArray(volume) == cudaSuccess);
}

static void pitched_memory() {
  Numbers in;
  float* rows;
  size_t pitch;
  cudaMallocPitch(&rows, &pitch, sizeof in.host[0], height);
  cudaMemcpy2DFromArray(rows, pitch, in.array, 0, 0, sizeof in.host[0], height,
                        cudaMemcpyDeviceToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = rows;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  cudaTextureDesc how = {};
  how.addressMode[0] = cudaAddressModeClamp;
  cudaTextureObject_t texture = 0;
  EXPECT(cudaCreateTextureObject(&texture, &resource, &how, nullptr) == cudaSuccess);
  Values<float, 8> out;
  along_a_row<<<1, 8>>>(texture, 0, 1, 3, out);
  EXPECT(out.get()[0] == 30 && out.host[7] == 37);
  EXPECT(cudaDestroyTextureObject(texture) == cudaSuccess && cudaFree(rows) == cudaSuccess);
}

static void fixture() {
  filtered();
  wrapped_mirrored_and_bordered();
  integers_as_floats_and_surfaces();
  volumes_and_layers();
  pitched_memory();
}
