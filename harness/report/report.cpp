#include "report/report.h"

namespace kata {

int exit_status(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return 0;
    case Verdict::fail:
      return 1;
    case Verdict::error:
      return 2;
    case Verdict::not_attempted:
      return 77;
  }
  return 2;
}

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return "fail";
    case Verdict::error:
      return "error";
    case Verdict::not_attempted:
      return "not_attempted";
  }
  return "error";
}

Verdict verdict_from(const std::string& text) {
  for (Verdict verdict : {Verdict::pass, Verdict::fail, Verdict::not_attempted}) {
    if (text == to_string(verdict)) return verdict;
  }
  return Verdict::error;
}

}  // namespace kata
