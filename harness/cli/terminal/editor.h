#pragma once
// Which editor a person wants.

#include <string>

#include "config/config.h"

namespace kata::cli {

struct Editor {
  std::string command;  ///< for a shell; the file comes behind it
  std::string from;     ///< "$VISUAL"; empty: the config file, or nothing, chose it
};

/// The one in the config file, else $VISUAL, else $EDITOR, else vi.
Editor chosen_editor(const Config& config);

}  // namespace kata::cli
