#pragma once
// The text of a TOML file: what it holds, and one value of it replaced.

#include <string>
#include <vector>

#include "config/config.h"
#include "support/result.h"

namespace kata {

/// Every value of the file, in its order. Numbers and strings only; an Error names the line that
/// holds something else or is no TOML.
Result<std::vector<Setting>> settings_in(const std::string& text, const std::string& name);

/// `text` with that value. Comments and order stay; a new key goes to the end of its table.
Result<std::string> with_setting(const std::string& text, const std::string& name,
                                 const std::string& key, const std::string& value, bool is_number);

/// `text` without that key or table.
Result<std::string> without_setting(const std::string& text, const std::string& name,
                                    const std::string& key);

}  // namespace kata
