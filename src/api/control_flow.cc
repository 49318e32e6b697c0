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
    return Format("No common supertype of {} and {}.", a.arrays[i].to_string(),
                  b.arrays[i].to_string());
  }
  return "";
}

// What C++ says of tensors and structures.
template <class Host>
class ApiHost : public Host {
 public:
  std::string_view prefix() const override { return "gk::"; }
  std::string Text(InnerType dtype) const override {
    return std::string(DataTypeName(dtype));
  }
  std::string Text(const InnerTensor& t) const override {
    return Format("Tensor(shape={}, dtype={})",
                  t.partial_shape().PythonString(), DataTypeName(t.dtype()));
  }
  std::string Text(const StagedValue& value) const override {
    std::string text = "(";
    for (const InnerTensor& t : value.leaves) {
      text += (text.size() > 1 ? ", " : "") + Text(t);
    }
    return text + ")";
  }
  Status Compare(size_t, const StagedValue& a, const StagedValue& b) override {
    const std::string details = Difference(ShapeOf(a), ShapeOf(b));
    return details.empty() ? OkStatus() : ValueError("{}", details);
  }

 protected:
  static StagedValue ValueOf(const Results& results) {
    StagedValue value;
    value.kind = StagedValue::Kind::kTensors;
    value.leaves = Inner(results.tensors);
    value.host = std::make_shared<ResultShape>(results.shape);
    return value;
  }
  static const ResultShape& ShapeOf(const StagedValue& value) {
    return *static_cast<const ResultShape*>(value.host.get());
  }
  static Results ResultsOf(const StagedValue& value) {
    return {Outer(value.leaves), ShapeOf(value)};
  }
};

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

// The words of an eager or a traced loop.
template <class Host>
class LoopWords : public ApiHost<Host> {
 public:
  LoopWords(Place enters, Place repeats)
      : where_(Format(" (the loop variables enter at {}, the body is at {})",
                      PlaceText(enters), PlaceText(repeats))) {}

  Status Compare(size_t i, const StagedValue& a,
                 const StagedValue& b) override {
    const Status status = ApiHost<Host>::Compare(i, a, b);
    if (status.ok()) return status;
    return status.Prepend(
        Format("The two structures don't have the same nested structure: the "
               "loop variables before and after an iteration.{} ",
               where_));
  }
  std::string LeafName(size_t, size_t k) const override {
    return Format("loop_vars[{}]", k);
  }
  std::string WhereWritten() const override { return where_; }

 private:
  std::string where_;
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
    const InnerTensor holds = Inner(parts_.condition(now_));
    ThrowIfError(CheckCondition(*this, holds, "The condition of a loop")
                     .Append(WhereWritten()));
    return holds;
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
  void CheckStructure(const ResultShape& before, const Results& after) {
    ThrowIfError(Compare(0, ValueOf({{}, before}), ValueOf(after)));
  }
};

Status CheckTruth(const InnerTensor& t, std::string_view what) {
  return CheckCondition(Branches({}), t, what);
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
  return Guarded([&] {
    const InnerTensor inner = Inner(t);
    ThrowIfError(CheckTruth(inner, what));
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
  return Guarded([&] {
    ThrowIfError(CheckTruth(Inner(pred), "pred"));
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
    CheckedIndex(index);
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

void AssertCases(const std::vector<Tensor>& preds, bool any, bool exclusive) {
  Guarded([&] {
    TensorVector conditions;
    for (const Tensor& p : preds) {
      conditions.push_back(Inner(p));
      ThrowIfError(CheckTruth(conditions.back(), "pred"));
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
              after.shape.sizes == shape_.sizes &&
              after.shape.keys == shape_.keys;
  for (size_t i = 0; same && i < dtypes_.size(); ++i) {
    same = after.tensors[i].dtype() == dtypes_[i];
  }
  for (size_t i = 0; same && i < shape_.arrays.size(); ++i) {
    same = after.shape.arrays[i].dtype() == shape_.arrays[i].dtype();
  }
  if (same) return;
  Guarded([&] {
    EagerWords words(enters_, repeats_);
    words.CheckStructure(shape_, after);
    for (size_t i = 0; i < dtypes_.size(); ++i) {
      ThrowIfError(CheckLoopDtype(words, words.LeafName(0, i),
                                  Inner(dtypes_[i]),
                                  Inner(after.tensors[i].dtype())));
    }
  });
}

Tensor And(const Tensor& a, const Tensor& b) {
  if (!b.defined()) return a;
  return Guarded([&] {
    return Outer(MakeOp1("LogicalAnd", {Inner(a), Inner(b)}));
  });
}

}  // namespace gk::api::detail
