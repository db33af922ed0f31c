#pragma once
// One drill at a terminal, or with a program: asks, keeps what was answered, and explains at the
// end.

#include <optional>
#include <string>

#include "cli/commands.h"
#include "cli/terminal/keyboard.h"
#include "practice/drill/record.h"

namespace kata::cli {

struct DrillPlace {
  bool json = false;
  std::string round = {};  ///< of an interview, "Round 2 of 4"; empty: it is a drill by itself
};

class DrillSession {
 public:
  DrillSession(drill::Item& item, drill::Record& record, const Session& session, LineReader& reader,
               DrillPlace place);

  /// Until it is over, or the person leaves. Returns what the process exits with.
  int run(bool resumed);

 private:
  void begin(bool resumed);
  std::optional<std::string> read(const drill::Question& question);
  bool ask(const drill::Question& question);
  bool keep(const drill::Points& points);
  void tell(const std::string& text);
  void print(const std::string& text) const;
  std::string points_so_far() const;
  std::string source_to_show() const;
  std::string prompt(const drill::Question& question);
  int leave();
  int finish();
  void print_json();

  drill::State& state() { return record_.state(); }
  const drill::State& state() const { return record_.state(); }
  std::size_t answered() const { return state().points.size(); }

  drill::Item& item_;
  drill::Record& record_;
  const Session& session_;
  LineReader& reader_;
  const bool json_;
  const std::string round_;
  std::string remark_;            ///< on the last answer, for JSON
  std::optional<Error> unsaved_;  ///< why the last answer is not on the disk; told at the end
};

}  // namespace kata::cli
