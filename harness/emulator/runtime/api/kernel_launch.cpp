// A launch as the candidate writes it: checked, run, and its result kept.

#include <algorithm>
#include <thread>

#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/api/kernel_table.h"
#include "emulator/runtime/api/runtime.h"
#include "emulator/runtime/api/streams.h"
#include "emulator/runtime/check/findings.h"
#include "emulator/runtime/count/profiler.h"
#include "emulator/runtime/memory/variables.h"
#include "emulator/runtime/run/pool.h"
#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {
namespace {

std::optional<Refusal> check_launch(const LaunchConfig& config) {
  const auto kernel = Kernels::instance().of(config.function);
  if (!is_stream(config.stream))
    return Refusal{cudaErrorInvalidResourceHandle, "the stream does not exist (any more)"};
  if (auto refusal = check_configuration(config, kernel.dynamic_limit)) return refusal;
  if (config.cluster.x * config.cluster.y * config.cluster.z > 1) {
    if (auto refusal = check_cluster(config, kernel.cluster_limit)) return refusal;
  }
  if (config.cooperative) return check_cooperative(config, kernel.static_bytes);
  return std::nullopt;
}

/// Where the module and its variables lie is asked once for launches of the same code.
void find_module(Launch& launch) {
  static AddressRange module;
  static ModuleVariables variables;
  const auto* code = reinterpret_cast<const void*>(launch.call);
  if (!module.contains(reinterpret_cast<std::uintptr_t>(code))) {
    module = module_of(code);
    variables.begin(variables_of(code), variable_places_of(code));
  }
  variables.prepare();
  launch.module = module;
  launch.variables = &variables;
}

unsigned helpers_for(const Launch& launch) {
  if (launch.config.cooperative || launch.options.profile) return 0;
  static const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const unsigned threads = launch.options.threads ? launch.options.threads : cores;
  return static_cast<unsigned>(std::min<std::uint64_t>(threads, launch.blocks)) - 1;
}

void prepare(Launch& launch, unsigned id) {
  const LaunchConfig& config = launch.config;
  launch.id = id;
  launch.blocks = std::uint64_t{config.grid.x} * config.grid.y * config.grid.z;
  launch.threads_per_block = config.block.x * config.block.y * config.block.z;
  const Triple& cluster = config.cluster;
  launch.cluster_blocks = std::max(1u, cluster.x * cluster.y * cluster.z);
  launch.first_number = launch.own_first = number_blocks(launch.blocks);
  StreamOrder& streams = StreamOrder::instance();
  launch.before = streams.begin({.first_number = launch.own_first,
                                 .stream = stream_of(config.stream),
                                 .is_kernel = true,
                                 .name = launch.name,
                                 .place = {nullptr, config.file, config.line}});
  launch.first_unordered = streams.first_unordered(*launch.before);
  launch.options = Runtime::instance().options;
  launch.wanted_blocks = launch.options.profile
                             ? Profiler::blocks_wanted(launch.blocks, config.cooperative != 0)
                             : launch.blocks;
  launch.wanted_blocks += launch.cluster_blocks - 1;
  launch.wanted_blocks -= launch.wanted_blocks % launch.cluster_blocks;
  const std::uint64_t before = Kernels::instance().count_launch(config);
  launch.options.count_requests &= before < launch.options.counted_launches;
  find_module(launch);
}

}  // namespace
}  // namespace kata::emulator

using namespace kata::emulator;

void __kata_launch(const LaunchConfig* config, void (*call)(void*), void* closure,
                   const void* params_low, const void* params_high) {
  if (running.thread) {
    __kata_unsupported("launches from within a kernel (dynamic parallelism)", config->file,
                       config->line);
    return;
  }
  if (Errors::instance().sticky()) return;
  Runtime& runtime = Runtime::instance();
  std::unique_lock lock(runtime.launching);
  Launch launch;
  launch.config = *config;
  launch.name = config->kernel ? config->kernel : function_name(config->function);
  if (const auto refusal = check_launch(*config)) {
    refuse_launch(refusal->error, *config, launch.name, refusal->reason);
    return;
  }
  if (runtime.options.launches_only) return;
  launch.call = call;
  launch.closure = closure;
  launch.params_low = reinterpret_cast<std::uintptr_t>(params_low);
  launch.params_high = reinterpret_cast<std::uintptr_t>(params_high);
  prepare(launch, ++runtime.launches);
  Pool::instance().run(launch, helpers_for(launch));
  if (launch.asked_cluster) {
    LaunchConfig again = *config;
    again.cluster = *launch.asked_cluster;
    lock.unlock();
    return __kata_launch(&again, call, closure, params_low, params_high);
  }
  runtime.order_matters |= launch.order_matters;
  if (!launch.options.profile) merge_neighbours(launch.merges, launch.requests, launch.counts);
  if (launch.error == cudaErrorInvalidValue) {
    Errors::instance().set_last(launch.error);  // what a launch with too much shared memory gives
  } else if (launch.error) {
    Errors::instance().set_sticky(launch.error);
  }
  Kernels::instance().saw_static(config->function, launch.shared.static_bytes());
  Findings::instance().add_launch(launch);
}
