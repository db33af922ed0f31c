#include "classroom/sandbox.h"

#include "support/process.h"
#include "support/text.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

std::vector<std::string> whole_system() {
  return {"bwrap",  "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev",
          "--proc", "/proc",         "--tmpfs",           "/tmp"};
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const std::string inner = path.lexically_relative(folder).string();
  return !inner.empty() && inner != "." && !inner.starts_with("..");
}

/// The devices of an NVIDIA GPU: --dev makes a /dev without them.
void add_gpu(std::vector<std::string>& words) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/dev", failed)) {
    const std::string path = entry.path().string();
    if (path.starts_with("/dev/nvidia")) words.insert(words.end(), {"--dev-bind", path, path});
  }
}

}  // namespace

std::string why_no_sandbox() {
  if (find_program("bwrap").empty()) return "bubblewrap is not installed";
  std::vector<std::string> command = whole_system();
  command.push_back("true");
  const Result<Finished> tried = run({.arguments = command, .time_limit_s = 10});
  if (!tried) return tried.error().message;
  if (tried->exit_status == 0 && tried->signal == 0) return {};
  return "bubblewrap cannot make one (" + std::string(trimmed(tried->errors)) + ")";
}

std::vector<std::string> sandboxed(const Sandbox& sandbox,
                                   const std::vector<std::string>& command) {
  std::vector<std::string> words = whole_system();
  add_gpu(words);
  const auto bind = [&](const char* how, const fs::path& path) {
    words.insert(words.end(), {how, path.string(), path.string()});
  };
  std::error_code failed;
  const auto hide = [&](const fs::path& path) {
    if (fs::is_directory(path, failed)) words.insert(words.end(), {"--tmpfs", path.string()});
  };
  for (const fs::path& path : sandbox.hidden) hide(path);
  for (const fs::path& path : sandbox.shown) bind("--ro-bind-try", path);
  for (const fs::path& path : sandbox.hidden) {  // what those have shown again
    for (const fs::path& above : sandbox.shown) {
      if (is_below(path, above)) hide(path);
    }
  }
  for (const fs::path& path : sandbox.writable) bind("--bind", path);
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace kata
