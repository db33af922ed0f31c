#pragma once
// cuDNN's convolution of one image, one channel and one filter, for the library rows of conv1d and
// conv2d. The handle, the descriptors, the choice of algorithm and the workspace stay from call to
// call; a new shape sets them again.

#include <cudnn.h>
#include <stdio.h>

struct FilterShape {
  int rows, cols, kernel_rows, kernel_cols;
};

class CudnnFilter {
 public:
  void run(const float* x, const float* w, float* y, FilterShape shape) {
    if (!same(shape)) prepare(shape);
    const float one = 1.0f;
    const float zero = 0.0f;  // y may hold NaN: with beta 0 it is not read
    report("cudnnConvolutionForward",
           cudnnConvolutionForward(handle_, &one, image_, x, filter_, w, convolution_, algorithm_,
                                   workspace_, bytes_, &zero, result_, y));
  }

 private:
  static constexpr size_t MAX_WORKSPACE = size_t{1} << 30;

  static void report(const char* call, cudnnStatus_t status) {
    if (status != CUDNN_STATUS_SUCCESS) {
      fprintf(stderr, "%s: %s\n", call, cudnnGetErrorString(status));
    }
  }

  bool same(FilterShape s) const {
    return s.rows == shape_.rows && s.cols == shape_.cols && s.kernel_rows == shape_.kernel_rows &&
           s.kernel_cols == shape_.kernel_cols;
  }

  void prepare(FilterShape s) {
    if (handle_ == nullptr) {
      report("cudnnCreate", cudnnCreate(&handle_));
      report("cudnnCreateTensorDescriptor", cudnnCreateTensorDescriptor(&image_));
      report("cudnnCreateTensorDescriptor", cudnnCreateTensorDescriptor(&result_));
      report("cudnnCreateFilterDescriptor", cudnnCreateFilterDescriptor(&filter_));
      report("cudnnCreateConvolutionDescriptor", cudnnCreateConvolutionDescriptor(&convolution_));
      report("cudnnSetConvolution2dDescriptor",
             cudnnSetConvolution2dDescriptor(convolution_, 0, 0, 1, 1, 1, 1,
                                             CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
      report("cudnnSetConvolutionMathType",
             cudnnSetConvolutionMathType(convolution_, CUDNN_FMA_MATH));
    }
    report("cudnnSetTensor4dDescriptor",
           cudnnSetTensor4dDescriptor(image_, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, s.rows,
                                      s.cols));
    report("cudnnSetTensor4dDescriptor",
           cudnnSetTensor4dDescriptor(result_, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1,
                                      s.rows - s.kernel_rows + 1, s.cols - s.kernel_cols + 1));
    report("cudnnSetFilter4dDescriptor",
           cudnnSetFilter4dDescriptor(filter_, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1,
                                      s.kernel_rows, s.kernel_cols));
    choose_algorithm();
    shape_ = s;
  }

  void choose_algorithm() {
    cudnnConvolutionFwdAlgoPerf_t ranking[CUDNN_CONVOLUTION_FWD_ALGO_COUNT];
    int count = 0;
    report(
        "cudnnGetConvolutionForwardAlgorithm_v7",
        cudnnGetConvolutionForwardAlgorithm_v7(handle_, image_, filter_, convolution_, result_,
                                               CUDNN_CONVOLUTION_FWD_ALGO_COUNT, &count, ranking));
    for (int i = 0; i < count; ++i) {
      if (ranking[i].status != CUDNN_STATUS_SUCCESS || ranking[i].memory > MAX_WORKSPACE) continue;
      algorithm_ = ranking[i].algo;
      reserve(ranking[i].memory);
      return;
    }
  }

  void reserve(size_t bytes) {
    if (bytes <= bytes_) return;
    cudaFree(workspace_);
    bytes_ = cudaMalloc(&workspace_, bytes) == cudaSuccess ? bytes : 0;
  }

  FilterShape shape_ = {};
  cudnnHandle_t handle_ = nullptr;
  cudnnTensorDescriptor_t image_ = nullptr;
  cudnnTensorDescriptor_t result_ = nullptr;
  cudnnFilterDescriptor_t filter_ = nullptr;
  cudnnConvolutionDescriptor_t convolution_ = nullptr;
  cudnnConvolutionFwdAlgo_t algorithm_ = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
  void* workspace_ = nullptr;
  size_t bytes_ = 0;
};
