#include "practice/uid.h"

#include <fmt/format.h>

#include <random>

#include "compile/hash.h"

namespace kata {

std::string new_uid() {
  std::random_device random;
  std::string uid;
  for (int i = 0; i < 4; ++i) uid += fmt::format("{:08x}", random());
  return uid;
}

std::string hash_of(const std::string& text) {
  return Hash().add(text).hex();
}

}  // namespace kata
