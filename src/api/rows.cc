// Rows of tensors and numbers of ranges, for loops over them.
#include <limits>
#include <optional>

#include "api/inner.h"
#include "api/place.h"
#include "api/staged_host.h"
#include "function/loop_builder.h"
#include "function/row_loops.h"
#include "graphkiln/staging.h"
#include "ops/composition.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Cast.h"
#include "ops/fn/FloorDiv.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Sub.h"

namespace gk::api::detail {
namespace {

InnerTensor Int64(int64_t value) {
  return ConstantHere(InnerTensor::Scalar(value));
}
InnerTensor CastTo(const InnerTensor& t, InnerType dtype) {
  if (t.dtype() == dtype) return t;
  return ::gk::ops::Cast(t, dtype);
}

void CheckBound(const InnerTensor& t) {
  if (t.dtype() != InnerType::kInt32 && t.dtype() != InnerType::kInt64) {
    throw ::gk::Error(
        TypeError("The bounds of for_range must be int32 or "
                  "int64, got {}",
                  DataTypeName(t.dtype())));
  }
  const PartialTensorShape shape = t.partial_shape();
  if (!shape.unknown_rank() && shape.rank() != 0) {
    throw ::gk::Error(
        ValueError("The bounds of for_range must be scalars, "
                   "got shape {}",
                   shape.PythonString()));
  }
}

}  // namespace

Tensor Narrow(const Tensor& i) {
  return Guarded([&] { return Outer(CastTo(Inner(i), InnerType::kInt32)); });
}

Range::Range(const Argument& begin, const Argument& end, int64_t step)
    : step_(step) {
  const std::vector<Tensor> bounds = Operands({begin, end}, "tt");
  Guarded([&] {
    const InnerTensor from = Inner(bounds[0]), to = Inner(bounds[1]);
    CheckBound(from);
    CheckBound(to);
    if (from.dtype() != to.dtype()) {
      throw ::gk::Error(
          TypeError("The bounds of for_range are of dtype {} "
                    "and {}",
                    DataTypeName(from.dtype()), DataTypeName(to.dtype())));
    }
    if (step == 0 || step == std::numeric_limits<int64_t>::min()) {
      throw ::gk::Error(ValueError("The step of for_range is {}", step));
    }
    begin_ = bounds[0];
    const InnerTensor low = CastTo(step > 0 ? from : to, InnerType::kInt64);
    const InnerTensor high = CastTo(step > 0 ? to : from, InnerType::kInt64);
    InnerTensor n = ::gk::ops::Sub(high, low);
    const int64_t size = step > 0 ? step : -step;
    if (size != 1) {
      const InnerTensor rounded = ::gk::ops::AddV2(n, Int64(size - 1));
      n = ::gk::ops::FloorDiv(rounded, Int64(size));
    }
    count_ = Outer(n);
  });
}

Tensor Range::At(const Tensor& k) const {
  return Guarded([&] {
    const InnerTensor begin = Inner(begin_);
    InnerTensor i = Inner(k);
    if (step_ != 1) i = ::gk::ops::Mul(i, Int64(step_));
    return Outer(::gk::ops::AddV2(begin, CastTo(i, begin.dtype())));
  });
}

void ThrowNoElems() {
  throw ::gk::Error(ValueError(
      "elems must be a Tensor or a structure of Tensors, and hold one"));
}

namespace {

void CheckElements(const Results& elements) {
  if (elements.tensors.empty() || !elements.form.arrays.empty()) {
    ThrowNoElems();
  }
}

}  // namespace

Rows::Rows(const Results& elements) : form_(elements.form) {
  Guarded([&] {
    CheckElements(elements);
    EnsureReady();
    rows_ = std::make_shared<::gk::Rows>(Inner(elements.tensors));
  });
}

Tensor Rows::count() const {
  return Guarded([&] { return Outer(rows_->Count()); });
}

Tensor Rows::wide_count() const {
  return Guarded(
      [&] { return Outer(CastTo(rows_->Count(), InnerType::kInt64)); });
}

Results Rows::row(const Tensor& i) const {
  return Guarded([&] { return Results{Outer(rows_->Row(Inner(i))), form_}; });
}

namespace {

using StepFn =
    std::function<void(const Results& state, const Results& row, Results*)>;

class Fold final : public LoopWords<RowHost> {
 public:
  Fold(const StepFn& f, Place where) : LoopWords(where, where), f_(f) {}
  StagedValue Step(const StagedValue& state, const StagedValue& row) override {
    Results next;
    f_(ResultsOf(state), ResultsOf(row), &next);
    return ValueOf(next);
  }
  Results Run(const Results& elements, const Results* initial,
              const FoldCall& call) {
    ThrowIfError(CheckParallelIterations(call.parallel_iterations));
    std::optional<StagedValue> start;
    if (initial != nullptr) start = ValueOf(*initial);
    ::gk::FoldOptions options;
    options.name = call.name;
    options.parallel_iterations = call.parallel_iterations;
    options.reverse = call.reverse;
    options.infer_shape = call.infer_shape;
    return ResultsOf(
        call.scans ? Scan(*this, ValueOf(elements), start, options)
                   : ::gk::Fold(*this, ValueOf(elements), start, options));
  }

