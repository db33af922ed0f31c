#pragma once
// A content hash for the cache: 128-bit FNV-1a. It need not resist attacks, and files do not
// collide by chance.

#include <cstdint>
#include <string>
#include <string_view>

namespace kata {

class Hash {
 public:
  /// Adds a text, and an end mark, so that ("ab", "c") differs from ("a", "bc").
  Hash& add(std::string_view text);
  Hash& add(std::uint64_t number);
  std::string hex() const;

 private:
  void byte(unsigned char value);
  __extension__ typedef unsigned __int128 State;
  State state_ = (static_cast<State>(0x6c62272e07bb0142) << 64) | 0x62b821756295c58d;
};

}  // namespace kata
