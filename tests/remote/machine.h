#pragma once
// Another machine: a folder with a kata in it, and what leads there.

#include <algorithm>
#include <string>
#include <vector>

#include "desk.h"

namespace kata::test {

/// "/scratch/there", with a launcher that starts the program that was built.
inline std::string make_machine(const Desk& desk) {
  desk.scratch.write_program("there/harness/kata",
                             "#!/bin/sh\nexport KATA_ROOT='" + (desk.scratch / "tree").string() +
                                 "' KATA_HOME='" + (desk.scratch / "there/home").string() +
                                 "'\nexec '" KATA_BINARY_DIR "/kata' \"$@\"\n");
  return desk.scratch / "there";
}

/// The same with a GPU, nvcc and ncu that are pretended: scripts that answer without any of them. A
/// timing or profile there does not end while "there/build/hang" exists.
inline std::string make_gpu_machine(const Desk& desk) {
  namespace fs = std::filesystem;
  const fs::path there = desk.scratch / "there", build = there / "build";
  fs::create_directories(build);
  fs::copy(KATA_SOURCE_DIR "/tests/remote/pretended_gpu", build);
  fs::copy(KATA_SOURCE_DIR "/tests/report/ncu_raw.csv", build);
  fs::copy(KATA_BINARY_DIR "/kata", build);  // it looks for its workers beside itself
  for (const char* name : {"kata-worker-emulator", "include"})
    fs::create_symlink(fs::path(KATA_BINARY_DIR) / name, build / name);
  desk.scratch.write_program("there/harness/kata",
                             "#!/bin/sh\ncd '" + build.string() + "'\nexport PATH=\"$PWD:$PATH\" " +
                                 "KATA_CACHE=\"$PWD/cache\" KATA_HOME=\"$PWD/home\" KATA_ROOT='" +
                                 (desk.scratch / "tree").string() + "'\nexec ./kata \"$@\"\n");
  return there;
}

/// Like ssh, but to this machine: what comes last is the command for the shell there.
inline std::string make_ssh(const Desk& desk, const std::string& script = "exec sh -c \"$last\"") {
  return desk.scratch.write_program("ssh", "#!/bin/sh\nfor last; do :; done\n" + script + "\n");
}

inline void add_machine(const Desk& desk, const std::string& name,
                        const std::vector<std::string>& options) {
  std::vector<std::string> command{"remote", "add", name};
  command.insert(command.end(), options.begin(), options.end());
  const Finished added = desk.start(command);
  INFO(added.errors);
  REQUIRE(added.exit_status == 0);
}

inline std::string without(std::string text, const std::string& part) {
  for (std::size_t at; (at = text.find(part)) != std::string::npos;) text.erase(at, part.size());
  return text;
}

/// Its header is in another folder; it forgets the bounds check.
inline void write_wrong_relu(const Desk& desk) {
  desk.scratch.write("tree/exercises/common/body.h", "#define BODY fmaxf(x[i], 0.0f)\n");
  desk.write("relu",
             "#include <kata/kata.h>\n#include \"../common/body.h\"\n"
             "__global__ void relu_kernel(const float* x, float* y, int n) {\n"
             "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "  y[i] = BODY;\n}\n"
             "extern \"C\" void relu(const float* x, float* y, int n) {\n"
             "  relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);\n}\n");
}

/// A check there prints what a check here prints.
inline void check_same_report(const Desk& desk, const std::string& name) {
  std::vector<std::string> command{"check", "relu", "--backend", "emulator", "--seed", "1"};
  const Finished here = desk.start(command);
  command.insert(command.end(), {"--on", name});
  const Finished there = desk.start(command);
  INFO(there.errors);
  CHECK(there.exit_status == here.exit_status);
  CHECK(without(there.output, " --on " + name) == here.output);
}

/// The times and the counters there, in every form.
inline void check_bench_and_profile(const Desk& desk, const std::string& name) {
  const auto there = [&](const std::string& command, std::vector<std::string> more) {
    more.insert(more.begin(), {command, "relu", "--size", "1000", "--on", name});
    const Finished finished = desk.start(more);
    INFO(finished.errors);
    CHECK(finished.exit_status == 0);
    return finished.output;
  };
  CHECK(contains(there("bench", {}), "1000 on Pretended GPU"));
  CHECK(contains(there("bench", {}), "  1_thread_per_element         23.4"));
  CHECK(contains(there("bench", {"--csv"}), "\nrelu,Pretended GPU,yours,1000,12.3,"));
  CHECK(contains(there("bench", {"--json"}), "\"candidate\": \"exercises/relu/relu.cu\""));
  const std::string counters = there("profile", {});
  CHECK(contains(counters, "relu  exercises/relu/relu.cu  at 1000\n  On Pretended GPU, by ncu"));
  CHECK(contains(counters, "max_kernel<<<2048x1x1, 256x1x1>>>"));
}

}  // namespace kata::test
