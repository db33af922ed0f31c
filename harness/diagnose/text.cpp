#include "diagnose/text.h"

#include <fmt/format.h>

#include <cctype>

#include "practice/drill/timed_ladder.h"
#include "report/layout.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/text.h"

namespace kata::diagnose {
namespace {

using drill::factor_text;
using layout::Color;
using layout::paint;
using layout::paragraph;

/// "  4_float4.cu:18  58 % of the loads", and the line itself.
std::string line_text(const Line& one) {
  const auto source = read_file(one.file);
  const std::vector<std::string> lines = source ? lines_of(*source) : std::vector<std::string>();
  const auto number = static_cast<std::size_t>(one.line);
  const std::string code = number <= lines.size() ? std::string(trimmed(lines[number - 1])) : "";
  constexpr std::size_t widest = 70;
  return paragraph(fmt::format("{}:{}: {:.0f} % {}", shown(one.file), one.line, 100 * one.share,
                               one.counted),
                   2, 2) +
         (code.empty() ? "" : "      " + layout::cut(code, widest) + "\n");
}

std::string first_text(const Advice& one, bool color) {
  std::string meaning = drill::meaning_of(one.cause);
  meaning[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(meaning[0])));
  std::string text =
      paint(fmt::format("  First: {}\n", to_string(one.cause)), Color::bold, color) +
      paragraph(fmt::format("{}. By the model, the kernel would be {} times as fast without it.",
                            meaning, factor_text(one.gain)),
                2) +
      paragraph("Evidence: " + one.evidence + ".", 2, 2);
  for (const Line& line : one.lines) text += line_text(line);
  return text + paragraph("Try: " + one.remedy + ".", 2, 2);
}

std::string next_text(const Advice& one) {
  return paragraph(fmt::format("Then: {}, {} times as fast without it: {}", to_string(one.cause),
                               factor_text(one.gain), one.evidence),
                   2, 2);
}

}  // namespace

std::string text_of(const Diagnosis& diagnosis, bool color) {
  std::string text = paragraph(fmt::format("{} by the model; the chip's datasheet allows {}",
                                           drill::time_text(diagnosis.us, diagnosis.us),
                                           drill::time_text(diagnosis.limit_us)),
                               2) +
                     "\n";
  std::size_t told = 0;
  if (diagnosis.outcome == Outcome::advice) {
    text += first_text(diagnosis.causes.at(0), color) + "\n";
    told = 1;
  } else {
    const bool near = diagnosis.outcome == Outcome::near_limit;
    text += paint(near ? "  Little is left to gain\n" : "  Cannot say what would help most\n",
                  Color::bold, color) +
            paragraph(diagnosis.reason + ".", 2) + "\n";
  }
  for (std::size_t i = told; i < diagnosis.causes.size(); ++i)
    text += next_text(diagnosis.causes[i]);
  return text;
}

}  // namespace kata::diagnose
