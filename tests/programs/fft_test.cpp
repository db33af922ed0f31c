// `kata run` on programs that use cuFFT, over the FFTW that is installed.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include "program_desk.h"
#include "skip.h"

using kata::Finished;
using kata::test::contains;
using kata::test::Desk;
using kata::test::prints;

namespace {

bool has_fftw() {
  const char* const folder = std::getenv("KATA_FFTW");
  const std::string before = folder && *folder ? folder + std::string("/") : "";
  if (dlopen((before + "libfftw3f.so.3").c_str(), RTLD_LAZY) &&
      dlopen((before + "libfftw3.so.3").c_str(), RTLD_LAZY))
    return true;
  kata::test::skip("libfftw3-single3 and libfftw3-double3 are not installed");
  return false;
}

/// The transform of `dims` as its definition has it, forwards, and how far others are from it.
const std::string definition = R"(
#include <cufft.h>
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>
using Complex = std::complex<double>;
using std::vector;
vector<Complex> transform(const vector<Complex>& x, int a, int b, int c) {
  vector<Complex> y(x.size());
  for (int i = 0; i < a * b * c; ++i)
    for (int k = 0; k < a * b * c; ++k)
      y[i] += x[k] * std::polar(1.0, -2 * M_PI * (double(i / (b * c)) * (k / (b * c)) / a +
                                double(i / c % b) * (k / c % b) / b + double(i % c) * (k % c) / c));
  return y;
}
vector<Complex> numbers(int n) {
  vector<Complex> x(n);
  for (int i = 0; i < n; ++i) x[i] = {sin(i * i), cos(3 * i)};
  return x;
}
template <class T>
T* device(const vector<T>& x) {
  T* p;
  cudaMalloc(&p, x.size() * sizeof(T));
  cudaMemcpy(p, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}
template <class T, class U>
vector<T> host(const U* p, int n) {
  static_assert(sizeof(T) == sizeof(U));
  vector<T> x(n);
  cudaMemcpy(x.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
  return x;
}
void says(const char* what, double error) {
  printf("%s %s\n", what, error < 1e-4 ? "right" : "wrong");
}
)";

}  // namespace

TEST_CASE("cuFFT's transforms are those of their definition, in every layout") {
  if (!has_fftw()) return;
  prints(definition + R"(
void complex_3d() {
  vector<Complex> x = numbers(24), y = transform(x, 2, 3, 4);
  auto* p = (cufftDoubleComplex*)device(x);
  cufftHandle plan;
  cufftPlan3d(&plan, 2, 3, 4, CUFFT_Z2Z);
  cufftExecZ2Z(plan, p, p, CUFFT_FORWARD);
  double error = 0;
  vector<Complex> got = host<Complex>(p, 24);
  for (int i = 0; i < 24; ++i) error += abs(got[i] - y[i]);
  cufftExecZ2Z(plan, p, p, CUFFT_INVERSE);
  got = host<Complex>(p, 24);
  for (int i = 0; i < 24; ++i) error += abs(got[i] - 24.0 * x[i]);
  says("3-D", error);
  cufftDestroy(plan);
  cudaFree(p);
}
void real_2d(bool in_place) {
  const int rows = 4, cols = 6, half = cols / 2 + 1, wide = in_place ? 2 * half : cols;
  vector<float> real(rows * wide);
  vector<Complex> x(rows * cols);
  for (int i = 0; i < rows * cols; ++i) x[i] = real[i / cols * wide + i % cols] = sin(i);
  vector<Complex> y = transform(x, 1, rows, cols);
  float* in = device(real);
  cufftComplex* out = (cufftComplex*)in;
  if (!in_place) cudaMalloc(&out, rows * half * sizeof *out);
  cufftHandle there, back;
  cufftPlan2d(&there, rows, cols, CUFFT_R2C);
  cufftPlan2d(&back, rows, cols, CUFFT_C2R);
  cufftExecR2C(there, in, out);
  double error = 0;
  auto got = host<std::complex<float>>(out, rows * half);
  for (int i = 0; i < rows * half; ++i)
    error += abs(Complex(got[i]) - y[i / half * cols + i % half]);
  cufftExecC2R(back, out, in);
  real = host<float>(in, rows * wide);
  for (int i = 0; i < rows * cols; ++i)
    error += fabs(real[i / cols * wide + i % cols] / (rows * cols) - x[i].real());
  says(in_place ? "2-D in place" : "2-D", error);
  cufftDestroy(there);
  cufftDestroy(back);
  cudaFree(in);
  if (!in_place) cudaFree(out);
}
void columns() {  // of a 4 x 3 matrix, to the rows of a 3 x 5 one
  vector<Complex> all = numbers(12);
  vector<std::complex<float>> single(all.begin(), all.end());
  auto* in = (cufftComplex*)device(single);
  auto* out = (cufftComplex*)device(vector<std::complex<float>>(15, {7, 7}));
  int n[] = {4}, apart[] = {4};
  cufftHandle plan;
  cufftCreate(&plan);
  size_t bytes;
  cufftMakePlanMany(plan, 1, n, apart, 3, 1, apart, 1, 5, CUFFT_C2C, 3, &bytes);
  cufftExecC2C(plan, in, out, CUFFT_FORWARD);
  auto got = host<std::complex<float>>(out, 15);
  double error = 0;
  for (int col = 0; col < 3; ++col) {
    vector<Complex> x(4);
    for (int i = 0; i < 4; ++i) x[i] = all[i * 3 + col];
    x = transform(x, 1, 1, 4);
    for (int i = 0; i < 4; ++i) error += abs(Complex(got[col * 5 + i]) - x[i]);
    error += abs(got[col * 5 + 4] - std::complex<float>(7, 7));
  }
  says("columns", error);
  cufftDestroy(plan);
  cudaFree(in);
  cudaFree(out);
}
int main() {
  complex_3d();
  real_2d(false);
  real_2d(true);
  columns();
}
)",
         "3-D right\n2-D right\n2-D in place right\ncolumns right\n");
}

