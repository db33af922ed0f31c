// cuDNN: convolution and bias, in float without TF32.
//
// The bias is written to y first and the convolution added to it (beta 1), so every algorithm is
// allowed. The algorithm is the first of cuDNN's own ranking whose workspace fits 1 GiB, asked for
// once per shape.
#include <kata/kata.h>

#include <cudnn.h>
#include <stdio.h>

#include "../common/scratch.h"
#include "conv_shape.h"

static void report(const char* call, cudnnStatus_t status) {
  if (status != CUDNN_STATUS_SUCCESS) {
    fprintf(stderr, "%s: %s\n", call, cudnnGetErrorString(status));
  }
}

// The handle, the descriptors and the choice stay from call to call; a new shape sets them again.
class CudnnLayer {
 public:
  void run(const float* x, const float* weight, const float* bias, float* y, const ConvShape& s) {
    if (!is_prepared(s)) prepare(s);
    const float one = 1.0f, zero = 0.0f;  // y may hold NaN: with beta 0 it is not read
    report("cudnnAddTensor", cudnnAddTensor(handle_, &one, bias_, bias, &zero, result_, y));
    report("cudnnConvolutionForward",
           cudnnConvolutionForward(handle_, &one, image_, x, filter_, weight, convolution_,
                                   algorithm_, workspace_.get(bytes_), bytes_, &one, result_, y));
  }

 private:
  static constexpr size_t MAX_WORKSPACE = size_t{1} << 30;

  bool is_prepared(const ConvShape& s) const {
    return handle_ && s.batch == shape_.batch && s.in_channels == shape_.in_channels &&
           s.height == shape_.height && s.width == shape_.width &&
           s.out_channels == shape_.out_channels && s.kernel_rows == shape_.kernel_rows &&
           s.kernel_cols == shape_.kernel_cols && s.stride == shape_.stride &&
           s.padding == shape_.padding;
  }

  void create() {
    report("cudnnCreate", cudnnCreate(&handle_));
    for (cudnnTensorDescriptor_t* one : {&image_, &result_, &bias_})
      report("cudnnCreateTensorDescriptor", cudnnCreateTensorDescriptor(one));
    report("cudnnCreateFilterDescriptor", cudnnCreateFilterDescriptor(&filter_));
    report("cudnnCreateConvolutionDescriptor", cudnnCreateConvolutionDescriptor(&convolution_));
  }

  static void set(cudnnTensorDescriptor_t tensor, int n, int c, int h, int w) {
    report("cudnnSetTensor4dDescriptor",
           cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, c, h, w));
  }

  void prepare(const ConvShape& s) {
    if (!handle_) create();
    set(image_, s.batch, s.in_channels, s.height, s.width);
    set(result_, s.batch, s.out_channels, s.out_height, s.out_width);
    set(bias_, 1, s.out_channels, 1, 1);
    report("cudnnSetFilter4dDescriptor",
           cudnnSetFilter4dDescriptor(filter_, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, s.out_channels,
                                      s.in_channels, s.kernel_rows, s.kernel_cols));
    report("cudnnSetConvolution2dDescriptor",
           cudnnSetConvolution2dDescriptor(convolution_, s.padding, s.padding, s.stride, s.stride,
                                           1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    report("cudnnSetConvolutionMathType",
           cudnnSetConvolutionMathType(convolution_, CUDNN_FMA_MATH));
    cudnnConvolutionFwdAlgoPerf_t ranking[CUDNN_CONVOLUTION_FWD_ALGO_COUNT];
    int count = 0;
    report("cudnnGetConvolutionForwardAlgorithm_v7",
           cudnnGetConvolutionForwardAlgorithm_v7(handle_, image_, filter_, convolution_, result_,
                                                  CUDNN_CONVOLUTION_FWD_ALGO_COUNT, &count,
                                                  ranking));
    for (int i = count - 1; i >= 0; --i) {
      if (ranking[i].status != CUDNN_STATUS_SUCCESS || ranking[i].memory > MAX_WORKSPACE) continue;
      algorithm_ = ranking[i].algo;
      bytes_ = ranking[i].memory;
    }
    shape_ = s;
  }

  ConvShape shape_{1, 1, 1, 1, 1, 1, 1, 1, 0};
  cudnnHandle_t handle_ = nullptr;
  cudnnTensorDescriptor_t image_ = nullptr, result_ = nullptr, bias_ = nullptr;
  cudnnFilterDescriptor_t filter_ = nullptr;
  cudnnConvolutionDescriptor_t convolution_ = nullptr;
  cudnnConvolutionFwdAlgo_t algorithm_ = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
  Scratch<char> workspace_;
  size_t bytes_ = 0;
};

extern "C" void conv2d_nchw(const float* x, const float* weight, const float* bias, float* y,
                            int batch, int in_channels, int height, int width, int out_channels,
                            int kernel_rows, int kernel_cols, int stride, int padding) {
  static CudnnLayer layer;
  layer.run(x, weight, bias, y,
            {batch, in_channels, height, width, out_channels, kernel_rows, kernel_cols, stride,
             padding});
}
