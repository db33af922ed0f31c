#pragma once
#pragma GCC system_header
// cuFFT, over the FFTW that is installed, loaded when the first plan is made. A transform copies
// what it reads to the host and what it has computed back, in its stream: both are checked as other
// copies are.

#include "kata_emulator/letters_begin.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <map>
#include <string>
#include <vector>

#include "cuComplex.h"
#include "cuda_runtime.h"
#include "kata_emulator/cufft_types.h"

namespace __kata {

/// Of libfftw3f, or libfftw3 for double, from the folder $KATA_FFTW if it is set; null where it is
/// not installed.
template <class T>
inline void* fftw_function(const char* name) {
  constexpr bool single = sizeof(T) == sizeof(float);
  static void* const library = [] {
    const char* const folder = getenv("KATA_FFTW");
    const std::string file = single ? "libfftw3f.so.3" : "libfftw3.so.3";
    return dlopen((folder && *folder ? folder + ("/" + file) : file).c_str(), RTLD_NOW);
  }();
  return library ? dlsym(library, ((single ? "fftwf_" : "fftw_") + std::string(name)).c_str())
                 : nullptr;
}

/// Where the elements of one side of a transform lie.
struct FftLayout {
  long long embed[3], stride, dist;
};

struct FftPlan {
  cufftType type{};
  int rank = 0, batch = 0;
  long long dims[3]{};
  bool basic = true;  ///< one after the other; in place, rows of reals are as long as their results
  FftLayout from{}, to{};  ///< if not
  cudaStream_t stream = nullptr;

  bool from_real() const { return type == CUFFT_R2C || type == CUFFT_D2Z; }
  bool to_real() const { return type == CUFFT_C2R || type == CUFFT_Z2D; }
  long long rows() const {
    long long rows = batch;
    for (int i = 0; i + 1 < rank; ++i) rows *= dims[i];
    return rows;
  }
  /// Of one side: of complex numbers, half are the others' conjugates where the other side is real.
  long long length(bool real) const {
    return real || !(from_real() || to_real()) ? dims[rank - 1] : dims[rank - 1] / 2 + 1;
  }
  FftLayout basic_layout(long long last) const {
    FftLayout layout{{dims[0], dims[1], dims[2]}, 1, 1};
    layout.embed[rank - 1] = last;
    for (int i = 0; i < rank; ++i) layout.dist *= layout.embed[i];
    return layout;
  }
  FftLayout layout_of(bool input, bool real, bool in_place) const {
    if (!basic) return input ? from : to;
    return basic_layout(real && in_place ? 2 * length(false) : length(real));
  }

  /// Between device memory and an array of the same elements without gaps.
  template <class T>
  __KATA_INLINE bool copy(T* device, T* host, long long length, const FftLayout& at,
                          cudaMemcpyKind kind) const {
    const FftLayout whole = basic_layout(length);
    bool has_gaps = at.stride != 1 || at.dist != whole.dist;
    for (int i = 1; i < rank; ++i) has_gaps |= at.embed[i] != whole.embed[i];
    const long long pieces = has_gaps ? rows() : 1, each = has_gaps ? length : rows() * length;
    const bool is_read = kind == cudaMemcpyDeviceToHost;
    const size_t apart = at.stride * sizeof(T);
    for (long long piece = 0; piece < pieces; ++piece) {
      T* const there = device + (has_gaps ? offset_of(piece, at) : 0);
      T* const here = host + piece * each;
      const cudaError_t error =
          at.stride == 1 ? cudaMemcpyAsync(is_read ? here : there, is_read ? there : here,
                                           each * sizeof(T), kind, stream)
                         : cudaMemcpy2DAsync(is_read ? here : there, is_read ? sizeof(T) : apart,
                                             is_read ? there : here, is_read ? apart : sizeof(T),
                                             sizeof(T), each, kind, stream);
      if (error != cudaSuccess) return false;
    }
    return true;
  }

