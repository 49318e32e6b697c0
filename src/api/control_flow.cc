// Branches and loops of the public interface; what they have to do with
// structures. The nodes are built in function/.
#include <algorithm>

#include "api/inner.h"
#include "api/place.h"
#include "function/branch_builder.h"
#include "function/loop_builder.h"
#include "graphkiln/staging.h"

namespace gk::api::detail {
namespace {

// How two results of one C++ type differ, or nothing.
std::string Difference(const ResultShape& a, const ResultShape& b) {
  auto list = [](const std::vector<int64_t>& sizes) {
    std::string text;
    for (int64_t n : sizes) text += Format("{}{}", text.empty() ? "" : ", ", n);
    return "[" + text + "]";
  };
  if (a.sizes.size() != b.sizes.size() || a.sizes != b.sizes) {
    return Format(
        "The structures differ in the lengths of their containers or in which "
        "of their tensors are defined(): {} and {}",
        list(a.sizes), list(b.sizes));
  }
  for (size_t i = 0; i < std::min(a.keys.size(), b.keys.size()); ++i) {
    if (a.keys[i] == b.keys[i]) continue;
    return Format("The structures differ in the keys '{}' and '{}'", a.keys[i],
                  b.keys[i]);
  }
  for (size_t i = 0; i < std::min(a.arrays.size(), b.arrays.size()); ++i) {
    if (a.arrays[i].dtype() == b.arrays[i].dtype()) continue;
    return Format("No common supertype of {} and {}.",
                  a.arrays[i].to_string(), b.arrays[i].to_string());
  }
  return "";
}

std::vector<BranchSource> Sources(const std::vector<const BranchPart*>& parts,
                                  std::vector<Results>* results,
                                  const std::vector<std::string>& suffixes) {
  std::vector<BranchSource> sources;
  for (size_t i = 0; i < parts.size(); ++i) {
    sources.push_back({[part = parts[i], result = &(*results)[i]] {
                         part->run(result);
                         return Inner(result->tensors);
                       },
                       suffixes[i], parts[i]->label,
                       PlaceText(parts[i]->where)});
  }
  return sources;
}

// Branch i against the first.
Status CheckStructure(const std::vector<BranchSource>& sources,
                      const std::vector<Results>& results, size_t i) {
  const std::string details = Difference(results[0].shape, results[i].shape);
  if (details.empty()) return OkStatus();
  return BranchesDiffer(sources[0], sources[i],
                        TypesText(Inner(results[0].tensors)),
                        TypesText(Inner(results[i].tensors)), details);
}

Results Branches(bool is_if, const Tensor& selector,
                 const std::vector<const BranchPart*>& parts,
                 const std::vector<std::string>& suffixes,
                 const std::string& name) {
  return Guarded([&] {
    std::vector<Results> results(parts.size());
    const std::vector<BranchSource> sources =
        Sources(parts, &results, suffixes);
    auto check = [&](size_t i) { return CheckStructure(sources, results, i); };
    const TensorVector outputs =
        is_if ? BuildIf(Inner(selector), sources, name, check)
              : BuildCase(Inner(selector), sources, name, check);
    return Results{Outer(outputs), results[0].shape};
  });
}

InnerTensor CheckedIndex(const Tensor& index) {
  const InnerTensor t = Inner(index);
  ThrowIfError(CheckBranchIndex(t));
  return t;
}

// An eager integer scalar.
int64_t Integer(const InnerTensor& t) {
  if (t.is_symbolic()) {
    throw ::gk::Error(TypeError(
        "The value of a tensor is not known: it belongs to a function that "
        "was traced"));
  }
  return t.dtype() == InnerType::kInt32 ? *t.data<int32_t>()
                                        : *t.data<int64_t>();
}

void CheckParallel(const WhileOptions& options) {
  if (options.parallel_iterations < 1) {
    throw ::gk::Error(
        ValueError("'parallel_iterations' must be a positive integer."));
  }
}

LoopSource SourceOf(const WhileOptions& options, Place enters, Place repeats) {
  LoopSource loop;
  loop.name = options.name;
  loop.parallel_iterations = options.parallel_iterations;
  loop.maximum_iterations = InnerOrNull(options.maximum_iterations);
  for (const Shape& s : options.shape_invariants) {
    loop.invariants.push_back(Inner(s));
  }
  loop.enters = PlaceText(enters);
  loop.repeats = PlaceText(repeats);
  return loop;
}

Status CheckLoopStructure(const ResultShape& before, const ResultShape& after,
                          const LoopSource& loop) {
  const std::string details = Difference(before, after);
  if (details.empty()) return OkStatus();
  return ValueError(
      "The two structures don't have the same nested structure: the loop "
      "variables before and after an iteration.{} {}",
      LoopPlaces(loop), details);
}

}  // namespace

bool IsStaged() {
  EnsureReady();
  return OpBuilder::Current()->builds_graph();
}

bool Truth(const Tensor& t, const char* what) {
  return Guarded([&] {
    const InnerTensor inner = Inner(t);
    ThrowIfError(CheckCondition(inner, what));
    if (inner.is_symbolic()) {
      throw ::gk::Error(TypeError(
          "{} is not known: it belongs to a function that was traced", what));
    }
    return *inner.data<bool>();
  });
}

size_t CaseOf(const Tensor& index, size_t n) {
  return Guarded([&] {
    if (n == 0) {
      throw ::gk::Error(
          ValueError("Must provide at least one item in branch_fns"));
    }
    InnerTensor chosen = CheckedIndex(index);
    if (chosen.dtype() != InnerType::kInt32) {
      chosen = MakeOp1("Cast", {chosen}, {{"DstT", InnerType::kInt64}});
    }
    const int64_t i = Integer(chosen);
    return i < 0 || i >= static_cast<int64_t>(n) ? n - 1
                                                 : static_cast<size_t>(i);
  });
}

Results StagedIf(const Tensor& pred, const BranchPart& yes,
                 const BranchPart& no, const std::string& name) {
  Guarded([&] { ThrowIfError(CheckCondition(Inner(pred), "pred")); });
  return Branches(true, pred, {&yes, &no}, {"true", "false"}, name);
}

Results StagedCase(const Tensor& index, const std::vector<BranchPart>& branches,
                   const std::string& name) {
  if (branches.empty()) {
    ThrowPublic(ValueError("Must provide at least one item in branch_fns"));
  }
  std::vector<const BranchPart*> parts;
  std::vector<std::string> suffixes;
  for (const BranchPart& b : branches) {
    suffixes.push_back(Format("branch{}", parts.size()));
    parts.push_back(&b);
  }
  Guarded([&] { CheckedIndex(index); });
  return Branches(false, index, parts, suffixes, name);
}

Results StagedWhile(const Results& start, const LoopParts& parts,
                    const WhileOptions& options) {
  return Guarded([&] {
    CheckParallel(options);
    const LoopSource loop = SourceOf(options, parts.enters, parts.repeats);
    auto inside = [&](std::span<const InnerTensor> state) {
      return Results{Outer(TensorVector(state.begin(), state.end())),
                     start.shape};
    };
    const TensorVector end = BuildLoop(
        Inner(start.tensors), loop,
        [&](std::span<const InnerTensor> state) {
          return Inner(parts.condition(inside(state)));
        },
        [&](std::span<const InnerTensor> state, LateVariables*) {
          Results after;
          parts.body(inside(state), &after);
          ThrowIfError(CheckLoopStructure(start.shape, after.shape, loop));
          return Inner(after.tensors);
        });
    return Results{Outer(end), start.shape};
  });
}

void AssertCases(const std::vector<Tensor>& preds, bool any, bool exclusive) {
  Guarded([&] {
    TensorVector conditions;
    for (const Tensor& p : preds) {
      conditions.push_back(Inner(p));
      ThrowIfError(CheckCondition(conditions.back(), "pred"));
    }
    if (!any && !exclusive) return;
    const auto n = static_cast<int64_t>(conditions.size());
    const InnerTensor all =
        MakeOp("Pack", conditions, {{"N", n}, {"axis", int64_t{0}}})[0];
    const InnerTensor axis = ConstantHere(InnerTensor::Scalar(int32_t{0}));
    auto check = [&](const InnerTensor& holds, const std::string& text) {
      MakeOp("Assert",
             TensorVector{holds, ConstantHere(InnerTensor::Scalar(text)), all});
    };
    if (any) {
      check(MakeOp1("Any", {all, axis}),
            "None of conditions evaluated as True. Conditions: Values:");
    }
    if (exclusive) {
      const InnerTensor count = MakeOp1(
          "Sum", {MakeOp1("Cast", {all}, {{"DstT", InnerType::kInt32}}), axis});
      check(MakeOp1("LessEqual",
                    {count, ConstantHere(InnerTensor::Scalar(int32_t{1}))}),
            "Input error: exclusive=True: more than 1 conditions evaluated as "
            "True. Conditions:");
    }
  });
}

EagerLoop::EagerLoop(const Results& start, const WhileOptions& options,
                     Place enters, Place repeats)
    : shape_(start.shape), enters_(enters), repeats_(repeats) {
  Guarded([&] {
    CheckParallel(options);
    if (options.maximum_iterations.defined()) {
      left_ = std::max<int64_t>(
          Integer(IterationLimit(Inner(options.maximum_iterations))), 0);
    }
    for (const Tensor& t : start.tensors) dtypes_.push_back(t.dtype());
  });
}

bool EagerLoop::MayGoOn() {
  if (left_ < 0) return true;
  return left_-- > 0;
}

void EagerLoop::Check(const Results& after) const {
  bool same = after.tensors.size() == dtypes_.size() &&
              after.shape.sizes == shape_.sizes &&
              after.shape.keys == shape_.keys;
  for (size_t i = 0; same && i < dtypes_.size(); ++i) {
    same = after.tensors[i].dtype() == dtypes_[i];
  }
  for (size_t i = 0; same && i < shape_.arrays.size(); ++i) {
    same = after.shape.arrays[i].dtype() == shape_.arrays[i].dtype();
  }
  if (same) return;
  const LoopSource loop = SourceOf({}, enters_, repeats_);
  const Status structure = CheckLoopStructure(shape_, after.shape, loop);
  if (!structure.ok()) ThrowPublic(structure);
  for (size_t i = 0; i < dtypes_.size() && i < after.tensors.size(); ++i) {
    const Status s = CheckLoopDtype(i, Inner(dtypes_[i]),
                                    Inner(after.tensors[i].dtype()), loop);
    if (!s.ok()) ThrowPublic(s);
  }
}

Tensor And(const Tensor& a, const Tensor& b) {
  if (!b.defined()) return a;
  return Guarded(
      [&] { return Outer(MakeOp1("LogicalAnd", {Inner(a), Inner(b)})); });
}

}  // namespace gk::api::detail
