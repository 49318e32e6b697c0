// What would avoid a trace, for each cause of one.
#include "function/retrace_advice.h"

#include <cctype>

namespace gk {
namespace {

std::string Filled(std::string_view word, std::string_view value) {
  std::string text(word);
  if (const size_t at = text.find("{}"); at != text.npos) {
    text.replace(at, 2, value);
  }
  return text;
}

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Names that a program must write with the library's prefix.
bool IsOwnName(std::string_view name) {
  return name.ends_with("TensorSpec") || name == "IndexedSlicesSpec" ||
         name == "TensorShape";
}

void ReplaceAll(std::string_view what, std::string_view with,
                std::string* text) {
  for (size_t at = 0; (at = text->find(what, at)) != text->npos;
       at += with.size()) {
    text->replace(at, what.size(), with);
  }
}

// A type's text as code to paste.
std::string AsCode(const std::string& type, const HostWords& words) {
  if (words.prefix.empty()) return type;
  std::string code;
  for (size_t i = 0; i < type.size();) {
    size_t end = i;
    while (end < type.size() && IsWordCharacter(type[end])) ++end;
    const std::string_view name = std::string_view(type).substr(i, end - i);
    if (end < type.size() && type[end] == '(' && IsOwnName(name) &&
        (i == 0 || type[i - 1] != '.')) {
      code += words.prefix;
    }
    if (end == i) ++end;
    code.append(type, i, end - i);
    i = end;
  }
  ReplaceAll(", name=None)", ")", &code);
  ReplaceAll("shape=<unknown>", "shape=None", &code);
  return code;
}

constexpr std::string_view kLiteral = "Literal[";

std::string_view LiteralIn(std::string_view type) {
  if (!type.starts_with(kLiteral)) return type;
  return type.substr(kLiteral.size(), type.size() - kLiteral.size() - 1);
}

bool IsStructure(std::string_view type) {
  const std::string_view kind = type.substr(0, type.find('['));
  return kind == "Dict" || kind == "List" || kind == "Tuple";
}

std::string KindAdvice(const TypeDifference& d, std::string_view name,
                       const HostWords& words) {
  if (IsStructure(d.before) || IsStructure(d.after)) {
    return Format("Pass the same structure for {} every time.", name);
  }
  const std::string both = d.before + d.after;
  if (both.find(kLiteral) != both.npos &&
      both.find("TensorSpec(") != both.npos) {
    return Format("Pass a tensor always: {}.", Filled(words.as_tensor, name));
  }
  return "Pass a value of the same class every time.";
}

std::string ValueAdvice(const TypeDifference& d) {
  const std::string_view before = LiteralIn(d.before);
  if (before == "True" || before == "False" || before == "None") {
    return "One trace for each such value is as it should be; pass a tensor "
           "if it is to be decided at run time.";
  }
  return "Every value has a trace of its own: use few, or pass a tensor.";
}

std::string ShapeAdvice(const TypeDifference& d, const HostWords& words) {
  return Format(
      "{}, or an input_signature{}.", words.generalise,
      d.common.empty() ? ""
                       : Format(" with {} for it", AsCode(d.common, words)));
}

std::string ObjectAdvice(const TypeDifference& d, const HostWords& words) {
  if (d.after.find("function") != d.after.npos) {
    return "Define the function once, outside of the loop, and pass that one "
           "every time.";
  }
  return Format("Pass the same object every time, {}, or pass the tensors in "
                "it.", words.comparable);
}

constexpr std::string_view kPartOfTheTrace =
    "What is no tensor in it is part of the trace: keep it the same.";

}  // namespace

std::string RetraceAdvice(const TypeDifference& d, size_t max_traces,
                          const HostWords& words) {
  const std::string name = d.path.empty() ? "the arguments" : d.path;
  switch (d.cause) {
    case RetraceCause::kDtype:
      return Format("Convert {} to one dtype before the call, with {}.", name,
                    words.cast);
    case RetraceCause::kShape:
    case RetraceCause::kRank:
      return ShapeAdvice(d, words);
    case RetraceCause::kDetails:
      return d.common.empty() ? std::string(kPartOfTheTrace)
                              : ShapeAdvice(d, words);
    case RetraceCause::kNumber:
      return Format(
          "Pass a tensor, as {}, unless the function needs the number while "
          "it is traced.",
          Filled(words.tensor_of, LiteralIn(d.after)));
    case RetraceCause::kValue:
      return ValueAdvice(d);
    case RetraceCause::kObject:
      return ObjectAdvice(d, words);
    case RetraceCause::kDeadObject:
      return "The earlier object is gone. Create it once, outside of the "
             "loop, and keep it.";
    case RetraceCause::kKind:
      return KindAdvice(d, name, words);
    case RetraceCause::kLength:
      return "Every length has a trace of its own: stack the values into one "
             "tensor, or pad to few lengths.";
    case RetraceCause::kKeys:
      return "Pass the same keys every time.";
    case RetraceCause::kVariable:
      return "Which arguments are one variable, which the function also "
             "captures, and which are trainable, is part of the trace: keep "
             "it the same.";
    case RetraceCause::kParameters:
      return Format("Pass {}.", words.parameters);
    case RetraceCause::kEvicted:
      return Format("Allow more traces than {}={}.", words.max_traces,
                    max_traces);
    case RetraceCause::kHostTypes:
      return Format("The arguments have other {} types: pass the same ones.",
                    words.language);
    case RetraceCause::kGuard:
      return Format("Make {} a {} or an argument, so that it need not be "
                    "frozen.", name, words.variable);
    case RetraceCause::kPlace:
      return "Every graph that a session runs has traces of its own, and so "
             "have operations that are colocated with others, and models that "
             "are saved.";
  }
  return std::string(kPartOfTheTrace);
}

}  // namespace gk
