// graphkiln completion: what shells offer while a command line is typed.
#include "command_line/commands.h"

namespace gk::command {
namespace {

// Words that an option takes, of "a|b"; empty of those that take a file or
// anything else.
std::string ChoicesOf(const Option& option) {
  std::string words = option.value == nullptr ? "" : option.value;
  if (words.find('|') == words.npos) return "";
  for (char& c : words) {
    if (c == '|') c = ' ';
  }
  return words;
}

std::string CommandNames() {
  std::string names;
  for (const Command* command : Commands()) {
    names += (names.empty() ? "" : " ") + std::string(command->name);
  }
  return names;
}

std::string OptionNames(const Command& command) {
  std::string names = "--help";
  for (const Option& option : command.options) {
    names += Format(" --{}", option.name);
  }
  return names;
}

// In single quotes.
std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\n') {
      quoted += ' ';
    } else if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

// Of what an option's value is completed: "a b" or nothing for files.
std::string BashText() {
  std::string text =
      "# bash completion of graphkiln\n"
      "_graphkiln() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} "
      "before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local words=\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    words=\"" +
      CommandNames() +
      " --help --version\"\n"
      "  else\n"
      "    case ${COMP_WORDS[1]}:$before in\n";
  for (const Command* command : Commands()) {
    for (const Option& option : command->options) {
      const std::string choices = ChoicesOf(option);
      if (choices.empty()) continue;
      text += Format("      {}:--{}) words=\"{}\" ;;\n", command->name,
                     option.name, choices);
    }
  }
  text += "      *) [[ $word == -* ]] && case ${COMP_WORDS[1]} in\n";
  for (const Command* command : Commands()) {
    text += Format("        {}) words=\"{}\" ;;\n", command->name,
                   OptionNames(*command));
  }
  return text +
         "      esac ;;\n"
         "    esac\n"
         "    [[ ${COMP_WORDS[1]} == completion && $word != -* ]] &&\n"
         "      words=\"bash zsh fish\"\n"
         "  fi\n"
         "  if [[ -n $words ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"${word##*=}\"))\n"
         "    compopt -o filenames 2>/dev/null\n"
         "  fi\n"
         "}\n"
         "complete -F _graphkiln graphkiln\n";
}

std::string ZshText() {
  std::string text =
      "#compdef graphkiln\n"
      "_graphkiln() {\n"
      "  local -a commands=(\n";
  for (const Command* command : Commands()) {
    text += Format("    {}\n",
                   Quoted(Format("{}:{}", command->name, command->summary)));
  }
  text +=
      "  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  case $words[2] in\n";
  for (const Command* command : Commands()) {
    text += Format(
        "    {})\n      shift words; ((CURRENT--))\n"
        "      _arguments '--help[show options and examples]'",
        command->name);
    for (const Option& option : command->options) {
      std::string spec = Format("--{}", option.name);
      if (option.value != nullptr) spec += "=";
      std::string help;  // brackets and colons mean something here
      for (const char c : std::string_view(option.help)) {
        if (c == '[' || c == ']' || c == ':') help += '\\';
        help += c;
      }
      spec += Format("[{}]", help);
      if (option.value != nullptr) {
        const std::string choices = ChoicesOf(option);
        spec +=
            choices.empty() ? ":value:_files" : Format(":value:({})", choices);
      }
      text += " \\\n        " + Quoted(spec);
    }
    const bool shells = command == &kCompletionCommand;
    text += Format(" \\\n        '*:{}' ;;\n",
                   shells ? "shell:(bash zsh fish)" : "file:_files");
  }
  return text +
         "  esac\n"
         "}\n"
         "_graphkiln \"$@\"\n";
}

std::string FishText() {
  std::string text = "# fish completion of graphkiln\n";
  for (const Command* command : Commands()) {
    text += Format(
        "complete -c graphkiln -n __fish_use_subcommand -f -a {} -d {}\n",
        command->name, Quoted(command->summary));
    const std::string condition =
        Format("'__fish_seen_subcommand_from {}'", command->name);
    for (const Option& option : command->options) {
      const std::string choices = ChoicesOf(option);
      text +=
          Format("complete -c graphkiln -n {} -l {}", condition, option.name);
      if (!choices.empty()) text += " -x -a " + Quoted(choices);
      if (choices.empty() && option.value != nullptr) text += " -r";
      text += " -d " + Quoted(option.help) + "\n";
    }
  }
  return text +
         "complete -c graphkiln -n '__fish_seen_subcommand_from completion' -f "
         "-a 'bash zsh fish'\n";
}

Exit Completion(const Arguments& arguments, const Console& console) {
  const std::string& shell = arguments.words()[0];
  if (shell == "bash") {
    console.Print(BashText());
  } else if (shell == "zsh") {
    console.Print(ZshText());
  } else if (shell == "fish") {
    console.Print(FishText());
  } else {
    throw Failure::Make(Exit::kUsage, "expected bash, zsh or fish, got '{}'.",
                        Shown(shell));
  }
  return Exit::kDone;
}

constexpr Example kCompletionExamples[] = {
    {"completion bash > ~/.local/share/bash-completion/completions/graphkiln",
     "for the shells that bash starts from now on"},
    {"completion zsh > ~/.zfunc/_graphkiln",
     "where ~/.zfunc is in zsh's fpath"},
    {"completion fish > ~/.config/fish/completions/graphkiln.fish", "for fish"},
};

}  // namespace

const Command kCompletionCommand = {
    "completion",
    "bash|zsh|fish",
    1,
    1,
    "Prints the completion of command lines for a shell.",
    "",
    {},
    kCompletionExamples,
    Completion};

}  // namespace gk::command
