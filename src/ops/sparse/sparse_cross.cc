// Crosses of the columns of sparse and dense matrices, as sparse matrices.
#include "ops/fn/sparse_cross.h"

#include <algorithm>
#include <vector>

#include "framework/op_registry.h"
#include "ops/feature_columns.h"

namespace gk {
namespace {

// The inputs of such an op: n sparse matrices, then dense ones.
struct Inputs {
  int64_t n = 0;       // of sparse matrices
  int64_t values = 0;  // and of what are their values
  int64_t dense = 0;

  explicit Inputs(const KernelContext& c)
      : n(c.attr<int64_t>("N")),
        values(c.attr<std::vector<DataType>>("sparse_types").size()),
        dense(c.attr<std::vector<DataType>>("dense_types").size()) {}

  int IndicesAt(int64_t i) const { return static_cast<int>(i); }
  int ValuesAt(int64_t i) const { return static_cast<int>(n + i); }
  int ShapeAt(int64_t i) const { return static_cast<int>(n + values + i); }
  int DenseAt(int64_t i) const { return static_cast<int>(2 * n + values + i); }
  int Behind() const { return DenseAt(dense); }
};

Status CheckSparseInput(const Tensor& indices, const Tensor& values,
                        const Tensor& shape, int64_t at) {
  if (indices.rank() != 2) {
    return InvalidArgument(
        "Input indices should be a matrix but received shape {} at position {}",
        indices.shape().DebugString(), at);
  }
  if (indices.dim(1) != 2) {
    return InvalidArgument("Expected D2 of index to be 2 got {} at position {}",
                           indices.dim(1), at);
  }
  if (values.rank() != 1) {
    return InvalidArgument(
        "Input values should be a vector but received shape {} at position {}",
        values.shape().DebugString(), at);
  }
  if (indices.dim(0) != values.dim(0)) {
    return InvalidArgument(
        "Expected size of values to be {} got {} at position {}",
        indices.dim(0), values.dim(0), at);
  }
  if (shape.rank() != 1) {
    return InvalidArgument(
        "Input shapes should be a vector but received shape {} at position {}",
        shape.shape().DebugString(), at);
  }
  if (shape.dim(0) != 2) {
    return InvalidArgument(
        "shape should imply a 2D tensor, but got {} at position {}",
        shape.shape().DebugString(), at);
  }
  return OkStatus();
}

// All inputs as columns, the sparse ones first.
Status ReadCrossColumns(KernelContext& c, const Inputs& in,
                        FeatureColumns* out) {
  if (in.values != in.n) {
    return InvalidArgument("Expected {} input values, got {}", in.n, in.values);
  }
  for (int64_t i = 0; i < in.n; ++i) {
    GK_RETURN_IF_ERROR(CheckSparseInput(c.input(in.IndicesAt(i)),
                                        c.input(in.ValuesAt(i)),
                                        c.input(in.ShapeAt(i)), i));
  }
  for (int64_t i = 0; i < in.dense; ++i) {
    const Tensor& t = c.input(in.DenseAt(i));
    if (t.rank() == 2) continue;
    return InvalidArgument(
        "Dense inputs should be a matrix but received shape {} at position {}",
        t.shape().DebugString(), i);
  }
  const auto rows_of = [&](int64_t i) {
    return c.input(in.ShapeAt(i)).data<int64_t>()[0];
  };
  const int64_t rows = in.n > 0       ? rows_of(0)
                       : in.dense > 0 ? c.input(in.DenseAt(0)).dim(0)
                                      : 0;
  if (rows < 0) return InvalidArgument("Dimension {} must be >= 0", rows);
  // Columns take memory for each row: first all agree on how many there are.
  for (int64_t i = 0; i < in.n; ++i) {
    if (rows_of(i) != rows) {
      return InvalidArgument("Expected batch size {} got {} at position {}",
                             rows, rows_of(i), i);
    }
  }
  for (int64_t i = 0; i < in.dense; ++i) {
    const int64_t own = c.input(in.DenseAt(i)).dim(0);
    if (own != rows) {
      return InvalidArgument("Expected batch size {} got {} at dense tensor {}",
                             rows, own, i);
    }
  }
  *out = FeatureColumns(rows);
  for (int64_t i = 0; i < in.n; ++i) {
    GK_RETURN_IF_ERROR(
        out->AddSparse(c.input(in.IndicesAt(i)), c.input(in.ValuesAt(i))));
  }
  for (int64_t i = 0; i < in.dense; ++i) {
    GK_RETURN_IF_ERROR(out->AddDense(c.input(in.DenseAt(i))));
  }
  return out->Count();
}

// The places of the crosses and the shape of them all.
Status OutputCrossPlaces(KernelContext& c, const FeatureColumns& columns) {
  const int64_t n = columns.size(), rows = columns.rows();
  GK_ASSIGN_OR_RETURN(const TensorShape places,
                      TensorShape::Make(std::vector<int64_t>{n, 2}));
  Tensor *indices, *shape;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kInt64, places, &indices));
  GK_RETURN_IF_ERROR(c.Allocate(2, DataType::kInt64, TensorShape({2}), &shape));
  int64_t widest = 0;
  int64_t* to = indices->data<int64_t>();
  TurnPoll poll;
  for (int64_t row = 0; row < rows; ++row) {
    poll();
    const int64_t count = columns.ends()[row + 1] - columns.ends()[row];
    widest = std::max(widest, count);
    for (int64_t k = 0; k < count; ++k) {
      poll();
      *to++ = row;
      *to++ = k;
    }
  }
  shape->data<int64_t>()[0] = rows;
  shape->data<int64_t>()[1] = widest;
  return OkStatus();
}

