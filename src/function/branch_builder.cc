#include "function/branch_builder.h"

#include <algorithm>

#include "base/format.h"
#include "ops/composition.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Identity.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Minimum.h"

namespace gk {
namespace {

std::string TypesText(std::span<const Tensor> tensors) {
  std::string text;
  for (const Tensor& t : tensors) {
    text += Format("{}{}", text.empty() ? "" : ", ", DataTypeName(t.dtype()));
  }
  return "(" + text + ")";
}

std::vector<DataType> TypesOf(std::span<const Tensor> tensors) {
  std::vector<DataType> types;
  for (const Tensor& t : tensors) types.push_back(t.dtype());
  return types;
}

// The index as an int32. One that int32 cannot hold has no branch either.
Tensor NarrowIndex(const Tensor& index, size_t num_branches) {
  if (index.dtype() == DataType::kInt32) return index;
  const auto bound = [&](int64_t value) {
    return NumberOf(static_cast<double>(value), DataType::kInt64);
  };
  Tensor wide = index;
  if (index.dtype() != DataType::kInt64) {
    wide = ops::Cast(index, DataType::kInt64);
  }
  const Tensor most =
      ops::Minimum(wide, bound(static_cast<int64_t>(num_branches)));
  return ops::Cast(ops::Maximum(most, bound(-1)), DataType::kInt32);
}

Status Alike(BranchHost& host, const StagedValue& a, const StagedValue& b,
             std::string_view name) {
  GK_RETURN_IF_ERROR(CheckSameStructure(host, a, b, name));
  return CheckSameFields(host, a, b);
}

// --- Values of symbols.

const char* BranchName(const BranchHost& host, size_t i, size_t b) {
  return (b == 0) != host.IsMoved(i) ? "main" : "else";
}

std::string MustBeInitialized(const BranchHost& host, size_t i, size_t b) {
  return Format("'{}' must also be initialized in the {} branch", host.Name(i),
                BranchName(host, i, b));
}

[[noreturn]] void IsNone(const BranchHost& host, size_t i, size_t b) {
  Disagree(host, i,
           ValueError("'{}' is None at the end of the {} branch.", host.Name(i),
                      BranchName(host, i, b)),
           "Both branches must give a tensor: use a value that stands for "
           "nothing, such as a constant, and a flag.");
}

[[noreturn]] void IsNotAssigned(const BranchHost& host, size_t i, size_t b,
                                bool is_result) {
  const std::string name = host.Name(i);
  try {
    if (is_result) {
      Disagree(host, i,
               ValueError("the {} branch must also have a return statement.",
                          BranchName(host, i, b)),
               "Add one, or assign to a variable and return it at the end of "
               "the function.");
    }
    Disagree(host, i, ValueError("{}", MustBeInitialized(host, i, b)),
             Format("Assign '{}' in both branches, or before the if statement.",
                    name));
  } catch (const Error& e) {
    throw UndefinedSymbol(e.status(), name);
  }
}

// What stands in branch `b`, in its part, for a value that only the other
// branch has.
StagedValue Filled(BranchHost& host, size_t i, size_t b,
                   const StagedValue& value, const StagedValue& other) {
  using Kind = StagedValue::Kind;
  if (value.kind == Kind::kNone) IsNone(host, i, b);
  if (other.has_tensors()) {
    if (value.kind == Kind::kOpenList) return host.Closed(value, other);
    if (value.pending || host.fills()) return StandIn(other);
  }
  IsNotAssigned(host, i, b, value.is_result);
}

// The values of a symbol that has tensors in both branches, that of the main
// one first.
void CheckSymbol(BranchHost& host, size_t i, const StagedValue& a,
                 const StagedValue& b) {
  const std::string name = host.Name(i);
  for (const StagedValue* v : {&a, &b}) {
    if (v->has_tensors()) continue;
    Disagree(host, i, NotATensor(host, name, *v, "a branch of an if statement"),
             "A graph chooses between tensors only: keep the object outside of "
             "the branches, and choose between its tensors.");
  }
  if (const Status alike = Alike(host, a, b, name); !alike.ok()) {
    Disagree(host, i,
             TypeError("'{}' must have the same nested structure in the main "
                       "and else branches:\n\n{}",
                       name, alike.message()),
             "Let both branches give the same structure of tensors.");
  }
  const size_t n = std::min(a.leaves.size(), b.leaves.size());
  for (size_t k = 0; k < n; ++k) {
    if (!a.leaves[k] != !b.leaves[k]) {
      IsNone(host, i, host.IsMoved(i) == !a.leaves[k] ? 1 : 0);
    }
  }
  for (size_t k = 0; k < n; ++k) {
    if (!a.leaves[k] || a.leaves[k].dtype() == b.leaves[k].dtype()) continue;
    Disagree(host, i,
             TypeError("'{}' has dtype {} in the main branch, but dtype {} in "
                       "the else branch",
                       name, DataTypeName(a.leaves[k].dtype()),
                       DataTypeName(b.leaves[k].dtype())),
             "Give both the same dtype, for example with tf.cast.");
  }
}

// --- Slices.

// Where among the leaves stand the rows that IndexedSlices are of.
void FindRowNumbers(const Structure& s, size_t first,
                    std::vector<size_t>* places) {
  const bool is_object = s.kind() == Structure::Kind::kComposite ||
                         s.kind() == Structure::Kind::kAttrs;
  if (is_object && s.name() == "IndexedSlices" && s.num_leaves() >= 2) {
    places->push_back(first + 1);  // behind the values
    return;
  }
  for (const StructureRef& child : s.children()) {
    FindRowNumbers(*child, first, places);
    first += child->num_leaves();
  }
}

// Where a value has its slices' rows in int64 in one branch and in int32 in
// others they are of int64 in all, as in TensorFlow: gradients of lookups name
// rows as the program did. `values` are those of the branches.
void WidenRowNumbers(std::span<FuncGraph* const> parts,
                     const std::string& scope,
                     std::span<StagedValue* const> values) {
  for (const StagedValue* v : values) {
    if (!v->has_tensors() || v->structure == nullptr ||
        v->leaves.size() != values[0]->leaves.size()) {
      return;
    }
  }
  std::vector<size_t> places;
  FindRowNumbers(*values[0]->structure, 0, &places);
  if (places.empty()) return;
  const auto is = [&](const StagedValue& v, size_t place, DataType dtype) {
    return v.leaves[place] && v.leaves[place].dtype() == dtype;
  };
  const auto is_wide = [&](const StagedValue* v) {
    return std::ranges::all_of(places, [&](size_t place) {
      return is(*v, place, DataType::kInt64);
    });
  };
  const auto wide = std::ranges::find_if(values, is_wide);
  if (wide == values.end()) return;
  for (size_t b = 0; b < values.size(); ++b) {
    std::vector<size_t> own;
    FindRowNumbers(*values[b]->structure, 0, &own);
    if (own != places || is_wide(values[b])) continue;
    TensorVector leaves = values[b]->leaves;
    PartScope inside(parts[b], scope);
    for (const size_t place : places) {
      if (is(*values[b], place, DataType::kInt32)) {
        leaves[place] = ops::Cast(leaves[place], DataType::kInt64);
      }
    }
    StagedValue same = **wide;
    same.leaves = std::move(leaves);
    *values[b] = std::move(same);
  }
}

// --- Results of functions.

// Those of branch `b` against those of the first.
void CheckResults(BranchHost& host, BranchKind kind, size_t b,
                  const StagedValue& first, const StagedValue& mine) {
  auto output = [&](size_t branch, const StagedValue& value) {
    const std::string place = host.Place(branch);
    return Format("{} output{}: {}", host.Label(branch),
                  place.empty() ? "" : " (" + place + ")", host.Text(value));
  };
  const std::string where = output(0, first) + "\n" + output(b, mine);
  std::string details = Alike(host, first, mine, "").message();
  const size_t n = std::min(first.leaves.size(), mine.leaves.size());
  for (size_t k = 0; details.empty() && k < n; ++k) {
    const Tensor &x = first.leaves[k], &y = mine.leaves[k];
    if (!x != !y) {
      throw Error(ValueError(
          "Lengths of branch outputs of cond must match.\n{}", where));
    }
    if (x && x.dtype() != y.dtype()) {
      details =
          Format("{} and {} have different types", host.Text(x), host.Text(y));
    }
  }
  if (details.empty()) return;
  throw Error(TypeError(
      "{} and {} arguments to {}{} must have the same number, type, and "
      "overall "
      "structure of return values.\n\n{}\n\nError details:\n{}",
      host.Label(0), host.Label(b), host.prefix(),
      kind == BranchKind::kIf ? "cond" : "switch_case", where, details));
}

}  // namespace

BranchBuilder::BranchBuilder(BranchKind kind, std::string_view name)
    : kind_(kind), outer_(FuncGraph::Current()) {
  if (!outer_) {
    throw Error(Internal("branches are built in functions only"));
  }
  if (kind == BranchKind::kCase) {
    case_scope_ = std::make_unique<NameScope>(
        outer_.get(), name.empty() ? "switch_case" : name);
    name = "indexed_case";
  }
  scope_ =
      std::make_unique<NameScope>(outer_.get(), name.empty() ? "cond" : name);
}

FuncGraph* BranchBuilder::Add(std::string_view suffix) {
  branches_.push_back(PartScope::NewPart(*outer_, scope(), suffix));
  return branches_.back().get();
}

TensorVector BranchBuilder::Finish(const Tensor& given,
                                   std::span<const TensorVector> results) {
  if (results.size() != branches_.size() || results.empty()) {
    throw Error(Internal("{}: {} branches, results of {}", scope(),
                         branches_.size(), results.size()));
  }
  std::vector<FunctionPart> parts;
  for (size_t i = 0; i < results.size(); ++i) {
    if (TypesOf(results[i]) != TypesOf(results[0])) {
      throw Error(TypeError("{}: branches return {} and {}", scope(),
                            TypesText(results[0]), TypesText(results[i])));
    }
    PartScope inside(branches_[i].get(), scope());
    parts.push_back({branches_[i], inside.Returned(results[i])});
  }
  const Tensor selector =
      kind_ == BranchKind::kIf ? given : NarrowIndex(given, parts.size());
  TensorVector outputs = ValueOrThrow(
      kind_ == BranchKind::kIf ? MakeIf(selector, std::move(parts), scope())
                               : MakeCase(selector, std::move(parts), scope()));
  for (Tensor& t : outputs) t = ops::Identity(t);
  scope_ = nullptr;
  case_scope_ = nullptr;
  return outputs;
}

void BuildBranches(BranchKind kind, const Tensor& selector, size_t n,
                   std::string_view name, BranchHost& host) {
  Tensor chosen_by = selector;
  if (kind == BranchKind::kIf) {
    chosen_by = ConditionOf(host, selector, "pred");
  } else {
    ThrowIfError(CheckBranchIndex(selector));
  }
  BranchBuilder builder(kind, name);
  std::vector<FuncGraph*> parts;
  for (size_t b = 0; b < n; ++b) {
    parts.push_back(builder.Add(kind == BranchKind::kCase
                                    ? Format("branch{}", b)
                                : b == 0 ? "true"
                                         : "false"));
    host.Begin(parts[b]);
    {
      PartScope inside(parts[b], builder.scope());
      host.Run(b);
    }
    host.End(parts[b]);
  }
  std::vector<size_t> chosen;
  for (size_t i = 0; i < host.size(); ++i) {
    switch (host.ChoiceOf(i)) {
      case BranchHost::Choice::kChosen:
        chosen.push_back(i);
        break;
      case BranchHost::Choice::kPasses:
        break;
      case BranchHost::Choice::kLost:
        host.SetLost(i, MustBeInitialized(host, i, 0));
    }
  }
  std::vector<std::vector<StagedValue>> values(n);
  for (size_t b = 0; b < n; ++b) {
    PartScope inside(parts[b], builder.scope());
    for (size_t i : chosen) values[b].push_back(host.Value(b, i));
  }
  for (size_t k = 0; k < chosen.size(); ++k) {
    const size_t i = chosen[k];
    std::vector<StagedValue*> of_branches;
    for (std::vector<StagedValue>& own : values) of_branches.push_back(&own[k]);
    WidenRowNumbers(parts, builder.scope(), of_branches);
    if (!host.speaks_of_symbols()) {
      for (size_t b = 1; b < n; ++b) {
        CheckResults(host, kind, b, values[0][k], values[b][k]);
      }
      continue;
    }
    for (size_t b : {0, 1}) {
      if (!values[b][k].is_missing()) continue;
      PartScope inside(parts[b], builder.scope());
      values[b][k] = Filled(host, i, b, values[b][k], values[1 - b][k]);
    }
    const size_t main = host.IsMoved(i) ? 1 : 0;
    CheckSymbol(host, i, values[main][k], values[1 - main][k]);
  }
  std::vector<TensorVector> results(n);
  for (size_t b = 0; b < n; ++b) {
    for (const StagedValue& v : values[b]) {
      for (const Tensor& t : v.leaves) {
        if (t) results[b].push_back(t);
      }
    }
  }
  const TensorVector outputs = builder.Finish(chosen_by, results);
  std::span<const Tensor> left = outputs;
  for (size_t k = 0; k < chosen.size(); ++k) {
    const size_t used = values[0][k].tensors().size();
    host.SetResult(chosen[k], values[0][k].With(left.first(used)));
    left = left.subspan(used);
  }
}

Status CheckBranchIndex(const Tensor& t) {
  if (!IsInteger(t.dtype())) {
    return TypeError(
        "'branch_index' must be an integer Tensor, got <dtype: '{}'>",
        DataTypeName(t.dtype()));
  }
  const PartialTensorShape shape = t.partial_shape();
  if (!shape.unknown_rank() && shape.rank() != 0) {
    return InvalidArgument("'branch_index' must be a scalar, got shape {}",
                           shape.PythonString());
  }
  return OkStatus();
}

}  // namespace gk
