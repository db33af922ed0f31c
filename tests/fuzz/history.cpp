#include <cstdlib>

#include "fuzz/targets.h"
#include "practice/history.h"
#include "scratch.h"

namespace kata::fuzz {

void history(std::string_view lines) {
  static const test::Scratch home;
  static Result<History> history = [] {
    setenv("KATA_HOME", home.path().c_str(), 1);
    return History::open();
  }();
  require(static_cast<bool>(history));
  history->import(std::string(lines));
}

}  // namespace kata::fuzz
