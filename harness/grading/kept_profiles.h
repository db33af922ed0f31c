#pragma once
// solutions/<operator>/profiles.jsonl: what the launches of each rung do, so that no check has to
// profile it. A line has the rung, the hash of its source, the size, and the launches or a reason.

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "grading/ladder.h"
#include "problems/spec/problem.h"
#include "report/profile.h"

namespace kata {

/// What the launches of one call did, or why the emulator cannot say: also the next time.
struct Profiled {
  std::optional<std::vector<LaunchProfile>> launches = {};
  std::string reason = {};  ///< empty: it takes too long
};

nlohmann::json profiled_to_json(const Profiled& one);
/// Throws nlohmann::json::exception where the text is damaged.
Profiled profiled_from_json(const nlohmann::json& json);

/// The hash of the code, with the headers of its own that it includes: a rung that was edited is
/// not the one whose profile is kept. Lines that are only a comment do not count: a header may get
/// its measured times.
std::string source_key(const std::filesystem::path& path, const std::string& text);
std::string source_key(const Rung& rung);

/// What is kept for a ladder.
class KeptProfiles {
 public:
  explicit KeptProfiles(const Problem& problem);

  /// Of that source at that size; null: nothing is kept.
  const Profiled* find(const std::string& source, const Shape& shape) const;
  /// Of the rung as it was when it was kept; null: nothing is kept.
  const std::vector<LaunchProfile>* older(const std::string& rung, const Shape& shape) const;

 private:
  struct Parsed;
  static std::shared_ptr<const Parsed> parsed(const std::filesystem::path& path);

  std::shared_ptr<const Parsed> parsed_;
};

std::filesystem::path kept_path(const Problem& problem);

/// The lines of the file as text, by rung.
std::map<std::string, std::string> kept_lines(const Problem& problem);

}  // namespace kata
