#include "function/branch_builder.h"

#include "base/format.h"
#include "ops/composite.h"

namespace gk {
namespace {

std::vector<DataType> TypesOf(std::span<const Tensor> tensors) {
  std::vector<DataType> types;
  for (const Tensor& t : tensors) types.push_back(t.dtype());
  return types;
}

Status CheckResults(std::span<const BranchSource> branches, size_t i,
                    std::span<const Tensor> first,
                    std::span<const Tensor> mine) {
  std::string details;
  if (first.size() != mine.size()) {
    details = Format("{} tensors and {} tensors", first.size(), mine.size());
  }
  for (size_t k = 0; details.empty() && k < first.size(); ++k) {
    if (first[k].dtype() == mine[k].dtype()) continue;
    details = Format("result {} is of dtype {} and of dtype {}", k,
                     DataTypeName(first[k].dtype()),
                     DataTypeName(mine[k].dtype()));
  }
  if (details.empty()) return OkStatus();
  return BranchesDiffer(branches[0], branches[i], TypesText(first),
                        TypesText(mine), details);
}

// The index as an int32. One that int32 cannot hold has no branch either.
Tensor NarrowIndex(const Tensor& index, size_t num_branches) {
  if (index.dtype() == DataType::kInt32) return index;
  const auto bound = [&](int64_t value) {
    return NumberOf(static_cast<double>(value), DataType::kInt64);
  };
  Tensor wide = index;
  if (index.dtype() != DataType::kInt64) {
    wide = MakeOp1("Cast", {index}, {{"DstT", DataType::kInt64}});
  }
  const Tensor most =
      MakeOp1("Minimum", {wide, bound(static_cast<int64_t>(num_branches))});
  return MakeOp1("Cast", {MakeOp1("Maximum", {most, bound(-1)})},
                 {{"DstT", DataType::kInt32}});
}

TensorVector Build(BranchKind kind, const Tensor& selector,
                   std::span<const BranchSource> branches,
                   std::string_view name,
                   const std::function<Status(size_t)>& check) {
  BranchBuilder builder(kind, name);
  std::vector<TensorVector> results;
  for (size_t i = 0; i < branches.size(); ++i) {
    {
      PartScope inside(builder.Add(branches[i].suffix), builder.scope());
      results.push_back(branches[i].trace());
    }
    if (i > 0) {
      ThrowIfError(check(i));
      ThrowIfError(CheckResults(branches, i, results[0], results[i]));
    }
  }
  return builder.Finish(selector, results);
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
  scope_ = std::make_unique<NameScope>(outer_.get(),
                                       name.empty() ? "cond" : name);
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
  TensorVector outputs =
      ValueOrThrow(kind_ == BranchKind::kIf
                       ? MakeIf(selector, std::move(parts), scope())
                       : MakeCase(selector, std::move(parts), scope()));
  for (Tensor& t : outputs) t = MakeOp1("Identity", {t});
  scope_ = nullptr;
  case_scope_ = nullptr;
  return outputs;
}

std::string TypesText(std::span<const Tensor> tensors) {
  std::string text = "(";
  for (const Tensor& t : tensors) {
    text += Format("{}Tensor(shape={}, dtype={})", text.size() > 1 ? ", " : "",
                   t.partial_shape().PythonString(), DataTypeName(t.dtype()));
  }
  return text + ")";
}

Status BranchesDiffer(const BranchSource& a, const BranchSource& b,
                      std::string_view a_text, std::string_view b_text,
                      std::string_view details) {
  return TypeError(
      "{} and {} arguments to gk::cond must have the same number, type, and "
      "overall structure of return values.\n\n{} output ({}): {}\n{} output "
      "({}): {}\n\nError details:\n{}",
      a.label, b.label, a.label, a.place, a_text, b.label, b.place, b_text,
      details);
}

TensorVector BuildIf(const Tensor& condition,
                     std::span<const BranchSource> branches,
                     std::string_view name,
                     const std::function<Status(size_t)>& check) {
  return Build(BranchKind::kIf, condition, branches, name, check);
}

TensorVector BuildCase(const Tensor& index,
                       std::span<const BranchSource> branches,
                       std::string_view name,
                       const std::function<Status(size_t)>& check) {
  return Build(BranchKind::kCase, index, branches, name, check);
}

Status CheckCondition(const Tensor& t, std::string_view what) {
  if (t.dtype() != DataType::kBool) {
    return TypeError(
        "{} must be a bool scalar tensor, got shape {} and dtype {}; compare "
        "or cast to make one",
        what, t.partial_shape().PythonString(), DataTypeName(t.dtype()));
  }
  const PartialTensorShape shape = t.partial_shape();
  if (!shape.unknown_rank() && shape.rank() != 0) {
    return ValueError("{} must be a scalar, got shape {}", what,
                      shape.PythonString());
  }
  return OkStatus();
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
