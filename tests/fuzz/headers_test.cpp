// Public headers, which hold every shape of C++ that programs include: what the rewriter reads must
// not stop it.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include "fuzz/targets.h"
#include "scratch.h"

namespace fs = std::filesystem;

namespace {

/// Of the C++ library, of the CUDA Toolkit's CCCL, and of what KATA_HEADERS names: those that are
/// there.
std::vector<fs::path> headers() {
  const char* more = std::getenv("KATA_HEADERS");
  std::vector<fs::path> files;
  std::error_code failed;
  for (const fs::path& folder :
       {fs::path("/usr/include/c++"), fs::path("/usr/local/cuda/include/cccl"),
        fs::path("/usr/include/thrust"), fs::path(more ? more : "")}) {
    for (fs::recursive_directory_iterator file(folder, failed), end; file != end;
         file.increment(failed))
      if (file->is_regular_file(failed)) files.push_back(file->path());
  }
  return files;
}

/// A thread that loops cannot be ended: the program ends, and says at which file.
void rewrite_in_time(const fs::path& file, const std::string& text) {
  auto done = std::async(std::launch::async, [&] { kata::fuzz::rewriter(text); });
  if (done.wait_for(std::chrono::seconds(60)) == std::future_status::ready) return;
  fmt::print(stderr, "the rewriter does not return from {} ({} bytes)\n", file.string(),
             text.size());
  std::_Exit(1);
}

}  // namespace

TEST_CASE("the rewriter returns from public headers, whole and broken off") {
  int whole = 0;
  for (const fs::path& file : headers()) {
    const std::string text = kata::test::content_of(file);
    if (++whole % 8 && text.size() > 4000) continue;  // an eighth of the long ones
    rewrite_in_time(file, text);
    rewrite_in_time(file, text.substr(0, text.size() * 2 / 3));
  }
  MESSAGE(whole, " headers");
}
