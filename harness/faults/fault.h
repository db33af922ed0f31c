#pragma once
// solutions/<operator>/faults.toml: planted mistakes, each a patch of a kernel that is right, or a
// whole kernel where no right one is near.
//
//   [[fault]]
//   name = "no_barrier"
//   of = "3_shared_memory.cu"          # beside faults.toml, or a path from the root
//   class = "race"
//   level = 2                          # 1 to 3, from plain to hard to see
//   what = "no barrier between the store and the read."
//   changes = [{ old = '...', new = '...' }]   # each old text is in the file exactly once
//   kernel = '''...'''                 # instead of "of" and "changes": all of it
//   told = { kind = "race", line = '...', words = "..." }
//   gpu = "either"                     # what a GPU says: fails, passes, either; absent: not known
//   why = "..."                        # a GPU accepts it
//   only_large = true                  # only large cases show it; absent: usual ones do

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "report/report.h"
#include "support/result.h"

namespace kata::faults {

enum class FaultClass {
  bounds,
  race,
  barrier,
  overflow,
  numerics,
  indexing,
  layout,
  launch,
  memory_order,
  stale_state,
  logic,
  cheating,
};

std::string to_string(FaultClass fault_class);  ///< "memory order"
std::optional<FaultClass> fault_class_from(const std::string& text);
std::vector<std::string> fault_class_names();

struct Change {
  std::string before;
  std::string after;
};

enum class GpuVerdict { not_known, fails, passes, either };

struct Fault {
  std::string name;
  std::filesystem::path of;  ///< the kernel that is right; faults.toml itself of a whole kernel
  FaultClass fault_class = FaultClass::bounds;
  int level = 1;
  std::string what;
  std::vector<Change> changes;
  std::string kernel;               ///< a whole one; else empty
  std::optional<FindingKind> kind;  ///< of the finding that names the fault; if a finding must
  std::string line;   ///< unique in the faulty text; the finding names the line where it ends
  std::string words;  ///< part of the explanation, or of that finding's message
  GpuVerdict gpu = GpuVerdict::not_known;
  std::string why;
  bool only_large = false;
  int row = 0;  ///< of the table in faults.toml
};

std::filesystem::path faults_file(const std::string& operator_name);

/// None if the operator has no such file. An Error names the line of the file.
Result<std::vector<Fault>> read_faults(const std::string& operator_name);

struct FaultyKernel {
  std::string text;
  int line = 0;  ///< where the finding must be; 0 if none must
};

/// The kernel with its fault. A change that does not fit is an Error that names the nearest line.
Result<FaultyKernel> plant(const Fault& fault);

/// Writes a faulty kernel as <name>.cu to a new folder below `folder`, with links to the headers
/// that it includes.
Result<std::filesystem::path> write_planted(const Fault& fault, const std::string& text,
                                            const std::filesystem::path& folder);

}  // namespace kata::faults
