#pragma once
// A candidate's launches as Nsight Compute measured them on a GPU, beside what the emulator says.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/report.h"
#include "report/roofline.h"

namespace kata {

/// "void (anonymous namespace)::sum<4>(const float *)" -> "sum"
std::string plain_kernel_name(std::string name);

/// Counters by ncu's own names.
namespace ncu {
inline constexpr const char* bytes_read = "dram__bytes_read.sum";
inline constexpr const char* bytes_written = "dram__bytes_write.sum";
inline constexpr const char* load_requests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
inline constexpr const char* load_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
inline constexpr const char* store_requests = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
inline constexpr const char* store_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
inline constexpr const char* shared_load_wavefronts =
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
inline constexpr const char* shared_load_conflicts =
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
inline constexpr const char* shared_store_wavefronts =
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
inline constexpr const char* shared_store_conflicts =
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum";
}  // namespace ncu

/// What ncu is asked for, by its own names.
std::vector<std::string> ncu_metrics();

struct MeasuredLaunch {
  std::string kernel;       ///< without parameters, template arguments and namespaces
  std::string grid, block;  ///< "64x1x1"
  std::map<std::string, double>
      metrics;  ///< in ncu's base units; one that it does not know: absent
};

/// The launches in the table that `ncu --csv --page raw --print-units base` prints, in their order;
/// empty if there is none in the text.
std::vector<MeasuredLaunch> launches_from_ncu(const std::string& text);

/// A whole launch as the emulator counted it and timing/estimate.h estimates it.
struct PredictedLaunch {
  KernelRecord counts;
  double us = 0, read_bytes = 0, written_bytes = 0;
  double occupancy = 0;  ///< of the threads that there is room for
};

struct HardwareProfile {
  std::string operator_name, candidate, size, device;
  std::vector<MeasuredLaunch> launches;
  std::vector<PredictedLaunch> predicted = {};  ///< launch by launch; empty if not known
  std::string not_predicted = {};               ///< why
  double operations = 0;                        ///< of the call
  double least_bytes = 0;                       ///< that the call has to move
  std::optional<Roof> roof = {};                ///< of the device, if chips.json has it
};

/// A table for each launch, and where the call sits on the roofline. 80 columns.
std::string hardware_text(const HardwareProfile& profile, bool color);

}  // namespace kata
