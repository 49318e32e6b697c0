#include "command_line/arguments.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace gk::command {
namespace {

const Option* FindOption(const Command& command, std::string_view name) {
  for (const Option& option : command.options) {
    if (name == option.name) return &option;
  }
  return nullptr;
}

Failure WrongUse(const Command& command, std::string_view what) {
  return Failure::Make(Exit::kUsage, "{}\nSee: graphkiln {} --help", what,
                       command.name);
}

// "a|b" names what may be given; other descriptions say what it is.
void CheckChoice(const Command& command, const Option& option,
                 std::string_view value) {
  std::string_view rest = option.value;
  if (rest.find('|') == rest.npos) return;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('|'), rest.size());
    if (rest.substr(0, end) == value) return;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  throw WrongUse(command, Format("--{}: expected one of {}, got '{}'.",
                                 option.name, option.value, value));
}

// Edits that turn one name into the other.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string SimilarName(std::string_view name,
                        std::span<const std::string_view> names) {
  if (name.size() > 64) return "";
  std::string_view best;
  size_t least = std::clamp<size_t>(name.size() / 2, 1, 3) + 1;
  for (const std::string_view known : names) {
    const size_t distance = Distance(name, known);
    if (distance >= least) continue;
    least = distance;
    best = known;
  }
  return std::string(best);
}

Arguments::Arguments(const Command& command,
                     std::span<const std::string> words) {
  bool plain = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (plain || !word.starts_with("--")) {
      if (!plain && word.size() > 1 && word[0] == '-') {
        throw WrongUse(command, Format("unknown option '{}': options begin "
                                       "with two dashes.",
                                       Shown(word)));
      }
      words_.push_back(word);
      continue;
    }
    if (word.size() == 2) {
      plain = true;
      continue;
    }
    const size_t equals = word.find('=');
    const std::string name = word.substr(2, equals - 2);
    const Option* const option = FindOption(command, name);
    if (option == nullptr) {
      std::vector<std::string_view> names;
      for (const Option& known : command.options) names.push_back(known.name);
      const std::string similar = SimilarName(name, names);
      throw WrongUse(
          command,
          Format("unknown option '--{}'{}", Shown(name),
                 similar.empty() ? std::string(".")
                                 : Format(". Do you mean --{}?", similar)));
    }
    std::string value;
    if (option->value == nullptr) {
      if (equals != word.npos) {
        throw WrongUse(command, Format("--{} takes no value.", name));
      }
    } else if (equals != word.npos) {
      value = word.substr(equals + 1);
    } else if (i + 1 < words.size()) {
      value = words[++i];
    } else {
      throw WrongUse(command, Format("--{} takes {}.", name, option->value));
    }
    if (option->value != nullptr) CheckChoice(command, *option, value);
    options_.emplace_back(name, std::move(value));
  }
  const int given = words_.size();
  if (given < command.least_words) {
    throw WrongUse(command, Format("expected {}.", command.words));
  }
  if (given > command.most_words) {
    throw WrongUse(command,
                   Format("'{}' is one word too many; expected {}.",
                          Shown(words_[command.most_words]), command.words));
  }
}

const std::string* Arguments::Find(std::string_view option) const {
  for (size_t i = options_.size(); i-- > 0;) {
    if (options_[i].first == option) return &options_[i].second;
  }
  return nullptr;
}

std::string Arguments::Value(std::string_view option,
                             std::string fallback) const {
  const std::string* const value = Find(option);
  return value != nullptr ? *value : fallback;
}

std::vector<std::string> Arguments::Values(std::string_view option) const {
  std::vector<std::string> values;
  for (const auto& [name, value] : options_) {
    if (name == option) values.push_back(value);
  }
  return values;
}

int64_t Arguments::Number(std::string_view option, int64_t fallback,
                          int64_t least, int64_t most) const {
  const std::string* const text = Find(option);
  if (text == nullptr) return fallback;
  int64_t value = 0;
  const char* const last = text->data() + text->size();
  const auto [end, error] = std::from_chars(text->data(), last, value);
  if (error == std::errc() && end == last && value >= least && value <= most) {
    return value;
  }
  throw Failure::Make(Exit::kUsage,
                      "--{}: expected a number of {} to {}, got '{}'.", option,
                      least, most, Shown(*text));
}

std::string HelpText(const Command& command) {
  std::string text =
      Format("{}\n\nusage: graphkiln {} {}{}\n", command.summary, command.name,
             command.words, command.options.empty() ? "" : " [OPTION...]");
  if (*command.details != '\0') text += Format("\n{}\n", command.details);
  if (!command.options.empty()) {
    TextTable table("  ", "ll");
    for (const Option& option : command.options) {
      std::string name = Format("--{}", option.name);
      if (option.value != nullptr) name += Format(" {}", option.value);
      // Lines of the help go on below its first.
      std::string_view help = option.help;
      while (true) {
        const size_t end = std::min(help.find('\n'), help.size());
        table.Add({std::move(name), std::string(help.substr(0, end))});
        name.clear();
        if (end == help.size()) break;
        help.remove_prefix(end + 1);
      }
    }
    text += "\noptions:\n" + table.Text();
  }
  if (!command.examples.empty()) {
    text += "\nexamples:\n";
    for (const Example& example : command.examples) {
      text +=
          Format("  graphkiln {}\n      {}\n", example.command, example.does);
    }
  }
  return text;
}

}  // namespace gk::command
