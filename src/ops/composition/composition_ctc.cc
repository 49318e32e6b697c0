// Connectionist temporal classification over dense and sparse labels.
#include "ops/composition.h"
#include "ops/dynamic_axes.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/ArgMax.h"
#include "ops/fn/Cast.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Cumsum.h"
#include "ops/fn/Equal.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/GatherNd.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Less.h"
#include "ops/fn/LogicalAnd.h"
#include "ops/fn/Max.h"
#include "ops/fn/NotEqual.h"
#include "ops/fn/OnesLike.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Range.h"
#include "ops/fn/ScatterNd.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Sum.h"
#include "ops/fn/Transpose.h"
#include "ops/fn/Where.h"
#include "ops/subscript.h"
#include "ops/with_attrs/CTCBeamSearchDecoder.h"
#include "ops/with_attrs/CTCGreedyDecoder.h"
#include "ops/with_attrs/CTCLoss.h"
#include "ops/with_attrs/CTCLossV2.h"

namespace gk {
namespace {

using Ints = std::vector<int64_t>;
using Kind = RowsValue::Kind;

// x[..., begin:end] of three dimensions.
Tensor ClassesBetween(const Tensor& x, std::optional<SubscriptBound> begin,
                      std::optional<SubscriptBound> end) {
  SubscriptEntry classes;
  classes.begin = std::move(begin);
  classes.end = std::move(end);
  return Subscript(x, {SubscriptEntry(), SubscriptEntry(), classes});
}

// The class that is the blank, and where it is: a number where that is known.
struct Blank {
  std::optional<int64_t> number;
  Tensor tensor;  // int32

