// kata site: exercises, ladders and docs as static pages.
#include "site/site.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "cli/commands.h"
#include "cli/open_history.h"
#include "report/layout.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/text.h"

namespace fs = std::filesystem;

namespace kata::cli {
namespace {

struct SiteOptions {
  std::string out;
  bool mine = false;
};

/// Names the files of a site in its folder, so that the next run removes only what kata wrote.
constexpr const char* list_name = ".kata-site";

std::set<std::string> files_of_earlier_site(const fs::path& out) {
  const std::vector<std::string> files = lines_of(read_file(out / list_name).value_or(""));
  return {files.begin(), files.end()};
}

std::optional<Error> write_site(const site::Site& site, const fs::path& out) {
  std::error_code failed;
  std::set<std::string> old = files_of_earlier_site(out);
  std::string list;
  for (const site::File& file : site.files) {
    list += file.path + "\n";
    old.erase(file.path);
  }
  // First the list: what an interrupted run leaves behind is then known as kata's.
  for (const std::string& path : old) list += path + "\n";
  if (const std::string reason = write_file(out / list_name, list); !reason.empty())
    return Error{fmt::format("cannot write {}: {}", shown(out), reason)};
  for (const site::File& file : site.files) {
    fs::create_directories((out / file.path).parent_path(), failed);
    std::ofstream stream(out / file.path, std::ios::binary);
    stream << file.content;
    if (!stream.flush()) return Error{fmt::format("cannot write {}", shown(out / file.path))};
  }
  for (const std::string& path : old) fs::remove(out / path, failed);
  return {};
}

/// An Error where files of another kind would lie between those of the site.
std::optional<Error> unfit(const fs::path& out) {
  std::error_code failed;
  if (!fs::exists(out, failed) || fs::exists(out / list_name, failed)) return {};
  if (!fs::is_directory(out, failed)) {
    return Error{fmt::format("{} is not a folder: give --out a folder", shown(out))};
  }
  if (fs::is_empty(out, failed)) return {};
  return Error{fmt::format("{} has files that are not a site of kata's: give --out an empty folder",
                           shown(out))};
}

int site(const SiteOptions& options) {
  if (options.out.empty()) {
    return fail({fmt::format("where to? Give a folder: {} site --out DIR", command_name())});
  }
  const fs::path out = fs::absolute(options.out);
  if (const auto error = unfit(out)) return fail(*error);
  std::optional<std::vector<Attempt>> mine;
  if (options.mine) {
    const Result<History> history = open_history();
    auto attempts =
        history ? history->attempts_at_any_file() : Result<std::vector<Attempt>>(history.error());
    if (!attempts) return fail(attempts.error());
    mine = std::move(*attempts);
  }
  const Result<site::Site> made = site::make_site(mine);
  if (!made) return fail(made.error());
  for (const std::string& link : made->broken_links) warn("this link leads nowhere: " + link);
  if (const auto error = write_site(*made, out)) return fail(*error);
  std::uintmax_t bytes = 0;
  for (const site::File& file : made->files) bytes += file.content.size();
  fmt::print("Wrote {} files, {}.\nNext: open it in a browser\n  {}\n", made->files.size(),
             layout::bytes(bytes), shown(out / "index.html"));
  return 0;
}

}  // namespace

void add_site(CLI::App& app, Session& session) {
  static SiteOptions options;
  Command(app, "site", "Write exercises, ladders and docs as web pages")
      .option("--out", "DIR", options.out, "An empty folder, or the site to replace")
      .flag("--mine", options.mine, "With your attempts; keep that site private")
      .does([&session] { session.status = site(options); });
}

}  // namespace kata::cli
