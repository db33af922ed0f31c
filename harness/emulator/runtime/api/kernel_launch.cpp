// A launch as the candidate writes it: checked, run, and its result kept.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <thread>
#include <tuple>

#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/api/graphs.h"
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

/// Some blocks. Of small launches all may run, in a call whose earlier launches were whole: they
/// prepare what a large one goes by. Those after the first may take longer for that.
void choose_sample(Launch& launch) {
  constexpr std::uint64_t small = 1 << 18;          // threads
  constexpr std::uint64_t most_accesses = 3 << 23;  // of a call, so far
  const Runtime& runtime = Runtime::instance();
  const std::uint64_t all = launch.blocks / launch.cluster_blocks;
  LaunchSample& sample = launch.sample;
  sample.after_others = runtime.sampled.lacks_blocks;
  sample.clusters = launch.options.others_write_zeros
                        ? both_ends(all, launch.options.sampled_blocks)
                        : sample_of(all, launch.options.sampled_blocks);
  sample.chosen = sample.clusters.size();
  if (launch.options.others_write_zeros || sample.after_others ||
      runtime.sampled.work > most_accesses || launch.blocks * launch.threads_per_block > small)
    return;
  sample.most_accesses = most_accesses - runtime.sampled.work;
  sample.clusters = with_others(std::move(sample.clusters), all);
  if (runtime.steps > 1) launch.options.sampled_accesses *= 2;
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
  launch.variables = &ModuleVariables::beside(reinterpret_cast<const void*>(launch.call));
  launch.module = launch.variables->module();
}

