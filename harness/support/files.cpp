#include "support/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace fs = std::filesystem;

namespace kata {
namespace {

/// errno of the failure, or 0.
int write_all(int file, const std::string& content) {
  for (std::size_t written = 0; written < content.size();) {
    const ssize_t n = write(file, content.data() + written, content.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    written += static_cast<std::size_t>(n);
  }
  return 0;
}

}  // namespace

std::optional<std::string> read_file(const fs::path& path) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return {};
  std::ifstream file(path, std::ios::binary);
  std::string content = read_rest(file);
  if (!file.is_open() || file.bad()) return {};
  return content;
}

std::string read_rest(std::istream& stream) {
  std::string content;
  std::array<char, 1 << 14> piece;
  while (stream.read(piece.data(), piece.size()), stream.gcount() > 0)
    content.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
  return content;
}

std::string write_file(const fs::path& path, const std::string& content) {
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  if (failed) return failed.message();
  std::string temporary = path.string() + ".XXXXXX";
  const int file = mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0) return std::strerror(errno);
  int reason = fchmod(file, 0644) == 0 ? write_all(file, content) : errno;
  if (reason == 0 && fsync(file) != 0) reason = errno;
  if (close(file) != 0 && reason == 0) reason = errno;
  if (reason == 0 && rename(temporary.c_str(), path.c_str()) != 0) reason = errno;
  if (reason == 0) return "";
  unlink(temporary.c_str());
  return std::strerror(reason);
}

}  // namespace kata
