#include "function/ragged/composite_calls.h"

#include <algorithm>
#include <span>
#include <utility>

#include "ops/element_moves.h"
#include "ops/fn/Size.h"

namespace gk {
namespace {

using Arguments = CompositeArguments;
using Result = CompositeResult;

template <size_t kSize>
struct PublicName {
  constexpr PublicName(const char (&name)[kSize]) {  // NOLINT: converts
    std::copy_n(name, kSize, text);
  }
  char text[kSize];
};

Result Gather(const Arguments& a) {
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
  const RaggedValue indices = a.ragged("indices");
  const PartialTensorShape shape = indices.shape();
  if (!indices.is_ragged() && shape.rank() > 0 &&
      shape.dim(shape.rank() - 1) == 0) {
    return {};
  }
  return RaggedGatherNd(a.ragged("params"), indices);
}

Result DynamicPartition(const Arguments& a) {
  return RaggedDynamicPartition(a.ragged("data"), a.ragged("partitions"),
                                a.integer("num_partitions", 1));
}

Result ConcatOf(const Arguments& a) {
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

// The function itself gave `made`: the flat values of rows as `x` has them.
Result Rows(const RaggedValue& x, Tensor made) {
  if (!made) return OwnResult();
  return x.WithFlat(std::move(made));
}

// The first operand's flat values alone change.
Result Flat(const Arguments& a) {
  if (a.num_operands(1) == 0 || !a.is_ragged(0)) return {};
  const RaggedValue x = a.ragged(0, DataType::kInvalid);
  return Rows(x, a.Call({x.flat()}));
}

Result ReshapeOf(const Arguments& a) {
  if (a.is_ragged("shape")) return {};
  return RaggedValue(a.Call({a.ragged("tensor").flat()}));
}

template <PublicName kName>
Result Reduce(const Arguments& a) {
  const RaggedAxes axes = a.axes("axis");
  return RaggedReduce({kName.text, a.flag("keepdims")},
                      a.ragged("input_tensor"), axes.values, axes.one);
}

Result ReduceJoin(const Arguments& a) {
  const RaggedAxes axes = a.axes("axis");
  return RaggedReduce(
      {"strings.reduce_join", a.flag("keepdims"), a.text("separator", "")},
      a.ragged("inputs"), axes.values, axes.one);
}

template <auto kOf>
Result Spread(const Arguments& a) {
  const RaggedAxes axes = a.axes("axis");
  return kOf(a.ragged("input_tensor"), axes.values, axes.one,
             a.flag("keepdims"));
}

template <PublicName kName>
Result Segments(const Arguments& a) {
  return RaggedSegments(kName.text, a.ragged("data"), a.ragged("segment_ids"),
                        a.tensor("num_segments"));
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
Result FormatText(const Arguments& a) {
  return RaggedValue(
      RaggedFormat(a.text("template", ""), a.list("inputs", DataType::kInvalid),
                   a.text("placeholder", "{}"), a.integer("summarize", 3)));
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
template <PublicName kName>
Result FilledWith(const Arguments& a) {
  const RaggedShape shape = a.shape("shape");
  return shape.Rows(CallComposite(
      kName.text, {shape.inner(), a.type("dtype", DataType::kFloat)})[0]);
}

// --- Of sparse tensors.

Result InType(const Arguments& a, const Tensor& x) {
  return RaggedValue(CastTo(x, a.type("out_type", DataType::kInt32)));
}
Result ShapeOfSparse(const Arguments& a) {
  return InType(a, a.sparse(0).dense_shape);
}
Result SizeOfSparse(const Arguments& a) {
  return InType(a, CallComposite("reduce_prod", {a.sparse(0).dense_shape})[0]);
}
Result RankOfSparse(const Arguments& a) {
  return RaggedValue(ops::Size(a.sparse(0).dense_shape));
}

struct Entry {
  std::string_view name;  // the first public one
  Result (*call)(const Arguments& a);
};

constexpr Entry kOfRagged[] = {
    {"gather", Gather},
    {"gather_nd", GatherNd},
    {"dynamic_partition", DynamicPartition},
    {"concat", ConcatOf},
    {"stack", StackOf},
    {"expand_dims", ExpandDims},
    {"squeeze", SqueezeOf},
    {"reverse", Reverse},
    {"tile", TileOf},
    {"split", Split},
    {"reshape", ReshapeOf},
    {"reduce_sum", Reduce<"reduce_sum">},
    {"reduce_prod", Reduce<"reduce_prod">},
    {"reduce_max", Reduce<"reduce_max">},
    {"reduce_min", Reduce<"reduce_min">},
    {"reduce_mean", Reduce<"reduce_mean">},
    {"reduce_any", Reduce<"reduce_any">},
    {"reduce_all", Reduce<"reduce_all">},
    {"reduce_logsumexp", Reduce<"reduce_logsumexp">},
    {"strings.reduce_join", ReduceJoin},
    {"math.reduce_variance", Spread<RaggedVariance>},
    {"math.reduce_std", Spread<RaggedDeviation>},
    {"math.unsorted_segment_sum", Segments<"reduce_sum">},
    {"math.unsorted_segment_prod", Segments<"reduce_prod">},
    {"math.unsorted_segment_max", Segments<"reduce_max">},
    {"math.unsorted_segment_min", Segments<"reduce_min">},
    {"cumsum", Cumsum},
    {"nn.softmax", Softmax},
    {"math.softmax", Softmax},
    {"linalg.matmul", Matmul},
    {"where", Where},
    {"shape", ShapeOfRagged},
    {"size", SizeOfRagged},
    {"rank", RankOfRagged},
    {"add_n", AddN},
    {"strings.join", Join},
    {"strings.format", FormatText},
    {"nn.sigmoid_cross_entropy_with_logits", CrossEntropy},
    {"one_hot", Flat},
    {"bitcast", Flat},
    {"nn.dropout", Dropout},
    {"nn.experimental.stateless_dropout", Dropout},
};

constexpr Entry kOfShapes[] = {
    {"reshape", ReshapeTo},
    {"broadcast_to", BroadcastTo},
    {"fill", FillTo},
    {"ones", FilledWith<"ones">},
    {"zeros", FilledWith<"zeros">},
};

constexpr Entry kOfSparse[] = {
    {"shape", ShapeOfSparse}, {"size", SizeOfSparse}, {"rank", RankOfSparse}};

// What changes the values of slices alone, and which operand they are: all
// others take the whole.
struct SlicesEntry {
  std::string_view name;
  int operand;
};
constexpr SlicesEntry kOfSlices[] = {
    {"cast", 0},       {"clip_by_value", 0}, {"clip_by_norm", 0},
    {"scalar_mul", 1}, {"stop_gradient", 0},
};

struct PartsEntry {
  std::string_view name;
  OfParts parts;
};
constexpr PartsEntry kOfParts[] = {
    {"identity", OfParts::kEach},
    {"debugging.assert_type", OfParts::kValues},
};

const Entry* Find(std::span<const Entry> entries, std::string_view name) {
  for (const Entry& entry : entries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

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
  return Rows(made, made.flat());
}

Result Compare(const Arguments& a) {
  std::vector<RaggedValue> operands;
  for (int i = 0; i < a.num_operands(2); ++i) {
    operands.push_back(a.ragged(i, DataType::kInvalid));
  }
  const FlatOperands flat = FlattenOperands(operands);
  const Checks::Scope scope(flat.checks);
  return Rows(flat.known, a.Call(flat.flat));
}

}  // namespace

CompositeResult CallOfRagged(const CalledFunction& function,
                             const CompositeArguments& a) {
  if (const Entry* own = Find(kOfRagged, function.name)) return own->call(a);
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
  const Entry* own = Find(kOfSparse, function.name);
  return own != nullptr ? own->call(a) : CompositeResult();
}

CompositeResult CallOfSlices(const CalledFunction& function,
                             const CompositeArguments& a) {
  for (const auto& [name, operand] : kOfSlices) {
    if (name != function.name) continue;
    if (a.num_operands(operand + 1) <= operand || !a.is_slices(operand)) break;
    const SlicesValue x = a.slices(operand);
    TensorVector operands;
    for (int i = 0; i < operand; ++i) {
      operands.push_back(a.ragged(i, x.values.dtype()).flat());
    }
    operands.push_back(x.values);
    return x.WithValues(a.Call(operands));
  }
  return {};
}

CompositeResult CallOfRaggedShape(const CalledFunction& function,
                                  const CompositeArguments& a) {
  const Entry* own = Find(kOfShapes, function.name);
  return own != nullptr ? own->call(a) : CompositeResult();
}

OfParts PartsOf(std::string_view name) {
  for (const PartsEntry& entry : kOfParts) {
    if (entry.name == name) return entry.parts;
  }
  return OfParts::kNothing;
}

bool KeepsSlices(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kOfSlices), std::end(kOfSlices),
                   [&](const SlicesEntry& e) { return e.name == name; });
  return found != std::end(kOfSlices) || PartsOf(name) == OfParts::kEach;
}

std::vector<std::string_view> CompositeFunctionNames() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kOfRagged) names.push_back(entry.name);
  for (const Entry& entry : kOfShapes) names.push_back(entry.name);
  for (const Entry& entry : kOfSparse) names.push_back(entry.name);
  for (const SlicesEntry& entry : kOfSlices) names.push_back(entry.name);
  for (const PartsEntry& entry : kOfParts) names.push_back(entry.name);
  return names;
}

}  // namespace gk
