// A launch as the candidate writes it: checked, run, and its result kept.
#include "emulator/runtime/api/kernel_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <thread>
#include <tuple>

#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/api/graphs.h"
#include "emulator/runtime/api/launch_sample.h"
#include "emulator/runtime/api/repeats.h"
#include "emulator/runtime/api/runtime.h"
#include "emulator/runtime/api/streams.h"
#include "emulator/runtime/check/findings.h"
#include "emulator/runtime/count/profiler.h"
#include "emulator/runtime/launch/kernel_table.h"
#include "emulator/runtime/memory/device_memory.h"
#include "emulator/runtime/memory/devices.h"
#include "emulator/runtime/memory/locate.h"
#include "emulator/runtime/memory/shadow_words.h"
#include "emulator/runtime/memory/variables.h"
#include "emulator/runtime/run/pool.h"
#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {
namespace {

std::optional<Refusal> check_launch(const LaunchConfig& config) {
  const auto kernel = Kernels::instance().of(config.function);
  if (!is_stream(config.stream))
    return Refusal{cudaErrorInvalidResourceHandle, "the stream does not exist (any more)"};
  if (const int device = device_of(config.stream); device != current_device()) {
    return Refusal{cudaErrorInvalidResourceHandle,
                   fmt::format("the stream is of device {}, and device {} is current: "
                               "cudaSetDevice({}) is missing before the launch",
                               device, current_device(), device)};
  }
  if (auto refusal = check_configuration(config, kernel.dynamic_limit)) return refusal;
  if (config.cluster.x * config.cluster.y * config.cluster.z > 1) {
    if (auto refusal = check_cluster(config, kernel.cluster_limit)) return refusal;
  }
  if (config.cooperative) return check_cooperative(config, kernel.static_bytes);
  return std::nullopt;
}

unsigned helpers_for(const Launch& launch) {
  if (launch.config.cooperative || launch.options.profile || launch.options.sampled_blocks > 0)
    return 0;
  static const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const unsigned threads = launch.options.threads ? launch.options.threads : cores;
  return static_cast<unsigned>(std::min<std::uint64_t>(threads, launch.blocks)) - 1;
}

/// A launch by a library's code takes place where the candidate called the library.
void move_to_caller(LaunchConfig& config) {
  static std::set<std::string> files;  // one launch at a time
  if (!config.file || path_in_library(config.file).empty()) return;
  const SourceLine line = source_line({caller_of_library(), nullptr, 0});
  if (line.line == 0) return;
  config.file = files.insert(line.file).first->c_str();
  config.line = line.line;
}

/// How many blocks run at most: all as a rule.
std::uint64_t wanted_blocks(Launch& launch) {
  const std::uint64_t each = launch.cluster_blocks;
  if (launch.options.sampled_blocks > 0) {
    choose_sample(launch);
    return launch.sample.clusters.size() * each;
  }
  const bool runs_some = launch.options.profile && !launch.config.cooperative;
  const std::uint64_t wanted =
      runs_some ? std::min(launch.blocks, launch.options.profiled_blocks) : launch.blocks;
  return (wanted + each - 1) / each * each;
}

void prepare(Launch& launch, unsigned id) {
  const LaunchConfig& config = launch.config;
  launch.id = id;
  launch.device = current_device();
  launch.reach = DeviceMemory::instance().reach_of(launch.device);
  launch.blocks = std::uint64_t{config.grid.x} * config.grid.y * config.grid.z;
  launch.threads_per_block = config.block.x * config.block.y * config.block.z;
  const Triple& cluster = config.cluster;
  launch.cluster_blocks = std::max(1u, cluster.x * cluster.y * cluster.z);
  launch.options = Runtime::instance().options;
  launch.wanted_blocks = wanted_blocks(launch);
  launch.first_number = launch.own_first = number_blocks(launch.wanted_blocks);
  launch.first_numbers = {launch.first_number};
  StreamOrder& streams = StreamOrder::instance();
  const StreamWork work{.first_number = launch.own_first,
                        .stream = stream_of(config.stream),
                        .is_kernel = true,
                        .name = launch.name,
                        .place = {nullptr, config.file, config.line}};
  launch.in_default_stream = work.stream == default_stream_of(launch.device);
  launch.before = streams.begin(work);
  if (config.programmatic) launch.before_dependency = streams.before_dependency(work);
  launch.first_unordered = streams.first_unordered(
      launch.before_dependency ? *launch.before_dependency : *launch.before);
  launch.slow_from = Runtime::instance().slow_from;
  const std::uint64_t before = Kernels::instance().count_launch(config);
  launch.options.count_requests &= before < launch.options.counted_launches;
  constexpr std::uint64_t of_later_launches = 8;  // one access in so many
  std::uint64_t& marked = launch.options.marked_accesses;
  marked = std::max(marked - std::min(marked, Kernels::instance().marked(config)),
                    marked / of_later_launches);
  launch.variables = &ModuleVariables::beside(reinterpret_cast<const void*>(launch.call));
  launch.module = launch.variables->module();
}

/// Of the accesses that were merged, the launch's counts know the widths before. A profile is of
/// the blocks that ran.
void count_merged(Launch& launch) {
  if (!launch.machine_lines.empty()) return;
  Counts change{};  // modulo 2^64
  merge_neighbours(launch.merges, launch.requests, change);
  count_switched_off(launch.requests);
  if (launch.options.profile) return launch.counts.add(change);
  launch.scale_requests();
  const double factor = launch.counted_blocks ? static_cast<double>(launch.blocks) /
                                                    static_cast<double>(launch.counted_blocks)
                                              : 1;
  for (auto& widths : change.by_width) {
    for (std::uint64_t& count : widths)
      count = static_cast<std::uint64_t>(
          std::llround(static_cast<double>(static_cast<std::int64_t>(count)) * factor));
  }
  launch.counts.add(change);
}

/// In place of the emulator's own.
void take_counts(Launch& launch, MachineCounts counts) {
  launch.counts = {};
  for (const auto& [instruction, made] : counts.requests)
    launch.counts.of(instruction.kind, instruction.log2_width) += made.accesses;
  launch.requests = std::move(counts.requests);
  launch.machine_lines = std::move(counts.lines);
  launch.counted_blocks = counts.counted_blocks;
}

void note_marked(const Launch& launch) {
  std::uint64_t accesses = 0;
  for (unsigned i = 0; i < access_kinds; ++i)
    accesses += launch.counts.total(static_cast<AccessKind>(i)).accesses;
  const double share = 1 - static_cast<double>(launch.unmarked_blocks) /
                               static_cast<double>(std::max<std::uint64_t>(launch.blocks, 1));
  Kernels::instance().marked(launch.config,
                             static_cast<std::uint64_t>(static_cast<double>(accesses) * share));
}

void take_from_limit(const Launch& launch, std::uint64_t& limit) {
  constexpr std::uint64_t price_of_launch = 2000;
  limit -= std::min<std::uint64_t>(limit, launch.work + price_of_launch);
}

}  // namespace
}  // namespace kata::emulator

