#include "function/branch_builder.h"

#include "base/format.h"
#include "function/part_scope.h"

namespace gk {
namespace {

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

TensorVector Build(bool is_if, const Tensor& selector,
                   std::span<const BranchSource> branches,
                   std::string_view name,
                   const std::function<Status(size_t)>& check) {
  FuncGraph* outer = FuncGraph::Current();
  if (outer == nullptr) {
    throw Error(Internal("branches are built in functions only"));
  }
  NameScope scope(outer, name);
  std::vector<FunctionPart> parts;
  for (size_t i = 0; i < branches.size(); ++i) {
    FunctionPart part{
        MakeRef<FuncGraph>(PartName(scope.name(), branches[i].suffix)), {}};
    {
      PartScope inside(part.graph.get(), scope.name());
      part.results = branches[i].trace();
    }
    if (i > 0) {
      ThrowIfError(check(i));
      ThrowIfError(CheckResults(branches, i, parts[0].results, part.results));
    }
    parts.push_back(std::move(part));
  }
  TensorVector outputs = ValueOrThrow(
      is_if ? MakeIf(selector, std::move(parts), scope.name())
            : MakeCase(selector, std::move(parts),
                       scope.name() + "indexed_case"));
  for (Tensor& t : outputs) t = MakeOp1("Identity", {t});
  return outputs;
}

}  // namespace

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
  return Build(true, condition, branches, name.empty() ? "cond" : name, check);
}

TensorVector BuildCase(const Tensor& index,
                       std::span<const BranchSource> branches,
                       std::string_view name,
                       const std::function<Status(size_t)>& check) {
  return Build(false, index, branches, name.empty() ? "switch_case" : name,
               check);
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

}  // namespace gk
