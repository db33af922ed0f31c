#pragma once
// Registers of a candidate's kernels, where nvcc is there to count them: how many blocks a
// multiprocessor holds follows from them.

#include <filesystem>
#include <map>
#include <vector>

#include "compile/registers.h"
#include "report/profile.h"
#include "timing/chip.h"

namespace kata {

/// By source, those that nvcc compiles for the chip; several at a time. Nothing where it does not
/// compile the first one: to compare that with others, all have to be taken alike.
std::map<std::filesystem::path, std::vector<KernelResources>> registers_of(
    const std::vector<std::filesystem::path>& sources, const Chip& chip);

/// The kernel that was launched; null if it is not among them. Of a template's kernels those count
/// whose arguments are the launch's, where it spells them as numbers, and that have its shared
/// memory; of several the one with most registers.
const KernelResources* kernel_of(const LaunchProfile& launch,
                                 const std::vector<KernelResources>& kernels);

/// Each launch's registers. A launch of a kernel that is not among them stays as it is.
void set_registers(const std::vector<KernelResources>& kernels,
                   std::vector<LaunchProfile>& launches);

}  // namespace kata
