// Sparse tensors as strings, and made of these again.
#include "ops/composition.h"
#include "ops/composition/sparse_arguments.h"
#include "ops/fn/DeserializeManySparse.h"
#include "ops/fn/EnsureShape.h"
#include "ops/fn/SerializeManySparse.h"
#include "ops/fn/SerializeSparse.h"

namespace gk {
namespace {

TensorVector Serialized(CompositionCall& c) {
  const SparseParts s = SparsePartsOf(c.rows(0));
  return {ops::SerializeSparse(OpName(c.name()), s.indices, s.values,
                               s.dense_shape, c.type(1))};
}
TensorVector SerializedRows(CompositionCall& c) {
  const SparseParts s = SparsePartsOf(c.rows(0));
  return {ops::SerializeManySparse(OpName(c.name()), s.indices, s.values,
                                   s.dense_shape, c.type(1))};
}

TensorVector Deserialized(CompositionCall& c) {
  TensorVector made =
      ops::DeserializeManySparse(OpName(c.name()), c.tensor(0), c.type(1));
  if (!c.has(2)) return made;
  const int64_t rank = c.integer(2);
  const int64_t known = made[2].partial_shape().dim(0);
  if (known >= 0 && known != rank) {
    throw Error(
        ValueError("deserialize_many_sparse: the sparse tensor has rank {}, "
                   "but `rank` is {}",
                   known, rank));
  }
  if (known < 0) {
    made[0] = ops::EnsureShape(made[0], PartialTensorShape({-1, rank}));
    made[2] = ops::EnsureShape(made[2], PartialTensorShape({rank}));
  }
  return made;
}

const CompositionRecord kRecords[] = {
    {.names = "io.serialize_sparse",
     .args = "sp_input: rows; out_type: type = string",
     .scope = "SerializeSparse",
     .wraps_op = true,
     .build = Serialized,
     .doc = "A sparse tensor as a vector of three, strings or variants: its "
            "indices, values and dense shape.\n\nRaises TypeError for what is "
            "no sparse tensor.",
     .example = ">>> s = tf.sparse.from_dense([[1, 0], [0, 2]])\n"
                ">>> tf.io.serialize_sparse(s).shape\n"
                "TensorShape([3])"},

    {.names = "io.serialize_many_sparse",
     .args = "sp_input: rows; out_type: type = string",
     .scope = "SerializeManySparse",
     .wraps_op = true,
     .build = SerializedRows,
     .doc = "Each row of a sparse tensor, of rank 2 or more, as a vector of "
            "three, strings or variants.\n\nRaises TypeError for what is no "
            "sparse tensor.",
     .example = ">>> s = tf.sparse.from_dense([[1, 0], [0, 2]])\n"
                ">>> tf.io.serialize_many_sparse(s).shape\n"
                "TensorShape([2, 3])"},

    {.names = "io.deserialize_many_sparse",
     .args = "serialized_sparse: tensor(string!); dtype: type; rank: int = "
             "None",
     .scope = "DeserializeManySparse",
     .wraps_op = true,
     .build = Deserialized,
     .result = "SparseTensor",
     .doc = "The sparse tensor whose rows tf.io.serialize_many_sparse made "
            "strings of.\n\n"
            "Args:\n"
            "  serialized_sparse: strings, of shape [rows, 3].\n"
            "  dtype: of the values.\n"
            "  rank: of the sparse tensor; None: as the strings say.\n\n"
            "Raises InvalidArgumentError for strings that are none, and for "
            "values of another dtype.",
     .example = ">>> s = tf.sparse.from_dense([[1, 0], [0, 2]])\n"
                ">>> s = tf.io.serialize_many_sparse(s)\n"
                ">>> s = tf.io.deserialize_many_sparse(s, tf.int32)\n"
                ">>> tf.sparse.to_dense(s).numpy().tolist()\n"
                "[[1, 0], [0, 2]]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_serialize)

}  // namespace gk
