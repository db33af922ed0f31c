#include "assembly/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "report/layout.h"
#include "support/paths.h"
#include "support/text.h"

namespace kata::assembly {
namespace {

using layout::Color;
using layout::paint;

constexpr std::size_t most_kernels = 8;
constexpr std::size_t most_opcodes = 8;
constexpr std::size_t source_width = 40, opcodes_width = 33;
constexpr std::size_t instruction_width = 56;

/// "global load 12, FP32 8": the most frequent first.
std::string mix_words(const Mix& mix) {
  std::vector<std::pair<Pipe, std::size_t>> rows(mix.begin(), mix.end());
  std::ranges::stable_sort(rows, std::greater(), [](const auto& one) { return one.second; });
  std::vector<std::string> words;
  for (const auto& [pipe, count] : rows)
    words.push_back(fmt::format("{} {}", to_string(pipe), count));
  return joined(words, ", ");
}

std::string kernel_row(const KernelSummary& one, bool main, bool color) {
  const KernelResources& has = one.resources;
  const std::string known = has.registers ? fmt::format("{:>9}{:>10}{:>9}", has.registers,
                                                        has.spilled_bytes, has.static_shared_bytes)
                                          : std::string(28, ' ');
  const std::string name = fmt::format("{:<36}", layout::cut(short_name(has.kernel), 35));
  return fmt::format("{} {}{}{:>13}\n", main ? "=" : " ",
                     main ? paint(name, Color::bold, color) : name, known, one.instructions());
}

/// Opcodes with how often each occurs, in the order in which they begin: "LDG.E x4".
std::vector<std::string> opcodes_of(const std::vector<const Instruction*>& instructions) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const Instruction* one : instructions) {
    const auto known =
        std::ranges::find(counts, one->opcode, [](const auto& count) { return count.first; });
    if (known == counts.end())
      counts.emplace_back(one->opcode, 1);
    else
      ++known->second;
  }
  std::vector<std::string> words;
  for (const auto& [opcode, count] : counts)
    words.push_back(count == 1 ? opcode : fmt::format("{} x{}", opcode, count));
  return words;
}

/// Words in rows of at most so many columns.
std::vector<std::string> in_rows(const std::vector<std::string>& words, std::size_t width) {
  std::vector<std::string> rows;
  for (const std::string& word : words) {
    if (rows.empty() || rows.back().size() + 2 + word.size() > width)
      rows.push_back(word);
    else
      rows.back() += "  " + word;
  }
  return rows;
}

std::string source_text(const LineOfCode& line, std::size_t width) {
  const std::size_t first = line.source.find_first_not_of(" \t");
  const std::size_t indent = first == std::string::npos ? 0 : std::min<std::size_t>(first, 8);
  const std::string code(trimmed(line.source));
  return layout::cut(std::string(indent, ' ') + code, width);
}

std::string number_text(const LineOfCode& line) {
  return line.place.line == 0 ? std::string(5, ' ') : fmt::format("{:>5}", line.place.line);
}

std::string beside(const LineOfCode& line) {
  const std::vector<std::string> rows = in_rows(opcodes_of(line.instructions), opcodes_width);
  std::string text = fmt::format("{} {:<{}} {}\n", number_text(line),
                                 source_text(line, source_width), source_width, rows.front());
  for (std::size_t i = 1; i < rows.size(); ++i)
    text += std::string(source_width + 7, ' ') + rows[i] + "\n";
  return text;
}

std::string below(const LineOfCode& line, bool color) {
  std::string text =
      paint(number_text(line) + " " + source_text(line, layout::width - 6), Color::bold, color) +
      "\n";
  for (const Instruction* one : line.instructions)
    text += fmt::format("      {:<{}}  {}\n", layout::cut(one->text, instruction_width),
                        instruction_width, paint(to_string(one->pipe), Color::dim, color));
  return text;
}

using Counts = std::map<std::string, std::pair<std::size_t, std::size_t>>;

/// The opcodes whose number changed most.
Counts changed_opcodes(const Side& before, const Side& after) {
  Counts all;
  for (const Instruction& one : before.instructions) ++all[one.opcode].first;
  for (const Instruction& one : after.instructions) ++all[one.opcode].second;
  std::vector<std::pair<std::size_t, std::string>> order;
  for (const auto& [opcode, counts] : all) {
    const auto [less, more] = std::minmax(counts.first, counts.second);
    if (more > less) order.emplace_back(more - less, opcode);
  }
  std::ranges::stable_sort(order, std::greater());
  order.resize(std::min(order.size(), most_opcodes));
  Counts most;
  for (const auto& [difference, opcode] : order) most[opcode] = all[opcode];
  return most;
}

