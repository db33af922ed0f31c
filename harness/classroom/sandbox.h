#pragma once
// A process that sees the system read-only, without network and without the work of others:
// bubblewrap.

#include <filesystem>
#include <string>
#include <vector>

namespace kata {

struct Sandbox {
  std::vector<std::filesystem::path> hidden = {};  ///< folders that look empty in it
  std::vector<std::filesystem::path> shown = {};   ///< below hidden ones: read-only
  std::vector<std::filesystem::path> writable = {};
};

/// Why there is no sandbox on this machine; empty if there is one.
std::string why_no_sandbox();

/// The command, in the sandbox.
std::vector<std::string> sandboxed(const Sandbox& sandbox, const std::vector<std::string>& command);

}  // namespace kata
