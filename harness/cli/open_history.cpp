#include "cli/open_history.h"

#include "cli/commands.h"

namespace kata::cli {

Result<History> open_history() {
  Result<History> history = History::open();
  if (history && !history->notice().empty()) warn(history->notice());
  return history;
}

}  // namespace kata::cli
