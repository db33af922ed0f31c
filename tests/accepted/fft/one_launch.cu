// All stages in one cooperative launch; butterflies in double between two buffers of double2.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void all_stages_kernel(const float* signal, float* spectrum, double2* a, double2* b,
                                  int n, int points) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  for (int i = first; i < points; i += step) a[i] = {signal[2 * i], signal[2 * i + 1]};
  for (int done = 1; done < n; done *= 2) {
    cg::this_grid().sync();
    for (int i = first; i < points / 2; i += step) {
      const int j = i % (n / 2), row = i - j, k = j % done;
      const double2 p = a[2 * row + j], q = a[2 * row + j + n / 2];
      double s, c;
      sincospi(-(double)k / done, &s, &c);
      const double re = q.x * c - q.y * s, im = q.x * s + q.y * c;
      const int to = 2 * row + 2 * (j - k) + k;
      b[to] = {p.x + re, p.y + im};
      b[to + done] = {p.x - re, p.y - im};
    }
    double2* last = a;
    a = b;
    b = last;
  }
  cg::this_grid().sync();
  for (int i = first; i < points; i += step) {
    spectrum[2 * i] = (float)a[i].x;
    spectrum[2 * i + 1] = (float)a[i].y;
  }
}

extern "C" void fft(const float* signal, float* spectrum, int n, int batch) {
  int points = n * batch, device = 0, processors = 1, per_processor = 1;
  double2 *a, *b;
  cudaMallocAsync(&a, points * sizeof(double2), 0);
  cudaMallocAsync(&b, points * sizeof(double2), 0);
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, all_stages_kernel, 128, 0);
  const int wanted = min((points + 127) / 128, 16), most = processors * per_processor;
  void* arguments[] = {&signal, &spectrum, &a, &b, &n, &points};
  cudaLaunchCooperativeKernel((const void*)all_stages_kernel, dim3(wanted < most ? wanted : most),
                              dim3(128), arguments, 0, nullptr);
  cudaFreeAsync(a, 0);
  cudaFreeAsync(b, 0);
}
