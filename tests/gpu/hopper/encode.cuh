#pragma once
#include "tensors.cuh"

void encode_answers() {
  Device<unsigned char> data(1 << 20);
  struct Arguments {
    int type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
    int rank = 3;
    size_t address = 0;
    uint64_t dims[5] = {64, 16, 8, 1, 1}, strides[4] = {128, 2048, 16384, 16384};
    uint32_t box[5] = {32, 8, 4, 1, 1}, steps[5] = {1, 1, 1, 1, 1};
    int interleave = 0, swizzle = 0, fill = 0, map_offset = 0, promotion = 0;
  };
  const auto answer = [&](const char* name, const Arguments& a) {
    alignas(128) unsigned char space[512];
    const int error = encoder()(
        (CUtensorMap*)(space + a.map_offset), (CUtensorMapDataType)a.type, a.rank,
        data + a.address, a.dims, a.strides, a.box, a.steps, (CUtensorMapInterleave)a.interleave,
        (CUtensorMapSwizzle)a.swizzle, (CUtensorMapL2promotion)a.promotion,
        (CUtensorMapFloatOOBfill)a.fill);
    fact("%s: %d", name, error);
  };
#define ANSWER(name, ...)  \
  do {                     \
    Arguments a;           \
    __VA_ARGS__;           \
    answer(name, a);       \
  } while (false)
  ANSWER("right", );
  ANSWER("map at 64", a.map_offset = 64);
  ANSWER("map at 32", a.map_offset = 32);
  ANSWER("map at 16", a.map_offset = 16);
  ANSWER("map at 8", a.map_offset = 8);
  ANSWER("rank 0", a.rank = 0);
  ANSWER("rank 6", a.rank = 6);
  ANSWER("type 13", a.type = 13);
  ANSWER("type 16", a.type = 16);
  ANSWER("address 8", a.address = 8);
  ANSWER("address 16", a.address = 16);
  ANSWER("address 16, interleave 32", a.address = 16, a.interleave = 2, a.swizzle = 1);
  ANSWER("address 32, interleave 32", a.address = 32, a.interleave = 2, a.swizzle = 1);
  ANSWER("interleave 16", a.interleave = 1);
  ANSWER("interleave 16, rank 2", a.interleave = 1, a.rank = 2);
  ANSWER("interleave 32, no swizzle", a.interleave = 2);
  ANSWER("interleave 32, swizzle 64", a.interleave = 2, a.swizzle = 2);
  ANSWER("interleave 3", a.interleave = 3);
  ANSWER("swizzle 4", a.swizzle = 4);
  ANSWER("promotion 4", a.promotion = 4);
  ANSWER("fill 2", a.fill = 2);
  ANSWER("NaN fill of integers", a.fill = 1);
  ANSWER("NaN fill of f16", a.fill = 1, a.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
  ANSWER("dimension 0", a.dims[1] = 0);
  ANSWER("dimension 2^32", a.dims[2] = 1ull << 32);
  ANSWER("dimension 2^32+1", a.dims[2] = (1ull << 32) + 1);
  ANSWER("stride 8", a.strides[0] = 136);
  ANSWER("stride 0", a.strides[1] = 0);
  ANSWER("stride of 0 of dimension 1", a.strides[0] = 0);
  ANSWER("stride shorter than a row", a.strides[0] = 112);
  ANSWER("strides that fall", a.strides[0] = 2048, a.strides[1] = 128);
  ANSWER("stride 2^40 - 16", a.strides[1] = (1ull << 40) - 16);
  ANSWER("stride 2^40", a.strides[1] = 1ull << 40);
  ANSWER("stride 16, interleave 32", a.strides[0] = 144, a.interleave = 2, a.swizzle = 1);
  ANSWER("box 0", a.box[1] = 0);
  ANSWER("box 256", a.box[1] = 256);
  ANSWER("box 257", a.box[1] = 257);
  ANSWER("box larger than the tensor", a.box[2] = 200);
  ANSWER("box of 24 bytes", a.box[0] = 12);
  ANSWER("box of 8 bytes", a.box[0] = 4);
  ANSWER("box of 48 bytes", a.box[0] = 24);
  ANSWER("box of 64 bytes, swizzle 32", a.swizzle = 1);
  ANSWER("box of 64 bytes, swizzle 64", a.swizzle = 2);
  ANSWER("box of 32 bytes, swizzle 64", a.swizzle = 2, a.box[0] = 16);
  ANSWER("box of 256 bytes, swizzle 128", a.swizzle = 3, a.box[0] = 128);
  ANSWER("box of 512 bytes", a.box[0] = 256);
  ANSWER("box of 128 KiB", a.box[0] = 64, a.box[1] = 256, a.box[2] = 4);
  ANSWER("box of 224 KiB", a.box[0] = 64, a.box[1] = 256, a.box[2] = 7);
  ANSWER("box of 227 KiB", a.box[0] = 64, a.box[1] = 227, a.box[2] = 8);
  ANSWER("box of 228 KiB", a.box[0] = 64, a.box[1] = 228, a.box[2] = 8);
  ANSWER("box of 256 KiB", a.box[0] = 64, a.box[1] = 256, a.box[2] = 8);
  ANSWER("box of 2 MiB", a.box[0] = 64, a.box[1] = 256, a.box[2] = 64);
  ANSWER("box of 2 MiB less its steps", a.box[0] = 64, a.box[1] = 256, a.box[2] = 64, a.steps[2] = 8);
  ANSWER("step 0", a.steps[1] = 0);
  ANSWER("step 0 of dimension 0", a.steps[0] = 0);
  ANSWER("step 8", a.steps[1] = 8);
  ANSWER("step 9", a.steps[1] = 9);
  ANSWER("step 8 of dimension 0", a.steps[0] = 8);
  ANSWER("step 9 of dimension 0", a.steps[0] = 9);
  ANSWER("step 3 of dimension 0", a.steps[0] = 3);
  ANSWER("step larger than the box", a.steps[2] = 5);
}

