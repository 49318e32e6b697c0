#include "function/signature_rules.h"

#include <algorithm>

#include "base/format.h"

namespace gk {
namespace {

using TypeKind = TraceType::Kind;

bool IsPositional(ParameterKind kind) {
  return kind == ParameterKind::kPositionalOnly ||
         kind == ParameterKind::kPositionalOrKeyword;
}

std::string Unexpected(std::string_view name) {
  return Format("got an unexpected keyword argument '{}'", name);
}

// Why not every value of a type is one of another; empty if each is.
std::string TypeMisfit(const TraceType& own, const TraceType& wanted);

// The children of `own` in the order of those of `wanted`, two mappings; empty
// if their keys differ.
std::vector<TraceTypeRef> MatchingEntries(const TraceType& own,
                                          const TraceType& wanted) {
  if (own.keys().size() != wanted.keys().size()) return {};
  std::vector<TraceTypeRef> entries;
  for (const std::string& key : wanted.keys()) {
    const auto at = std::ranges::find(own.keys(), key);
    if (at == own.keys().end()) return {};
    entries.push_back(own.children()[at - own.keys().begin()]);
  }
  return entries;
}

std::string PartsMisfit(const TraceType& own, const TraceType& wanted) {
  const std::string text = own.Text();
  const size_t n = own.children().size();
  std::vector<TraceTypeRef> parts = own.children();
  switch (wanted.kind()) {
    case TypeKind::kList:
    case TypeKind::kTuple:
      if (n != wanted.children().size()) return WrongLength(wanted, text, n);
      break;
    case TypeKind::kDict:
      parts = MatchingEntries(own, wanted);
      if (parts.size() != wanted.children().size()) {
        return WrongKeys(wanted, text);
      }
      break;
    default:
      if (own.identity() != wanted.identity()) return WrongValue(wanted, text);
      if (n != wanted.children().size()) return WrongParts(wanted, text, n);
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    std::string why = TypeMisfit(*parts[i], *wanted.children()[i]);
    if (!why.empty()) return why;
  }
  return WrongValue(wanted, text);
}

std::string TypeMisfit(const TraceType& own, const TraceType& wanted) {
  if (own.IsSubtypeOf(wanted)) return {};
  return wanted.is_container() && own.kind() == wanted.kind()
             ? PartsMisfit(own, wanted)
             : WrongValue(wanted, own.Text(), wanted.name());
}

}  // namespace

StatusOr<std::vector<SignedParameter>> SignParameters(
    const FunctionType& function, size_t num_types) {
  const std::vector<FunctionParameter>& all = function.parameters();
  const bool has_varargs = std::ranges::any_of(all, [](const auto& p) {
    return p.kind == ParameterKind::kVarPositional;
  });
  std::vector<SignedParameter> made;
  size_t used = 0;
  const auto next = [&] {
    return used < num_types ? static_cast<int>(used++) : -1;
  };
  for (size_t i = 0; i < all.size(); ++i) {
    const FunctionParameter& p = all[i];
    if (IsPositional(p.kind)) {
      if (used == num_types && !p.optional) {
        return TypeError("input_signature missing type constraint for {}",
                         p.name);
      }
      const auto kind = has_varargs ? ParameterKind::kPositionalOnly : p.kind;
      made.push_back({{p.name, kind, p.optional, nullptr}, i, next()});
    } else if (p.kind == ParameterKind::kVarPositional) {
      for (size_t k = 0; used < num_types; ++k) {
        made.push_back({{Format("{}_{}", p.name, k),
                         ParameterKind::kPositionalOnly, false, nullptr},
                        i,
                        next()});
      }
    } else if (p.kind == ParameterKind::kKeywordOnly) {
      if (!p.optional) {
        return TypeError(
            "Since input_signature is defined, keyword-only parameter `{}` "
            "must have a default value",
            p.name);
      }
      made.push_back({{p.name, p.kind, true, nullptr}, i, next()});
    }
  }
  if (used < num_types) {
    return TypeError("input_signature contains {} extra type constraints.",
                     num_types - used);
  }
  return made;
}

std::string GivenNamesMisfit(std::span<const std::string_view> names,
                             const FunctionType& signature) {
  for (const FunctionParameter& p : signature.parameters()) {
    if (p.kind != ParameterKind::kPositionalOnly) continue;
    if (std::ranges::find(names, p.name) != names.end()) {
      return Unexpected(p.name);
    }
  }
  return {};
}

std::string BoundNamesMisfit(std::span<const BoundName> bound,
                             const FunctionType& signature) {
  const auto& parameters = signature.parameters();
  for (const BoundName& b : bound) {
    const bool expected = std::ranges::any_of(
        parameters, [&](const auto& p) { return p.name == b.name; });
    if (expected) continue;
    return b.kind == ParameterKind::kKeywordOnly
               ? Unexpected(b.name)
               : "too many positional arguments";
  }
  for (const FunctionParameter& p : parameters) {
    const bool given = std::ranges::any_of(
        bound, [&](const BoundName& b) { return b.name == p.name; });
    if (!given) return Format("missing a required argument: '{}'", p.name);
  }
  return {};
}

std::string TypesMisfit(const FunctionType& call,
                        const FunctionType& signature) {
  std::vector<BoundName> names;
  for (const FunctionParameter& p : call.parameters()) {
    names.push_back({p.name, p.kind});
  }
  std::string why = BoundNamesMisfit(names, signature);
  for (size_t i = 0; why.empty() && i < names.size(); ++i) {
    why =
        TypeMisfit(*call.parameters()[i].type, *signature.parameters()[i].type);
  }
  return why;
}

std::string WrongValue(const TraceType& type, std::string_view value,
                       std::string_view cls) {
  switch (type.kind()) {
    case TypeKind::kList:
      return Format("Can not cast {} to list type.", value);
    case TypeKind::kTuple:
      return Format("Can not cast {} to tuple type.", value);
    case TypeKind::kDict:
      return Format("Can not cast {} to a Dict type.", value);
    case TypeKind::kNamedTuple:
      return Format("Cannot cast {} to type {}.", value, cls);
    case TypeKind::kAttrs:
      return Format("Can not cast {} to {}.", value, type.Text());
    case TypeKind::kComposite:
      return Format("[{}] is not of type {}.", value, cls);
    default:
      return Format("Can not cast {} to {}", value, type.Text());
  }
}

std::string WrongLength(const TraceType& type, std::string_view value,
                        size_t length) {
  return Format("Can not cast {} of length {} to {} of length {}.", value,
                length, type.Text(), type.children().size());
}

std::string WrongParts(const TraceType& type, std::string_view value,
                       size_t number) {
  return Format("Can not cast {} with {} components to {}.", value, number,
                type.Text());
}

std::string WrongKeys(const TraceType& type, std::string_view value) {
  return Format("{} has different keys with the TraceType {}.", value,
                type.Text());
}

std::string WrongMetadata(std::string_view expected, std::string_view given) {
  return Format("Metadata mismatch: [{}] != [{}].", expected, given);
}

std::string MisfitText(const HostWords& words, std::string_view reason,
                       std::string_view args, std::string_view kwargs,
                       const FunctionType& signature, std::string_view more) {
  return Format(
      "Binding inputs to {} failed due to `{}`. Received args: {} and kwargs: "
      "{} for signature: {}.{}",
      words.function, reason, args, kwargs, signature.Text(), more);
}

}  // namespace gk
