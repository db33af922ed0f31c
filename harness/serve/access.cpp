#include "serve/access.h"

#include <fmt/format.h>

namespace kata::serve {
namespace {

/// In a time that does not say how much of it is right.
bool same_secret(const std::string& a, const std::string& b) {
  unsigned differs = a.size() != b.size();
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    differs |= static_cast<unsigned char>(a[i] ^ b[i]);
  return differs == 0;
}

/// Browsers keep cookies by host, not by port: each server's has a name of its own.
std::string cookie_name(int port) {
  return fmt::format("kata_{}", port);
}

std::string value_of(const std::string& cookies, const std::string& name) {
  for (std::size_t begin = 0; begin < cookies.size();) {
    const std::size_t end = std::min(cookies.find(';', begin), cookies.size());
    std::string one = cookies.substr(begin, end - begin);
    one.erase(0, one.find_first_not_of(' '));
    if (one.starts_with(name + "=")) return one.substr(name.size() + 1);
    begin = end + 1;
  }
  return {};
}

const Refusal no_token{403, "Open the address that kata serve printed: it has the token."};

}  // namespace

std::optional<Refusal> Access::refuse_place(const Asked& asked) const {
  const bool here = asked.host == fmt::format("127.0.0.1:{}", port_) ||
                    asked.host == fmt::format("localhost:{}", port_);
  if (!here) return Refusal{421, "This page answers at 127.0.0.1 only."};
  const bool own = asked.origin == "http://" + asked.host;
  if (!own && (asked.changes || !asked.origin.empty()))
    return Refusal{403, "This request comes from another page."};
  return {};
}

std::optional<Refusal> Access::refuse(const Asked& asked) const {
  if (auto refusal = refuse_place(asked)) return refusal;
  if (!same_secret(value_of(asked.cookie, cookie_name(port_)), token_)) return no_token;
  return {};
}

std::optional<Refusal> Access::refuse(const Asked& asked, const std::string& token) const {
  if (auto refusal = refuse_place(asked)) return refusal;
  if (asked.changes || !same_secret(token, token_)) return no_token;
  return {};
}

std::string Access::cookie() const {
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", cookie_name(port_), token_);
}

}  // namespace kata::serve
