#include "function/ragged/composite_calls.h"

#include <iterator>
#include <utility>

#include "function/row_loops.h"
#include "ops/element_moves.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Range.h"
#include "ops/fn/Size.h"

namespace gk {
namespace {

using Arguments = CompositeArguments;
using Result = CompositeResult;

// The function itself gave `made`: the flat values of rows as `x` has them.
Result WithRows(const RaggedValue& x, Tensor made) {
  if (!made) return OwnResult();
  return x.WithFlat(std::move(made));
}

// Of embedding_lookup: rows of a table, or of the parts of one.
Result Lookup(const Arguments& a) {
  const RaggedValue ids = a.ragged("ids");
  TensorVector parts;
  for (const RaggedValue& part : a.list("params", DataType::kInvalid)) {
    if (part.is_ragged()) return {};
    parts.push_back(part.flat());
  }
  if (!ids.is_ragged() || parts.empty()) return {};
  const Tensor rows =
      parts.size() == 1 ? parts[0] : ops::ConcatV2(parts, IntegerConstant(0));
  return WithRows(ids, a.Call({rows, ids.flat()}));
}

Result Gather(const Arguments& a) {
  if (a.has("ids")) return Lookup(a);
  std::optional<int64_t> axis;
  if (a.has("axis")) axis = a.integer("axis", 0);
  return RaggedGather(a.ragged("params"), a.ragged("indices"), axis,
                      a.integer("batch_dims", 0));
}

Result GatherNd(const Arguments& a) {
  if (a.integer("batch_dims", 0) != 0) {
    throw Error(
        ValueError("batch_dims != 0 is not supported for ragged gather yet."));
  }
  const RaggedValue params = a.ragged("params");
  const RaggedValue indices = a.ragged("indices");
  const std::string policy = a.text("bad_indices_policy", "");
  if (!policy.empty() && policy != "DEFAULT") {
    throw Error(ValueError(
        "non-default bad_indices_policy not supported for ragged gather"));
  }
  return RaggedGatherNd(params, indices);
}

Result DynamicPartition(const Arguments& a) {
  return RaggedDynamicPartition(a.ragged("data"), a.ragged("partitions"),
                                a.integer("num_partitions", 1));
}

// A ragged tensor that is no part of a list stands alone.
Result ConcatOf(const Arguments& a) {
  if (a.is_ragged("values")) return a.ragged("values");
  return RaggedConcat(a.list("values", DataType::kInvalid),
                      a.integer("axis", 0));
}
Result StackOf(const Arguments& a) {
  return RaggedStack(a.list("values", DataType::kInvalid),
                     a.integer("axis", 0));
}
Result ExpandDims(const Arguments& a) {
  return RaggedExpandDims(a.ragged("input"), a.integer("axis", 0));
}

Result SqueezeOf(const Arguments& a) {
  const RaggedAxes axes = a.axes("axis");
  if (!axes.values) {
    throw Error(
        ValueError("Ragged.squeeze must have an axis argument: which "
                   "dimensions are of size 1 is not known before."));
  }
  return RaggedSqueeze(a.ragged("input"), *axes.values);
}

Result Reverse(const Arguments& a) {
  if (!a.lists_axes("axis")) {
    throw Error(
        TypeError("`axis` must be a list of int or a constant tensor when "
                  "reversing axes in a ragged tensor"));
  }
  return RaggedReverse(a.ragged("tensor"), *a.axes("axis").values);
}

Result TileOf(const Arguments& a) {
  return RaggedTile(a.ragged("input"), a.tensor("multiples"));
}
Result Split(const Arguments& a) {
  return RaggedSplit(a.ragged("value"), a.native("num_or_size_splits"),
                     a.integer("axis", 0), a.native("num"));
}

// The first operand's flat values alone change.
Result Flat(const Arguments& a) {
  if (a.num_operands(1) == 0 || !a.is_ragged(0)) return {};
  const RaggedValue x = a.ragged(0, DataType::kInvalid);
  return WithRows(x, a.Call({x.flat()}));
}

// The new axis lies within the flat values.
Result OneHotOf(const Arguments& a) {
  const int64_t axis = a.integer("axis", -1);
  if (axis < 0) return Flat(a);
  if (!a.is_ragged("indices")) return {};
  const RaggedValue x = a.ragged("indices");
  if (axis <= x.ragged_rank()) {
    throw Error(
        ValueError("axis ({}) must be greater than indices.ragged_rank ({}).",
                   axis, x.ragged_rank()));
  }
  const DataType dtype = a.type("dtype", DataType::kInvalid);
  const auto value = [&](const char* name) -> CompositionValue {
    if (!a.has(name)) return {};
    return a.tensor(name, dtype);
  };
  const TensorVector made = CallComposition(
      "one_hot", {x.flat(), a.tensor("depth", DataType::kInt32),
                  value("on_value"), value("off_value"), axis - x.ragged_rank(),
                  dtype == DataType::kInvalid ? CompositionValue() : dtype});
  return x.WithFlat(made[0]);
}

// Resizes the pictures of a ragged tensor one by one.
class ImageHost final : public PartHost {
 public:
  ImageHost(const RaggedValue& images, const Arguments& a)
      : images_(images), a_(a) {}

