#include "compile/sources.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include "support/files.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {

bool is_c(const fs::path& source) {
  return source.extension() == ".c";
}

Result<std::string> read_source(const fs::path& path) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (status.type() == fs::file_type::not_found) {
    return Error{"there is no file " + shown(path)};
  }
  if (fs::is_directory(status)) {
    return Error{shown(path) + " is a folder; name a .cu file in it"};
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text = read_rest(file);
  if (!file.is_open() || file.bad()) {
    return Error{shown(path) + " cannot be read: " + std::strerror(errno)};
  }
  constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";
  if (text.starts_with(utf8_mark)) text.erase(0, utf8_mark.size());
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return Error{shown(path) + " is UTF-16 text; save it as UTF-8"};
  if (text.find('\0') != std::string::npos)
    return Error{shown(path) + " is a binary file; name a .cu file"};
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Error{shown(path) + " is empty"};
  }
  return text;
}

bool includes_own_headers(const std::string& text) {
  const std::vector<emulator::Include> includes = emulator::includes(text);
  return std::any_of(includes.begin(), includes.end(),
                     [](const emulator::Include& include) { return include.quoted; });
}

fs::path own_header(const fs::path& includer, const emulator::Include& include,
                    const std::vector<fs::path>& include_folders) {
  if (include.name.empty()) return {};
  std::vector<fs::path> folders = include_folders;
  if (include.quoted) folders.insert(folders.begin(), includer.parent_path());
  if (include.name[0] == '/') folders = {"/"};
  std::error_code failed;
  for (const fs::path& folder : folders) {
    const fs::path path = folder / include.name;
    if (fs::is_regular_file(path, failed)) return fs::canonical(path, failed);
  }
  return {};
}

Result<std::vector<SourceFile>> read_sources(const std::vector<fs::path>& units,
                                             const std::vector<fs::path>& include_folders,
                                             const std::optional<std::string>& first_text) {
  std::vector<SourceFile> sources;
  for (const fs::path& unit : units) {
    Result<std::string> text =
        sources.empty() && first_text ? Result<std::string>(*first_text) : read_source(unit);
    if (!text) return text.error();
    sources.push_back({fs::weakly_canonical(unit), std::move(*text)});
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {  // grows while we walk it
    for (const emulator::Include& include : emulator::includes(sources[i].text)) {
      const fs::path path = own_header(sources[i].path, include, include_folders);
      const bool known = std::any_of(sources.begin(), sources.end(),
                                     [&](const SourceFile& file) { return file.path == path; });
      if (path.empty() || known) continue;
      std::optional<std::string> header = read_file(path);
      if (!header) return Error{"cannot read " + shown(path) + ": " + std::strerror(errno)};
      sources.push_back({path, std::move(*header)});
    }
  }
  return sources;
}

}  // namespace kata
