#pragma once
// A file under judgement, and what can be said of it before it is compiled.

#include <filesystem>
#include <optional>
#include <string>

#include "compile/compile.h"
#include "problems/spec/problem.h"
#include "support/result.h"

namespace kata {

/// Read once: the text that is compiled and judged is the text that the history keeps.
struct Candidate {
  std::filesystem::path path = {};
  std::string text = {};
  const Problem* problem = nullptr;   ///< its operator; null: the compiled file shows it
  std::string entry = {};             ///< its entry function; empty: the operator's name
  std::optional<Shape> size = {};     ///< the one shape to judge and time; empty: the problem's own
  std::optional<Values> values = {};  ///< of that one shape; empty: all that the usual cases have
  std::vector<float> reals = {};      ///< of the same values; empty: the usual ones
  bool is_exercise = false;           ///< the person's own file in exercises/
};

/// What a person may say of a file besides its path.
struct CandidateArguments {
  const Problem* problem = nullptr;
  std::string entry = {};
  std::optional<Shape> size = {};
};

/// Reads the file. An Error if it is missing, empty or unreadable, or if the arguments do not fit
/// it, as far as its text alone shows that.
Result<Candidate> read_candidate(const std::filesystem::path& path,
                                 const CandidateArguments& arguments = {});

/// The operator whose untouched stub this is (layout and comments apart), or null.
const Problem* untouched_stub_of(const Candidate& candidate);

struct EntryPoint {
  const Problem* problem;
  std::string function;
};

/// Which operator a compiled file is for, and by which function it is called.
Result<EntryPoint> find_entry(const Candidate& candidate, const Module& module);

/// A candidate that is ready to run.
struct CompiledCandidate {
  Module module;
  EntryPoint entry;
};
/// How it is compiled for the emulator; see CompileRequest.
enum class Build { checked, checked_zero_locals, checked_overflows, fast };
Result<CompiledCandidate> compile_candidate(const Candidate& candidate, Backend backend,
                                            Build build = Build::checked);

/// "256x1024" -> {256, 1024}
Result<Shape> parse_shape(const std::string& text);

/// An Error unless the shape fits the signature and the memory of this machine.
Result<Shape> check_shape(const Problem& problem, const Shape& shape);

}  // namespace kata
