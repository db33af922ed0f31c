#include "report/text/program_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "report/layout.h"
#include "report/text/lines.h"
#include "support/paths.h"

namespace kata {
namespace {

using namespace layout;

constexpr std::size_t name_width = 22;
constexpr std::size_t most_kernels = 20;

/// From outside.
bool is_stopped(const ProgramEnd& end) {
  return end.signal == SIGINT || end.signal == SIGTERM;
}

std::string ending(const ProgramEnd& end) {
  if (end.signal == 0 && !end.was_ended) return fmt::format("exit status {}", end.exit_status);
  std::string text =
      end.was_ended     ? fmt::format("ended after {:g} s of processor time", end.checked_s)
      : is_stopped(end) ? std::string("interrupted")
                        : fmt::format("ended by signal {} ({})", end.signal, strsignal(end.signal));
  if (end.line > 0) text += fmt::format(" at {}:{}", shown(end.file), end.line);
  return text;
}

std::string counted(std::size_t count, const char* what) {
  return count == 1 ? fmt::format("1 {}", what) : fmt::format("{} {}s", count, what);
}

/// "2 errors, 1 warning"
std::string summary(const std::vector<Finding>& findings, bool is_stopped) {
  std::string text;
  for (const Severity severity : {Severity::error, Severity::warning}) {
    const auto count = static_cast<std::size_t>(
        std::count_if(findings.begin(), findings.end(),
                      [&](const Finding& one) { return one.severity == severity; }));
    if (count > 0) text += (text.empty() ? "" : ", ") + counted(count, to_string(severity));
  }
  return (text.empty() ? "nothing found" : text) + (is_stopped ? " so far" : "");
}

std::string head(const Report& report, const TextOptions& options) {
  const Color shade = report.verdict == Verdict::pass ? Color::green : Color::red;
  const std::string name = "kata";
  const ProgramEnd& end = *report.program;
  std::string text = fmt::format("{} (emulator): {}: {}; {}", name, report.candidate, ending(end),
                                 summary(report.findings, is_stopped(end) || end.was_ended));
  if (end.checked_s > 0 && !end.was_ended)
    text += fmt::format(" in the first {:g} s; the rest was not checked", end.checked_s);
  const std::string rows = options.rows > 0 ? paragraph(text, 0, 4) : text + "\n";
  return paint(name, shade, options.color) + rows.substr(name.size());
}

std::string shortened(const std::string& name) {
  return name.size() <= name_width ? name : name.substr(0, name_width - 2) + "..";
}

/// "256", "16x16": trailing ones say nothing.
std::string extent(const std::array<unsigned, 3>& size) {
  std::string text = std::to_string(size[0]);
  if (size[1] > 1 || size[2] > 1) text += fmt::format("x{}", size[1]);
  if (size[2] > 1) text += fmt::format("x{}", size[2]);
  return text;
}

std::string kernel_line(const KernelRecord& kernel, bool counted) {
  const std::string launches =
      fmt::format("  {:<{}}{:>7}{:>11}{:>8}", shortened(kernel.name), name_width,
                  short_number(kernel.launches), extent(kernel.grid), extent(kernel.block));
  if (!counted) return launches + "\n";
  const std::uint64_t sectors = kernel.global_load.sectors + kernel.global_store.sectors;
  const std::uint64_t ideal = kernel.global_load.ideal_sectors + kernel.global_store.ideal_sectors;
  const std::uint64_t requests = kernel.global_load.requests + kernel.global_store.requests;
  const std::uint64_t wavefronts = kernel.shared_load.wavefronts + kernel.shared_store.wavefronts;
  return launches + fmt::format("{:>8}{:>8}{:>8}{:>6}\n", short_number(requests),
                                short_number(sectors), short_number(ideal),
                                short_number(wavefronts));
}

/// Kernels whose requests were not counted in every launch.
std::string which_were_counted(const std::vector<KernelRecord>& kernels) {
  std::uint64_t counted_launches = 0;
  bool all = true;
  for (const KernelRecord& kernel : kernels) {
    if (kernel.counted_launches == kernel.launches) continue;
    all = false;
    counted_launches = std::max(counted_launches, kernel.counted_launches);
  }
  if (all) return {};
  return paragraph(fmt::format("Where a kernel was launched more than {0} times, its first {0} "
                               "launches are counted.",
                               counted_launches),
                   2);
}

/// A kernel that has so many accesses that some of its blocks stand for all.
std::string which_were_sampled(const std::vector<KernelRecord>& kernels) {
  const bool all_marked =
      std::ranges::all_of(kernels, [](const auto& kernel) { return kernel.unmarked_blocks == 0; });
  for (const KernelRecord& kernel : kernels) {
    if (kernel.counted_blocks == 0 || kernel.counted_blocks >= kernel.blocks()) continue;
    return paragraph(fmt::format("Counts of large launches are those of some blocks, scaled ({} of "
                                 "{} blocks of {}).{}",
                                 kernel.counted_blocks, kernel.blocks(), shortened(kernel.name),
                                 all_marked ? " Every access was checked." : ""),
                     2);
  }
  return {};
}

/// A kernel that has so many accesses that races were looked for in some of its blocks.
std::string where_races_were_sought(const std::vector<KernelRecord>& kernels) {
  for (const KernelRecord& kernel : kernels) {
    if (kernel.unmarked_blocks == 0) continue;
    return paragraph(fmt::format("Races of plain loads and stores were looked for in some blocks "
                                 "of large launches ({} blocks of {} were left out); all else in "
                                 "every block.",
                                 kernel.unmarked_blocks, shortened(kernel.name)),
                     2);
  }
  return {};
}

std::string kernels_text(const Report& report, bool color) {
  if (report.kernels.empty()) return {};
  const bool checked = report.program->checked;
  std::string text = "  " + paint("Kernels", Color::bold, color) +
                     (checked ? ", as the emulator counts their memory\n"
                              : "; --fast: their memory accesses were not checked\n");
  text += fmt::format("  {:<{}}{:>7}{:>11}{:>8}", "", name_width, "times", "grid", "block");
  if (checked) text += fmt::format("{:>8}{:>8}{:>8}{:>6}", "request", "sectors", "ideal", "waves");
  text += "\n";
  const std::size_t shown_kernels = std::min(report.kernels.size(), most_kernels);
  for (std::size_t i = 0; i < shown_kernels; ++i) text += kernel_line(report.kernels[i], checked);
  if (report.kernels.size() > shown_kernels) {
    text += fmt::format("  and {} more kernels (--json shows all)\n",
                        report.kernels.size() - shown_kernels);
  }
  if (!checked) return text;
  text += paragraph(
      "request: memory instructions of warps; sectors: 32 bytes of global memory that they take, "
      "ideal: the fewest; waves: passes of shared memory, 0 without it.",
      2);
  return text + which_were_counted(report.kernels) + which_were_sampled(report.kernels) +
         where_races_were_sought(report.kernels);
}

}  // namespace

std::string program_text(const Report& report, const TextOptions& options) {
  const std::string findings = findings_text(report, options);
  const std::string kernels = kernels_text(report, options.color);
  std::string text = head(report, options);
  if (!findings.empty()) text += "\n" + findings;
  if (!kernels.empty()) text += (findings.empty() ? "\n" : "") + kernels;
  if (options.lines)
    return text + "\n" + annotated_lines(report.kernels, report.findings, options.color);
  const std::string advice = report.verdict == Verdict::pass ? advice_text(report, options) : "";
  return advice.empty() ? text : text + "\n" + advice;
}

}  // namespace kata