using namespace kata::emulator;

namespace {

thread_local std::optional<KeptLaunch>* kept_here = nullptr;  ///< see keep_launch()

/// A copy of the launch with its arguments; nothing, and a finding, where they cannot be copied.
std::optional<KeptLaunch> keep(const LaunchConfig& config, void (*call)(void*), void* closure) {
  if (config.closure_bytes != 0) return KeptLaunch(config, call, closure);
  __kata_unsupported("arguments with copy constructors in a graph or in a kernel's launches",
                     config.file, config.line);
  return std::nullopt;
}

/// By a kernel: it runs when the kernel is over.
void launch_from_kernel(const LaunchConfig& config, void (*call)(void*), void* closure) {
  std::optional<KeptLaunch> child = keep(config, call, closure);
  child->order = running.scheduler->block().order();
  child->thread = running.thread->id;
  Launch& launch = running.scheduler->launch();
  const std::lock_guard lock(launch.mutex);
  launch.children.push_back(std::move(*child));
}

}  // namespace

std::optional<KeptLaunch> kata::emulator::keep_launch(const std::function<void()>& launch) {
  std::optional<KeptLaunch> kept;
  kept_here = &kept;
  launch();
  kept_here = nullptr;
  return kept;
}

cudaError_t kata::emulator::run_kept(const KeptLaunch& kept, cudaStream_t stream) {
  LaunchConfig config = kept.config;
  config.stream = stream;
  std::byte* const closure = kept.closure.get();
  __kata_launch(&config, kept.call, closure, closure, closure + config.closure_bytes);
  return Errors::instance().sticky();
}

/// What a kernel has launched, in the order of its threads; at its tail what was launched there.
void kata::emulator::run_children(Launch& launch) {
  constexpr unsigned most_nested = 24;  // CUDA C++ Programming Guide, "Dynamic Parallelism"
  static thread_local unsigned nested = 0;
  std::vector<KeptLaunch> children = std::move(launch.children);
  std::stable_sort(children.begin(), children.end(), [](const auto& a, const auto& b) {
    const auto key = [](const KeptLaunch& one) {
      return std::tuple(one.config.stream == cudaStreamTailLaunch, one.order, one.thread);
    };
    return key(a) < key(b);
  });
  if (children.empty()) return;
  if (++nested > most_nested) {
    refuse_launch(cudaErrorLaunchOutOfResources, children.front().config, launch.name,
                  "kernels launch kernels more than 24 levels deep");
  } else {
    for (const KeptLaunch& child : children)
      run_kept(child, static_cast<cudaStream_t>(launch.config.stream));
  }
  --nested;
}

