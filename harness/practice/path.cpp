#include "practice/path.h"

#include <algorithm>

#include "support/files.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {

std::vector<Lesson> lessons() {
  std::vector<fs::path> files;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(path_folder(), missing))
    files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<Lesson> all;
  for (const fs::path& file : files) {
    const std::string stem = file.stem(), text = read_file(file).value_or("");
    const std::size_t end = text.find('\n');
    const Problem* const problem = find_problem(stem.substr(stem.find('_') + 1));
    if (problem && text.starts_with("# ") && end != std::string::npos)
      all.push_back({problem, text.substr(2, end - 2), text.substr(end + 1)});
  }
  return all;
}

}  // namespace kata
