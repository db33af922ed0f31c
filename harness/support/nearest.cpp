#include "support/nearest.h"

#include <algorithm>
#include <utility>

namespace kata {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Optimal string alignment; rows[i][j] is the distance of the first i and the first j letters.
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) rows[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      rows[i][j] = std::min({replaced, rows[i - 1][j] + 1, rows[i][j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.size()][b.size()];
}

std::string nearest(const std::string& typed, const std::vector<std::string>& names) {
  const std::size_t slips = typed.size() < 4 ? 1 : 2;  // of three letters, two are most of it
  const std::size_t most = std::max(slips, typed.size() / 3);
  // How good a name is, and of equals which: what was begun, a slip of the fingers, a name with
  // more behind it, another that is near.
  const auto value = [&](const std::string& name) {
    if (!typed.empty() && name.starts_with(typed)) return std::pair(std::size_t{0}, name.size());
    const std::size_t distance = edit_distance(typed, name);
    if (distance > slips && typed.starts_with(name))
      return std::pair(slips + 1, typed.size() - name.size());
    return std::pair(distance <= slips ? distance : distance + 1, distance);
  };
  const auto best = std::min_element(
      names.begin(), names.end(),
      [&](const std::string& a, const std::string& b) { return value(a) < value(b); });
  return best != names.end() && value(*best).first <= most + 1 ? *best : std::string();
}

}  // namespace kata
