// What of one function type another does not accept.
#include <algorithm>
#include <numeric>

#include "function/trace_history.h"

namespace gk {

std::string_view RetraceCauseName(RetraceCause cause) {
  switch (cause) {
    case RetraceCause::kDtype:
      return "dtype";
    case RetraceCause::kShape:
      return "shape";
    case RetraceCause::kRank:
      return "rank";
    case RetraceCause::kValue:
      return "value";
    case RetraceCause::kNumber:
      return "number";
    case RetraceCause::kObject:
      return "object";
    case RetraceCause::kDeadObject:
      return "temporary object";
    case RetraceCause::kKind:
      return "kind";
    case RetraceCause::kLength:
      return "length";
    case RetraceCause::kKeys:
      return "keys";
    case RetraceCause::kVariable:
      return "variable";
    case RetraceCause::kParameters:
      return "parameters";
    case RetraceCause::kDetails:
      return "details";
    case RetraceCause::kEvicted:
      return "evicted";
    case RetraceCause::kHostTypes:
      return "host types";
    case RetraceCause::kGuard:
      return "frozen value";
    case RetraceCause::kPlace:
      return "graph";
  }
  return "";
}

namespace {

using TypeKind = TraceType::Kind;

class Comparer {
 public:
  explicit Comparer(std::vector<TypeDifference>* out) : out_(out) {}

  void Compare(const std::string& path, const TraceType& a,
               const TraceType& b) {
    if (b.IsSubtypeOf(a)) return;
    if (a.kind() != b.kind() ||
        (a.is_container() && a.identity() != b.identity() &&
         a.kind() != TypeKind::kDict)) {
      return Add(path, RetraceCause::kKind, a, b);
    }
    switch (a.kind()) {
      case TypeKind::kTensor:
        if (a.dtype() != b.dtype()) {
          return Add(path, RetraceCause::kDtype, a, b);
        }
        return Add(path, ShapeCause(a, b), a, b);
      case TypeKind::kVariable:
        if (a.dtype() != b.dtype()) {
          return Add(path, RetraceCause::kDtype, a, b);
        }
        if (a.trainable() != b.trainable() || a.alias() != b.alias()) {
          return Add(path, RetraceCause::kVariable, a, b);
        }
        return Add(path, ShapeCause(a, b), a, b);
      case TypeKind::kLiteral:
        return Add(path,
                   a.is_number() && b.is_number() ? RetraceCause::kNumber
                                                  : RetraceCause::kValue,
                   a, b);
      case TypeKind::kObject:
        return Add(path,
                   a.IsAlive() ? RetraceCause::kObject
                               : RetraceCause::kDeadObject,
                   a, b);
      case TypeKind::kCustom:
        return Add(path, RetraceCause::kDetails, a, b);
      default:
        return CompareParts(path, a, b);
    }
  }

  void Add(std::string path, RetraceCause cause, const TraceType& a,
           const TraceType& b) {
    const TraceTypeRef common = a.CommonSupertype(b);
    out_->push_back({std::move(path), cause, a.Text(), b.Text(),
                     common ? common->Text() : std::string()});
  }

 private:
  static RetraceCause ShapeCause(const TraceType& a, const TraceType& b) {
    return a.shape().rank() == b.shape().rank() ? RetraceCause::kShape
                                                : RetraceCause::kRank;
  }

  void CompareParts(const std::string& path, const TraceType& a,
                    const TraceType& b) {
    const size_t n = b.children().size();
    if (a.kind() == TypeKind::kDict) {
      std::vector<size_t> in_a(n);
      if (a.children().size() != n) {
        return Add(path, RetraceCause::kKeys, a, b);
      }
      for (size_t i = 0; i < n; ++i) {
        const auto found =
            std::find(a.keys().begin(), a.keys().end(), b.keys()[i]);
        if (found == a.keys().end()) {
          return Add(path, RetraceCause::kKeys, a, b);
        }
        in_a[i] = found - a.keys().begin();
      }
      for (size_t i = 0; i < n; ++i) {
        Compare(path + "[" + b.key_texts()[i] + "]", *a.children()[in_a[i]],
                *b.children()[i]);
      }
      return;
    }
    if (a.children().size() != n || a.keys() != b.keys()) {
      return Add(path, RetraceCause::kLength, a, b);
    }
    const size_t before = out_->size();
    for (size_t i = 0; i < n; ++i) {
      Compare(PartPath(path, b, i), *a.children()[i], *b.children()[i]);
    }
    // Parts alike: then it is what the parts do not tell.
    if (out_->size() == before) Add(path, RetraceCause::kDetails, a, b);
  }

  static std::string PartPath(const std::string& path, const TraceType& type,
                              size_t i) {
    switch (type.kind()) {
      case TypeKind::kNamedTuple:
      case TypeKind::kAttrs:
        return path + "." + type.keys()[i];
      case TypeKind::kComposite:
        return Format("{} (component {})", path, i);
      default:
        return Format("{}[{}]", path, i);
    }
  }

  std::vector<TypeDifference>* out_;
};

bool HasVariable(const TraceType& type) {
  if (type.kind() == TypeKind::kVariable) return true;
  return std::any_of(type.children().begin(), type.children().end(),
                     [](const TraceTypeRef& c) { return HasVariable(*c); });
}

std::string Names(const FunctionType& type) {
  std::string text;
  for (const FunctionParameter& p : type.parameters()) {
    if (!text.empty()) text += ", ";
    text += p.name;
  }
  return "(" + text + ")";
}

}  // namespace

std::vector<TypeDifference> Differences(const FunctionType& before,
                                        const FunctionType& after) {
  std::vector<TypeDifference> out;
  const auto &a = before.parameters(), &b = after.parameters();
  bool same_names = a.size() == b.size();
  for (size_t i = 0; same_names && i < a.size(); ++i) {
    same_names = a[i].name == b[i].name && a[i].kind == b[i].kind;
  }
  if (!same_names) {
    out.push_back({"", RetraceCause::kParameters, Names(before), Names(after),
                   ""});
    return out;
  }
  Comparer comparer(&out);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].type && b[i].type) {
      comparer.Compare(b[i].name, *a[i].type, *b[i].type);
    }
  }
  if (before.host_signature() != after.host_signature()) {
    out.push_back({"", RetraceCause::kHostTypes, "", "", ""});
  }
  if (before.place() != after.place()) {
    out.push_back({"", RetraceCause::kPlace, "", "", ""});
  }
  if (before.captured() != after.captured()) {
    for (const FunctionParameter& p : after.parameters()) {
      if (!p.type || !HasVariable(*p.type)) continue;
      out.push_back({p.name, RetraceCause::kVariable, "", "", ""});
    }
  }
  return out;
}

}  // namespace gk
