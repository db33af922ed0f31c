#pragma once
// What a candidate file is before it runs: readable, attempted, an operator's.

#include <filesystem>
#include <string>

#include "compile/compile.h"
#include "grading/grade.h"
#include "problems/problem.h"
#include "support/result.h"

namespace kata {

/// The file's text; an Error that says what is wrong with a missing, empty or unreadable one.
Result<std::string> read_source(const std::filesystem::path& path);

/// The operator whose untouched stub this text is (layout and comments apart), or null. Looks at
/// `problem` alone if there is one.
const Problem* untouched_stub_of(const std::string& text, const Problem* problem);

struct EntryPoint {
  const Problem* problem;
  std::string function;
};

/// Which operator a compiled file is for, and by which function it is called.
Result<EntryPoint> find_entry(const GradeRequest& request, const Module& module);

/// An Error unless the shape fits the signature and the memory of this machine.
Result<Shape> check_shape(const Problem& problem, const Shape& shape);

}  // namespace kata
