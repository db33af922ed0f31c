// Fields of doubles between the steps, with the neighbours along each axis added up on their own.
#include <cuda_runtime.h>

template <class From, class To>
__global__ void step_kernel(const From* from, To* to, int depth, int rows, int cols, double center,
                            double neighbor) {
  const int cells = depth * rows * cols, stride[3] = {rows * cols, cols, 1};
  const int sizes[3] = {depth, rows, cols};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < cells; i += gridDim.x * blockDim.x) {
    bool interior = true;
    double sum = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      const int at = i / stride[axis] % sizes[axis];
      interior = interior && at > 0 && at < sizes[axis] - 1;
    }
    for (int axis = 0; axis < 3 && interior; ++axis) {
      sum += static_cast<double>(from[i - stride[axis]]) + from[i + stride[axis]];
    }
    to[i] = interior ? center * from[i] + neighbor * sum : from[i];
  }
}

extern "C" void stencil3d(const float* in, float* out, int depth, int rows, int cols, int steps,
                          float center, float neighbor) {
  const size_t cells = static_cast<size_t>(depth) * rows * cols;
  const int blocks = cells < 1000 * 128 ? (cells + 127) / 128 : 1000;
  if (steps == 1) {
    step_kernel<<<blocks, 128>>>(in, out, depth, rows, cols, center, neighbor);
    return;
  }
  double* fields[2];
  for (double*& field : fields) cudaMalloc(&field, cells * sizeof(double));
  step_kernel<<<blocks, 128>>>(in, fields[0], depth, rows, cols, center, neighbor);
  for (int step = 1; step < steps - 1; ++step) {
    step_kernel<<<blocks, 128>>>(fields[(step + 1) % 2], fields[step % 2], depth, rows, cols,
                                 center, neighbor);
  }
  step_kernel<<<blocks, 128>>>(fields[steps % 2], out, depth, rows, cols, center, neighbor);
  for (double* field : fields) cudaFree(field);
}
