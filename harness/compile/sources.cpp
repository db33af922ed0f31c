#include "compile/sources.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "emulator/rewriter/rewrite.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

Result<std::string> read(const fs::path& path) {
  std::error_code failed;
  if (!fs::exists(path, failed)) return Error{"there is no file " + shown(path)};
  if (!fs::is_regular_file(path, failed)) return Error{shown(path) + " is not a file"};
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) return Error{"cannot read " + shown(path) + ": " + std::strerror(errno)};
  return text;
}

}  // namespace

fs::path own_header(const fs::path& includer, const std::string& name) {
  if (name.empty() || name[0] == '/') return {};
  std::error_code failed;
  const fs::path beside = includer.parent_path() / name;
  return fs::is_regular_file(beside, failed) ? fs::canonical(beside, failed) : fs::path();
}

Result<std::vector<SourceFile>> read_sources(const fs::path& candidate) {
  Result<std::string> text = read(candidate);
  if (!text) return text.error();
  std::vector<SourceFile> sources{{fs::canonical(candidate), std::move(*text)}};
  for (std::size_t i = 0; i < sources.size(); ++i) {  // grows while we walk it
    for (const std::string& name : emulator::quoted_includes(sources[i].text)) {
      const fs::path path = own_header(sources[i].path, name);
      const bool known = std::any_of(sources.begin(), sources.end(),
                                     [&](const SourceFile& file) { return file.path == path; });
      if (path.empty() || known) continue;
      Result<std::string> header = read(path);
      if (!header) return header.error();
      sources.push_back({path, std::move(*header)});
    }
  }
  return sources;
}

}  // namespace kata