Status ComputeSparseCross(KernelContext& c) {
  const Inputs in(c);
  const bool texts = c.attr<DataType>("out_type") == DataType::kString;
  const auto internal = c.attr<DataType>("internal_type");
  // Where texts are crossed as such, numbers are of another type.
  if (internal == DataType::kString) {
    for (const char* const which : {"sparse_types", "dense_types"}) {
      for (const DataType t : c.attr<std::vector<DataType>>(which)) {
        if (t == internal) continue;
        return InvalidArgument(
            "Input values should be of internal type {} but received {}",
            static_cast<int>(internal), static_cast<int>(t));
      }
    }
  }
  FeatureColumns columns(0);
  GK_RETURN_IF_ERROR(ReadCrossColumns(c, in, &columns));
  GK_RETURN_IF_ERROR(OutputCrossPlaces(c, columns));
  if (texts) return columns.OutputTexts(c, 1, "_X_");
  return columns.OutputHashes(
      c, 1,
      {.begins_with_key = true,
       .key = static_cast<uint64_t>(c.attr<int64_t>("hash_key")),
       .buckets = c.attr<int64_t>("num_buckets")});
}

Status ComputeSparseCrossV2(KernelContext& c) {
  const Inputs in(c);
  const Tensor& sep = c.input(in.Behind());
  if (sep.rank() != 0) {
    return InvalidArgument("Input separator should be a scalar. Received: {}",
                           sep.DebugString());
  }
  FeatureColumns columns(0);
  GK_RETURN_IF_ERROR(ReadCrossColumns(c, in, &columns));
  GK_RETURN_IF_ERROR(OutputCrossPlaces(c, columns));
  return columns.OutputTexts(c, 1, sep.scalar<std::string>());
}

Status ComputeSparseCrossHashed(KernelContext& c) {
  const Inputs in(c);
  const Tensor &buckets = c.input(in.Behind()),
               &strong = c.input(in.Behind() + 1),
               &salt = c.input(in.Behind() + 2);
  if (buckets.num_elements() != 1) {
    return InvalidArgument("num_buckets must be a scalar, got shape {}",
                           buckets.shape().DebugString());
  }
  if (strong.num_elements() != 1) {
    return InvalidArgument("strong_hash must be a scalar, got shape {}",
                           strong.shape().DebugString());
  }
  if (salt.num_elements() != 2) {
    return InvalidArgument(
        "Input \"salt\" must have length 2 but has length {}",
        salt.num_elements());
  }
  FeatureColumns columns(0);
  GK_RETURN_IF_ERROR(ReadCrossColumns(c, in, &columns));
  GK_RETURN_IF_ERROR(OutputCrossPlaces(c, columns));
  const auto key = [&](int i) {
    return static_cast<uint64_t>(salt.data<int64_t>()[i]);
  };
  return columns.OutputHashes(c, 1,
                              {.hashes_numbers = true,
                               .keyed = strong.scalar<bool>(),
                               .key0 = key(0),
                               .key1 = key(1),
                               .buckets = buckets.scalar<int64_t>()});
}

Status CrossShape(InferenceContext& c) {
  c.set_output(0, {kUnknownDim, 2});
  c.set_output(1, {kUnknownDim});
  c.set_output(2, {2});
  return OkStatus();
}

#define CROSS_INPUTS                                              \
  "indices: N * int64; values: sparse_types; shapes: N * int64; " \
  "dense_inputs: dense_types"
#define CROSS_LISTS                                                 \
  "sparse_types: list(type) in [int64, string] >= 0; dense_types: " \
  "list(type) in [int64, string] >= 0"

const OpRecord kRecords[] = {
    {.name = "SparseCross",
     .inputs = CROSS_INPUTS,
     .outputs = "output_indices: int64; output_values: out_type; "
                "output_shape: int64",
     .attrs = "N: int >= 0; hashed_output: bool; num_buckets: int >= 0; "
              "hash_key: int; " CROSS_LISTS
              "; out_type: type in [int64, string]; internal_type: type in "
              "[int64, string]",
     .traits = kNoGradient,
     .shape = CrossShape,
     .kernel = {.compute = ComputeSparseCross},
     .doc = "Every way of taking one value of each input in a row, joined or "
            "hashed."},

    {.name = "SparseCrossV2",
     .inputs = CROSS_INPUTS "; sep: string",
     .outputs = "output_indices: int64; output_values: string; output_shape: "
                "int64",
     .attrs = "N: int >= 0; " CROSS_LISTS,
     .traits = kNoGradient,
     .shape = CrossShape,
     .kernel = {.compute = ComputeSparseCrossV2},
     .doc = "Every way of taking one value of each input in a row, joined."},

    {.name = "SparseCrossHashed",
     .inputs =
         CROSS_INPUTS "; num_buckets: int64; strong_hash: bool; salt: int64",
     .outputs = "output_indices: int64; output_values: int64; output_shape: "
                "int64",
     .attrs = "N: int >= 0; " CROSS_LISTS,
     .traits = kNoGradient,
     .shape = CrossShape,
     .kernel = {.compute = ComputeSparseCrossHashed},
     .doc = "Every way of taking one value of each input in a row, hashed; "
            "`salt` is the key of strong hashes."},
};

}  // namespace

GK_REGISTER_OPS(sparse_cross)

}  // namespace gk
