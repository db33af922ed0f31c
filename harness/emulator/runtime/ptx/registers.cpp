// PTX special registers.

#include <algorithm>
#include <array>

#include "emulator/runtime/launch/builtins.h"
#include "emulator/runtime/launch/limits.h"
#include "emulator/runtime/ptx/ptx.h"
#include "emulator/runtime/run/scheduler.h"

extern "C" long long clock64(void);

namespace kata::emulator::ptx {
namespace {

struct Named {
  std::string_view name;
  SpecialRegister read;
};

unsigned lane() {
  return running.thread->lane;
}
/// Of a component of the block's or the grid's shape, as clusters count it.
std::uint64_t in_cluster(unsigned Triple::*component) {
  return blockIdx.*component % __kata_cluster_shape().*component;
}
std::uint64_t of_cluster(unsigned Triple::*component) {
  return blockIdx.*component / __kata_cluster_shape().*component;
}
std::uint64_t clusters(unsigned Triple::*component) {
  return gridDim.*component / __kata_cluster_shape().*component;
}
std::uint64_t rank_in_cluster() {
  const Triple shape = __kata_cluster_shape();
  return in_cluster(&Triple::x) +
         shape.x * (in_cluster(&Triple::y) + shape.y * in_cluster(&Triple::z));
}
std::uint64_t blocks_of_cluster() {
  const Triple shape = __kata_cluster_shape();
  return std::uint64_t{shape.x} * shape.y * shape.z;
}
std::uint64_t multiprocessors() {
  const unsigned said = running.scheduler->launch().options.multiprocessors;
  return said > 0 ? said : limits::multiprocessors;
}
std::uint64_t clock_now() {
  return static_cast<std::uint64_t>(clock64());
}

constexpr std::array special_registers{
    Named{"%laneid", [] { return std::uint64_t{lane()}; }},
    Named{"%warpid", [] { return std::uint64_t{running.thread->warp->id}; }},
    Named{"%nwarpid", [] { return std::uint64_t{limits::threads_per_multiprocessor / 32}; }},
    Named{"%smid", [] { return running.scheduler->block().index() % multiprocessors(); }},
    Named{"%nsmid", multiprocessors},
    Named{"%tid.x", [] { return std::uint64_t{threadIdx.x}; }},
    Named{"%tid.y", [] { return std::uint64_t{threadIdx.y}; }},
    Named{"%tid.z", [] { return std::uint64_t{threadIdx.z}; }},
    Named{"%ntid.x", [] { return std::uint64_t{blockDim.x}; }},
    Named{"%ntid.y", [] { return std::uint64_t{blockDim.y}; }},
    Named{"%ntid.z", [] { return std::uint64_t{blockDim.z}; }},
    Named{"%ctaid.x", [] { return std::uint64_t{blockIdx.x}; }},
    Named{"%ctaid.y", [] { return std::uint64_t{blockIdx.y}; }},
    Named{"%ctaid.z", [] { return std::uint64_t{blockIdx.z}; }},
    Named{"%nctaid.x", [] { return std::uint64_t{gridDim.x}; }},
    Named{"%nctaid.y", [] { return std::uint64_t{gridDim.y}; }},
    Named{"%nctaid.z", [] { return std::uint64_t{gridDim.z}; }},
    Named{"%cluster_ctaid.x", [] { return in_cluster(&Triple::x); }},
    Named{"%cluster_ctaid.y", [] { return in_cluster(&Triple::y); }},
    Named{"%cluster_ctaid.z", [] { return in_cluster(&Triple::z); }},
    Named{"%cluster_nctaid.x", [] { return std::uint64_t{__kata_cluster_shape().x}; }},
    Named{"%cluster_nctaid.y", [] { return std::uint64_t{__kata_cluster_shape().y}; }},
    Named{"%cluster_nctaid.z", [] { return std::uint64_t{__kata_cluster_shape().z}; }},
    Named{"%clusterid.x", [] { return of_cluster(&Triple::x); }},
    Named{"%clusterid.y", [] { return of_cluster(&Triple::y); }},
    Named{"%clusterid.z", [] { return of_cluster(&Triple::z); }},
    Named{"%nclusterid.x", [] { return clusters(&Triple::x); }},
    Named{"%nclusterid.y", [] { return clusters(&Triple::y); }},
    Named{"%nclusterid.z", [] { return clusters(&Triple::z); }},
    Named{"%cluster_ctarank", [] { return rank_in_cluster(); }},
    Named{"%cluster_nctarank", [] { return blocks_of_cluster(); }},
    Named{"%is_explicit_cluster",
          [] { return std::uint64_t{running.scheduler->launch().config.cluster.x > 0}; }},
    Named{"%gridid", [] { return std::uint64_t{running.scheduler->launch().id}; }},
    Named{"%lanemask_eq", [] { return std::uint64_t{1} << lane(); }},
    Named{"%lanemask_lt", [] { return (std::uint64_t{1} << lane()) - 1; }},
    Named{"%lanemask_le", [] { return (std::uint64_t{2} << lane()) - 1; }},
    Named{"%lanemask_ge", [] { return 0xffffffff & ~((std::uint64_t{1} << lane()) - 1); }},
    Named{"%lanemask_gt", [] { return 0xffffffff & ~((std::uint64_t{2} << lane()) - 1); }},
    Named{"%clock", [] { return clock_now() & 0xffffffff; }},
    Named{"%clock_hi", [] { return clock_now() >> 32; }},
    Named{"%clock64", [] { return clock_now(); }},
    Named{"%globaltimer", [] { return clock_now(); }},
    Named{"%globaltimer_lo", [] { return clock_now() & 0xffffffff; }},
    Named{"%globaltimer_hi", [] { return clock_now() >> 32; }},
    Named{"%dynamic_smem_size",
          [] { return std::uint64_t{running.scheduler->launch().config.shared_bytes}; }},
    Named{"WARP_SZ", [] { return std::uint64_t{32}; }},
};

}  // namespace

SpecialRegister find_special_register(std::string_view name) {
  const auto found = std::find_if(special_registers.begin(), special_registers.end(),
                                  [&](const Named& named) { return named.name == name; });
  return found == special_registers.end() ? nullptr : found->read;
}

}  // namespace kata::emulator::ptx
