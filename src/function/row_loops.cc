#include "function/row_loops.h"

#include <algorithm>
#include <set>

#include "base/format.h"
#include "function/control_flow.h"
#include "function/loop_builder.h"
#include "function/node_scope.h"
#include "ops/composition.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Greater.h"
#include "ops/fn/Less.h"
#include "ops/fn/LogicalAnd.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Mul.h"
#include "ops/fn/NotEqual.h"
#include "ops/fn/Range.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Sub.h"

namespace gk {
namespace {

// A loop that speaks as a host does.
class HostedLoop : public StagedLoop {
 public:
  explicit HostedLoop(LoopHost* words) : words_(words) {}
  void Begin(FuncGraph* part) override { words_->Begin(part); }
  void End(FuncGraph* part) override { words_->End(part); }
  std::string LeafName(size_t k, const Tensor& before) const override {
    return words_->LeafName(k, before);
  }
  std::string WhereWritten() const override { return words_->WhereWritten(); }
  std::string_view prefix() const override { return words_->prefix(); }
  std::string Text(DataType dtype) const override {
    return words_->Text(dtype);
  }
  std::string Text(const Tensor& t) const override { return words_->Text(t); }
  std::string Text(const StagedValue& v) const override {
    return words_->Text(v);
  }
  std::unique_ptr<StructureWords> Words(const StagedValue& a,
                                        const StagedValue& b) override {
    return words_->Words(a, b);
  }
  Status ComparisonError() override { return words_->ComparisonError(); }
  std::string ArrayText(const StagedValue& v, size_t k) const override {
    return words_->ArrayText(v, k);
  }

 private:
  LoopHost* words_;
};

// A fold or a scan: what is carried are the number of the row, the state and
// the lists of the states so far.
class RowLoop final : public HostedLoop {
 public:
  RowLoop(RowHost* host, const StagedValue& elements,
          const std::optional<StagedValue>& initial, const FoldOptions& options,
          bool keeps_states)
      : HostedLoop(host),
        host_(host),
        elements_(elements),
        rows_(elements.tensors()),
        options_(options),
        first_(initial ? 0 : 1),
        keeps_states_(keeps_states) {
    now_ = initial ? *initial : RowAt(First());
    if (!keeps_states) return;
    for (const Tensor& t : now_.tensors()) {
      TensorArrayFacts facts;
      facts.dtype = t.dtype();
      facts.infer_shape = options.infer_shape;
      arrays_.push_back(TensorArrayImpl::Make(
          facts, Size(),
          options.infer_shape ? t.partial_shape() : PartialTensorShape(), ""));
    }
    if (!initial) Keep(First(), now_);
  }

  // --- Traced.
  LoopState& Start() override { return *state_; }
  void Set(std::vector<StagedValue> values, Place, const ListsFn&) override {
    i_ = values[0].leaves[0];
    now_ = std::move(values[1]);
    for (size_t k = 0; k < arrays_.size(); ++k) {
      arrays_[k] = arrays_[k]->WithFlow(values[2].leaves[k], /*alone=*/false);
    }
  }
  Tensor Condition(const Tensor&) override {
    return ops::Less(i_, rows_.Count("Less/y"));
  }
  void Body(const Tensor&) override {
    const Tensor place = PlaceOf(i_);
    const StagedValue row = RowAt(place);
    if (!keeps_states_) i_ = PlusNumber(i_, 1);
    now_ = host_->Step(now_, row);
    if (keeps_states_) {
      Keep(place, now_);
      i_ = PlusNumber(i_, 1);
    }
  }
  std::vector<StagedValue> Get() override {
    return {StagedValue::Of({i_}), now_, StagedValue::Of(Flows())};
  }
  void Trace() {
    i_ = ValueOrThrow(
        OpBuilder::Current()->Constant(Tensor::Scalar(first_), {}));
    state_.emplace(this, Get());
    LoopOptions options;
    options.name = options_.name;
    options.parallel_iterations = options_.parallel_iterations;
    options.maximum_iterations = rows_.Count("maximum_iterations");
    BuildLoop(*this, options);
  }

  // --- Eagerly.
  void Run() {
    const int64_t n = rows_.known_count();
    for (int32_t i = first_; i < n; ++i) {
      const Tensor place = Tensor::Scalar(
          static_cast<int32_t>(options_.reverse ? n - 1 - i : i));
      StagedValue next = host_->Step(now_, RowAt(place));
      ThrowIfError(CheckIteration(*host_, now_, next));
      if (!host_->lets_dtypes_vary()) {
        ThrowIfError(CheckLoopDtypes(*host_, now_, next));
      }
      now_ = std::move(next);
      Keep(place, now_);
    }
  }

