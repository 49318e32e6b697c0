#include "function/function_type.h"

#include <algorithm>

#include "base/hash.h"

namespace gk {

std::string_view ParameterKindName(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::kPositionalOnly:
      return "POSITIONAL_ONLY";
    case ParameterKind::kPositionalOrKeyword:
      return "POSITIONAL_OR_KEYWORD";
    case ParameterKind::kVarPositional:
      return "VAR_POSITIONAL";
    case ParameterKind::kKeywordOnly:
      return "KEYWORD_ONLY";
    case ParameterKind::kVarKeyword:
      return "VAR_KEYWORD";
  }
  return "";
}

FunctionType::FunctionType(std::vector<FunctionParameter> parameters,
                           std::vector<Capture> captures, TraceTypeRef output,
                           uint64_t host_signature)
    : parameters_(std::move(parameters)),
      captures_(std::move(captures)),
      output_(std::move(output)),
      host_signature_(host_signature) {}

bool FunctionType::IsAlive() const {
  for (const FunctionParameter& p : parameters_) {
    if (p.type && !p.type->IsAlive()) return false;
  }
  return true;
}

size_t FunctionType::hash() const {
  size_t h = HashCombine(parameters_.size(), host_signature_);
  h = HashCombine(h, place_);
  for (int number : captured_) h = HashCombine(h, number);
  for (const FunctionParameter& p : parameters_) {
    h = HashCombine(h, std::hash<std::string>()(p.name));
    if (p.type) h = HashCombine(h, p.type->hash());
  }
  return h;
}

bool FunctionType::SameSignature(const FunctionType& o) const {
  if (parameters_.size() != o.parameters_.size() ||
      host_signature_ != o.host_signature_ || captured_ != o.captured_ ||
      place_ != o.place_) {
    return false;
  }
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const FunctionParameter &a = parameters_[i], &b = o.parameters_[i];
    if (a.name != b.name || a.kind != b.kind || !a.type != !b.type) {
      return false;
    }
  }
  return true;
}

bool FunctionType::Equals(const FunctionType& o) const {
  if (!SameSignature(o)) return false;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const TraceTypeRef &a = parameters_[i].type, &b = o.parameters_[i].type;
    if (a && !a->Equals(*b)) return false;
  }
  return true;
}

bool FunctionType::IsSubtypeOf(const FunctionType& o) const {
  if (!SameSignature(o)) return false;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const TraceTypeRef &a = parameters_[i].type, &b = o.parameters_[i].type;
    if (a && !a->IsSubtypeOf(*b)) return false;
  }
  return true;
}

Ref<FunctionType> FunctionType::CommonSupertype(const FunctionType& o) const {
  if (!SameSignature(o)) return nullptr;
  std::vector<FunctionParameter> parameters = parameters_;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].type) continue;
    parameters[i].type =
        parameters_[i].type->CommonSupertype(*o.parameters_[i].type);
    if (!parameters[i].type) return nullptr;
  }
  auto common = MakeRef<FunctionType>(
      std::move(parameters), std::vector<Capture>(), nullptr, host_signature_);
  common->captured_ = captured_;
  common->place_ = place_;
  return common;
}

Ref<FunctionType> FunctionType::CommonSubtype(const FunctionType& o) const {
  if (parameters_.size() != o.parameters_.size()) return nullptr;
  std::vector<FunctionParameter> parameters = parameters_;
  for (size_t i = 0; i < parameters.size(); ++i) {
    FunctionParameter& a = parameters[i];
    const FunctionParameter& b = o.parameters_[i];
    if (a.name != b.name || a.kind != b.kind || !a.type || !b.type) {
      return nullptr;
    }
    a.type = a.type->CommonSupertype(*b.type);
    if (!a.type) return nullptr;
  }
  std::vector<Capture> captures = captures_;
  for (const Capture& theirs : o.captures_) {
    const auto ours =
        std::find_if(captures.begin(), captures.end(),
                     [&](const Capture& c) { return c.first == theirs.first; });
    if (ours == captures.end()) {
      captures.push_back(theirs);
      continue;
    }
    ours->second = ours->second->CommonSupertype(*theirs.second);
    if (!ours->second) return nullptr;
  }
  return MakeRef<FunctionType>(std::move(parameters), std::move(captures));
}

Ref<FunctionType> FunctionType::WithCaptured(std::vector<int> captured) const {
  auto type = MakeRef<FunctionType>(parameters_, captures_, output_,
                                    host_signature_);
  type->captured_ = std::move(captured);
  type->place_ = place_;
  return type;
}

Ref<FunctionType> FunctionType::WithPlace(uint64_t place) const {
  Ref<FunctionType> type = WithCaptured(captured_);
  type->place_ = place;
  return type;
}

std::string FunctionType::Text() const {
  std::string text = "(";
  bool positional_only = false, star = false;
  auto separate = [&] {
    if (text.size() > 1) text += ", ";
  };
  for (const FunctionParameter& p : parameters_) {
    if (positional_only && p.kind != ParameterKind::kPositionalOnly) {
      separate();
      text += "/";
      positional_only = false;
    }
    positional_only |= p.kind == ParameterKind::kPositionalOnly;
    if (p.kind == ParameterKind::kKeywordOnly && !star) {
      separate();
      text += "*";
      star = true;
    }
    separate();
    if (p.kind == ParameterKind::kVarPositional) {
      text += "*";
      star = true;
    } else if (p.kind == ParameterKind::kVarKeyword) {
      text += "**";
    }
    text += p.name;
    if (p.type) text += ": " + p.type->Text();
    if (p.optional) {
      text +=
          p.type ? " = <captured_default_value>" : "=<captured_default_value>";
    }
  }
  if (positional_only) {
    separate();
    text += "/";
  }
  text += ")";
  if (output_) text += " -> " + output_->Text();
  return text;
}

std::string FunctionType::LongText() const {
  std::string text = "Input Parameters:\n";
  for (const FunctionParameter& p : parameters_) {
    text += Format("  {} ({}): {}\n", p.name, ParameterKindName(p.kind),
                   p.type ? p.type->Text() : "None");
  }
  text += Format("Output Type:\n  {}\nCaptures:\n",
                 output_ ? output_->Text() : "None");
  if (captures_.empty()) return text + "  None";
  bool first = true;
  for (const Capture& c : captures_) {
    if (!first) text += "\n";
    first = false;
    text += Format("  {}: {}", c.first, c.second->Text());
  }
  return text;
}

}  // namespace gk
