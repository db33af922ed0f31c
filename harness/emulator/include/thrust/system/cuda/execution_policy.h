#pragma once
#pragma GCC system_header
// thrust::cuda::par, instead of Thrust's own: its algorithms run on the host, at once. They come
// after what their stream was given before.

#include <thrust/execution_policy.h>

namespace thrust {
namespace cuda {

struct par_t : system::cpp::detail::execution_policy<par_t> {
  const par_t& on(cudaStream_t stream) const {
    cudaStreamSynchronize(stream);
    return *this;
  }
  template <class Allocator>
  const par_t& operator()(Allocator&&) const {
    return *this;
  }
};
inline constexpr par_t par;
inline constexpr par_t par_nosync;

}  // namespace cuda
}  // namespace thrust
