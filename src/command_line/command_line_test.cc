#include "command_line/command_line.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "command_line/commands.h"
#include "graphkiln/version.h"

namespace gk::command {
namespace {

struct Outcome {
  Exit exit;
  std::string out, err;
};

Outcome RunWords(std::vector<std::string> words) {
  char* texts[2] = {};
  size_t sizes[2] = {};
  Console console;
  console.out = open_memstream(&texts[0], &sizes[0]);
  console.err = open_memstream(&texts[1], &sizes[1]);
  Outcome outcome{RunCommandLine(words, console), "", ""};
  std::fclose(console.out);
  std::fclose(console.err);
  outcome.out.assign(texts[0], sizes[0]);
  outcome.err.assign(texts[1], sizes[1]);
  for (char* text : texts) std::free(text);
  return outcome;
}

TEST(CommandLineTest, HelpListsAllCommandsWithTheirExamples) {
  const Outcome help = RunWords({"--help"});
  EXPECT_EQ(help.exit, Exit::kDone);
  for (const Command* command : Commands()) {
    EXPECT_NE(help.out.find(command->summary), std::string::npos);
    const Outcome own = RunWords({command->name, "--help"});
    EXPECT_EQ(own.exit, Exit::kDone);
    EXPECT_NE(own.out.find("examples:"), std::string::npos) << command->name;
    EXPECT_EQ(own.out, RunWords({"help", command->name}).out);
    EXPECT_EQ(own.err, "");
  }
}

TEST(CommandLineTest, WrongWords) {
  EXPECT_EQ(RunWords({}).exit, Exit::kUsage);
  const Outcome command = RunWords({"shwo"});
  EXPECT_EQ(command.exit, Exit::kUsage);
  EXPECT_EQ(command.err,
            "graphkiln: there is no command 'shwo'. Do you mean show?\n"
            "See: graphkiln --help\n");
  EXPECT_EQ(RunWords({"show"}).err,
            "graphkiln: expected MODEL.\nSee: graphkiln show --help\n");
  EXPECT_EQ(RunWords({"show", "a", "b"}).err,
            "graphkiln: 'b' is one word too many; expected MODEL.\n"
            "See: graphkiln show --help\n");
  EXPECT_EQ(RunWords({"show", "a", "--fromat", "json"}).err,
            "graphkiln: unknown option '--fromat'. Do you mean --format?\n"
            "See: graphkiln show --help\n");
  EXPECT_EQ(RunWords({"show", "a", "--format=xml"}).err,
            "graphkiln: --format: expected one of text|json|svg|html, got "
            "'xml'.\nSee: graphkiln show --help\n");
  EXPECT_EQ(RunWords({"show", "a", "--format"}).err,
            "graphkiln: --format takes text|json|svg|html.\n"
            "See: graphkiln show --help\n");
}

TEST(CommandLineTest, Version) {
  EXPECT_EQ(RunWords({"--version"}).out, "graphkiln " GRAPHKILN_VERSION "\n");
}

TEST(CommandLineTest, MissingModel) {
  const Outcome missing = RunWords({"show", "/nowhere/model"});
  EXPECT_EQ(missing.exit, Exit::kFile);
  EXPECT_EQ(missing.out, "");
  EXPECT_EQ(missing.err,
            "graphkiln: there is neither /nowhere/model nor a checkpoint of "
            "that name.\n");
}

TEST(ConsoleTest, Texts) {
  EXPECT_EQ(SizeText(999), "999 B");
  EXPECT_EQ(SizeText(1234), "1.2 kB");
  EXPECT_EQ(SizeText(999'960), "1.0 MB");
  EXPECT_EQ(CountText(1, "op"), "1 op");
  EXPECT_EQ(Shown("a\x1b[31m\n\u00e9"), "a\\x1b[31m\\n\u00e9");
}

}  // namespace
}  // namespace gk::command
