#include "emulator/runtime/check/kernel_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <tuple>

#include "emulator/runtime/check/findings.h"
#include "emulator/runtime/check/names.h"
#include "emulator/runtime/check/patterns.h"
#include "emulator/runtime/memory/device_memory.h"

namespace kata::emulator {
namespace {

bool is_atomic(AccessKind kind) {
  return kind == AccessKind::global_atomic || kind == AccessKind::shared_atomic;
}

/// Of a launch's record, or of a line's.
template <class Record>
AccessCount& count_of(Record& record, AccessKind kind) {
  switch (kind) {
    case AccessKind::global_load:
      return record.global_load;
    case AccessKind::global_store:
      return record.global_store;
    case AccessKind::shared_load:
      return record.shared_load;
    case AccessKind::shared_store:
      return record.shared_store;
    default:
      return record.atomic;
  }
}

/// The allocation that all these sectors lie in, if it is one.
std::optional<Allocation> owner_of(const InstructionCount& made) {
  const DeviceMemory& memory = DeviceMemory::instance();
  const auto first = memory.owner(arena_low + made.low * sector_bytes);
  const auto last = memory.owner(arena_low + made.high * sector_bytes);
  return first && last && first->low == last->low ? first : std::nullopt;
}

/// "tile", "dynamic shared memory", "A[...]", "the buffer allocated in line 12".
std::string memory_name(const Launch& launch, AccessKind kind, std::uint64_t address) {
  if (is_shared(kind)) {
    if (!launch.machine_lines.empty()) return "shared memory";  // where nvcc has put the variables
    if (address >= dynamic_offset) return "dynamic shared memory";
    std::string name = "shared memory";
    std::size_t nearest = 0;
    for (const auto& variable : launch.shared.variables()) {
      if (variable.offset > address || variable.offset < nearest) continue;
      name = variable.name;
      nearest = variable.offset;
    }
    return name;
  }
  const auto owner = DeviceMemory::instance().owner(arena_low + address);
  if (!owner) return "device memory";
  return owner->name.empty() ? buffer_name(*owner) : owner->name + "[...]";
}

std::string pattern_of(const Launch& launch, const Instruction& instruction,
                       const InstructionCount& made) {
  const Request& request = made.worst();
  const unsigned width = 1u << instruction.log2_width;
  const bool one = std::popcount(request.lanes) == 1;
  const bool reads =
      instruction.kind == AccessKind::global_load || instruction.kind == AccessKind::shared_load;
  const std::string verb = is_atomic(instruction.kind) ? "update" : reads ? "read" : "write";
  const auto first = static_cast<unsigned>(std::countr_zero(request.lanes));
  std::string text =
      fmt::format("{} {}{} {} {}", lanes_in_words(request.lanes), verb, one ? "s" : "",
                  memory_name(launch, instruction.kind, request.address(first)),
                  addresses_in_words(request, width));
  if (instruction.kind == AccessKind::shared_load || instruction.kind == AccessKind::shared_store) {
    const std::string banks = banks_in_words(request, width);
    if (!banks.empty()) text += "; " + banks;
  }
  const bool of_copies = instruction.kind == AccessKind::global_load &&
                         made.worst_transfers().needed > sectors(request, width).needed;
  if (of_copies) text += ", into pieces of shared memory that lie apart";
  return text;
}

bool is_worse(const Transfers& a, unsigned lanes, const WorstRequest& b) {
  return std::tuple(a.needed - a.fewest, a.needed, lanes) >
         std::tuple(b.needed - b.ideal, b.needed, b.lanes);
}

void add_requests(AccessCount& count, const Launch& launch, const Instruction& instruction,
                  const InstructionCount& made) {
  count.requests += made.requests;
  count.switched_off += made.switched_off;
  if (is_atomic(instruction.kind)) {
    count.turns += made.needed;
  } else if (is_shared(instruction.kind)) {
    count.wavefronts += made.needed;
    count.conflicts += made.needed - made.fewest;
    count.apart += made.apart;
    count.apart_wavefronts += made.apart_needed;
  } else {
    count.sectors += made.needed;
    count.ideal_sectors += made.fewest;
  }
  const Transfers& worst = made.worst_transfers();
  const auto lanes = static_cast<unsigned>(std::popcount(made.worst().lanes));
  if (!is_worse(worst, lanes, count.worst)) return;
  count.worst = {lanes, worst.needed, worst.fewest, stride_of(made.worst()),
                 pattern_of(launch, instruction, made)};
}

SourceLine line_of(const Launch& launch, const Instruction& instruction) {
  if (!launch.machine_lines.empty())
    return launch.machine_lines[reinterpret_cast<std::uintptr_t>(instruction.code) - 1];
  return source_line(before(instruction.code));
}

bool earlier(const SourceLine& a, const SourceLine& b) {
  return std::tie(a.file, a.line) < std::tie(b.file, b.line);
}

std::vector<LineRecord> lines_of(const Launch& launch) {
  std::map<SourceLine, LineRecord, decltype(&earlier)> lines(&earlier);
  for (const auto& [instruction, made] : launch.requests) {
    const SourceLine place = line_of(launch, instruction);
    LineRecord& line = lines[place];
    line.file = place.file;
    line.line = place.line;
    AccessCount& count = count_of(line, instruction.kind);
    count.accesses += made.accesses;
    count.bytes += made.accesses << instruction.log2_width;
    add_requests(count, launch, instruction, made);
  }
  std::vector<LineRecord> result;
  for (auto& [place, line] : lines) result.push_back(std::move(line));
  return result;
}

/// What a launch asks of one allocation.
struct Use {
  Allocation allocation;
  std::uint64_t low = 0, high = 0;  ///< sectors
  BufferRecord record;
};

void add_use(const Launch& launch, Use& use, const Instruction& instruction,
             const InstructionCount& made) {
  use.low = std::min(use.low, made.low);
  use.high = std::max(use.high, made.high);
  if (instruction.kind == AccessKind::global_store) {
    use.record.store_sectors += made.needed;
    return;
  }
  use.record.load_sectors += made.needed;
  const SourceLine line = line_of(launch, instruction);
  auto& reads = use.record.reads;
  auto read = std::find_if(reads.begin(), reads.end(), [&](const BufferRead& known) {
    return known.file == line.file && known.line == line.line;
  });
  if (read == reads.end()) read = reads.insert(read, {.file = line.file, .line = line.line});
  read->sectors += made.needed;
  // A lane alone reads a sector eight times to have its eight floats, and each float once.
  const std::uint64_t bytes = made.accesses << instruction.log2_width;
  read->ideal_sectors += std::min(made.fewest, (bytes + sector_bytes - 1) / sector_bytes);
}

std::vector<BufferRecord> buffers_of(const Launch& launch) {
  std::map<std::uintptr_t, Use> uses;
  for (const auto& [instruction, made] : launch.requests) {
    if (is_shared(instruction.kind) || is_atomic(instruction.kind)) continue;
    const auto owner = owner_of(made);
    if (!owner) continue;
    Use& use = uses.try_emplace(owner->low, Use{*owner, made.low, made.high, {}}).first->second;
    add_use(launch, use, instruction, made);
  }
  std::vector<BufferRecord> result;
  for (auto& [low, use] : uses) {
    BufferRecord& record = result.emplace_back(std::move(use.record));
    record.name = use.allocation.name.empty() ? buffer_name(use.allocation) : use.allocation.name;
    record.bytes =
        std::min<std::uint64_t>((use.high - use.low + 1) * sector_bytes, use.allocation.bytes);
    std::sort(record.reads.begin(), record.reads.end(), [](const auto& a, const auto& b) {
      return std::tie(a.file, a.line) < std::tie(b.file, b.line);
    });
  }
  return result;
}

}  // namespace

KernelRecord totals_of(const Launch& launch) {
  KernelRecord record;
  const Triple &grid = launch.config.grid, &block = launch.config.block;
  record.name = launch.name;
  record.counted_launches = launch.options.count_requests ? 1 : 0;
  if (!launch.options.profile) record.counted_blocks = launch.counted_blocks;
  record.unmarked_blocks = launch.unmarked_blocks;
  record.of_machine_code = !launch.machine_lines.empty();
  record.by_rules = launch.by_rules;
  record.grid = {grid.x, grid.y, grid.z};
  record.block = {block.x, block.y, block.z};
  record.shared_bytes = launch.shared.static_bytes() + launch.config.shared_bytes;
  for (unsigned i = 0; i < access_kinds; ++i) {
    const auto kind = static_cast<AccessKind>(i);
    const AccessCount total = launch.counts.total(kind);
    AccessCount& count = count_of(record, kind);
    count.accesses += total.accesses;
    count.bytes += total.bytes;
  }
  for (const auto& [instruction, made] : launch.requests)
    add_requests(count_of(record, instruction.kind), launch, instruction, made);
  record.barriers = launch.barriers;
  record.blocks_wait = launch.blocks_wait;
  return record;
}

KernelRecord record_of(const Launch& launch) {
  KernelRecord record = totals_of(launch);
  record.lines = lines_of(launch);
  record.buffers = buffers_of(launch);
  return record;
}

}  // namespace kata::emulator
