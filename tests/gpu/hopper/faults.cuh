#pragma once
// Copies that end in an error, or that the PTX ISA leaves undefined.
#include "clusters.cuh"
#include "linear_copies.cuh"

void launch_with(const char* name, const CUtensorMap& map, int rank) {
  if (is_known()) return;
  Device<unsigned char> out(std::vector<unsigned char>(1 + window_bytes));
  load<<<1, 128, shared_bytes>>>(map, rank, {}, 0, 1024, out);
  if (!printed_error(name)) fact("%s: no error, the box arrives: %d", name, out.values()[0]);
}

/// The kernel's stack holds the map.
__global__ void load_by_value(CUtensorMap map, unsigned char* out) {
  unsigned char* const tile = window();
  __shared__ uint64_t barrier;
  CUtensorMap mine = map;
  ((volatile char*)&mine)[127] = ((const char*)&map)[127];
  if (threadIdx.x == 0) {
    init(&barrier, 1);
    expect(&barrier, 1024);
    load_box(2, tile, &mine, &barrier, {});
    out[0] = becomes_complete(&barrier, 0);
  }
}

void wrong_maps() {
  Tensor tensor;
  tensor.dims[0] = 64, tensor.dims[1] = 32;
  std::vector<unsigned char> contents = numbers(tensor, 4 * tensor.bytes());
  CUtensorMap map{};
  launch_with("a map of zeros", map, 2);
  {
    Device<unsigned char> data(contents);
    encode(tensor, data, map);
    launch_with("rank 2 as 3", map, 3);
  }
  {
    Device<unsigned char> data(contents);
    tensor.rank = 3, tensor.dims[2] = 4;
    encode(tensor, data, map);
    launch_with("rank 3 as 2", map, 2);
    tensor.rank = 2;
  }
  if (!is_known()) {
    Device<unsigned char> data(contents), out(1);
    encode(tensor, data, map);
    load_by_value<<<1, 128, shared_bytes>>>(map, out);
    if (!printed_error("a map in local memory")) fact("a map in local memory: no error");
  }
  if (!is_known()) {
    Device<unsigned char> data(contents), out(2 * 8192);
    encode(tensor, data, map);
    launch_cluster(2, multicast, map, 0x05, 0x01, (unsigned char*)out);
    if (!printed_error("multicast to a rank that is not there"))
      fact("multicast to a rank that is not there: no error");
  }
}

void misaligned() {
  linear_fact("to shared + 8", to_shared, 64, 0, 8);
  linear_fact("from global + 8", to_shared, 64, 8, 0);
  linear_fact("8 bytes to shared", to_shared, 8);
  linear_fact("24 bytes to shared", to_shared, 24);
  linear_fact("to global + 8", to_global, 64, 8, 0);
  linear_fact("from shared + 8", to_global, 64, 0, 8);
  linear_fact("8 bytes to global", to_global, 8);
  load_fact("box to shared + 16", Tensor(), {{0, 0}}, 16);
  load_fact("box to shared + 64", Tensor(), {{0, 0}}, 64);
  store_fact("box from shared + 64", Tensor(), {{0, 0}}, store, 64);
}
