#include "framework/structure_match.h"

#include <algorithm>

namespace gk {
namespace {

using Kind = Structure::Kind;
using Side = StructureWords::Side;

bool IsMapping(const Structure& s) { return s.kind() == Kind::kDict; }
bool IsComposite(const Structure& s) { return s.kind() == Kind::kComposite; }

std::vector<std::string> SortedKeys(const Structure& s) {
  std::vector<std::string> keys;
  for (const Structure::Key& key : s.keys()) keys.push_back(key.bytes);
  std::sort(keys.begin(), keys.end());
  return keys;
}

// Do containers of these classes count as alike?
bool SameClass(const Structure& a, const Structure& b) {
  if (IsComposite(a) && IsComposite(b)) return true;  // their types decide
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::kList:
    case Kind::kDict:
      return true;
    case Kind::kNamedTuple:
      // Two classes of one name and the same fields are one.
      return a.name() == b.name() && a.keys() == b.keys();
    default:
      return a.identity() == b.identity() && a.name() == b.name();
  }
}

class Matcher {
 public:
  Matcher(const StructureWords& words, bool check_types)
      : words_(words), check_types_(check_types) {}

  Status Match(const Structure& a, const Structure& b) {
    // Equal ones without more to ask.
    if (&a == &b && !a.opaque()) return OkStatus();
    if (a.is_nested() != b.is_nested()) {
      const Side nested = a.is_nested() ? Side::kFirst : Side::kSecond;
      const Side other = a.is_nested() ? Side::kSecond : Side::kFirst;
      return ValueError(
          "Substructure \"{}\" is a sequence, while substructure \"{}\" is "
          "not",
          words_.Value(nested, path_), words_.Value(other, path_));
    }
    if (!a.is_nested()) return OkStatus();
    GK_RETURN_IF_ERROR(MatchNode(a, b));
    const size_t n = std::min(a.children().size(), b.children().size());
    for (size_t i = 0; i < n; ++i) {
      path_.push_back(static_cast<int>(i));
      GK_RETURN_IF_ERROR(Match(*a.children()[i], *b.children()[i]));
      path_.pop_back();
    }
    if (a.children().size() == b.children().size()) return OkStatus();
    return ValueError(
        "The two structures don't have the same number of elements. First "
        "structure: {}. Second structure: {}",
        words_.Value(Side::kFirst, path_), words_.Value(Side::kSecond, path_));
  }
  // The way to the part that was found to differ.
  const std::vector<int>& path() const { return path_; }

 private:
  Status MatchNode(const Structure& a, const Structure& b) {
    if (check_types_ && !SameClass(a, b)) {
      return TypeError(
          "The two namedtuples don't have the same sequence type. First "
          "structure {} has type {}, while second structure {} has type {}",
          words_.Value(Side::kFirst, path_),
          words_.TypeName(Side::kFirst, path_),
          words_.Value(Side::kSecond, path_),
          words_.TypeName(Side::kSecond, path_));
    }
    if (check_types_ && IsMapping(a) && IsMapping(b) &&
        SortedKeys(a) != SortedKeys(b)) {
      return ValueError(
          "The two dictionaries don't have the same set of keys. First "
          "structure has keys type=list str={}, while second structure has "
          "keys type=list str={}",
          words_.Keys(Side::kFirst, path_), words_.Keys(Side::kSecond, path_));
    }
    const LanguageType *first = a.type(), *second = b.type();
    if (first != nullptr && second != nullptr && first != second &&
        !first->CommonSupertype(*second)) {
      return ValueError("Incompatible CompositeTensor TypeSpecs: {} vs. {}",
                        words_.Spec(Side::kFirst, path_),
                        words_.Spec(Side::kSecond, path_));
    }
    return OkStatus();
  }

  const StructureWords& words_;
  const bool check_types_;
  std::vector<int> path_;
};

class ShallowMatcher {
 public:
  ShallowMatcher(const StructureWords& words, const ShallowOptions& options)
      : words_(words), options_(options) {}

  Status Match(const Structure& deep, const Structure& shallow) {
    if (!shallow.is_nested()) return OkStatus();
    if (options_.gaps && deep.kind() == Kind::kNone) return OkStatus();
    if (!deep.is_nested()) {
      return TypeError(
          "If shallow structure is a sequence, input must also be a sequence. "
          "Input has type: '{}'.",
          words_.ClassName(Side::kFirst, path_));
    }
    if (!SameKind(deep, shallow)) {
      return TypeError(
          "The two structures don't have the same sequence type. Input "
          "structure has type '{}', while shallow structure has type '{}'.",
          words_.ClassName(Side::kFirst, path_),
          words_.ClassName(Side::kSecond, path_));
    }
    if (deep.children().size() != shallow.children().size()) {
      return ValueError(
          "The two structures don't have the same sequence length. Input "
          "structure has length {}, while shallow structure has length {}.",
          deep.children().size(), shallow.children().size());
    }
    if (IsMapping(shallow) && SortedKeys(deep) != SortedKeys(shallow)) {
      return ValueError(
          "The two structures don't have the same keys. Input structure has "
          "keys {}, while shallow structure has keys {}.",
          words_.Keys(Side::kFirst, path_), words_.Keys(Side::kSecond, path_));
    }
    for (size_t i = 0; i < shallow.children().size(); ++i) {
      path_.push_back(static_cast<int>(i));
      GK_RETURN_IF_ERROR(Match(*deep.children()[i], *shallow.children()[i]));
      path_.pop_back();
    }
    return OkStatus();
  }

