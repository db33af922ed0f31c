#pragma once
// `kata serve`: a page on this machine. The files remain the truth; the page edits and checks them.

#include <memory>
#include <string>

#include "compile/compile.h"
#include "support/result.h"

namespace kata::serve {

struct Settings {
  int port = 0;  ///< 0: any
  std::string token;
  Backend backend = Backend::emulator;  ///< the rest is as `kata check` would have it
  bool with_emulator = false;
  std::string chip;
  std::string keys;  ///< of the editor: "default", "vim" or "emacs"
};

/// Letters and digits that cannot be guessed.
std::string make_token();

/// Where CodeMirror is, or which of its files is missing there.
Result<std::string> find_codemirror();

/// Answers from the moment it is made to the moment it is destroyed, on 127.0.0.1 alone.
class Server {
 public:
  /// An Error if the port is taken, or a template or CodeMirror is missing.
  static Result<std::unique_ptr<Server>> start(const Settings& settings);
  virtual ~Server() = default;

  virtual int port() const = 0;
};

}  // namespace kata::serve