/// Of the accesses that were merged, the launch's counts know the widths before. A profile is of
/// the blocks that ran.
void count_merged(Launch& launch) {
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

void take_from_limit(const Launch& launch, std::uint64_t& limit) {
  constexpr std::uint64_t price_of_launch = 2000;
  limit -= std::min<std::uint64_t>(limit, launch.work + price_of_launch);
}

bool is_race(const Incident& incident) {
  return std::holds_alternative<Race>(incident.fault);
}

bool uses_memory(const Launch& launch) {
  constexpr AccessKind kinds[] = {AccessKind::global_load, AccessKind::global_store,
                                  AccessKind::global_atomic};
  return launch.sample.ended_early || std::ranges::any_of(kinds, [&](AccessKind kind) {
           return launch.counts.total(kind).accesses > 0;
         });
}

/// How far a launch comes in small buffers, where earlier ones have left the results of their
/// blocks.
void note_reach(const Launch& launch, FirstReads& reads) {
  constexpr std::size_t large = 1 << 20;
  for (const Allocation& one : DeviceMemory::instance().buffers()) {
    if (one.bytes > large || one.place == Place{}) continue;
    bool any = false, uses_first = false, uses_last = false;
    for_each_word(one.low, one.bytes / 4 * 4, [&](const Shadow& shadow, std::uintptr_t, unsigned) {
      const std::uint64_t write = load_mark(&shadow.write).block();
      if (write == 0) return true;
      uses_last = std::max(write, load_mark(&shadow.read).block()) >= launch.first_number;
      uses_first = any ? uses_first : uses_last;
      return any = true;
    });
    reads.from_first_to_last |= uses_first && uses_last;
    reads.short_of_last |= uses_first && !uses_last;
  }
}

FirstReads first_reads(const Launch& launch) {
  constexpr std::size_t large = 16 << 20, many = 32;
  FirstReads reads{.blocks = launch.blocks, .most_bytes = launch.sample.most_read};
  reads.kernel = launch.name;
  if (launch.options.sampled_blocks > 1) {
    // What is appended by a counter lies where the blocks that did not run decide, too.
    if (launch.wanted_blocks == launch.blocks && !launch.sample.ended_early &&
        !Runtime::instance().sampled.has_atomics)
      note_reach(launch, reads);
    return reads;
  }
  if (reads.most_bytes == 0) return reads;
  std::set<std::uint32_t> words;
  const auto add_words = [&](std::uintptr_t low, std::uintptr_t high) {
    for_each_word(low, high - low, [&](const Shadow& shadow, std::uintptr_t at, unsigned) {
      const std::uint32_t word = *reinterpret_cast<const std::uint32_t*>(at);
      if (word > 0 && word <= reads.most_bytes &&
          load_mark(&shadow.write).block() >= launch.first_number)
        words.insert(word);
      return words.size() <= many;
    });
  };
  const AddressRange& variables = launch.variables->variables();
  add_words(variables.low, variables.high / 4 * 4);
  for (const Allocation& one : DeviceMemory::instance().buffers())
    if (one.bytes <= large) add_words(one.low, one.high() / 4 * 4);
  if (words.size() <= many) reads.words.assign(words.begin(), words.end());
  return reads;
}

/// Blocks that did not run would have written: what is there now may not be read.
void end_sample(Launch& launch) {
  Runtime::Sampled& all = Runtime::instance().sampled;
  const LaunchSample& sample = launch.sample;
  all.work += launch.work;
  const bool is_atomic = launch.counts.total(AccessKind::global_atomic).accesses > 0;
  all.has_atomics |= is_atomic;
  // The blocks may be the first to run: their races are those of the whole call, unless what
  // orders them depends on what others leave. Streams do not.
  if (sample.after_others) launch.incidents.remove_if(is_race);
  const auto is_own = [](std::uintptr_t page) {
    const auto owner = DeviceMemory::instance().owner(page);
    return owner && owner->place == Place{};
  };
  if (std::ranges::any_of(sample.pages, is_own)) {
    ++all.writers;
    all.sample.blocks = launch.blocks;
    all.sample.ran = launch.wanted_blocks;
    all.sample.bytes = sample.bytes;
    all.sample.most_bytes = sample.most_bytes;
    all.is_partial |= is_atomic;
  }
  all.sample.is_whole &= !sample.ended_early;
  all.sample.kernels[launch.name] |= uses_memory(launch);
  if (launch.options.others_write_zeros) all.sample.reads.push_back(first_reads(launch));
  for (std::uintptr_t page : sample.pages)
    all.sample.pages.push_back(reinterpret_cast<const void*>(page));
  if (launch.wanted_blocks == launch.blocks && !sample.ended_early) return;
  if (launch.options.others_write_zeros) return;
  all.lacks_blocks = true;
  all.work += 1 << 17;  // of what follows
  DeviceMemory::instance().forget_writes();
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

constexpr unsigned most_nested = 24;  ///< CUDA C++ Programming Guide, "Dynamic Parallelism"

/// What a kernel has launched, in the order of its threads; at its tail what was launched there.
void run_children(Launch& launch) {
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

void __kata_launch(const LaunchConfig* config, void (*call)(void*), void* closure,
                   const void* params_low, const void* params_high) {
  if (running.thread) return launch_from_kernel(*config, call, closure);
  if (Errors::instance().sticky()) return;
  Runtime& runtime = Runtime::instance();
  std::unique_lock lock(runtime.launching);
  Launch launch;
  launch.config = *config;
  move_to_caller(launch.config);
  launch.name = config->kernel ? config->kernel : function_name(config->function);
  // Which instantiation it is says how many registers it has.
  if (runtime.options.profile && config->function) launch.name = function_name(config->function);
  if (const auto refusal = check_launch(*config)) {
    refuse_launch(refusal->error, *config, launch.name, refusal->reason);
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
                     launch.name.c_str(), {nullptr, config->file, config->line}))
      return;
  }
  runtime.take_step();
  if (runtime.options.launches_only) return;
  if (runtime.options.sampled_blocks > 0 && config->cooperative) runtime.end_call_early();
  launch.call = call;
  launch.closure = closure;
  launch.params_low = reinterpret_cast<std::uintptr_t>(params_low);
  launch.params_high = reinterpret_cast<std::uintptr_t>(params_high);
  prepare(launch, ++runtime.launches);
  const bool is_repeat = Repeats::instance().take(launch);
  if (!is_repeat) Pool::instance().run(launch, helpers_for(launch));
  if (launch.asked_cluster) {
    LaunchConfig again = *config;
    again.cluster = *launch.asked_cluster;
    lock.unlock();
    return __kata_launch(&again, call, closure, params_low, params_high);
  }
  if (launch.product && !launch.stores_products && !launch.error) {
    launch.incidents.add(
        {.place = before(launch.product), .fault = LayoutAssumed{LayoutAssumed::read}});
  }
  if (runtime.options.profile) take_from_limit(launch, runtime.options.access_limit);
  runtime.order_matters |= launch.order_matters;
  if (!is_repeat) Repeats::instance().keep(launch);
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
  Kernels::instance().saw_static(config->function, launch.shared.static_bytes());
  if (launch.options.sampled_blocks > 0) end_sample(launch);
  Findings::instance().add_launch(launch);
  if (ends_call) runtime.end_call_early();
  lock.unlock();
  run_children(launch);
}