  TensorVector Parts(const Tensor& place, const TensorVector&) override {
    const RaggedValue image = RaggedGather(images_, RaggedValue(place), 0, 0);
    return {
        a_.Call({image.is_ragged() ? RaggedToTensor(image) : image.flat()})};
  }
  std::string_view prefix() const override { return "tf."; }
  std::string Text(DataType dtype) const override {
    return std::string(DataTypeName(dtype));
  }
  std::string Text(const Tensor&) const override { return "a picture"; }
  std::string Text(const StagedValue&) const override { return "pictures"; }

 private:
  const RaggedValue& images_;
  const Arguments& a_;
};

Result ResizeImages(const Arguments& a) {
  if (a.num_operands(1) == 0 || !a.is_ragged(0)) return {};
  const RaggedValue images = a.ragged(0, DataType::kInvalid);
  const PartialTensorShape shape = images.shape();
  if (shape.unknown_rank() || shape.rank() != 4) {
    throw Error(ValueError(
        "tf.image.resize: images.shape.rank must be 4 if images is ragged."));
  }
  ImageHost host(images, a);
  const Tensor count = CastTo(images.nrows(), DataType::kInt32);
  const Tensor places =
      ops::Range(IntegerConstant(0), count, IntegerConstant(1));
  FoldOptions options;
  options.name = "resize_images";
  return RaggedValue(MapRows(
      host, Rows(TensorVector{places}, shape.dim(0), count), options)[0]);
}

Result ReshapeOf(const Arguments& a) {
  if (a.is_ragged("shape")) return {};
  return RaggedValue(a.Call({a.ragged("tensor").flat()}));
}

template <Reduction kOf>
Result Reduce(const Arguments& a) {
  const RaggedAxes axes = a.axes("axis");
  return RaggedReduce({kOf, a.flag("keepdims")}, a.ragged("input_tensor"),
                      axes.values, axes.one);
}

Result ReduceJoin(const Arguments& a) {
  const RaggedAxes axes = a.axes("axis");
  return RaggedReduce(
      {Reduction::kJoin, a.flag("keepdims"), a.text("separator", "")},
      a.ragged("inputs"), axes.values, axes.one);
}

template <auto kOf>
Result Spread(const Arguments& a) {
  const RaggedAxes axes = a.axes("axis");
  return kOf(a.ragged("input_tensor"), axes.values, axes.one,
             a.flag("keepdims"));
}

// The function itself joins the slices of tensors.
Result Segments(const Arguments& a) {
  if (a.num_operands(3) != 3) return {};
  return RaggedSegments(
      [&](const Tensor& data, const Tensor& ids, const Tensor& count) {
        return a.Call({data, ids, count});
      },
      a.ragged("data"), a.ragged("segment_ids"), a.tensor("num_segments"));
}

Result Cumsum(const Arguments& a) {
  return RaggedCumsum(a.ragged("x"), a.integer("axis", 0), a.flag("exclusive"),
                      a.flag("reverse"));
}

Result Softmax(const Arguments& a) {
  const RaggedValue logits = a.ragged("logits");
  const int64_t axis = a.integer("axis", -1);
  if (CheckedAxis(axis, logits.rank()) == 0) return {};
  return RaggedSoftmax(logits, axis);
}

Result Matmul(const Arguments& a) {
  if (a.flag("a_is_sparse") || a.flag("b_is_sparse")) {
    throw Error(ValueError("Ragged matrices are not sparse."));
  }
  const RaggedValue x = a.ragged("a");
  return RaggedMatmul(x, a.ragged("b"),
                      {a.flag("transpose_a"), a.flag("transpose_b"),
                       a.flag("adjoint_a"), a.flag("adjoint_b")});
}

Result Where(const Arguments& a) {
  const RaggedValue condition = a.ragged("condition");
  if (!a.has("x") && !a.has("y")) return RaggedValue(RaggedWhere(condition));
  const RaggedValue x = a.ragged("x");
  return RaggedSelect(condition, x, a.ragged("y"));
}

Result CrossEntropy(const Arguments& a) {
  const RaggedValue labels = a.ragged("labels");
  return RaggedCrossEntropy(labels, a.ragged("logits"));
}
Result Join(const Arguments& a) {
  return RaggedJoin(a.list("inputs", DataType::kString),
                    a.text("separator", ""));
}
Result AddN(const Arguments& a) {
  return RaggedAddN(a.list("inputs", DataType::kInvalid));
}
Result SizeOfRagged(const Arguments& a) {
  return RaggedValue(
      RaggedSize(a.ragged("input"), a.type("out_type", DataType::kInt32)));
}
Result RankOfRagged(const Arguments& a) {
  return RaggedValue(RaggedRank(a.ragged("input")));
}
Result ShapeOfRagged(const Arguments& a) {
  return RaggedShape::Of(a.ragged("input"),
                         a.type("out_type", DataType::kInt32));
}
Result Dropout(const Arguments& a) {
  if (a.has("noise_shape")) {
    throw Error(
        ValueError("noise_shape is not supported yet for RaggedTensor x"));
  }
  return Flat(a);
}

// --- Of shapes of ragged tensors.

Result ReshapeTo(const Arguments& a) {
  return a.shape("shape").Reshaped(a.ragged("tensor").flat());
}
Result BroadcastTo(const Arguments& a) {
  return a.shape("shape").Broadcast(a.ragged("input"));
}
Result FillTo(const Arguments& a) {
  return a.shape("dims").Filled(a.tensor("value"));
}
// The function itself gives the flat values.
Result Filled(const Arguments& a) {
  const RaggedShape shape = a.shape("shape");
  return shape.Rows(a.Call({shape.inner()}));
}

// --- Of sparse tensors.

Result InType(const Arguments& a, const Tensor& x) {
  return RaggedValue(CastTo(x, a.type("out_type", DataType::kInt32)));
}
Result ShapeOfSparse(const Arguments& a) {
  return InType(a, a.sparse(0).dense_shape);
}
Result SizeOfSparse(const Arguments& a) {
  return InType(a,
                CallComposition("reduce_prod", {a.sparse(0).dense_shape})[0]);
}
Result RankOfSparse(const Arguments& a) {
  return RaggedValue(ops::Size(a.sparse(0).dense_shape));
}

// What is done with ragged tensors, with sparse ones, with shapes of ragged
// tensors; null: nothing of its own.
using FormCall = Result (*)(const Arguments& a);
struct FormRow {
  RaggedForm form;
  FormCall ragged = nullptr, sparse = nullptr, shape = nullptr;
};

// In the order of the forms.
constexpr FormRow kRows[] = {
    {RaggedForm::kNone},
    // Any face has its own way through the tensors of a value.
    {RaggedForm::kEach},
    {RaggedForm::kValues},
    {RaggedForm::kFlat, Flat},
    {RaggedForm::kDropout, Dropout},
    {RaggedForm::kSegments, Segments},
    {.form = RaggedForm::kFilled, .shape = Filled},
    {RaggedForm::kReduceSum, Reduce<Reduction::kSum>},
    {RaggedForm::kReduceMean, Reduce<Reduction::kMean>},
    {RaggedForm::kReduceProd, Reduce<Reduction::kProd>},
    {RaggedForm::kReduceMax, Reduce<Reduction::kMax>},
    {RaggedForm::kReduceMin, Reduce<Reduction::kMin>},
    {RaggedForm::kReduceAny, Reduce<Reduction::kAny>},
    {RaggedForm::kReduceAll, Reduce<Reduction::kAll>},
    {RaggedForm::kReduceLogSumExp, Reduce<Reduction::kLogSumExp>},
    {RaggedForm::kReduceJoin, ReduceJoin},
    {RaggedForm::kReduceVariance, Spread<RaggedVariance>},
    {RaggedForm::kReduceStd, Spread<RaggedDeviation>},
    {RaggedForm::kAddN, AddN},
    {.form = RaggedForm::kBroadcastTo, .shape = BroadcastTo},
    {RaggedForm::kConcat, ConcatOf},
    {RaggedForm::kCumsum, Cumsum},
    {RaggedForm::kDynamicPartition, DynamicPartition},
    {RaggedForm::kExpandDims, ExpandDims},
    {.form = RaggedForm::kFill, .shape = FillTo},
    {RaggedForm::kGather, Gather},
    {RaggedForm::kGatherNd, GatherNd},
    {RaggedForm::kMatMul, Matmul},
    {RaggedForm::kRank, RankOfRagged, RankOfSparse},
    {.form = RaggedForm::kReshape, .ragged = ReshapeOf, .shape = ReshapeTo},
    {RaggedForm::kReverse, Reverse},
    {RaggedForm::kShape, ShapeOfRagged, ShapeOfSparse},
    {RaggedForm::kSigmoidCrossEntropy, CrossEntropy},
    {RaggedForm::kSize, SizeOfRagged, SizeOfSparse},
    {RaggedForm::kSoftmax, Softmax},
    {RaggedForm::kSplit, Split},
    {RaggedForm::kSqueeze, SqueezeOf},
    {RaggedForm::kStack, StackOf},
    {RaggedForm::kStringJoin, Join},
    {RaggedForm::kTile, TileOf},
    {RaggedForm::kWhere, Where},
    {RaggedForm::kOneHot, OneHotOf},
    {RaggedForm::kResizeImages, ResizeImages},
};

consteval bool AreInOrder() {
  for (int i = 0; i < kNumRaggedForms; ++i) {
    if (kRows[i].form != static_cast<RaggedForm>(i)) return false;
  }
  return std::size(kRows) == kNumRaggedForms;
}
static_assert(AreInOrder());

const FormRow& RowOf(RaggedForm form) { return kRows[static_cast<int>(form)]; }

Result Binary(const Arguments& a) {
  if (a.num_operands(2) != 2) return {};
  // A dense operand takes the ragged one's dtype where it has none.
  const int known = a.is_ragged(0) ? 0 : 1;
  const DataType dtype = a.ragged(known, DataType::kInvalid).dtype();
  const RaggedValue made = RaggedBinary(
      [&](const Tensor& x, const Tensor& y) {
        return a.Call({x, y});
      },
      a.ragged(0, dtype), a.ragged(1, dtype));
  return WithRows(made, made.flat());
}

Result Compare(const Arguments& a) {
  std::vector<RaggedValue> operands;
  for (int i = 0; i < a.num_operands(2); ++i) {
    operands.push_back(a.ragged(i, DataType::kInvalid));
  }
  const FlatOperands flat = FlattenOperands(operands);
  const Checks::Scope scope(flat.checks);
  return WithRows(flat.known, a.Call(flat.flat));
}

}  // namespace

CompositeResult CallOfRagged(const CalledFunction& function,
                             const CompositeArguments& a) {
  if (const FormCall own = RowOf(function.form).ragged) return own(a);
  if (function.maps == 1) return Flat(a);
  if (function.maps == 2) return Binary(a);
  return function.compares > 0 ? Compare(a) : CompositeResult();
}

CompositeResult CallOfSparse(const CalledFunction& function,
                             const CompositeArguments& a) {
  if (a.num_operands(1) == 0 || !a.is_sparse(0)) return {};
  if (function.keeps_zero) {
    SparseValue x = a.sparse(0);
    x.values = a.Call({x.values});
    return x.values ? CompositeResult(x) : OwnResult();
  }
  const FormCall own = RowOf(function.form).sparse;
  return own != nullptr ? own(a) : CompositeResult();
}

CompositeResult CallOfSlices(const CalledFunction& function,
                             const CompositeArguments& a) {
  const int operand = function.slices - 1;
  if (operand < 0 || a.num_operands(operand + 1) <= operand ||
      !a.is_slices(operand)) {
    return {};
  }
  const SlicesValue x = a.slices(operand);
  TensorVector operands;
  for (int i = 0; i < operand; ++i) {
    operands.push_back(a.ragged(i, x.values.dtype()).flat());
  }
  operands.push_back(x.values);
  return x.WithValues(a.Call(operands));
}

CompositeResult CallOfRaggedShape(const CalledFunction& function,
                                  const CompositeArguments& a) {
  const FormCall own = RowOf(function.form).shape;
  return own != nullptr ? own(a) : CompositeResult();
}

}  // namespace gk
