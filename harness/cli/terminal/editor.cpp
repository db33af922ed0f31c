#include "cli/terminal/editor.h"

#include <cstdlib>

namespace kata::cli {

Editor chosen_editor(const Config& config) {
  if (!config.editor.empty()) return {config.editor, ""};
  for (const char* name : {"VISUAL", "EDITOR"}) {
    const char* const value = std::getenv(name);
    if (value && *value) return {value, std::string("$") + name};
  }
  return {"vi", ""};
}

}  // namespace kata::cli
