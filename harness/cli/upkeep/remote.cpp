// kata remote: the machines that --on names.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/terminal/terminal.h"
#include "config/config.h"
#include "remote/grade_elsewhere.h"
#include "remote/setup.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

struct RemoteOptions {
  std::string action = "list", name = {};
  Remote remote = {};
  bool json = false;
};

int print_machines(const Config& config) {
  nlohmann::json machines = nlohmann::json::array();
  for (const auto& [name, remote] : config.remotes)
    machines.push_back({{"name", name},
                        {"host", remote.host},
                        {"folder", folder_there({name, remote})},
                        {"srun", remote.srun},
                        {"ssh", remote.ssh},
                        {"before", remote.before}});
  print_json({{"schema", 1}, {"machines", machines}});
  return 0;
}

int list_machines(const Config& config) {
  if (config.remotes.empty()) {
    fmt::print("There are no machines yet. Next: add one\n  {} remote add gpu1 --host USER@HOST\n",
               command_name());
    return 0;
  }
  for (const auto& [name, remote] : config.remotes) {
    const Place place{name, remote};
    fmt::print("{:<12} {}, kata in {}\n", name, describe(place), folder_there(place));
    const auto show = [](const char* key, const std::string& value) {
      if (!value.empty()) fmt::print("{:<12}   {}: {}\n", "", key, value);
    };
    show("srun", remote.srun);
    show("ssh", remote.ssh);
    show("before", remote.before);
  }
  return 0;
}

/// Replaces what is known under that name.
int add_machine(const RemoteOptions& options) {
  const Remote& remote = options.remote;
  if (remote.host.empty() && remote.srun.empty()) {
    return fail(
        {fmt::format("remote add takes --host USER@HOST, or --srun OPTIONS for a Slurm "
                     "cluster, or both. {} remote --help",
                     command_name())});
  }
  const std::string table = "remote." + options.name;
  const std::pair<const char*, const std::string&> settings[] = {{".host", remote.host},
                                                                 {".folder", remote.folder},
                                                                 {".srun", remote.srun},
                                                                 {".ssh", remote.ssh},
                                                                 {".before", remote.before}};
  for (const auto& [key, value] : settings) {
    if (!is_config_key(table + key)) {
      return fail({fmt::format("{} cannot be a name: letters, digits, - and _ can", options.name)});
    }
  }
  if (const Result<bool> removed = unset_config(table); !removed) return fail(removed.error());
  for (const auto& [key, value] : settings) {
    if (value.empty()) continue;
    if (const auto error = set_config(table + key, value)) return fail(*error);
  }
  fmt::print("{} is {}, in {}\nNext: {} kata there\n  {} remote setup {}\n", options.name,
             describe({options.name, remote}), shown(config_file()),
             is_installed() ? "look for" : "build", command_name(), options.name);
  return 0;
}

int remove_machine(const std::string& name, const Config& config) {
  const Result<Place> place = find_place(config, name);
  if (!place) return fail(place.error());
  if (const Result<bool> removed = unset_config("remote." + name); !removed)
    return fail(removed.error());
  fmt::print("{} is removed from {}. What kata built there stays.\n", name, shown(config_file()));
  return 0;
}

int set_up_machine(const std::string& name, const Session& session) {
  const Result<Place> place = find_place(session.config, name);
  if (!place) return fail(place.error());
  Result<std::string> gpu = Error{};
  {
    Progress progress(session.plain);
    const auto say = [&progress](const std::string& what) { progress.say(what); };
    if (const auto error = set_up(*place, session.yes, say)) return fail(*error);
    gpu = gpu_elsewhere(*place, say);
  }
  if (!gpu) return fail(gpu.error());
  fmt::print("{} is ready: {}\nNext: check a kernel there\n  {} check relu --solution --on {}\n",
             name, *gpu, command_name(), name);
  return 0;
}

int remote(const RemoteOptions& options, const Session& session) {
  if (options.json && options.action != "list")
    return fail({fmt::format("--json is for the list: {} remote --json", command_name())}, true);
  if (options.json) return print_machines(session.config);
  if (options.action == "list") return list_machines(session.config);
  if (options.name.empty()) {
    return fail({fmt::format("remote {} needs a name, such as: {} remote {} gpu1", options.action,
                             command_name(), options.action)});
  }
  if (options.action == "add") return add_machine(options);
  if (options.action == "remove") return remove_machine(options.name, session.config);
  return set_up_machine(options.name, session);
}

}  // namespace

void add_remote(CLI::App& app, Session& session) {
  static RemoteOptions options;
  Command(app, "remote", "Add, set up, list or remove machines for --on")
      .choice("action", {"list", "add", "remove", "setup"}, options.action,
              "What to do; setup builds kata there")
      .optional_operand("name", options.name, "A name of your choice")
      .option("--host", "HOST", options.remote.host, "As ssh takes it, e.g. me@lab")
      .option("--srun", "OPTIONS", options.remote.srun, "A Slurm cluster, e.g. \"--gpus=1\"")
      .option("--folder", "FOLDER", options.remote.folder, "For kata there; else ~/kata-remote")
      .option("--ssh", "COMMAND", options.remote.ssh, "For ssh, e.g. \"ssh -p 2222\"")
      .option("--before", "COMMAND", options.remote.before,
              "Run before kata there, e.g. \"module load cuda\"")
      .flag("--json", options.json, "The list as one JSON object")
      .does([&session] { session.status = remote(options, session); });
}

}  // namespace kata::cli
