// kata config, and the file that it changes.
#include <doctest/doctest.h>

#include <regex>
#include <set>

#include "config/document.h"
#include "desk.h"

namespace fs = std::filesystem;
using kata::test::contains;
using kata::test::content_of;
using kata::test::count_lines;
using kata::test::Desk;

namespace {

/// Without NO_COLOR, which comes before the file.
kata::Finished config(const Desk& desk, std::vector<std::string> words) {
  words.insert(words.begin(), "config");
  return desk.start(words, {}, {{"NO_COLOR", ""}, {"VISUAL", ""}, {"EDITOR", ""}});
}

bool has_row(const std::string& table, const std::string& key, const std::string& value,
             const std::string& from) {
  return std::regex_search(table, std::regex(key + " +" + value + " +" + from + "\n"));
}

}  // namespace

TEST_CASE("the settings' file is named from the home folder, wherever one works") {
  const Desk desk;
  const auto shown =
      desk.start({"config"}, {},
                 {{"KATA_HOME", ""}, {"XDG_CONFIG_HOME", ""}, {"HOME", desk.scratch / "someone"}});
  CHECK(contains(shown.output, "~/.config/kata/config.toml"));
  CHECK_FALSE(contains(shown.output, "../"));
}

TEST_CASE("config shows each setting, its value, and where that comes from") {
  const Desk desk;
  const std::string defaults = config(desk, {}).output;
  CHECK(has_row(defaults, "chip", "h200", "default"));
  CHECK(contains(defaults, "not there yet"));
  CHECK(kata::test::widest_line(defaults) <= 80 + (desk.scratch / "home").string().size());
  desk.scratch.write("home/config.toml",
                     "# mine\nchip = \"a100\"\n\n[remote.lab]\nhost = \"me@lab\"\n");
  const std::string changed = config(desk, {}).output;
  CHECK(has_row(changed, "chip", "a100", "line 2"));
  CHECK(has_row(changed, "remote.lab.host", "me@lab", "line 5"));
  const auto environment = desk.start({"config"}, {}, {{"NO_COLOR", "1"}, {"VISUAL", "emacs -nw"}});
  CHECK(has_row(environment.output, "color", "never", "\\$NO_COLOR"));
  CHECK(has_row(environment.output, "editor", "emacs -nw", "\\$VISUAL"));
  CHECK(config(desk, {"chip"}).output == "a100\n");
}

TEST_CASE("config changes one value and keeps the rest of the file as it is") {
  const Desk desk;
  const fs::path file = desk.scratch / "home/config.toml";
  CHECK(config(desk, {"chip", "a100"}).exit_status == 0);
  CHECK(content_of(file) == "chip = \"a100\"\n");
  desk.scratch.write(
      "home/config.toml",
      "# mine\nchip = \"a100\"  # at work\n\n# far away\n[remote.lab]\nhost = \"a\"\n");
  CHECK(config(desk, {"chip", "none"}).exit_status == 0);
  CHECK(config(desk, {"interview_minutes", "30"}).exit_status == 0);
  CHECK(config(desk, {"remote.lab.host", "me@b"}).exit_status == 0);
  CHECK(config(desk, {"remote.home.host", "c"}).exit_status == 0);
  CHECK(content_of(file) ==
        "# mine\nchip = \"none\"  # at work\n\n# far away\ninterview_minutes = 30\n[remote.lab]\n"
        "host = \"me@b\"\n\n[remote.home]\nhost = \"c\"\n");
  CHECK(config(desk, {"--unset", "chip"}).exit_status == 0);
  CHECK(config(desk, {"--unset", "remote.lab"}).exit_status == 0);
  CHECK(content_of(file) ==
        "# mine\n\n# far away\ninterview_minutes = 30\n[remote.home]\nhost = \"c\"\n");
  const auto again = config(desk, {"--unset", "chip"});
  CHECK(again.exit_status == 2);
  CHECK(contains(again.errors, "chip is not set in"));
}

TEST_CASE("a value with quotes in it comes back as it was given") {
  const auto text = kata::with_setting("", "it", "editor", "my \"ed\\it\" -n", false);
  REQUIRE(text);
  CHECK(kata::settings_in(*text, "it")->front().value == "my \"ed\\it\" -n");
}

TEST_CASE("a file that cannot be changed line by line is left as it is") {
  const Desk desk;
  const std::string text = "remote = {lab = {host = \"a\"}, far = {host = \"b\"}}\n";
  desk.scratch.write("home/config.toml", text);
  const auto finished = config(desk, {"--unset", "remote.lab"});
  CHECK(finished.exit_status == 2);
  CHECK(contains(finished.errors, "edit it by hand"));
  CHECK(content_of(desk.scratch / "home/config.toml") == text);
}

