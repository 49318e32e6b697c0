// The words of a command line, as what a command says it takes.
#ifndef GK_COMMAND_LINE_ARGUMENTS_H_
#define GK_COMMAND_LINE_ARGUMENTS_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command_line/console.h"

namespace gk::command {

struct Option {
  const char* name;   // without dashes
  const char* value;  // what it takes ("FILE", "a|b": one of these), or null
  const char* help;
};

struct Command;

// What was given, checked: unknown options and missing values are no longer
// there. "--name=value", "--name value" and, after "--", words as they are.
class Arguments {
 public:
  // Throws Failure kUsage.
  Arguments(const Command& command, std::span<const std::string> words);

  const std::vector<std::string>& words() const { return words_; }
  bool Has(std::string_view option) const { return Find(option) != nullptr; }
  // The last one given.
  std::string Value(std::string_view option, std::string fallback = "") const;
  std::vector<std::string> Values(std::string_view option) const;
  // Throws Failure kUsage unless it is a number in these bounds.
  int64_t Number(std::string_view option, int64_t fallback, int64_t least,
                 int64_t most) const;

 private:
  const std::string* Find(std::string_view option) const;

  std::vector<std::string> words_;
  std::vector<std::pair<std::string, std::string>> options_;
};

struct Example {
  const char* command;  // after "graphkiln "
  const char* does;
};

struct Command {
  const char* name;
  const char* words;  // "MODEL"
  int least_words, most_words;
  const char* summary;
  const char* details;  // may be empty
  std::span<const Option> options;
  std::span<const Example> examples;
  Exit (*run)(const Arguments& arguments, const Console& console);
};

// One of the names that is like this one, or empty.
std::string SimilarName(std::string_view name,
                        std::span<const std::string_view> names);
// What `--help` of a command prints.
std::string HelpText(const Command& command);

}  // namespace gk::command

#endif  // GK_COMMAND_LINE_ARGUMENTS_H_
