// Crosses of the columns of ragged, sparse and dense matrices, as ragged rows.
#include "ops/fn/ragged_cross.h"

#include <limits>
#include <string_view>
#include <vector>

#include "framework/op_registry.h"
#include "ops/feature_columns.h"

namespace gk {
namespace {

Status BadCrossRank() {
  return InvalidArgument("tf.ragged.cross only supports inputs with rank=2.");
}

template <class Split>
Status CheckCrossSplits(const Tensor& splits, int64_t values) {
  const std::span<const Split> at = splits.flat<Split>();
  if (at.empty()) {
    return InvalidArgument(
        "Invalid ragged splits: ragged splits must have at least one splits, "
        "but is empty");
  }
  if (at[0] != 0) {
    return InvalidArgument(
        "Invalid ragged splits: first element of ragged splits  must be 0 but "
        "is {}",
        at[0]);
  }
  for (size_t i = 1; i < at.size(); ++i) {
    if (at[i] >= at[i - 1]) continue;
    return InvalidArgument(
        "Invalid ragged splits: ragged splits must be monotonically "
        "increasing, but ragged_splits[{}]={} is smaller than "
        "row_splits[{}]={}",
        i, at[i], i - 1, at[i - 1]);
  }
  if (at.back() != values) {
    return InvalidArgument(
        "Invalid ragged splits: last element of ragged splits must be the "
        "number of ragged values({}) but is {}",
        values, at.back());
  }
  return OkStatus();
}

// The inputs by kind.
struct RaggedCrossInputs {
  std::vector<const Tensor*> values, splits;
  std::vector<const Tensor*> indices, sparse_values, shapes;
  std::vector<const Tensor*> dense;

  explicit RaggedCrossInputs(const KernelContext& c) {
    const auto types = [&](std::string_view name) {
      return static_cast<int64_t>(c.attr<std::vector<DataType>>(name).size());
    };
    const auto sparse = c.attr<int64_t>("Nsparse");
    int next = 0;
    const auto take = [&](int64_t n, std::vector<const Tensor*>* to) {
      for (; n > 0; --n) to->push_back(&c.input(next++));
    };
    take(types("ragged_values_types"), &values);
    take(types("ragged_splits_types"), &splits);
    take(sparse, &indices);
    take(types("sparse_values_types"), &sparse_values);
    take(sparse, &shapes);
    take(types("dense_types"), &dense);
  }

  Status Check() const {
    if (values.size() != splits.size()) {
      return InvalidArgument(
          "ragged values and splits must have the same length");
    }
    if (indices.size() != sparse_values.size()) {
      return InvalidArgument(
          "sparse indices and values must have the same length");
    }
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i]->rank() != 1 || splits[i]->rank() != 1) {
        return BadCrossRank();
      }
      const int64_t n = values[i]->dim(0);
      GK_RETURN_IF_ERROR(splits[i]->dtype() == DataType::kInt32
                             ? CheckCrossSplits<int32_t>(*splits[i], n)
                             : CheckCrossSplits<int64_t>(*splits[i], n));
    }
    for (size_t i = 0; i < indices.size(); ++i) {
      if (indices[i]->rank() != 2 || sparse_values[i]->rank() != 1 ||
          shapes[i]->rank() != 1 ||
          indices[i]->dim(0) != sparse_values[i]->dim(0)) {
        return InvalidArgument("Invalid SparseTensor {}", i);
      }
      if (shapes[i]->dim(0) != 2) return BadCrossRank();
      if (indices[i]->dim(1) != 2) {
        return InvalidArgument("Invalid SparseTensor {}", i);
      }
    }
    for (const Tensor* t : dense) {
      if (t->rank() != 2) return BadCrossRank();
    }
    return OkStatus();
  }
};

// The number of rows, the same of all inputs.
Status CrossRows(const RaggedCrossInputs& in, int64_t* rows) {
  *rows = -1;
  bool same = true;
  const auto note = [&](int64_t n) {
    same = same && (*rows < 0 || *rows == n) && n >= 0;
    *rows = n;
  };
  for (const Tensor* t : in.splits) note(t->dim(0) - 1);
  for (const Tensor* t : in.shapes) note(t->data<int64_t>()[0]);
  for (const Tensor* t : in.dense) note(t->dim(0));
  if (!same) {
    return InvalidArgument(
        "inputs must all have the same batch dimension size.");
  }
  if (*rows < 0) *rows = 0;
  return OkStatus();
}

Status AddColumns(const RaggedCrossInputs& in, std::string_view order,
                  FeatureColumns* columns) {
  size_t ragged = 0, sparse = 0, dense = 0;
  const auto missing = [](char kind, std::string_view what, size_t i) {
    return InvalidArgument(
        "input_order \"{}\" specifies reading a {} tensor at index {} from a "
        "list of {} tensors.",
        kind, what, i, i);
  };
  if (order.size() != in.values.size() + in.indices.size() + in.dense.size()) {
    return InvalidArgument("Invalid length for input_order");
  }
  for (const char kind : order) {
    switch (kind) {
      case 'R':
        if (ragged == in.values.size()) return missing(kind, "ragged", ragged);
        GK_RETURN_IF_ERROR(
            columns->AddSplit(*in.values[ragged], *in.splits[ragged]));
        ++ragged;
        break;
      case 'S':
        if (sparse == in.indices.size()) return missing(kind, "sparse", sparse);
        GK_RETURN_IF_ERROR(
            columns->AddSparse(*in.indices[sparse], *in.sparse_values[sparse]));
        ++sparse;
        break;
      case 'D':
        if (dense == in.dense.size()) return missing(kind, "dense", dense);
        GK_RETURN_IF_ERROR(columns->AddDense(*in.dense[dense++]));
        break;
      default:
        return InvalidArgument("Unexpected input_order value.");
    }
  }
  return columns->Count();
}

