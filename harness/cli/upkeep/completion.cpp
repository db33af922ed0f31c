// kata completion: what a shell needs to complete kata's commands. At each Tab it asks
// `kata complete <words>`.
#include <fmt/format.h>

#include "cli/commands.h"

namespace kata::cli {
namespace {

constexpr const char* for_bash = R"sh(# In ~/.bashrc:  eval "$(kata completion bash)"
_kata() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("${line%%$'\t'*}")
  done < <("$1" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _kata kata
)sh";

constexpr const char* for_zsh = R"sh(#compdef kata
# In ~/.zshrc, below compinit:  eval "$(kata completion zsh)"
_kata() {
  local line
  local -a answers
  for line in "${(@f)$("$words[1]" complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && answers+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  if (( $#answers )); then _describe -V kata answers; else _files; fi
}
if [[ $funcstack[1] == _kata ]]; then _kata "$@"; else compdef _kata kata; fi
)sh";

constexpr const char* for_fish =
    R"sh(# In ~/.config/fish/config.fish:  kata completion fish | source
function __kata_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l answers ($words[1] complete $words[2..-1] 2>/dev/null)
    if set -q answers[1]
        printf '%s\n' $answers
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c kata -f -a '(__kata_complete)'
)sh";

}  // namespace

void add_completion(CLI::App& app, Session&) {
  static std::string shell = "bash";
  Command(app, "completion", "Print completion for bash, zsh or fish")
      .choice("shell", {"bash", "zsh", "fish"}, shell, "Your shell; else bash")
      .does([] {
        fmt::print("{}", shell == "bash" ? for_bash : shell == "zsh" ? for_zsh : for_fish);
      });
}

}  // namespace kata::cli
