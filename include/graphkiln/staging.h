// What control_flow.h, carry.h and map.h have in common: how branches and
// parts of loops are taken apart, run and put together. Not called by
// programs.
#ifndef GRAPHKILN_STAGING_H_
#define GRAPHKILN_STAGING_H_

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <graphkiln/argument.h>
#include <graphkiln/call_structure.h>
#include <graphkiln/place.h>

namespace gk {

class Rows;

GK_API_NAMESPACE {

// Of while_loop.
struct WhileOptions {
  std::string name = "while";
  // The loop stops after so many iterations; not defined(): no limit.
  Tensor maximum_iterations = {};
  int64_t parallel_iterations = 10;  // written into the graph
  // Of all tensors among the loop variables, in order: a tensor may change
  // its shape from one iteration to the next only as far as its invariant
  // allows. Empty: not at all. Traced functions only.
  std::vector<Shape> shape_invariants = {};
};

namespace detail {

template <class T>
Results Apart(const T& value) {
  Results parts;
  Flatten(&parts, value);
  return parts;
}
template <class T>
T Together(const Results& parts) {
  return Read<T>(parts.tensors, parts.form);
}
template <class T>
Staged<T> Normal(const T& value) {
  return Together<Staged<T>>(Apart(value));
}

// Calls `f` with the items of a tuple, or with what is no tuple.
template <class F, class T>
decltype(auto) Spread(F& f, const T& value) {
  if constexpr (kIsTuple<T>) {
    return std::apply(f, value);
  } else {
    return f(value);
  }
}

// A branch: what it returns.
struct BranchPart {
  std::function<void(Results*)> run;
  std::string label;
  Place where;
};
// The parts of a loop: of the loop variables.
struct LoopParts {
  std::function<Tensor(const Results&)> condition;
  std::function<void(const Results&, Results*)> body;
  Place enters, repeats;
};

// Is a function being traced here?
GK_EXPORT bool IsStaged();
// The value of a bool scalar. Throws Error (TypeError, ValueError) if it is
// none.
GK_EXPORT bool Truth(const Tensor& t, const char* what);
// Which of n branches an index chooses: the last for one without a branch.
GK_EXPORT size_t CaseOf(const Tensor& index, size_t n);
// Nodes of the function that is traced.
GK_EXPORT Results StagedIf(const Tensor& pred, const BranchPart& yes,
                           const BranchPart& no, const std::string& name);
GK_EXPORT Results StagedCase(const Tensor& index,
                             const std::vector<BranchPart>& branches,
                             const std::string& name);
GK_EXPORT Results StagedWhile(const Results& start, const LoopParts& parts,
                              const WhileOptions& options);
// Throws Error (InvalidArgument) unless, if `any`, one of `preds` holds, and
// if `exclusive` only one. Nodes that are made while the result lives wait for
// the assertions.
[[nodiscard]] GK_EXPORT std::shared_ptr<void> AssertCases(
    const std::vector<Tensor>& preds, bool any, bool exclusive);

// Counts and compares the iterations of a loop that runs now.
class GK_EXPORT EagerLoop {
 public:
  EagerLoop(const Results& start, const WhileOptions& options, Place enters,
            Place repeats);
  bool MayGoOn();
  // Throws Error (TypeError, ValueError) if the variables after an iteration
  // are not those that it began with in structure and dtype.
  void Check(const Results& after) const;

 private:
  std::vector<DataType> dtypes_;
  Form form_;
  int64_t left_ = -1;
  Place enters_, repeats_;
};

// Invariants for n scalars behind the loop variables.
inline WhileOptions WithScalars(WhileOptions options, int n) {
  if (!options.shape_invariants.empty()) {
    options.shape_invariants.resize(options.shape_invariants.size() + n);
  }
  return options;
}

// Both, or `a` if `b` is not defined().
GK_EXPORT Tensor And(const Tensor& a, const Tensor& b);

// As an int32 scalar.
GK_EXPORT Tensor Narrow(const Tensor& i);

// begin, begin + step, ... below `end`; above, for a negative step.
class GK_EXPORT Range {
 public:
  // Throws Error: TypeError unless both are integers of one dtype,
  // ValueError if they are no scalars or `step` is 0.
  Range(const Argument& begin, const Argument& end, int64_t step);
  // How many there are, an int64 scalar.
  const Tensor& count() const { return count_; }
  // The one with the number `k`, an int64 scalar.
  Tensor At(const Tensor& k) const;

 private:
  Tensor begin_, count_;
  int64_t step_;
};

// The rows of the tensors of a structure.
class GK_EXPORT Rows {
 public:
  // Throws Error (ValueError) if there is no tensor, one is a scalar, or the
  // lengths differ.
  explicit Rows(const Results& elements);
  // How many there are, an int32 scalar; and an int64 one.
  Tensor count() const;
  Tensor wide_count() const;
  // In their structure, for an integer scalar.
  Results row(const Tensor& i) const;

 private:
  Form form_;
  std::shared_ptr<const gk::Rows> rows_;
};

// How rows are folded.
struct FoldCall {
  std::string name;  // of the loop
  int64_t parallel_iterations;
  bool reverse = false;
  // Are all states the result, stacked, or the last one?
  bool scans = false;
  // Of scans: must all states have one shape?
  bool infer_shape = true;
};
// `f(state, row)` of one row after the other; `initial` is the state before
// the first row, or null: the first row.
GK_EXPORT Results FoldRows(
    const Results& elements, const Results* initial,
    const std::function<void(const Results& state, const Results& row,
                             Results*)>& f,
    const FoldCall& call, Place where);

// `f` of each row, stacked.
GK_EXPORT Results MapRows(
    const Results& elements,
    const std::function<void(const Results&, Results*)>& f,
    const WhileOptions& options, Place where);
// The same, where tensors of one row have that row for every call.
GK_EXPORT Results MapRowsSharing(
    const Results& elements,
    const std::function<void(const Results&, Results*)>& f,
    const WhileOptions& options, Place where);

}  // namespace detail
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_STAGING_H_
