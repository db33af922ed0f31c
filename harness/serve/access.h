#pragma once
// Who may ask. Other programs and other pages in the person's browser can reach the port: only who
// has the token, which the terminal shows, gets an answer.

#include <optional>
#include <string>

namespace kata::serve {

/// What a request says of where it comes from.
struct Asked {
  std::string host;      ///< "127.0.0.1:8323"
  std::string origin;    ///< empty: not said
  std::string cookie;    ///< the header's text
  bool changes = false;  ///< anything but a GET
};

struct Refusal {
  int status = 403;
  std::string reason;
};

class Access {
 public:
  Access(int port, std::string token) : port_(port), token_(std::move(token)) {}

  /// Nothing if the request may be answered. A name other than this machine's in Host is a page
  /// whose address was changed to ours (DNS rebinding).
  std::optional<Refusal> refuse(const Asked& asked) const;

  /// The same for a request that brings the token in its address, and no cookie yet.
  std::optional<Refusal> refuse(const Asked& asked, const std::string& token) const;

  /// The Set-Cookie header for a browser that has brought the token.
  std::string cookie() const;

 private:
  std::optional<Refusal> refuse_place(const Asked& asked) const;

  int port_;
  std::string token_;
};

}  // namespace kata::serve
