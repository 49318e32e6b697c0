// tf.sparse.cross, tf.ragged.cross and their hashed forms.
#include <vector>

#include "ops/composition.h"
#include "ops/composition/sparse_arguments.h"
#include "ops/element_moves.h"
#include "ops/fn/RaggedCross.h"
#include "ops/fn/SparseCross.h"
#include "ops/fn/SparseCrossV2.h"

namespace gk {
namespace {

using Kind = RowsValue::Kind;

constexpr int64_t kDefaultHashKey = 0xDECAFCAFFE;

Tensor AsFeature(const Tensor& values) {
  return values.dtype() == DataType::kString ? values
                                             : CastTo(values, DataType::kInt64);
}

// Inputs as the ops take them: the sparse ones, then the dense ones.
struct CrossInputs {
  TensorVector indices, values, shapes, dense;
  bool has_numbers = false;

  explicit CrossInputs(const CompositionCall& c) {
    for (const RowsValue& rows : c.many_rows(0)) {
      has_numbers = has_numbers || rows.values.dtype() != DataType::kString;
      if (rows.kind == Kind::kRagged) {
        throw Error(TypeError("All inputs must be Tensor or SparseTensor."));
      }
      if (rows.kind == Kind::kDense) {
        dense.push_back(AsFeature(rows.values));
        continue;
      }
      const SparseParts s = SparsePartsOf(rows);
      indices.push_back(s.indices);
      values.push_back(AsFeature(s.values));
      shapes.push_back(s.dense_shape);
    }
  }
};

TensorVector SparseCrossed(CompositionCall& c) {
  const CrossInputs in(c);
  const Tensor sep = ValueOrThrow(OpBuilder::Current()->Constant(
      Tensor::Scalar(c.has(2) ? c.text(2) : std::string("_X_")),
      c.name("Const")));
  return ops::SparseCrossV2(OpName(c.name()), in.indices, in.values, in.shapes,
                            in.dense, sep);
}

TensorVector SparseCrossHashes(CompositionCall& c) {
  const CrossInputs in(c);
  const int64_t key =
      c.has(2) && c.integer(2) != 0 ? c.integer(2) : kDefaultHashKey;
  return ops::SparseCross(
      OpName(c.name()), in.indices, in.values, in.shapes, in.dense, true,
      c.integer(1), key, DataType::kInt64,
      in.has_numbers ? DataType::kInt64 : DataType::kString);
}

TensorVector RaggedCrosses(CompositionCall& c, bool hashed, int64_t buckets,
                           int64_t key) {
  TensorVector values, splits, indices, sparse_values, shapes, dense;
  std::string order;
  bool short_splits = true;
  int at = 0;
  for (const RowsValue& rows : c.many_rows(0)) {
    const DataType type = rows.values.dtype();
    if (type != DataType::kString && !IsInteger(type)) {
      throw Error(ValueError("Unexpected dtype for inputs[{}]: <dtype: '{}'>",
                             at, DataTypeName(type)));
    }
    ++at;
    const Tensor features = AsFeature(rows.values);
    switch (rows.kind) {
      case Kind::kRagged:
        if (rows.places.size() != 1) {
          throw Error(
              ValueError("tf.ragged.cross only supports inputs with rank=2"));
        }
        values.push_back(features);
        splits.push_back(rows.places[0]);
        short_splits =
            short_splits && rows.places[0].dtype() == DataType::kInt32;
        order += 'R';
        break;
      case Kind::kSparse:
        indices.push_back(rows.places[0]);
        sparse_values.push_back(features);
        shapes.push_back(rows.places[1]);
        order += 'S';
        break;
      case Kind::kDense:
        dense.push_back(features);
        order += 'D';
        break;
    }
  }
  return ops::RaggedCross(
      OpName(c.name()), values, splits, indices, sparse_values, shapes, dense,
      order, hashed, buckets, key,
      hashed ? DataType::kInt64 : DataType::kString,
      short_splits && !values.empty() ? DataType::kInt32 : DataType::kInt64);
}

TensorVector RaggedCrossed(CompositionCall& c) {
  return RaggedCrosses(c, false, 0, kDefaultHashKey);
}
TensorVector RaggedCrossHashes(CompositionCall& c) {
  return RaggedCrosses(c, true, c.integer(1),
                       c.has(2) ? c.integer(2) : kDefaultHashKey);
}

const CompositionRecord kRecords[] = {
    {.names = "sparse.cross",
     .args = "inputs: many_rows; name: name = None; separator: string = None",
     .build = SparseCrossed,
     .result = "SparseTensor",
     .doc = "Every way of taking one value of each input in a row, joined by "
            "the separator.\n\n"
            "Args:\n  inputs: a list of dense or sparse matrices of strings or "
            "numbers, which are taken as integers. Sparse ones come first in "
            "each cross, whatever the order of the list.\n"
            "  separator: \"_X_\" if None.",
     .example = ">>> s = tf.sparse.cross([tf.constant([[\"a\"], [\"b\"]]), "
                "tf.constant([[1, 2], [3, 4]])])\n"
                ">>> s.values.numpy().tolist()\n"
                "[b'a_X_1', b'a_X_2', b'b_X_3', b'b_X_4']"},
    {.names = "sparse.cross_hashed",
     .args = "inputs: many_rows; num_buckets: int = 0; hash_key: int = None",
     .build = SparseCrossHashes,
     .result = "SparseTensor",
     .doc = "Every way of taking one value of each input in a row, as a "
            "number.\n\n"
            "Args:\n  inputs: as those of tf.sparse.cross.\n"
            "  num_buckets: numbers are below this; 0: any that are not "
            "negative.\n"
            "  hash_key: what hashes begin with; None or 0: a fixed number.",
     .example = ">>> s = tf.sparse.cross_hashed([tf.constant([[\"a\"]]), "
                "tf.constant([[\"b\", \"c\"]])], 100)\n"
                ">>> s.shape\nTensorShape([1, 2])"},
    {.names = "ragged.cross",
     .args = "inputs: many_rows",
     .scope = "RaggedCross",
     .build = RaggedCrossed,
     .result = "RaggedTensor",
     .doc = "Every way of taking one value of each input in a row, joined by "
            "\"_X_\".\n\n"
            "Args:\n  inputs: a list of ragged, sparse or dense matrices of "
            "strings or integers with as many rows.",
     .example = ">>> tf.ragged.cross([tf.ragged.constant([[\"a\"], [\"b\", "
                "\"c\"]]), tf.constant([[1], [2]])])\n"
                "<tf.RaggedTensor [[b'a_X_1'], [b'b_X_2', b'c_X_2']]>"},
    {.names = "ragged.cross_hashed",
     .args = "inputs: many_rows; num_buckets: int = 0; hash_key: int = None",
     .scope = "RaggedCross",
     .build = RaggedCrossHashes,
     .result = "RaggedTensor",
     .doc = "Every way of taking one value of each input in a row, as a "
            "number.\n\n"
            "Args:\n  inputs: as those of tf.ragged.cross.\n"
            "  num_buckets: numbers are below this; 0: any that are not "
            "negative.\n"
            "  hash_key: what hashes begin with; None: a fixed number.",
     .example = ">>> tf.ragged.cross_hashed([tf.ragged.constant([[\"a\"], "
                "[\"b\", \"c\"]]), tf.constant([[\"d\"], [\"e\"]])], 100)."
                "row_lengths().numpy().tolist()\n[1, 2]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_cross)

}  // namespace gk