std::string row(const std::string& name, std::uint64_t before, std::uint64_t after) {
  const std::string change =
      before == after ? "" : fmt::format("{:+}", static_cast<std::int64_t>(after - before));
  const std::string text =
      fmt::format("  {:<34}{:>14}{:>14}{:>9}", layout::cut(name, 33), before, after, change);
  return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

std::string summary_text(const Summary& summary, bool color) {
  std::string text = fmt::format("  {:<36}{:>9}{:>10}{:>9}{:>13}\n", "kernel", "registers",
                                 "spilled B", "shared B", "instructions");
  std::size_t shown = 0;
  for (std::size_t i = 0; i < summary.kernels.size(); ++i) {
    if (i != summary.main && shown + (i < summary.main ? 1 : 0) >= most_kernels) continue;
    text += kernel_row(summary.kernels[i], i == summary.main, color);
    ++shown;
  }
  if (shown < summary.kernels.size())
    text += fmt::format("  and {} more\n", summary.kernels.size() - shown);
  if (summary.kernels.empty()) return "  No kernel.\n";
  return text + "\n" +
         layout::paragraph(
             fmt::format(
                 "{}, instructions in the code: {}",
                 layout::cut(short_name(summary.kernels[summary.main].resources.kernel), 40),
                 mix_words(summary.kernels[summary.main].mix)),
             2);
}

std::vector<LineOfCode> by_line(const Assembly& assembly, const Kernel& kernel) {
  const auto order = [](const Place& one) { return std::tuple(one.line == 0, one.file, one.line); };
  std::map<decltype(order(Place{})), LineOfCode> lines;
  std::vector<std::vector<std::string>> texts;
  for (const SourceFile& file : assembly.sources) texts.push_back(lines_of(file.text));
  for (const Instruction& one : kernel.instructions) {
    LineOfCode& line = lines[order(one.place)];
    line.place = one.place;
    const std::vector<std::string>& text = texts.at(one.place.file);
    const auto number = static_cast<std::size_t>(one.place.line);
    line.source = number == 0 ? "(without a line)" : number <= text.size() ? text[number - 1] : "";
    line.instructions.push_back(&one);
  }
  std::vector<LineOfCode> result;
  for (auto& [place, line] : lines) result.push_back(std::move(line));
  return result;
}

std::string listing_text(const Assembly& assembly, const Kernel& kernel, bool all, bool color) {
  std::string text;
  std::size_t file = assembly.sources.size();
  for (const LineOfCode& line : by_line(assembly, kernel)) {
    if (line.place.line > 0 && line.place.file != file) {
      file = line.place.file;
      const std::string name = shown(assembly.sources[file].path);
      text += paint(fmt::format("{}{}", text.empty() ? "" : "\n", name), Color::cyan, color) + "\n";
    }
    text += all ? below(line, color) : beside(line);
  }
  return text;
}

std::string comparison_text(const Side& before, const Side& after, bool color) {
  const auto main_of = [](const Side& side) -> KernelSummary {
    return side.summary.kernels.empty() ? KernelSummary{} : side.summary.kernels[side.summary.main];
  };
  const KernelSummary one = main_of(before), other = main_of(after);
  const auto name_of = [](const Side& side, const KernelSummary& main) {
    return fmt::format("{}: {}", side.name, short_name(main.resources.kernel));
  };
  std::string text =
      layout::paragraph(name_of(before, one), 2, 2) +
      layout::paragraph(name_of(after, other), 2, 2) + "\n" +
      paint(fmt::format("  {:<34}{:>14}{:>14}{:>9}\n", "", "before", "after", "change"),
            Color::bold, color);
  text += row("registers of a thread", one.resources.registers, other.resources.registers);
  text +=
      row("bytes spilled by a thread", one.resources.spilled_bytes, other.resources.spilled_bytes);
  text += row("bytes of static shared memory", one.resources.static_shared_bytes,
              other.resources.static_shared_bytes);
  text += row("instructions in the code", one.instructions(), other.instructions());
  for (const Pipe pipe : all_pipes()) {
    const auto count = [&](const KernelSummary& of) {
      const auto found = of.mix.find(pipe);
      return found == of.mix.end() ? 0 : found->second;
    };
    if (count(one) + count(other) > 0)
      text += row(std::string("  ") + to_string(pipe), count(one), count(other));
  }
  const Counts opcodes = changed_opcodes(before, after);
  if (!opcodes.empty() && !before.instructions.empty() && !after.instructions.empty()) {
    text += "\n" + paint("  opcodes that changed most\n", Color::bold, color);
    for (const auto& [opcode, counts] : opcodes)
      text += row("  " + opcode, counts.first, counts.second);
  }
  return text;
}

}  // namespace kata::assembly