 private:
  const StepFn& f_;
};

}  // namespace

Results FoldRows(const Results& elements, const Results* initial,
                 const StepFn& f, const FoldCall& call, Place where) {
  return Guarded([&] {
    CheckElements(elements);
    EnsureReady();
    return Fold(f, where).Run(elements, initial, call);
  });
}

namespace {

using RowFn = std::function<void(const Results&, Results*)>;

void CheckMapped(const Results& result) {
  if (result.form.arrays.empty()) return;
  throw ::gk::Error(
      TypeError("The function of map_fn cannot return a TensorArray"));
}

class RowFunction final : public LoopWords<PartHost> {
 public:
  RowFunction(const Results& elements, const RowFn& f, Place where)
      : LoopWords(where, where), elements_(elements), f_(f), where_(where) {}
  TensorVector Parts(const InnerTensor&, const TensorVector& row) override {
    Results result;
    f_({Outer(row), elements_.form}, &result);
    if (!loop_) {
      CheckMapped(result);
      loop_.emplace(result, WhileOptions(), where_, where_);
      first_ = result;
    } else {
      loop_->Check(result);
    }
    return Inner(result.tensors);
  }
  Results Map(const WhileOptions& options) && {
    ::gk::FoldOptions loop;
    loop.name = options.name;
    loop.parallel_iterations = options.parallel_iterations;
    const TensorVector tensors = Inner(elements_.tensors);
    first_.tensors = Outer(::gk::MapRows(*this, ::gk::Rows(tensors), loop));
    return std::move(first_);
  }

 private:
  const Results& elements_;
  const RowFn& f_;
  Place where_;
  std::optional<EagerLoop> loop_;  // compares what it gives for all rows
  Results first_;
};

}  // namespace

Results MapRows(const Results& elements, const RowFn& f,
                const WhileOptions& options, Place where) {
  return Guarded([&] {
    ThrowIfError(CheckParallelIterations(options.parallel_iterations));
    CheckElements(elements);
    EnsureReady();
    return RowFunction(elements, f, where).Map(options);
  });
}

Results MapRowsSharing(const Results& elements, const RowFn& f,
                       const WhileOptions& options, Place where) {
  const TensorVector tensors =
      Guarded([&] { return OfOneLength(Inner(elements.tensors)); });
  Results batched;
  // What stands for each tensor in a call; null if it is its row.
  std::vector<Tensor> shared(tensors.size());
  Guarded([&] {
    std::vector<std::vector<PartialTensorShape>> shapes;
    for (const InnerTensor& t : tensors) shapes.push_back({t.partial_shape()});
    const std::vector<bool> is_shared = SharedByRows(shapes);
    batched.form.arrays = elements.form.arrays;
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (is_shared[i]) {
        shared[i] =
            Outer(CallComposition("gather", {tensors[i], Int32Of(0)})[0]);
      } else {
        batched.tensors.push_back(Outer(tensors[i]));
      }
    }
  });
  auto call = [&](const Results& row, Results* out) {
    Results all{shared, elements.form};
    size_t next = 0;
    for (Tensor& t : all.tensors) {
      if (!t.defined()) t = row.tensors[next++];
    }
    f(all, out);
  };
  return MapRows(batched, call, options, where);
}

}  // namespace gk::api::detail
