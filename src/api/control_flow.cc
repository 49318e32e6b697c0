// Branches and loops of the public interface; what they have to do with
// structures. The nodes are built in function/.
#include <algorithm>

#include "api/inner.h"
#include "api/place.h"
#include "api/staged_host.h"
#include "function/branch_builder.h"
#include "function/loop_builder.h"
#include "function/ragged/checks.h"
#include "graphkiln/staging.h"
#include "ops/fn/Cast.h"
#include "ops/fn/LogicalAnd.h"

namespace gk::api::detail {
namespace {

class Branches final : public ApiHost<BranchHost> {
 public:
  explicit Branches(const std::vector<const BranchPart*>& parts)
      : parts_(parts), results_(parts.size()) {}

  void Run(size_t b) override { parts_[b]->run(&results_[b]); }
  StagedValue Value(size_t b, size_t) override { return ValueOf(results_[b]); }
  void SetResult(size_t, const StagedValue& value) override {
    chosen_ = ResultsOf(value);
  }
  std::string Label(size_t b) const override { return parts_[b]->label; }
  std::string Place(size_t b) const override {
    return PlaceText(parts_[b]->where);
  }
  Results Build(BranchKind kind, const Tensor& selector,
                const std::string& name) && {
    BuildBranches(kind, Inner(selector), parts_.size(), name, *this);
    return std::move(chosen_);
  }

 private:
  const std::vector<const BranchPart*>& parts_;
  std::vector<Results> results_;
  Results chosen_;
};

class Loop final : public LoopWords<StagedLoop> {
 public:
  Loop(const Results& start, const LoopParts& parts)
      : LoopWords(parts.enters, parts.repeats),
        parts_(parts),
        state_(this, {ValueOf(start)}) {}

  LoopState& Start() override { return state_; }
  void Set(std::vector<StagedValue> values, StagedLoop::Place,
           const ListsFn&) override {
    now_ = ResultsOf(values[0]);
  }
  InnerTensor Condition(const InnerTensor&) override {
    return Inner(parts_.condition(now_));
  }
  void Body(const InnerTensor&) override {
    Results after;
    parts_.body(now_, &after);
    now_ = std::move(after);
  }
  std::vector<StagedValue> Get() override { return {ValueOf(now_)}; }
  Results& now() { return now_; }

 private:
  const LoopParts& parts_;
  LoopState state_;
  Results now_;
};

// Compares the iterations of a loop that runs now.
class EagerWords final : public LoopWords<LoopHost> {
 public:
  using LoopWords::LoopWords;
  void Check(const StagedValue& before, const Results& after) {
    const StagedValue now = ValueOf(after);
    ThrowIfError(CheckIteration(*this, before, now));
    ThrowIfError(CheckLoopDtypes(*this, before, now));
  }
};

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

LoopOptions Inner(const WhileOptions& options) {
  ThrowIfError(CheckParallelIterations(options.parallel_iterations));
  return {options.name, InnerOrNull(options.maximum_iterations),
          options.parallel_iterations};
}

}  // namespace

bool IsStaged() {
  EnsureReady();
  return OpBuilder::Current()->builds_graph();
}

bool Truth(const Tensor& t, const char* what) {
  return Guarded([&] { return TruthNow(Branches({}), Inner(t), what); });
}

size_t CaseOf(const Tensor& index, size_t n) {
  return Guarded([&] {
    if (n == 0) {
      throw ::gk::Error(
          ValueError("Must provide at least one item in branch_fns"));
    }
    InnerTensor chosen = CheckedIndex(index);
    if (chosen.dtype() != InnerType::kInt32) {
      chosen = ::gk::ops::Cast(chosen, InnerType::kInt64);
    }
    const int64_t i = Integer(chosen);
    return i < 0 || i >= static_cast<int64_t>(n) ? n - 1
                                                 : static_cast<size_t>(i);
  });
}

Results StagedIf(const Tensor& pred, const BranchPart& yes,
                 const BranchPart& no, const std::string& name) {
  return Guarded([&] {
    return Branches({&yes, &no}).Build(BranchKind::kIf, pred, name);
  });
}

Results StagedCase(const Tensor& index, const std::vector<BranchPart>& branches,
                   const std::string& name) {
  return Guarded([&] {
    if (branches.empty()) {
      throw ::gk::Error(
          ValueError("Must provide at least one item in branch_fns"));
    }
    std::vector<const BranchPart*> parts;
    for (const BranchPart& b : branches) parts.push_back(&b);
    return Branches(parts).Build(BranchKind::kCase, index, name);
  });
}

Results StagedWhile(const Results& start, const LoopParts& parts,
                    const WhileOptions& options) {
  return Guarded([&] {
    const LoopOptions inner = Inner(options);
    Loop loop(start, parts);
    if (!options.shape_invariants.empty()) {
      loop.Start().SetInvariant(0, InnerList(options.shape_invariants));
    }
    BuildLoop(loop, inner);
    return std::move(loop.now());
  });
}

std::shared_ptr<void> AssertCases(const std::vector<Tensor>& preds, bool any,
                                  bool exclusive) {
  return Guarded([&] {
    TensorVector conditions;
    for (const Tensor& p : preds) {
      conditions.push_back(Inner(p));
      ThrowIfError(CheckCondition(Branches({}), conditions.back(), "pred"));
    }
    Checks checks;
    if (any) checks.AnyCase(conditions);
    if (exclusive) checks.OneCase(conditions);
    return std::shared_ptr<void>(std::make_shared<Checks::Scope>(checks));
  });
}

EagerLoop::EagerLoop(const Results& start, const WhileOptions& options,
                     Place enters, Place repeats)
    : form_(start.form), enters_(enters), repeats_(repeats) {
  Guarded([&] {
    const InnerTensor limit = Inner(options).maximum_iterations;
    if (limit) left_ = std::max<int64_t>(Integer(IterationLimit(limit)), 0);
    for (const Tensor& t : start.tensors) dtypes_.push_back(t.dtype());
  });
}

bool EagerLoop::MayGoOn() {
  if (left_ < 0) return true;
  return left_-- > 0;
}

void EagerLoop::Check(const Results& after) const {
  bool same = after.tensors.size() == dtypes_.size() &&
              after.form.structure == form_.structure &&
              after.form.plain == form_.plain;
  for (size_t i = 0; same && i < dtypes_.size(); ++i) {
    same = after.tensors[i].dtype() == dtypes_[i];
  }
  for (size_t i = 0; same && i < form_.arrays.size(); ++i) {
    same = after.form.arrays[i].dtype() == form_.arrays[i].dtype();
  }
  if (same) return;
  Guarded([&] {
    // Of what it began with only the dtypes are left.
    TensorVector start;
    for (const DataType dtype : dtypes_) {
      start.push_back(
          ValueOrThrow(InnerTensor::Zeros(Inner(dtype), TensorShape())));
    }
    EagerWords(enters_, repeats_)
        .Check(StagedOf(std::move(start), form_), after);
  });
}

Tensor And(const Tensor& a, const Tensor& b) {
  if (!b.defined()) return a;
  return Guarded(
      [&] { return Outer(::gk::ops::LogicalAnd(Inner(a), Inner(b))); });
}

}  // namespace gk::api::detail