  SubscriptBound At(int64_t behind) const {
    if (number) return SubscriptBound(*number + behind);
    const auto bound =
        SubscriptBound::Of(ops::AddV2(tensor, IntegerConstant(behind)));
    return *bound;
  }
};

Blank BlankClass(const Tensor& logits, int64_t index) {
  Blank blank;
  const PartialTensorShape shape = logits.partial_shape();
  if (index >= 0) {
    blank.number = index;
  } else if (shape.rank() == 3 && shape.dim(2) >= 0) {
    blank.number = index + shape.dim(2);
  }
  if (blank.number) {
    blank.tensor = IntegerConstant(*blank.number);
  } else {
    SubscriptEntry classes;
    classes.kind = SubscriptEntry::Kind::kIndex;
    classes.begin = 2;
    blank.tensor = ops::AddV2(Subscript(ShapeTensor(logits), {classes}),
                              IntegerConstant(index));
  }
  return blank;
}

// The rows of [batch, n] up to each one's length.
Tensor MaskOf(const Tensor& lengths, const Tensor& width) {
  const DataType t = width.dtype();
  const Tensor places =
      ops::Range(IntegerConstant(0, t), width, IntegerConstant(1, t));
  return ops::Less(places, ops::ExpandDims(CastTo(lengths, t), Int32Of(-1)));
}

Tensor SizeAt(const Tensor& x, int64_t axis) {
  SubscriptEntry one;
  one.kind = SubscriptEntry::Kind::kIndex;
  one.begin = axis;
  return Subscript(ShapeTensor(x), {one});
}

TensorVector CtcLoss(CompositionCall& c) {
  const RowsValue& labels = c.rows(0);
  const bool sparse = labels.kind == Kind::kSparse;
  if (labels.kind == Kind::kRagged) {
    throw Error(TypeError("labels must be a Tensor or a SparseTensor"));
  }
  if (sparse && !c.has(6)) {
    throw Error(
        ValueError("Argument `blank_index` must be provided when `labels` is a "
                   "`SparseTensor`."));
  }
  if (!sparse && !c.has(2)) {
    throw Error(ValueError(
        "Argument `label_length` must be provided when `labels` is dense."));
  }
  Tensor logits = c.tensor(1);
  const DataType t = logits.dtype();
  const bool wide = sparse && t == DataType::kDouble;
  logits = wide ? logits : CastTo(logits, DataType::kFloat);
  const int64_t index = c.has(6) ? c.integer(6) : 0;
  const bool moves = sparse || index != 0;
  const Blank blank = moves ? BlankClass(logits, index) : Blank();
  Tensor values = CastTo(labels.values, DataType::kInt32);
  if (moves) {
    const Tensor before = ClassesBetween(logits, {}, blank.At(0));
    const Tensor behind = ClassesBetween(logits, blank.At(1), {});
    const Tensor own = ClassesBetween(logits, blank.At(0), blank.At(1));
    logits = ops::ConcatV2(sparse ? TensorVector{before, behind, own}
                                  : TensorVector{own, before, behind},
                           Int32Of(2));
    const Tensor is_before = ops::Less(values, blank.tensor);
    const Tensor one = IntegerConstant(1);
    values = sparse ? ops::SelectV2(is_before, values, ops::Sub(values, one))
                    : ops::SelectV2(is_before, ops::AddV2(values, one), values);
  }
  if (!c.flag(4)) {
    logits = ops::Transpose(logits, IntegerVector(Ints{1, 0, 2}));
  }
  const Tensor lengths = CastTo(c.tensor(3), DataType::kInt32);
  Tensor loss;
  if (sparse) {
    loss = ops::CTCLoss(OpAttrs(AttrMap()), logits, labels.places[0], values,
                        lengths)[0];
  } else {
    const Tensor places = ops::Where(MaskOf(c.tensor(2), SizeAt(values, 1)));
    loss = ops::CTCLossV2(OpAttrs(AttrMap()), logits, places,
                          ops::GatherNd(values, places), lengths)[0];
  }
  return {CastTo(loss, t)};
}

// Of each row the different labels, in order, and which each one is. All by
// comparing each with each.
TensorVector CtcUniqueLabels(CompositionCall& c) {
  const Tensor& labels = c.tensor(0);
  const Tensor as_row = ops::ExpandDims(labels, Int32Of(1));
  const Tensor as_column = ops::ExpandDims(labels, Int32Of(2));
  const Tensor same =
      ops::Cast(ops::Equal(as_column, as_row), DataType::kInt32);
  const Tensor first = ops::ArgMax(same, Int32Of(2), DataType::kInt32);
  const Tensor width = SizeAt(labels, 1);
  const Tensor places =
      ops::Range(IntegerConstant(0), width, IntegerConstant(1));
  const Tensor is_first = ops::Equal(first, places);
  const Tensor numbers =
      ops::Sub(ops::Cumsum(ops::Cast(is_first, DataType::kInt32), Int32Of(1)),
               IntegerConstant(1));
  const Tensor which =
      ops::GatherV2(OpName(c.name("idx")), numbers, first, Int32Of(1), 1);
  const Tensor hit =
      ops::LogicalAnd(ops::ExpandDims(is_first, Int32Of(2)),
                      ops::Equal(ops::ExpandDims(numbers, Int32Of(2)), places));
  const Tensor wide = CastTo(as_column, DataType::kInt64);
  const Tensor kept =
      ops::SelectV2(hit, wide, IntegerConstant(0, DataType::kInt64));
  return {ops::Sum(OpName(c.name("y")), kept, Int32Of(1)), which};
}

// Labels that are other than the ones before them, pushed together.
TensorVector CollapseRepeated(CompositionCall& c) {
  const Tensor &labels = c.tensor(0), &lengths = c.tensor(1);
  SubscriptEntry first, but_first, but_last;
  first.end = 1;
  but_first.begin = 1;
  but_last.end = -1;
  const auto columns = [&](const SubscriptEntry& entry) {
    return Subscript(labels, {SubscriptEntry(), entry});
  };
  const Tensor changes = ops::ConcatV2(
      TensorVector{CastTo(ops::OnesLike(columns(first)), DataType::kBool),
                   ops::NotEqual(columns(but_first), columns(but_last))},
      Int32Of(1));
  const Tensor width = SizeAt(labels, 1);
  const Tensor mask = ops::LogicalAnd(changes, MaskOf(lengths, width));
  const Tensor ones = ops::Cast(mask, DataType::kInt32);
  const Tensor counts = ops::Sum(ones, Int32Of(1));
  const Tensor most = ops::Max(counts, Int32Of(0));
  const Tensor from = ops::Where(mask);
  const Tensor number =
      ops::Sub(ops::Cumsum(ones, Int32Of(1)), IntegerConstant(1));
  SubscriptEntry rows;
  rows.kind = SubscriptEntry::Kind::kIndex;
  rows.begin = 0;
  const Tensor row =
      CastTo(Subscript(from, {SubscriptEntry(), rows}), DataType::kInt32);
  const Tensor to =
      ops::Pack(TensorVector{row, ops::GatherNd(number, from)}, 1);
  const Tensor shape = ops::Pack(TensorVector{SizeAt(labels, 0), most});
  return {ops::ScatterNd(to, ops::GatherNd(labels, from), shape),
          CastTo(counts, lengths.dtype())};
}

// For the functions of Python, whose results are sparse tensors: indices,
// values and shapes of each, and the scores.
TensorVector GreedyDecoder(CompositionCall& c) {
  AttrMap attrs{{"merge_repeated", c.flag(2)}, {"blank_index", c.integer(3)}};
  return ops::CTCGreedyDecoder(OpAttrs(std::move(attrs)), c.tensor(0),
                               c.tensor(1));
}

TensorVector BeamSearchDecoder(CompositionCall& c) {
  AttrMap attrs{{"beam_width", c.integer(2)},
                {"top_paths", c.integer(3)},
                {"merge_repeated", false}};
  return ops::CTCBeamSearchDecoder(OpAttrs(std::move(attrs)), c.tensor(0),
                                   c.tensor(1));
}

const CompositionRecord kRecords[] = {
    {.names = "_nn.ctc_greedy_decoder",
     .args = "inputs: tensor; sequence_length: tensor(int32!); merge_repeated: "
             "bool; blank_index: int",
     .build = GreedyDecoder,
     .result = "list",
     .takes_name = false},
    {.names = "_nn.ctc_beam_search_decoder",
     .args = "inputs: tensor; sequence_length: tensor(int32!); beam_width: "
             "int; top_paths: int",
     .build = BeamSearchDecoder,
     .result = "list",
     .takes_name = false},
    {.names = "nn.ctc_loss",
     .args = "labels: rows; logits: tensor; label_length: tensor?; "
             "logit_length: tensor; logits_time_major: bool = True; unique: "
             "tensors(gradients) = None; blank_index: int = None",
     .scope = "ctc_loss_dense",
     .build = CtcLoss,
     .doc = "The negative logarithm of the probability that sequences show "
            "their labels, whatever the steps, with blanks between.\n\n"
            "Args:\n  labels: [batch, n], or a SparseTensor of that shape.\n"
            "  logits: [steps, batch, classes].\n  label_length: of dense "
            "labels, for each sequence.\n  logit_length: steps of each "
            "sequence.\n  logits_time_major: False for logits [batch, steps, "
            "classes].\n  unique: not needed; what tf.nn.ctc_unique_labels "
            "gives.\n  blank_index: the class of blanks, 0 unless given; "
            "sparse labels need it.",
     .example = ">>> tf.nn.ctc_loss([[1]], tf.zeros([1, 1, 2]), [1], [1]).numpy"
                "().round(4).item() > 0.69\nTrue"},
    {.names = "nn.ctc_unique_labels",
     .args = "labels: tensor",
     .scope = "ctc_unique_labels",
     .build = CtcUniqueLabels,
     .result = "list",
     .doc = "The different labels of each row in order, filled up with 0, and "
            "the number of each label among them.",
     .example = ">>> [t.numpy().tolist() for t in tf.nn.ctc_unique_labels([[3, "
                "1, 3]])]\n[[[3, 1, 0]], [[0, 1, 0]]]"},
    {.names = "nn.collapse_repeated",
     .args = "labels: tensor; seq_length: tensor",
     .scope = "collapse_repeated_labels",
     .build = CollapseRepeated,
     .result = "tuple",
     .doc = "Rows without labels that repeat the one before, filled up with 0, "
            "and their new lengths.",
     .example = ">>> labels, n = tf.nn.collapse_repeated([[3, 3, 1]], [3])\n"
                ">>> labels.numpy().tolist(), n.numpy().tolist()\n"
                "([[3, 1]], [2])"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_ctc)

}  // namespace gk
