// kata export, kata import: the history as JSON lines, from one machine to another.
#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <optional>

#include "cli/commands.h"
#include "cli/open_history.h"
#include "practice/history.h"
#include "support/files.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

int export_to(const std::string& file) {
  const Result<History> history = open_history();
  if (!history) return fail(history.error());
  const Result<std::string> lines = history->exported();
  if (!lines) return fail(lines.error());
  if (file.empty() || file == "-") {
    fmt::print("{}", *lines);
    return 0;
  }
  const std::string reason = write_file(std::filesystem::absolute(file), *lines);
  if (!reason.empty()) return fail({fmt::format("cannot write {}: {}", file, reason)});
  fmt::print("Your history is in {}. On the other machine:\n  {} import {}\n", file, command_name(),
             std::filesystem::path(file).filename().string());
  return 0;
}

std::optional<std::string> content_of(const std::string& file) {
  if (file != "-") return read_file(file);
  return std::string(std::istreambuf_iterator<char>(std::cin), {});
}

int import_from(const std::string& file) {
  const std::optional<std::string> lines = content_of(file);
  if (!lines) return fail({fmt::format("cannot read {}", file)});
  Result<History> history = open_history();
  if (!history) return fail(history.error());
  const Result<int> added = history->import(*lines);
  if (!added) return fail({fmt::format("{}: {}", file, added.error().message)});
  fmt::print("{} new {} from {}. All of them:\n  {} history\n", *added,
             *added == 1 ? "entry" : "entries", file, command_name());
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Session& session) {
  static std::string file;
  Command(app, "export", "Write your whole history as JSON lines")
      .optional_operand("file", file, "Where to write; else standard output")
      .does([&session] { session.status = export_to(file); });
}

void add_import(CLI::App& app, Session& session) {
  static std::string file;
  Command(app, "import", "Add the attempts of an exported history")
      .operand("file", file, "What kata export wrote; - reads standard input")
      .does([&session] { session.status = import_from(file); });
}

}  // namespace kata::cli
