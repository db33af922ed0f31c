// cuFFT: one plan, kept while the sizes stay the same; cuFFT chooses its kernels when it is made.
#include <kata/kata.h>

#include <cufft.h>
#include <stdio.h>

static void report(const char* call, cufftResult status) {
  if (status != CUFFT_SUCCESS) fprintf(stderr, "%s: error %d\n", call, status);
}

extern "C" void fft(const float* signal, float* spectrum, int n, int batch) {
  static cufftHandle plan = 0;
  static int planned_n = 0, planned_batch = 0;
  if (n != planned_n || batch != planned_batch) {
    if (planned_n > 0) report("cufftDestroy", cufftDestroy(plan));
    report("cufftPlan1d", cufftPlan1d(&plan, n, CUFFT_C2C, batch));
    planned_n = n;
    planned_batch = batch;
  }
  // Out of place, the input is only read.
  cufftComplex* x = reinterpret_cast<cufftComplex*>(const_cast<float*>(signal));
  cufftComplex* X = reinterpret_cast<cufftComplex*>(spectrum);
  report("cufftExecC2C", cufftExecC2C(plan, x, X, CUFFT_FORWARD));
}
