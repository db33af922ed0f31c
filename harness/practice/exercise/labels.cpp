#include "practice/exercise/labels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "practice/exercise/exercise_text.h"

namespace kata {
namespace {

bool holds(const std::vector<std::string>& words, const std::string& word) {
  return word.empty() || std::find(words.begin(), words.end(), word) != words.end();
}

Error unknown(const char* kind, const std::string& word, const std::set<std::string>& known) {
  return {fmt::format("there is no {} {}. There are: {}", kind, word, fmt::join(known, ", "))};
}

}  // namespace

Result<std::vector<const Problem*>> problems_with(const std::string& track,
                                                  const std::string& tag) {
  std::vector<const Problem*> chosen;
  std::set<std::string> tracks{every_track}, tags;
  for (const Problem& problem : problems()) {
    const Result<ExerciseText> text = read_exercise_text(problem.name);
    if (!text) return text.error();
    tracks.insert(text->tracks.begin(), text->tracks.end());
    tags.insert(text->tags.begin(), text->tags.end());
    const bool in_track = track == every_track || holds(text->tracks, track);
    if (in_track && holds(text->tags, tag)) chosen.push_back(&problem);
  }
  if (!track.empty() && !tracks.contains(track)) return unknown("track", track, tracks);
  if (!tag.empty() && !tags.contains(tag)) return unknown("tag", tag, tags);
  return chosen;
}

}  // namespace kata
