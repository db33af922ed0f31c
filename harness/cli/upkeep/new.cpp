// kata new: the files that a new operator begins with.
#include <fmt/format.h>

#include "cli/commands.h"
#include "contribute/skeleton.h"
#include "support/files.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

struct NewOptions {
  std::string operator_name, signature;
  std::vector<std::string> scalars;
};

int create(const NewOptions& options) {
  if (is_installed()) return fail({"kata new needs a clone of kata: this one is a package"});
  const Result<std::vector<SkeletonFile>> files =
      skeleton(options.operator_name, options.signature, options.scalars);
  if (!files) return fail(files.error());
  for (const SkeletonFile& file : *files) {
    if (read_file(root() / file.path))
      return fail(
          {fmt::format("{} exists already: nothing was written", shown(root() / file.path))});
  }
  for (const SkeletonFile& file : *files) {
    const std::string reason = write_file(root() / file.path, file.text);
    if (!reason.empty())
      return fail({fmt::format("cannot write {}: {}", shown(root() / file.path), reason)});
    fmt::print("  {}\n", shown(root() / file.path));
  }
  fmt::print(
      "\nNext: fill in what says TODO, the problem first, and add a second rung. What is missing:\n"
      "  {} test {}\n",
      command_name(), options.operator_name);
  return 0;
}

}  // namespace

void add_new(CLI::App& app, Session& session) {
  static NewOptions options;
  Command(app, "new", "Write a new operator's skeleton, for contributors")
      .operand("operator", options.operator_name, "Name of the operator, e.g. square")
      .operand("signature", options.signature, "In quotes: 'void square(const float* x, ...)'")
      .list("--scalar", "NAME", options.scalars, "An int that is not a size, e.g. step")
      .does([&session] { session.status = create(options); });
}

}  // namespace kata::cli