TEST_CASE("what cuFFT reads and writes is checked at the call") {
  if (!has_fftw()) return;
  const Desk desk;
  desk.folder.write("x.cu", R"(
#include <cufft.h>
int main(int n, char**) {
  cufftComplex* x;
  cudaMalloc(&x, 16 * sizeof *x);
  if (n > 1) cudaMemset(x, 0, 16 * sizeof *x);
  cufftHandle plan;
  cufftPlan1d(&plan, 8, CUFFT_C2C, n > 1 ? 3 : 2);
  cufftExecC2C(plan, x, x, CUFFT_FORWARD);
  cufftDestroy(plan);
  cudaFree(x);
}
)");
  const Finished unwritten = desk.run("x.cu"), outside = desk.run("x.cu -- 1");
  INFO(unwritten.errors, outside.errors);
  CHECK(contains(unwritten.errors, "x.cu:9:"));
  CHECK(contains(unwritten.errors, "uninitialized"));
  CHECK(contains(outside.errors, "x.cu:9:"));
  CHECK(contains(outside.errors, "192"));
}

TEST_CASE("without FFTW, cuFFT says what to install") {
  const Desk desk;
  desk.folder.write("x.cu", R"(
#include <cufft.h>
int main() {
  cufftHandle plan;
  return cufftPlan1d(&plan, 8, CUFFT_C2C, 1);
}
)");
  const Finished ran = desk.shell("KATA_FFTW=/nowhere \"$KATA\" run x.cu");
  INFO(ran.errors);
  CHECK(ran.exit_status == 2);
  CHECK(contains(ran.errors, "x.cu:5"));
  CHECK(contains(ran.errors,
                 "cuFFT without FFTW: apt-get install libfftw3-single3 libfftw3-double3"));
}
