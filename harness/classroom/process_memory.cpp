#include "classroom/process_memory.h"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace kata {
namespace {

struct Running {
  pid_t parent = 0;
  std::uint64_t pages = 0;
};

/// The numbers behind the name in parentheses, which may hold anything.
Running running(const fs::path& folder) {
  std::ifstream file(folder / "stat");
  std::string text;
  std::getline(file, text, '\0');  // whole; a process that has just ended is no exception here
  Running found;
  const std::size_t end = text.rfind(')');
  char state = 0;
  if (end != std::string::npos)
    std::sscanf(text.c_str() + end + 1, " %c %d", &state, &found.parent);
  std::uint64_t all = 0;
  std::ifstream(folder / "statm") >> all >> found.pages;
  return found;
}

}  // namespace

std::uint64_t megabytes_of(pid_t process) {
  if (process == 0) return 0;
  std::map<pid_t, Running> all;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/proc", failed)) {
    const std::string name = entry.path().filename().string();
    pid_t id = 0;
    const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), id);
    if (wrong == std::errc() && *end == '\0') all[id] = running(entry.path());
  }
  const auto descends = [&](pid_t id) {
    for (int depth = 0; id > 1 && depth < 100; ++depth, id = all[id].parent) {
      if (id == process) return true;
    }
    return false;
  };
  std::vector<pid_t> ids;
  for (const auto& [id, one] : all) ids.push_back(id);
  std::uint64_t pages = 0;
  for (const pid_t id : ids) {
    if (descends(id)) pages += all[id].pages;
  }
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) >> 20;
}

}  // namespace kata