 private:
  long long offset_of(long long row, const FftLayout& at) const {
    const long long each = rows() / batch;
    long long of_row = row % each;
    if (rank == 3) of_row = of_row / dims[1] * at.embed[1] + of_row % dims[1];
    return row / each * at.dist + (rank > 1 ? of_row * at.embed[rank - 1] * at.stride : 0);
  }
};

__KATA_INLINE std::map<cufftHandle, FftPlan>& fft_plans() {
  static auto* const plans = new std::map<cufftHandle, FftPlan>;
  return *plans;
}

__KATA_INLINE cufftResult make_fft(cufftHandle handle, FftPlan plan, const char* file, int line) {
  if (!fftw_function<float>("execute") || !fftw_function<double>("execute")) {
    __kata_unsupported("cuFFT without FFTW: apt-get install libfftw3-single3 libfftw3-double3",
                       file, line);
    return CUFFT_SETUP_FAILED;
  }
  if (!fft_plans().count(handle)) return CUFFT_INVALID_PLAN;
  for (int i = 0; i < plan.rank; ++i)
    if (plan.dims[i] < 1) return CUFFT_INVALID_SIZE;
  if (plan.batch < 1) return CUFFT_INVALID_SIZE;
  plan.stream = fft_plans()[handle].stream;
  fft_plans()[handle] = plan;
  return CUFFT_SUCCESS;
}

template <class T, class From, class To, class... Sign>
__KATA_INLINE bool run_fftw(const FftPlan& plan, const char* planner, From* from, To* to,
                            Sign... sign) {
  constexpr unsigned estimate = 1u << 6;
  const int dims[3] = {(int)plan.dims[0], (int)plan.dims[1], (int)plan.dims[2]};
  const long long each = plan.rows() / plan.batch;
  const int apart = (int)(each * plan.length(plan.from_real()));
  const int to_apart = (int)(each * plan.length(plan.to_real()));
  using Planner = void* (*)(int, const int*, int, From*, const int*, int, int, To*, const int*, int,
                            int, Sign..., unsigned);
  using Function = void (*)(void*);
  void* const made =
      ((Planner)fftw_function<T>(planner))(plan.rank, dims, plan.batch, from, nullptr, 1, apart, to,
                                           nullptr, 1, to_apart, sign..., estimate);
  if (!made) return false;
  ((Function)fftw_function<T>("execute"))(made);
  ((Function)fftw_function<T>("destroy_plan"))(made);
  return true;
}

template <class T, class From, class To, class... Sign>
__KATA_INLINE cufftResult exec_fft(cufftHandle handle, cufftType type, const char* planner,
                                   From* from, To* to, Sign... sign) {
  const auto found = fft_plans().find(handle);
  if (found == fft_plans().end() || found->second.type != type) return CUFFT_INVALID_PLAN;
  const FftPlan& plan = found->second;
  cudaStreamCaptureStatus captured = cudaStreamCaptureStatusNone;
  if (plan.stream && cudaStreamIsCapturing(plan.stream, &captured) == cudaSuccess &&
      captured != cudaStreamCaptureStatusNone)
    return CUFFT_NOT_SUPPORTED;
  const bool in_place = (void*)from == (void*)to;
  const long long length = plan.length(plan.from_real()), to_length = plan.length(plan.to_real());
  std::vector<From> read(plan.rows() * length);
  std::vector<To> computed(plan.rows() * to_length);
  if (!plan.copy(from, read.data(), length, plan.layout_of(true, plan.from_real(), in_place),
                 cudaMemcpyDeviceToHost) ||
      !run_fftw<T>(plan, planner, read.data(), computed.data(), sign...) ||
      !plan.copy(to, computed.data(), to_length, plan.layout_of(false, plan.to_real(), in_place),
                 cudaMemcpyHostToDevice))
    return CUFFT_EXEC_FAILED;
  return CUFFT_SUCCESS;
}

}  // namespace __kata

#define __KATA_CUFFT static __KATA_INLINE cufftResult
#define __KATA_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()

__KATA_CUFFT cufftCreate(cufftHandle* handle) {
  static cufftHandle last = 0;
  ::__kata::fft_plans()[*handle = ++last] = {};
  return CUFFT_SUCCESS;
}
__KATA_CUFFT cufftDestroy(cufftHandle handle) {
  return ::__kata::fft_plans().erase(handle) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
__KATA_CUFFT cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  if (!::__kata::fft_plans().count(handle)) return CUFFT_INVALID_PLAN;
  ::__kata::fft_plans()[handle].stream = stream;
  return CUFFT_SUCCESS;
}
__KATA_CUFFT cufftGetVersion(int* version) {
  *version = 11000;
  return CUFFT_SUCCESS;
}
__KATA_CUFFT cufftGetSize(cufftHandle, size_t* bytes) {
  *bytes = 0;
  return CUFFT_SUCCESS;
}
__KATA_CUFFT cufftSetAutoAllocation(cufftHandle, int) {
  return CUFFT_SUCCESS;
}
__KATA_CUFFT cufftSetWorkArea(cufftHandle, void*) {
  return CUFFT_SUCCESS;
}

