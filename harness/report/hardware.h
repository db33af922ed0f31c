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
  std::optional<Roof> roof = {};                ///< of the device, if chips.json has it
};

/// A table for each launch, and where the call sits on the roofline. 80 columns.
std::string hardware_text(const HardwareProfile& profile, bool color);

}  // namespace kata
