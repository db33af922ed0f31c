#pragma once
#pragma GCC system_header
// A file that takes long is compiled in two parts at once, each with the bodies of its own kernels:
// the rewriter writes   { if constexpr (::__kata::in_part(...)) { body } else { __KATA_ELSEWHERE; }
// }

namespace __kata {

constexpr bool starts_with(const char* text, const char* start) {
  while (*start && *text == *start) ++text, ++start;
  return !*start;
}

/// Of a kernel's __PRETTY_FUNCTION__: "void k(float*) [with int N = 4; bool whole = true]".
/// Instances of templates are dealt out, so that a constant that is true or false, or one power of
/// two or the next, mostly makes the difference. The others are in part 0, and in both those whose
/// names no other file can use.
constexpr bool in_part(int part, const char* name) {
  bool is_instance = false;
  int sum = 0;
  for (; *name; ++name) {
    if (starts_with(name, "{anonymous}") || starts_with(name, "<lambda") ||
        starts_with(name, "<unnamed"))
      return true;
    if (starts_with(name, "[with ")) is_instance = true;
    sum += *name;
  }
  return part == (is_instance ? sum % 2 : 0);
}

}  // namespace __kata

/// compile/parts.cpp looks for the text. It never runs.
#define __KATA_ELSEWHERE __asm__ volatile("ud2\n.ascii \"kata: in the other part\"" ::: "memory")
