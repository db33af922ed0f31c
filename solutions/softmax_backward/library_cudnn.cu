// cuDNN: the gradient of softmax over the channels, where each row is one image.
#include <kata/kata.h>

#include <cudnn.h>
#include <stdio.h>

static void report(const char* what, cudnnStatus_t status) {
  if (status != CUDNN_STATUS_SUCCESS)
    fprintf(stderr, "%s: %s\n", what, cudnnGetErrorString(status));
}

static cudnnHandle_t new_handle() {
  cudnnHandle_t handle = nullptr;
  report("cudnnCreate", cudnnCreate(&handle));
  return handle;
}

// The descriptor of a tensor [rows, cols, 1, 1]; it is created once.
static cudnnTensorDescriptor_t matrix(int rows, int cols) {
  static const cudnnTensorDescriptor_t descriptor = [] {
    cudnnTensorDescriptor_t made = nullptr;
    report("cudnnCreateTensorDescriptor", cudnnCreateTensorDescriptor(&made));
    return made;
  }();
  report("cudnnSetTensor4dDescriptor",
         cudnnSetTensor4dDescriptor(descriptor, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, rows, cols, 1,
                                    1));
  return descriptor;
}

extern "C" void softmax_backward(const float* y, const float* dy, float* dx, int rows, int cols) {
  static const cudnnHandle_t handle = new_handle();  // creating it takes far longer than a call
  const float one = 1.0f;
  const float zero = 0.0f;  // dx may hold NaN: with beta 0 it is not read
  const cudnnTensorDescriptor_t shape = matrix(rows, cols);
  report("cudnnSoftmaxBackward",
         cudnnSoftmaxBackward(handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE, &one,
                              shape, y, shape, dy, &zero, shape, dx));
}
