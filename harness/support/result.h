#pragma once
// Errors are values until the edge: below the command line nothing prints and nothing exits.

#include <string>
#include <utility>
#include <variant>

namespace kata {

/// What went wrong, in one line that says what to do; `detail` holds a tool's own words, if any.
struct Error {
  std::string message;
  std::string detail = {};
  /// Where the source asks for something that the backend does not have; line 0: that is not it.
  std::string unsupported_file = {};
  int unsupported_line = 0;
};

/// A value or the reason why there is none.
template <class T>
class Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() { return std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace kata