  StagedValue Result() {
    if (OpBuilder::Current()->builds_graph()) {
      Trace();
    } else {
      Run();
    }
    if (!keeps_states_) return now_;
    TensorVector stacked;
    for (const TensorArrayImpl::Ptr& a : arrays_)
      stacked.push_back(a->Stack({}));
    return now_.With(stacked);
  }

 private:
  TensorVector Flows() const {
    TensorVector flows;
    for (const TensorArrayImpl::Ptr& a : arrays_) flows.push_back(a->Flow());
    return flows;
  }
  ArrayOperand Size() const {
    return ArrayOperand(
        [this](std::string_view name) { return rows_.Count(name); });
  }
  // The row that begins the fold.
  ArrayOperand First() const {
    if (!options_.reverse || rows_.known_count() >= 0) {
      const int64_t place = options_.reverse ? rows_.known_count() - 1 : 0;
      return ArrayOperand(
          [place](std::string_view name) { return Int32Of(place, name); });
    }
    return PlusNumber(rows_.Count(), -1);
  }
  Tensor PlaceOf(const Tensor& i) const {
    if (!options_.reverse) return i;
    FuncGraph* graph = FuncGraph::Current();
    const Tensor last = rows_.known_count() >= 0
                            ? Int32Of(rows_.known_count() - 1, "sub/x")
                            : PlusNumber(rows_.Count(), -1);
    return ops::Sub(OpName(graph != nullptr ? "sub" : ""), last, i);
  }
  StagedValue RowAt(const ArrayOperand& place) const {
    return elements_.With(rows_.Row(place));
  }
  void Keep(const ArrayOperand& place, const StagedValue& state) {
    const TensorVector tensors = state.tensors();
    for (size_t k = 0; k < arrays_.size() && k < tensors.size(); ++k) {
      arrays_[k] = arrays_[k]->Write(place, tensors[k], {});
    }
  }

  RowHost* host_;
  const StagedValue& elements_;
  Rows rows_;
  const FoldOptions& options_;
  int32_t first_;
  bool keeps_states_;
  Tensor i_;
  StagedValue now_;
  std::vector<TensorArrayImpl::Ptr> arrays_;
  std::optional<LoopState> state_;
};

// A map: what is carried are the number of the row and the lists of parts.
// Before the first call nothing may be known of those: they are then an open
// list of the loop.
class PartLoop final : public HostedLoop {
 public:
  PartLoop(PartHost* host, Rows rows,
           std::optional<std::span<const RowPart>> parts,
           const FoldOptions& options)
      : HostedLoop(host),
        host_(host),
        rows_(std::move(rows)),
        known_(parts.has_value()),
        options_(options) {
    if (!parts) return;
    parts_.assign(parts->begin(), parts->end());
    MakeArrays();
  }

  LoopState& Start() override { return *state_; }
  void Set(std::vector<StagedValue> values, Place,
           const ListsFn& lists) override {
    i_ = values[0].leaves[0];
    lists_ = lists;
    for (size_t k = 0; k < arrays_.size(); ++k) {
      arrays_[k] = arrays_[k]->WithFlow(values[1].leaves[k], /*alone=*/false);
    }
  }
  Tensor Condition(const Tensor&) override {
    return ops::Less(i_, rows_.Count("Less/y"));
  }
  void Body(const Tensor&) override {
    Keep(i_);
    i_ = PlusNumber(i_, 1);
  }
  std::vector<StagedValue> Get() override {
    TensorVector flows;
    for (const TensorArrayImpl::Ptr& a : arrays_) flows.push_back(a->Flow());
    return {StagedValue::Of({i_}), StagedValue::Of(std::move(flows))};
  }
  // The arrays before the loop, once the body has told what is in them.
  StagedValue Closed(const StagedValue&, const StagedValue&) override {
    MakeArrays();
    return Get()[1];
  }

  TensorVector Result() {
    if (OpBuilder::Current()->builds_graph()) {
      i_ = ValueOrThrow(
          OpBuilder::Current()->Constant(Tensor::Scalar(int32_t{0}), {}));
      std::vector<StagedValue> start = Get();
      if (!known_) start[1].kind = StagedValue::Kind::kOpenList;
      state_.emplace(this, std::move(start));
      LoopOptions options;
      options.name = options_.name;
      options.parallel_iterations = options_.parallel_iterations;
      options.maximum_iterations = rows_.Count("maximum_iterations");
      BuildLoop(*this, options);
    } else {
      const auto n = rows_.Count().scalar<int32_t>();
      if (n == 0 && !known_) return NoRows();
      for (int32_t i = 0; i < n; ++i) Keep(Tensor::Scalar(i));
    }
    TensorVector all;
    for (size_t k = 0; k < arrays_.size(); ++k) {
      all.push_back(parts_[k].joined ? arrays_[k]->Concat({})
                                     : arrays_[k]->Stack({}));
    }
    return all;
  }

