// kata entry-points: the header <kata/entry_points.h>, made when the program is built. A candidate
// that includes it cannot change an entry function's signature without a compile error.
#include <fmt/format.h>

#include "cli/commands.h"
#include "problems/spec/problem.h"
#include "support/files.h"

namespace kata::cli {
namespace {

std::string header() {
  std::string text =
      "#pragma once\n"
      "// Written by the build from harness/problems: what each operator's entry function looks\n"
      "// like. Pointers are device pointers, matrices are row-major. Where kata compiles a file "
      "that\n"
      "// defines some of them, the others' names are free.\n"
      "\n"
      "#ifdef __cplusplus\n"
      "struct __half;         // cuda_fp16.h\n"
      "struct __nv_bfloat16;  // cuda_bf16.h\n"
      "struct __nv_fp8_e4m3;  // cuda_fp8.h\n"
      "typedef struct CUstream_st* cudaStream_t;  // cuda_runtime.h\n"
      "extern \"C\" {\n"
      "#endif\n"
      "\n";
  for (const Problem& problem : problems())
    text += fmt::format("#if !defined(KATA_ENTRIES) || defined(KATA_ENTRY_{})\n{};\n#endif\n",
                        problem.name, declaration(problem));
  return text + "\n#ifdef __cplusplus\n}\n#endif\n";
}

int write_header(const std::string& path) {
  const std::string text = header();
  if (read_file(path) == text) return 0;  // what depends on it need not change either
  const std::string reason = write_file(path, text);
  return reason.empty() ? 0 : fail({fmt::format("cannot write {}: {}", path, reason)});
}

}  // namespace

void add_entry_points(CLI::App& app, Session& session) {
  static std::string path;
  Command(app, "entry-points", "Write <kata/entry_points.h>")
      .operand("file", path, "Where to")
      .hidden()
      .does([&session] { session.status = write_header(path); });
}

}  // namespace kata::cli
