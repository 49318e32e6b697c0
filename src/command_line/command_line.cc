#include "command_line/command_line.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <vector>

#include "command_line/commands.h"
#include "function/control_flow.h"
#include "graphkiln/version.h"

namespace gk::command {
namespace {

std::string OverviewText() {
  std::string text =
      "Shows, runs, measures and changes models without Python.\n\n"
      "usage: graphkiln COMMAND [ARGUMENT...]\n\ncommands:\n";
  TextTable table("  ", "ll");
  for (const Command* command : Commands()) {
    table.Add({command->name, command->summary});
  }
  return text + table.Text() +
         "\n  graphkiln COMMAND --help   options and examples of a command\n"
         "  graphkiln --version        the version of the library\n\n"
         "exit status: 0 done, 1 the answer is no (diff, verify), 2 wrong "
         "command line,\n3 a file is missing or cannot be read or written, 4 "
         "a file is damaged, 5 the\nmodel failed or was given what does not "
         "fit.\n";
}

const Command& FindCommand(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Command* command : Commands()) {
    if (name == command->name) return *command;
    names.push_back(command->name);
  }
  const std::string similar = SimilarName(name, names);
  throw Failure::Make(
      Exit::kUsage, "there is no command '{}'. {}\nSee: graphkiln --help",
      Shown(name),
      similar.empty()
          ? "The commands are " +
                JoinText(std::vector<std::string>(names.begin(), names.end()),
                         ", ") +
                "."
          : Format("Do you mean {}?", similar));
}

bool AsksForHelp(std::span<const std::string> words) {
  for (const std::string& word : words) {
    if (word == "--") return false;
    if (word == "--help" || word == "-h") return true;
  }
  return false;
}

Exit Run(std::span<const std::string> words, const Console& console) {
  if (words.empty()) {
    console.Tell(OverviewText());
    return Exit::kUsage;
  }
  const std::string& first = words[0];
  if (first == "--version") {
    console.Print("graphkiln " GRAPHKILN_VERSION "\n");
    return Exit::kDone;
  }
  if (first == "--help" || first == "-h" || first == "help") {
    console.Print(words.size() > 1 ? HelpText(FindCommand(words[1]))
                                   : OverviewText());
    return Exit::kDone;
  }
  const Command& command = FindCommand(first);
  if (AsksForHelp(words.subspan(1))) {
    console.Print(HelpText(command));
    return Exit::kDone;
  }
  InitControlFlow();
  return command.run(Arguments(command, words.subspan(1)), console);
}

Exit Report(const Console& console, Exit exit, std::string_view message) {
  std::fflush(console.out);
  console.Tell("graphkiln: ");
  console.Tell(message);
  console.Tell("\n");
  return exit;
}

}  // namespace

std::span<const Command* const> Commands() {
  static const Command* const commands[] = {
      &kShowCommand, &kRunCommand,     &kBenchCommand,    &kVerifyCommand,
      &kDiffCommand, &kConvertCommand, &kOptimizeCommand, &kTrimCommand,
      &kCompletionCommand};
  return commands;
}

Exit RunCommandLine(std::span<const std::string> words,
                    const Console& console) {
  Exit exit;
  try {
    exit = Run(words, console);
  } catch (const Failure& failure) {
    return Report(console, failure.exit(), failure.status().message());
  } catch (const Error& error) {
    return Report(console, Exit::kFailed, error.status().message());
  } catch (const std::bad_alloc&) {
    return Report(console, Exit::kFailed, "out of memory");
  } catch (const std::exception& error) {
    return Report(console, Exit::kFailed, error.what());
  }
  if (std::fflush(console.out) != 0 || std::ferror(console.out) != 0) {
    return Report(console, Exit::kFile,
                  Format("cannot write to the standard output: {}",
                         std::strerror(errno)));
  }
  return exit;
}

}  // namespace gk::command

int graphkiln_command_line(int argc, const char* const* argv) {
  // A host language may have handlers of its own.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGPIPE, SIG_DFL);
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) words.emplace_back(argv[i]);
  return static_cast<int>(
      gk::command::RunCommandLine(words, gk::command::Console()));
}