 private:
  void MakeArrays() {
    arrays_.clear();
    for (const RowPart& part : parts_) {
      const ArrayOperand size(
          [this](std::string_view name) { return rows_.Count(name); });
      arrays_.push_back(
          TensorArrayImpl::Make(FactsOf(part), size, part.shape, ""));
    }
  }
  static TensorArrayFacts FactsOf(const RowPart& part) {
    TensorArrayFacts facts;
    facts.dtype = part.dtype;
    facts.infer_shape = part.infer_shape;
    return facts;
  }
  // Of the first call: its parts tell what is kept.
  void Learn(const TensorVector& first) {
    known_ = true;
    std::vector<HandleData> elements;
    for (const Tensor& t : first) {
      parts_.push_back({t.dtype(), t.partial_shape()});
      elements.push_back({{t.dtype(), t.partial_shape()}});
    }
    if (!OpBuilder::Current()->builds_graph()) return MakeArrays();
    const TensorVector& flows = lists_(1, elements);
    for (size_t k = 0; k < parts_.size(); ++k) {
      arrays_.push_back(TensorArrayImpl::OfFlow(FactsOf(parts_[k]), flows[k],
                                                parts_[k].shape));
    }
  }
  // What there is of no rows.
  TensorVector NoRows() {
    TensorVector like{Tensor::Scalar(int32_t{0})}, all;
    std::vector<PartialTensorShape> shapes{TensorShape()};
    for (const Tensor& t : rows_.tensors()) {
      like.push_back(t);
      shapes.push_back(RowShape(t.partial_shape()));
    }
    TracePart("map_row", like, shapes, [&](std::span<const Tensor> row) {
      const TensorVector parts =
          host_->Parts(row[0], TensorVector(row.begin() + 1, row.end()));
      for (const Tensor& t : parts) {
        std::vector<int64_t> dims{0};
        const PartialTensorShape shape = t.partial_shape();
        for (int64_t n : shape.dims()) dims.push_back(std::max<int64_t>(n, 0));
        all.push_back(ValueOrThrow(
            Tensor::Zeros(t.dtype(), ValueOrThrow(TensorShape::Make(dims)))));
      }
      return parts;
    });
    return all;
  }
  void Keep(const Tensor& place) {
    const TensorVector parts = host_->Parts(place, rows_.Row(place));
    if (!known_) Learn(parts);
    for (size_t k = 0; k < arrays_.size() && k < parts.size(); ++k) {
      arrays_[k] = arrays_[k]->Write(place, parts[k], {});
    }
  }

