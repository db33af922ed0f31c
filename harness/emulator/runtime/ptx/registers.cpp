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
std::uint64_t clock_now() {
  return static_cast<std::uint64_t>(clock64());
}

constexpr std::array registers{
    Named{"%laneid", [] { return std::uint64_t{lane()}; }},
    Named{"%warpid", [] { return std::uint64_t{running.thread->warp->id}; }},
    Named{"%nwarpid", [] { return std::uint64_t{limits::threads_per_multiprocessor / 32}; }},
    Named{"%smid", [] { return running.scheduler->block().index() % limits::multiprocessors; }},
    Named{"%nsmid", [] { return std::uint64_t{limits::multiprocessors}; }},
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
  const auto found = std::find_if(registers.begin(), registers.end(),
                                  [&](const Named& named) { return named.name == name; });
  return found == registers.end() ? nullptr : found->read;
}

}  // namespace kata::emulator::ptx