TEST_CASE("a wrong setting is one line that says what it takes, and changes nothing") {
  const Desk desk;
  const auto refused = [&](const std::vector<std::string>& words, const std::string& part) {
    const auto finished = config(desk, words);
    INFO(finished.errors);
    CHECK(finished.exit_status == 2);
    CHECK(finished.output == "");
    CHECK(count_lines(finished.errors) == 1);
    CHECK(contains(finished.errors, part));
  };
  refused({"chpi", "a100"}, "Did you mean chip?");
  refused({"chpi"}, "Did you mean chip?");
  refused({"chip", "a1000"}, "chip takes h200, ");
  refused({"interview_minutes", "0"}, "1 to 1440");
  refused({"interview_minutes", "99999999999999999999"}, "1 to 1440");
  refused({"remote.lab.host", ""}, "as ssh takes it");
  refused({"remote.a b.host", "x"}, "there is no setting");
  refused({"chip", "a100", "h200"}, "config --unset chip");
  refused({"--unset"}, "config --unset chip");
  CHECK_FALSE(fs::exists(desk.scratch / "home/config.toml"));
}

TEST_CASE("an unknown key is named with its line, and the rest of the file counts") {
  const Desk desk;
  desk.scratch.write("home/config.toml", "color = \"never\"\nchpi = \"a100\"\n");
  const auto finished = desk.start({"list"});
  CHECK(finished.exit_status == 0);
  CHECK(contains(finished.errors, "config.toml:2: there is no setting chpi. Did you mean chip?"));
}

TEST_CASE("a config file that is wrong stops a command at its line, and `kata config` repairs it") {
  const Desk desk;
  desk.scratch.write("home/config.toml", "color = \"auto\"\nchip = \"a1000\"\n");
  const auto wrong_value = desk.start({"list"});
  CHECK(wrong_value.exit_status == 2);
  CHECK(contains(wrong_value.errors, "config.toml:2: chip takes h200"));
  CHECK(contains(wrong_value.errors, "kata config --unset chip"));
  CHECK(config(desk, {}).errors == wrong_value.errors);
  CHECK(desk.start({"--help"}).exit_status == 0);
  CHECK(config(desk, {"chip", "a100"}).exit_status == 0);
  CHECK(desk.start({"list"}).exit_status == 0);
  desk.scratch.write("home/config.toml", "color = \"auto\"\nchip = a100\n");
  const auto no_toml = desk.start({"list"});
  CHECK(no_toml.exit_status == 2);
  CHECK(contains(no_toml.errors, "config.toml:2: "));
  CHECK(contains(no_toml.errors, "Mend that line in an editor"));
  CHECK(count_lines(no_toml.errors) == 1);
}

TEST_CASE("commands take chip, backend, colours and minutes from the config file") {
  const Desk desk;
  desk.scratch.write("home/config.toml",
                     "backend = \"emulator\"\nchip = \"none\"\ncolor = \"always\"\n"
                     "interview_minutes = 33\n");
  const auto list = desk.start({"list"}, {}, {{"NO_COLOR", ""}});
  CHECK(contains(list.output, "state"));
  desk.solve("relu");
  const std::string untimed = desk.start({"check", "relu"}).output;
  CHECK(contains(untimed, "PASS"));
  CHECK_FALSE(contains(untimed, "estimated for"));
  CHECK(contains(desk.start({"check", "relu", "--chip", "a100"}).output, "estimated for A100"));
  CHECK(contains(desk.start({"list"}, {}, {{"NO_COLOR", ""}}).output, "\033["));
  CHECK(contains(desk.start({"interview", "relu", "--yes"}, "quit\n").output, "33"));
}

TEST_CASE(
    "docs/configuration.md has every setting and every environment variable that kata reads") {
  const std::string page = content_of(KATA_SOURCE_DIR "/docs/configuration.md");
  for (const kata::ConfigKey& key : kata::config_keys()) {
    const std::string name = std::regex_replace(key.name, std::regex("\\*"), "NAME");
    CHECK_MESSAGE(contains(page, "`" + name + "`"), name);
  }
  std::set<std::string> variables;
  const std::regex reads("(?:getenv|environment)\\(\"([A-Z_]+)\"\\)");
  for (const auto& entry : fs::recursive_directory_iterator(KATA_SOURCE_DIR "/harness")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = content_of(entry.path());
    for (std::sregex_iterator one(text.begin(), text.end(), reads), end; one != end; ++one)
      variables.insert((*one)[1]);
  }
  CHECK(variables.size() > 5);
  for (const std::string& name : variables) CHECK_MESSAGE(contains(page, "`" + name + "`"), name);
}