std::unique_ptr<Launch> kata::emulator::begin_launch(const IssuedLaunch& issued) {
  auto launch = std::make_unique<Launch>();
  launch->config = issued.config;
  launch->name = issued.name;
  launch->call = issued.call;
  launch->closure = issued.closure;
  launch->params_low = reinterpret_cast<std::uintptr_t>(issued.params_low);
  launch->params_high = reinterpret_cast<std::uintptr_t>(issued.params_high);
  prepare(*launch, ++Runtime::instance().launches);
  return launch;
}

bool kata::emulator::asks_again(const Launch& launch, IssuedLaunch& issued) {
  issued.config.cluster = *launch.asked_cluster;
  const auto refusal = check_launch(issued.config);
  if (refusal) refuse_launch(refusal->error, issued.config, issued.name, refusal->reason);
  return !refusal;
}

void kata::emulator::end_launch(Launch& launch) {
  Runtime& runtime = Runtime::instance();
  if (launch.product && !launch.stores_products && !launch.error) {
    launch.incidents.add(
        {.place = before(launch.product), .fault = LayoutAssumed{LayoutAssumed::read}});
  }
  if (runtime.options.profile) take_from_limit(launch, runtime.options.access_limit);
  runtime.order_matters |= launch.order_matters;
  runtime.ended_slow |= launch.is_slow;
  if (!launch.is_repeat) Repeats::instance().keep(launch);
  note_marked(launch);
  count_merged(launch);
  // Where others are taken to write zeros, an error is no fault, and no end of the device.
  const bool ends_call = launch.error && launch.options.others_write_zeros;
  if (ends_call) {
    launch.error = cudaSuccess;
  } else if (launch.error == cudaErrorInvalidValue ||
             launch.error == cudaErrorLaunchOutOfResources) {
    Errors::instance().set_last(launch.error);  // too much shared memory, too many registers
  } else if (launch.error) {
    Errors::instance().set_sticky(launch.error);
  }
  launch.tell_if_slow();
  Kernels::instance().saw_static(launch.config.function, launch.shared.static_bytes());
  if (launch.options.sampled_blocks > 0) end_sample(launch);
  Findings::instance().add_launch(launch);
  if (ends_call || launch.is_slow) runtime.end_call_early();
}

void __kata_launch(const LaunchConfig* config, void (*call)(void*), void* closure,
                   const void* params_low, const void* params_high) {
  if (running.thread) return launch_from_kernel(*config, call, closure);
  if (Errors::instance().sticky()) return;
  Runtime& runtime = Runtime::instance();
  std::unique_lock lock(runtime.launching);
  IssuedLaunch issued{*config, {}, call, closure, params_low, params_high, nullptr};
  move_to_caller(issued.config);
  issued.name = config->kernel ? config->kernel : function_name(config->function);
  // Which instantiation it is says how many registers it has.
  if (runtime.options.profile && config->function) issued.name = function_name(config->function);
  if (const auto refusal = check_launch(*config)) {
    refuse_launch(refusal->error, *config, issued.name, refusal->reason);
    return;
  }
  if (kept_here) {
    *kept_here = keep(*config, call, closure);
    return;
  }
  if (is_capturing(static_cast<cudaStream_t>(config->stream)) || !config->stream) {
    const auto kept = is_capturing(static_cast<cudaStream_t>(config->stream))
                          ? keep(*config, call, closure)
                          : std::nullopt;
    GraphWork work;
    if (kept) work = [kept = *kept](cudaStream_t stream) { return run_kept(kept, stream); };
    if (capture_call(static_cast<cudaStream_t>(config->stream), cudaGraphNodeTypeKernel, work,
                     issued.name.c_str(), {nullptr, config->file, config->line}))
      return;
  }
  runtime.take_step();
  if (runtime.options.launches_only) {
    runtime.sampled.sample.kernels[issued.name] = false;
    return;
  }
  if (runtime.options.sampled_blocks > 0 && config->cooperative) runtime.end_call_early();
  if (device_count() > 1 && runtime.runs_all() && !runtime.options.profile) {
    lock.unlock();
    return Pending::instance().launch(std::move(issued));
  }
  for (;;) {
    const std::unique_ptr<Launch> launch = begin_launch(issued);
    std::optional<MachineCounts> of_machine;
    if (runtime.machine_code && launch->options.count_requests && !launch->options.profile)
      of_machine = runtime.machine_code->count(*launch);
    launch->is_repeat = Repeats::instance().take(*launch);
    launch->os_threads = 1 + helpers_for(*launch);
    if (!launch->is_repeat) Pool::instance().run(*launch, launch->os_threads - 1);
    if (launch->asked_cluster) {
      if (asks_again(*launch, issued)) continue;
      return;
    }
    if (of_machine && runtime.machine_code->agrees(*launch, *of_machine))
      take_counts(*launch, std::move(*of_machine));
    end_launch(*launch);
    lock.unlock();
    return run_children(*launch);
  }
}