 private:
  bool SameKind(const Structure& deep, const Structure& shallow) const {
    return options_.any_sequence ? IsMapping(deep) == IsMapping(shallow)
                                 : SameClass(deep, shallow);
  }

  const StructureWords& words_;
  const ShallowOptions options_;
  std::vector<int> path_;
};

Status SameCode(const Status& status, std::string text) {
  return Status(status.code(), std::move(text));
}

std::string BothDiffer(const StructureWords& words) {
  return Format(
      "The two structures don't have the same nested structure.\n\n"
      "First structure: {}\n\nSecond structure: {}\n\nMore specifically: ",
      words.Value(Side::kFirst, {}), words.Value(Side::kSecond, {}));
}

// "[1]['a']", as a program would write it.
std::string PlaceText(const Structure& whole, StructureWords::Path path) {
  std::string text;
  const Structure* s = &whole;
  for (int i : path) {
    if (IsComposite(*s)) break;  // a program does not see its parts
    if (s->kind() == Kind::kDict) {
      text += "[" + s->keys()[i].text + "]";
    } else if (s->kind() == Kind::kAttrs) {
      text += "." + s->keys()[i].text;
    } else {
      text += Format("[{}]", i);
    }
    s = s->children()[i].get();
  }
  return text;
}

}  // namespace

const Structure& StructureWords::At(Side side, Path path) const {
  const Structure* s = sides_[side];
  for (int i : path) s = s->children()[i].get();
  return *s;
}

std::string StructureWords::Value(Side side, Path path) const {
  return Format("type={} str={}", ClassName(side, path), At(side, path).Text());
}

std::string StructureWords::ClassName(Side side, Path path) const {
  const Structure& s = At(side, path);
  if (!s.name().empty()) return s.name();
  switch (s.kind()) {
    case Kind::kLeaf:
      return "leaf";
    case Kind::kNone:
      return "None";
    case Kind::kList:
      return "list";
    case Kind::kTuple:
      return "tuple";
    case Kind::kDict:
      return "dict";
    default:
      return "sequence";
  }
}

std::string StructureWords::TypeName(Side side, Path path) const {
  return ClassName(side, path);
}

std::string StructureWords::Keys(Side side, Path path) const {
  std::string text;
  for (const Structure::Key& key : At(side, path).keys()) {
    text += (text.empty() ? "" : ", ") + key.text;
  }
  return "[" + text + "]";
}

std::string StructureWords::Spec(Side side, Path path) const {
  const LanguageType* type = At(side, path).type();
  return type ? type->Text() : ClassName(side, path);
}

std::string StructureWords::Outline(Side side) const {
  return At(side, {}).Text();
}

Status AssertSameStructure(const Structure& first, const Structure& second,
                           bool check_types, const StructureWords& words) {
  const Status status = Matcher(words, check_types).Match(first, second);
  if (status.ok()) return status;
  return SameCode(status, Format("{}{}\nEntire first structure:\n{}\n"
                                 "Entire second structure:\n{}",
                                 BothDiffer(words), status.message(),
                                 words.Outline(Side::kFirst),
                                 words.Outline(Side::kSecond)));
}

Status AssertSameStructure(const Structure& first, const Structure& second,
                           bool check_types, const StructureWords& words,
                           std::string_view name) {
  Matcher matcher(words, check_types);
  const Status status = matcher.Match(first, second);
  if (status.ok()) return status;
  return SameCode(status,
                  Format("{}{}{}: {}", BothDiffer(words), name,
                         PlaceText(first, matcher.path()), status.message()));
}

Status AssertShallowStructure(const Structure& deep, const Structure& shallow,
                              const ShallowOptions& options,
                              const StructureWords& words) {
  return ShallowMatcher(words, options).Match(deep, shallow);
}

Status WrongLeafCount(size_t atoms, size_t items, std::string_view structure,
                      std::string_view flat) {
  return ValueError(
      "Could not pack sequence. Structure had {} atoms, but flat_sequence had "
      "{} items.  Structure: {}{}{}.",
      atoms, items, structure, flat.empty() ? "" : ", flat_sequence: ", flat);
}

}  // namespace gk