__KATA_CUFFT cufftMakePlanMany(cufftHandle handle, int rank, int* n, int* inembed, int istride,
                               int idist, int* onembed, int ostride, int odist, cufftType type,
                               int batch, size_t* bytes, __KATA_PLACE) {
  if (rank < 1 || rank > 3 || !n) return CUFFT_INVALID_VALUE;
  if (bytes) *bytes = 0;
  ::__kata::FftPlan plan;
  plan.type = type;
  plan.rank = rank;
  plan.batch = batch;
  plan.basic = !inembed || !onembed;
  plan.from = {{}, istride, idist};
  plan.to = {{}, ostride, odist};
  for (int i = 0; i < 3; ++i) {
    plan.dims[i] = i < rank ? n[i] : 1;
    plan.from.embed[i] = i < rank && inembed ? inembed[i] : 1;
    plan.to.embed[i] = i < rank && onembed ? onembed[i] : 1;
  }
  return ::__kata::make_fft(handle, plan, file, line);
}
__KATA_CUFFT cufftMakePlan1d(cufftHandle handle, int n, cufftType type, int batch, size_t* bytes,
                             __KATA_PLACE) {
  return cufftMakePlanMany(handle, 1, &n, nullptr, 1, 0, nullptr, 1, 0, type, batch, bytes, file,
                           line);
}
__KATA_CUFFT cufftMakePlan2d(cufftHandle handle, int nx, int ny, cufftType type, size_t* bytes,
                             __KATA_PLACE) {
  int n[] = {nx, ny};
  return cufftMakePlanMany(handle, 2, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, bytes, file, line);
}
__KATA_CUFFT cufftMakePlan3d(cufftHandle handle, int nx, int ny, int nz, cufftType type,
                             size_t* bytes, __KATA_PLACE) {
  int n[] = {nx, ny, nz};
  return cufftMakePlanMany(handle, 3, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, bytes, file, line);
}
__KATA_CUFFT cufftPlanMany(cufftHandle* handle, int rank, int* n, int* inembed, int istride,
                           int idist, int* onembed, int ostride, int odist, cufftType type,
                           int batch, __KATA_PLACE) {
  cufftCreate(handle);
  return cufftMakePlanMany(*handle, rank, n, inembed, istride, idist, onembed, ostride, odist, type,
                           batch, nullptr, file, line);
}
__KATA_CUFFT cufftPlan1d(cufftHandle* handle, int n, cufftType type, int batch, __KATA_PLACE) {
  cufftCreate(handle);
  return cufftMakePlan1d(*handle, n, type, batch, nullptr, file, line);
}
__KATA_CUFFT cufftPlan2d(cufftHandle* handle, int nx, int ny, cufftType type, __KATA_PLACE) {
  cufftCreate(handle);
  return cufftMakePlan2d(*handle, nx, ny, type, nullptr, file, line);
}
__KATA_CUFFT cufftPlan3d(cufftHandle* handle, int nx, int ny, int nz, cufftType type,
                         __KATA_PLACE) {
  cufftCreate(handle);
  return cufftMakePlan3d(*handle, nx, ny, nz, type, nullptr, file, line);
}

__KATA_CUFFT cufftExecC2C(cufftHandle handle, cufftComplex* from, cufftComplex* to, int direction) {
  return ::__kata::exec_fft<float>(handle, CUFFT_C2C, "plan_many_dft", from, to, direction);
}
__KATA_CUFFT cufftExecR2C(cufftHandle handle, cufftReal* from, cufftComplex* to) {
  return ::__kata::exec_fft<float>(handle, CUFFT_R2C, "plan_many_dft_r2c", from, to);
}
__KATA_CUFFT cufftExecC2R(cufftHandle handle, cufftComplex* from, cufftReal* to) {
  return ::__kata::exec_fft<float>(handle, CUFFT_C2R, "plan_many_dft_c2r", from, to);
}
__KATA_CUFFT cufftExecZ2Z(cufftHandle handle, cufftDoubleComplex* from, cufftDoubleComplex* to,
                          int direction) {
  return ::__kata::exec_fft<double>(handle, CUFFT_Z2Z, "plan_many_dft", from, to, direction);
}
__KATA_CUFFT cufftExecD2Z(cufftHandle handle, cufftDoubleReal* from, cufftDoubleComplex* to) {
  return ::__kata::exec_fft<double>(handle, CUFFT_D2Z, "plan_many_dft_r2c", from, to);
}
__KATA_CUFFT cufftExecZ2D(cufftHandle handle, cufftDoubleComplex* from, cufftDoubleReal* to) {
  return ::__kata::exec_fft<double>(handle, CUFFT_Z2D, "plan_many_dft_c2r", from, to);
}

#undef __KATA_CUFFT
#undef __KATA_PLACE

#include "kata_emulator/letters_end.h"
