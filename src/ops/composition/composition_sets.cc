// tf.sets: sets along the last dimension; and the distance of sequences.
#include <utility>

#include "ops/composition.h"
#include "ops/fn/DenseToDenseSetOperation.h"
#include "ops/fn/DenseToSparseSetOperation.h"
#include "ops/fn/EditDistance.h"
#include "ops/fn/SetSize.h"
#include "ops/fn/SparseToSparseSetOperation.h"

namespace gk {
namespace {

using Kind = RowsValue::Kind;

void CheckSetType(const Tensor& values, std::string_view message) {
  switch (values.dtype()) {
    case DataType::kInt8:
    case DataType::kInt16:
    case DataType::kInt32:
    case DataType::kInt64:
    case DataType::kUint8:
    case DataType::kUint16:
    case DataType::kString:
      return;
    default:
      throw Error(
          TypeError("{} `{}` is none of int8, int16, int32, int64, "
                    "uint8, uint16 and string",
                    message, DataTypeName(values.dtype())));
  }
}

void RefuseRagged(const RowsValue& rows) {
  if (rows.kind == Kind::kRagged) {
    throw Error(
        TypeError("Sets are tensors or sparse tensors, not ragged ones"));
  }
}

TensorVector Operated(const CompositionCall& c, std::string operation,
                      bool validate) {
  const RowsValue *a = &c.rows(0), *b = &c.rows(1);
  RefuseRagged(*a);
  RefuseRagged(*b);
  CheckSetType(a->values, "'a' has invalid dtype");
  if (a->values.dtype() != b->values.dtype()) {
    throw Error(TypeError("Types don't match, {} vs {}.",
                          DataTypeName(a->values.dtype()),
                          DataTypeName(b->values.dtype())));
  }
  if (a->kind == Kind::kSparse && b->kind == Kind::kDense) {
    std::swap(a, b);
    operation = operation == "a-b"   ? "b-a"
                : operation == "b-a" ? "a-b"
                                     : operation;
  }
  if (a->kind == Kind::kSparse) {
    return ops::SparseToSparseSetOperation(
        a->places[0], a->values, a->places[1], b->places[0], b->values,
        b->places[1], operation, validate);
  }
  if (b->kind == Kind::kSparse) {
    return ops::DenseToSparseSetOperation(a->values, b->places[0], b->values,
                                          b->places[1], operation, validate);
  }
  return ops::DenseToDenseSetOperation(a->values, b->values, operation,
                                       validate);
}

TensorVector Intersection(CompositionCall& c) {
  return Operated(c, "intersection", c.flag(2));
}
TensorVector Union(CompositionCall& c) {
  return Operated(c, "union", c.flag(2));
}
TensorVector Difference(CompositionCall& c) {
  return Operated(c, c.flag(2) ? "a-b" : "b-a", c.flag(3));
}

TensorVector SetSizeOf(CompositionCall& c) {
  const RowsValue& a = c.rows(0);
  if (a.kind != Kind::kSparse) {
    throw Error(
        TypeError("Expected `SparseTensor`, got {}.", a.values.DebugString()));
  }
  CheckSetType(a.values, "Invalid dtype");
  return {ops::SetSize(a.places[0], a.values, a.places[1], c.flag(1))};
}

TensorVector Distances(CompositionCall& c) {
  const RowsValue &hypothesis = c.rows(0), &truth = c.rows(1);
  if (hypothesis.kind != Kind::kSparse) {
    throw Error(TypeError("Hypothesis must be a SparseTensor."));
  }
  if (truth.kind != Kind::kSparse) {
    throw Error(TypeError("Truth must be a SparseTensor."));
  }
  return {ops::EditDistance(OpName(c.name()), hypothesis.places[0],
                            hypothesis.values, hypothesis.places[1],
                            truth.places[0], truth.values, truth.places[1],
                            c.flag(2))};
}

#define SET_DOC                                                               \
  "\n\nArgs:\n  a, b: tensors or sparse tensors with places in order, equal " \
  "in all dimensions but the last.\n  validate_indices: refuse places that "  \
  "are in no order."

const CompositionRecord kRecords[] = {
    {.names = "sets.size",
     .args = "a: rows; validate_indices: bool = True",
     .build = SetSizeOf,
     .doc = "How many different values lie along the last dimension of a "
            "sparse tensor, an int32 tensor of one dimension less.",
     .example = ">>> s = tf.sparse.from_dense([[1, 2, 2], [3, 0, 0]])\n"
                ">>> tf.sets.size(s).numpy().tolist()\n[2, 1]",
     .takes_name = false},
    {.names = "sets.intersection",
     .args = "a: rows; b: rows; validate_indices: bool = True",
     .build = Intersection,
     .result = "SparseTensor",
     .doc = "The values that lie along the last dimension of both." SET_DOC,
     .example = ">>> tf.sets.intersection([[1, 2]], [[2, 3]]).values.numpy()."
                "tolist()\n[2]",
     .takes_name = false},
    {.names = "sets.difference",
     .args = "a: rows; b: rows; aminusb: bool = True; validate_indices: bool = "
             "True",
     .build = Difference,
     .result = "SparseTensor",
     .doc = "The values that lie along the last dimension of the first and not "
            "of the second; the other way round unless aminusb." SET_DOC,
     .example = ">>> tf.sets.difference([[1, 2]], [[2, 3]]).values.numpy()."
                "tolist()\n[1]",
     .takes_name = false},
    {.names = "sets.union",
     .args = "a: rows; b: rows; validate_indices: bool = True",
     .build = Union,
     .result = "SparseTensor",
     .doc = "The values that lie along the last dimension of either." SET_DOC,
     .example = ">>> tf.sets.union([[1, 2]], [[2, 3]]).values.numpy().tolist()"
                "\n[1, 2, 3]",
     .takes_name = false},
    {.names = "edit_distance",
     .args = "hypothesis: rows; truth: rows; normalize: bool = True",
     .scope = "edit_distance",
     .wraps_op = true,
     .shows_name = true,
     .build = Distances,
     .doc = "How many values have to be put in, left out or changed to make "
            "each sequence of one sparse tensor that of another; as a part of "
            "the latter's length if normalize.",
     .example = ">>> a = tf.sparse.from_dense([['a', 'b']])\n"
                ">>> b = tf.sparse.from_dense([['a', 'c']])\n"
                ">>> tf.edit_distance(a, b).numpy().tolist()\n[0.5]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_sets)

}  // namespace gk
