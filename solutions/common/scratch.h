#pragma once
// Device memory that an operator keeps from call to call.
//
// No signature has a workspace, and an allocation costs more time than a small kernel. Every rung
// therefore keeps its scratch memory in a static, and replaces it when a call needs more.
// One call at a time, as in one stream.

#include <cuda_runtime.h>
#include <stdio.h>

template <class T>
class Scratch {
 public:
  // At least `count` elements, with undefined contents.
  T* get(size_t count) {
    grow(count);
    return data_;
  }

  // The same, but new memory starts as zeros. Contents survive from call to call otherwise.
  T* get_zeroed(size_t count) {
    if (grow(count)) cudaMemsetAsync(data_, 0, size_ * sizeof(T));
    return data_;
  }

 private:
  bool grow(size_t count) {
    if (count <= size_) return false;
    cudaFree(data_);
    size_ = count;
    const cudaError_t status = cudaMalloc(&data_, count * sizeof(T));
    if (status == cudaSuccess) return true;
    fprintf(stderr, "scratch of %zu bytes: %s\n", count * sizeof(T), cudaGetErrorString(status));
    size_ = 0;
    return false;
  }

  T* data_ = nullptr;
  size_t size_ = 0;
};