  PartHost* host_;
  Rows rows_;
  bool known_;
  std::vector<RowPart> parts_;
  const FoldOptions& options_;
  ListsFn lists_;
  Tensor i_;
  std::vector<TensorArrayImpl::Ptr> arrays_;
  std::optional<LoopState> state_;
};

}  // namespace

PartialTensorShape RowShape(const PartialTensorShape& shape) {
  return shape.unknown_rank() ? shape
                              : PartialTensorShape(shape.dims().subspan(1));
}

int64_t CommonLength(std::span<const PartialTensorShape> shapes,
                     std::string_view what) {
  int64_t length = -1;
  for (const PartialTensorShape& shape : shapes) {
    if (shape.unknown_rank()) continue;
    if (shape.rank() == 0) {
      throw Error(
          ValueError("{} must be 1+ dimensional Tensors, not scalars", what));
    }
    const int64_t n = shape.dim(0);
    if (n < 0) continue;
    if (length >= 0 && n != length) {
      throw Error(
          ValueError("Dimensions {} and {} are not compatible", length, n));
    }
    length = n;
  }
  return length;
}

std::vector<bool> SharedByRows(
    std::span<const std::vector<PartialTensorShape>> values) {
  std::set<int64_t> lengths;
  for (const auto& shapes : values) {
    for (const PartialTensorShape& shape : shapes) {
      const int64_t n = CommonLength({&shape, 1});
      if (n >= 0) lengths.insert(n);
    }
  }
  if (lengths.size() > 1u + lengths.contains(1)) {
    std::string all;
    for (const int64_t n : lengths) {
      all += Format("{}{}", all.empty() ? "" : ", ", n);
    }
    throw Error(InvalidArgument(
        "The tensors of `elems` must be equally long, got lengths [{}]", all));
  }
  std::vector<bool> shared;
  for (const auto& shapes : values) {
    shared.push_back(lengths.size() > 1 && !shapes.empty() &&
                     !shapes[0].unknown_rank() && shapes[0].dim(0) == 1);
  }
  return shared;
}

TensorVector OfOneLength(std::span<const Tensor> tensors) {
  TensorVector made(tensors.begin(), tensors.end());
  std::vector<int64_t> lengths;
  for (const Tensor& t : tensors) {
    const PartialTensorShape shape = t.partial_shape();
    lengths.push_back(CommonLength({&shape, 1}));
  }
  if (made.size() < 2 || std::ranges::find(lengths, -1) == lengths.end()) {
    return made;
  }
  const int64_t known = std::ranges::max(lengths);
  Tensor count;
  if (known > 1) {
    count = Int32Of(known);
  } else {
    for (size_t i = 0; i < made.size(); ++i) {
      if (lengths[i] >= 0) continue;
      const Tensor own = FirstOf(ops::Shape(made[i]));
      count = count ? ops::Maximum(count, own) : own;
    }
  }
  const Tensor places = ops::Range(Int32Of(0), count, Int32Of(1));
  for (size_t i = 0; i < made.size(); ++i) {
    // What is known beside a longer one is shared, or too short.
    if (lengths[i] >= 0 && (lengths[i] != 1 || known > 1)) continue;
    const Tensor length = FirstOf(ops::Shape(made[i]));
    const Tensor several = ops::Greater(length, Int32Of(1));
    const auto number = [](const Tensor& truth) {
      return ops::Cast(truth, DataType::kInt32);
    };
    // Of another length no place is one.
    const Tensor beyond = ops::Mul(
        length, number(ops::LogicalAnd(several, ops::NotEqual(length, count))));
    made[i] = CallComposition(
        "gather",
        {made[i], ops::AddV2(ops::Mul(places, number(several)), beyond)})[0];
  }
  return made;
}

Status CheckRowResult(const Structure& signature, const Structure& result,
                      bool implied, const StructureWords& words) {
  const Status status =
      AssertSameStructure(signature, result, /*check_types=*/true, words);
  if (status.ok() || implied) return status;
  return Status(Code::kTypeError, std::string(status.message()));
}

Rows::Rows(std::span<const Tensor> tensors) {
  std::vector<PartialTensorShape> shapes;
  for (const Tensor& t : tensors) shapes.push_back(t.partial_shape());
  known_ = CommonLength(shapes);
  if (known_ < 0) {
    count_ = FirstOf(ops::Shape(tensors[0]));
  }
  Take(tensors);
}

Rows::Rows(std::span<const Tensor> tensors, int64_t known, Tensor count)
    : known_(known), count_(std::move(count)) {
  Take(tensors);
}

void Rows::Take(std::span<const Tensor> tensors) {
  tensors_.assign(tensors.begin(), tensors.end());
  for (const Tensor& t : tensors) {
    TensorArrayFacts facts;
    facts.dtype = t.dtype();
    facts.clear_after_read = false;
    const ArrayOperand size(
        [this](std::string_view name) { return Count(name); });
    arrays_.push_back(
        TensorArrayImpl::Make(facts, size, RowShape(t.partial_shape()), "")
            ->Unstack(t, {}));
  }
}

Tensor Rows::Count(std::string_view name) const {
  return known_ < 0 ? count_ : Int32Of(known_, name);
}

TensorVector Rows::Row(const ArrayOperand& i) const {
  TensorVector row;
  for (const TensorArrayImpl::Ptr& a : arrays_) {
    row.push_back(TensorArrayImpl::Here(a)->Read(i, {}));
  }
  return row;
}

StagedValue Fold(RowHost& host, const StagedValue& elements,
                 const std::optional<StagedValue>& initial,
                 const FoldOptions& options) {
  return RowLoop(&host, elements, initial, options, false).Result();
}

StagedValue Scan(RowHost& host, const StagedValue& elements,
                 const std::optional<StagedValue>& initial,
                 const FoldOptions& options) {
  return RowLoop(&host, elements, initial, options, true).Result();
}

TensorVector MapRows(PartHost& host, Rows rows, std::span<const RowPart> parts,
                     const FoldOptions& options) {
  return PartLoop(&host, std::move(rows), parts, options).Result();
}

TensorVector MapRows(PartHost& host, Rows rows, const FoldOptions& options) {
  return PartLoop(&host, std::move(rows), std::nullopt, options).Result();
}

}  // namespace gk
