#pragma once
// An operator's rungs and the libraries it is measured against, as the solutions folder lists them.

#include <filesystem>
#include <string>
#include <vector>

#include "problems/spec/problem.h"

namespace kata {

struct Rung {
  int number = 0;         ///< 0 for a library
  std::string name = {};  ///< "2_warp_per_row"; for solutions/x/library_cublas.cu "cublas"
  std::filesystem::path path = {};
  std::string idea = {};  ///< the first line of its header comment
  /// Its header comment says "The rung to reach in 30 minutes", as one rung of each ladder does.
  bool is_goal = false;
};

/// solutions/<operator>/<n>_<idea>.cu in the order of n.
std::vector<Rung> ladder(const std::string& operator_name);

/// The rung whose text this is (layout and comments apart), or null.
const Rung* rung_with_text(const std::vector<Rung>& rungs, const std::string& text);

/// The rung with the shortest measured times (solutions/<operator>/times.csv): the least geometric
/// mean over all sizes. Of rungs without times the last; there must be one.
const Rung& fastest_rung(const Problem& problem, const std::vector<Rung>& rungs);

/// The rung to reach in 30 minutes; null if none is marked.
const Rung* goal_of(const std::vector<Rung>& rungs);

/// solutions/<operator>/library_<name>.cu: the same entry function, done by a vendor's library.
std::vector<Rung> libraries(const std::string& operator_name);

}  // namespace kata
