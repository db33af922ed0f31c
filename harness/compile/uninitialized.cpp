#include "compile/uninitialized.h"

#include <algorithm>
#include <regex>
#include <sstream>

#include "emulator/rewriter/unset_locals.h"
#include "support/text.h"

namespace kata {
namespace {

const std::string keyword = "uninitialized:";

bool is_own(const std::string& file, const std::vector<SourceFile>& sources) {
  return std::any_of(sources.begin(), sources.end(),
                     [&](const SourceFile& source) { return source.path == file; });
}

/// What the functions of all sources write.
emulator::WrittenParameters written_in(const std::vector<SourceFile>& sources) {
  std::vector<std::string_view> texts;
  for (const SourceFile& source : sources) texts.push_back(source.text);
  return emulator::written_parameters(texts);
}

}  // namespace

std::vector<UninitializedLocal> uninitialized_locals(const std::string& output,
                                                     const std::vector<SourceFile>& sources) {
  // Whole variables: g++ also names elements of arrays that conditions guard, most of them wrongly.
  // g++: 'x' may be used uninitialized; clang++: variable 'x' is uninitialized when used here.
  static const std::regex warning(
      R"(^(.+?):(\d+):\d+: warning: (?:variable )?(?:‘|')([A-Za-z_]\w*)(?:’|') )"
      R"((is|may be) (?:used uninitialized|uninitialized when).*)");
  static const std::regex declaration(
      R"(^.+?:(\d+):\d+: note: (?:(?:‘|')(\w+)(?:’|') (?:was )?declared here|)"
      R"(initialize the variable '(\w+)' to).*)");
  std::vector<UninitializedLocal> result;
  bool open = false;  // the note on the declaration follows its warning
  for (const std::string& line : lines_of(output)) {
    std::smatch match;
    if (std::regex_match(line, match, warning)) {
      const int at = std::stoi(match[2]);
      const bool known =
          std::any_of(result.begin(), result.end(), [&](const UninitializedLocal& local) {
            return local.line == at && local.name == match[3] && local.file == match[1].str();
          });
      open = !known && is_own(match[1], sources);
      if (open) result.push_back({match[3], match[1].str(), at, 0, match[4] == "is"});
    } else if (open && std::regex_match(line, match, declaration)) {
      result.back().declared = std::stoi(match[1]);
      open = false;
    }
  }
  return result;
}

void add_unset_locals(const std::vector<SourceFile>& sources,
                      std::vector<UninitializedLocal>& locals) {
  const std::vector<UninitializedLocal> warned = locals;
  const emulator::WrittenParameters written = written_in(sources);
  for (const SourceFile& source : sources) {
    for (const emulator::UnsetLocal& unset : emulator::unset_locals(source.text, written)) {
      const bool known = std::any_of(warned.begin(), warned.end(), [&](const auto& local) {
        return local.name == unset.name && local.file == source.path &&
               local.declared == unset.line;
      });
      if (!known) locals.push_back({unset.name, source.path, unset.line, unset.line, false, false});
    }
  }
}

bool has_unset_locals(const std::filesystem::path& source, const std::string& text) {
  const Result<std::vector<SourceFile>> sources = read_sources({source}, {}, text);
  if (!sources) return false;
  const emulator::WrittenParameters written = written_in(*sources);
  return std::any_of(sources->begin(), sources->end(), [&](const SourceFile& file) {
    return !emulator::unset_locals(file.text, written).empty();
  });
}

std::string to_description(const std::vector<UninitializedLocal>& locals) {
  std::ostringstream text;
  for (const UninitializedLocal& local : locals) {
    text << keyword << ' ' << local.certain << ' ' << local.warned << ' ' << local.line << ' '
         << local.declared << ' ' << local.name << ' ' << local.file.string() << '\n';
  }
  return text.str();
}

std::vector<UninitializedLocal> from_description(const std::string& description) {
  std::vector<UninitializedLocal> result;
  for (const std::string& line : lines_of(description)) {
    if (!line.starts_with(keyword)) continue;
    std::istringstream words(line.substr(keyword.size()));
    UninitializedLocal local;
    std::string file;
    words >> local.certain >> local.warned >> local.line >> local.declared >> local.name >> std::ws;
    std::getline(words, file);
    local.file = file;
    result.push_back(local);
  }
  return result;
}

}  // namespace kata