template <class Split>
Status OutputCrossSplits(KernelContext& c, const FeatureColumns& columns) {
  if (columns.size() > std::numeric_limits<Split>::max()) {
    return InvalidArgument("Row splits of type {} do not count {} crosses",
                           DataTypeString(kTypeOf<Split>), columns.size());
  }
  const int64_t n = columns.rows() + 1;
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(1, kTypeOf<Split>, TensorShape({n}), &out));
  for (int64_t i = 0; i < n; ++i) {
    out->data<Split>()[i] = static_cast<Split>(columns.ends()[i]);
  }
  return OkStatus();
}

Status ComputeRaggedCross(KernelContext& c) {
  const RaggedCrossInputs in(c);
  GK_RETURN_IF_ERROR(in.Check());
  int64_t rows;
  GK_RETURN_IF_ERROR(CrossRows(in, &rows));
  FeatureColumns columns(rows);
  GK_RETURN_IF_ERROR(
      AddColumns(in, c.attr<std::string>("input_order"), &columns));
  GK_RETURN_IF_ERROR(c.attr<DataType>("out_row_splits_type") == DataType::kInt32
                         ? OutputCrossSplits<int32_t>(c, columns)
                         : OutputCrossSplits<int64_t>(c, columns));
  if (c.attr<DataType>("out_values_type") == DataType::kString) {
    return columns.OutputTexts(c, 0, "_X_");
  }
  return columns.OutputHashes(
      c, 0,
      {.begins_with_key = true,
       .key = static_cast<uint64_t>(c.attr<int64_t>("hash_key")),
       .buckets = c.attr<int64_t>("num_buckets")});
}

Status RaggedCrossShape(InferenceContext& c) {
  const auto count = [&](std::string_view name) {
    return static_cast<int>(c.attr<std::vector<DataType>>(name).size());
  };
  const int values = count("ragged_values_types");
  const int splits = count("ragged_splits_types");
  const int sparse = count("sparse_values_types");
  const auto n = static_cast<int>(c.attr<int64_t>("Nsparse"));
  int64_t rows = kUnknownDim;
  const auto same = [&](int64_t more) {
    return InferenceContext::MergeDims(rows, more, &rows);
  };
  for (int i = 0; i < splits; ++i) {
    PartialTensorShape shape;
    GK_RETURN_IF_ERROR(c.WithRank(values + i, 1, &shape));
    if (shape.dim(0) > 0) GK_RETURN_IF_ERROR(same(shape.dim(0) - 1));
  }
  const int shapes = values + splits + n + sparse;
  for (int i = 0; i < n; ++i) {
    const PartialTensorShape shape = c.ValueAsShape(shapes + i);
    if (!shape.unknown_rank() && shape.rank() > 0) {
      GK_RETURN_IF_ERROR(same(shape.dim(0)));
    }
  }
  for (int i = shapes + n; i < c.num_inputs(); ++i) {
    PartialTensorShape shape;
    GK_RETURN_IF_ERROR(c.WithRank(i, 2, &shape));
    GK_RETURN_IF_ERROR(same(shape.dim(0)));
  }
  c.set_output(0, {kUnknownDim});
  c.set_output(1, {rows < 0 ? kUnknownDim : rows + 1});
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "RaggedCross",
     .inputs = "ragged_values: ragged_values_types; ragged_row_splits: "
               "ragged_splits_types; sparse_indices: Nsparse * int64; "
               "sparse_values: sparse_values_types; sparse_shape: Nsparse * "
               "int64; dense_inputs: dense_types",
     .outputs = "output_values: out_values_type; output_row_splits: "
                "out_row_splits_type",
     .attrs = "Nsparse: int >= 0; input_order: string; hashed_output: bool; "
              "num_buckets: int >= 0; hash_key: int; ragged_values_types: "
              "list(type) in [int64, string] >= 0; ragged_splits_types: "
              "list(type) in [int32, int64] >= 0; sparse_values_types: "
              "list(type) in [int64, string] >= 0; dense_types: list(type) in "
              "[int64, string] >= 0; out_values_type: type in [int64, "
              "string]; out_row_splits_type: type in [int32, int64]",
     .traits = kNoGradient,
     .shape = RaggedCrossShape,
     .kernel = {.compute = ComputeRaggedCross},
     .doc = "Every way of taking one value of each input in a row, joined or "
            "hashed, in ragged rows."},
};

}  // namespace

GK_REGISTER_OPS(ragged_cross)

}  // namespace gk
