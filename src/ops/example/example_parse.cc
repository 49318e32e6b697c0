// Ops that read features out of serialized examples.
#include <string>

#include "framework/op_registry.h"
#include "ops/example/parse_examples.h"

namespace gk {
namespace {

std::vector<std::string_view> Names(const Tensor& keys) {
  const std::string* first = keys.data<std::string>();
  return {first, first + keys.num_elements()};
}

Status CheckRank(const Tensor& t, std::string_view what, int low, int high) {
  if (t.shape().rank() >= low && t.shape().rank() <= high) return OkStatus();
  return InvalidArgument(
      "Expected {} to be a {}, got shape: {}", what,
      low == high ? (low == 0 ? "scalar" : "vector") : "scalar or vector",
      t.shape().DebugString());
}

// The attributes of all of them, and defaults from input `first_default` on.
FeaturesWanted WantedBy(const KernelContext& c, int first_default) {
  FeaturesWanted w;
  w.sparse_types = c.attr<std::vector<DataType>>("sparse_types");
  w.dense_shapes = c.attr<std::vector<PartialTensorShape>>("dense_shapes");
  for (int i = first_default; i < c.num_inputs(); ++i) {
    w.dense_defaults.push_back(&c.input(i));
  }
  return w;
}

Status CheckNames(const Tensor& serialized, const Tensor& names) {
  if (names.num_elements() == 0 || names.shape() == serialized.shape()) {
    return OkStatus();
  }
  return InvalidArgument(
      "Expected names have the same shape as serialized: name.shape={}, "
      "serialized.shape={}",
      names.shape().DebugString(), serialized.shape().DebugString());
}

Status ComputeParse(KernelContext& c) {
  const Tensor &serialized = c.input(0), &names = c.input(1);
  GK_RETURN_IF_ERROR(CheckRank(serialized, "serialized", 1, 1));
  GK_RETURN_IF_ERROR(CheckNames(serialized, names));
  const int num_sparse = static_cast<int>(c.attr<int64_t>("Nsparse"));
  const int num_dense = static_cast<int>(c.attr<int64_t>("Ndense"));
  FeaturesWanted w = WantedBy(c, 2 + num_sparse + num_dense);
  for (int i = 0; i < num_sparse + num_dense; ++i) {
    const Tensor& key = c.input(2 + i);
    if (key.num_elements() != 1) {
      return InvalidArgument("{} must be a string, got shape {}",
                             i < num_sparse ? "sparse_keys" : "dense_keys",
                             key.shape().DebugString());
    }
    (i < num_sparse ? w.sparse : w.dense).push_back(key.scalar<std::string>());
  }
  GK_RETURN_IF_ERROR(CheckWanted(w));
  return ParseExamples(c, serialized, &names, w);
}

Status ComputeParseV2(KernelContext& c) {
  const Tensor &serialized = c.input(0), &names = c.input(1);
  GK_RETURN_IF_ERROR(CheckRank(serialized, "serialized", 0, 1));
  GK_RETURN_IF_ERROR(CheckNames(serialized, names));
  FeaturesWanted w = WantedBy(c, 5);
  w.ragged_types = c.attr<std::vector<DataType>>("ragged_value_types");
  w.split_types = c.attr<std::vector<DataType>>("ragged_split_types");
  w.sparse = Names(c.input(2));
  w.dense = Names(c.input(3));
  w.ragged = Names(c.input(4));
  if (c.attr<int64_t>("num_sparse") !=
      static_cast<int64_t>(w.sparse_types.size())) {
    return InvalidArgument("len(sparse_keys) != len(sparse_types)");
  }
  GK_RETURN_IF_ERROR(CheckWanted(w));
  return ParseExamples(c, serialized, &names, w);
}

Status ComputeParseSingle(KernelContext& c) {
  const Tensor& serialized = c.input(0);
  GK_RETURN_IF_ERROR(CheckRank(serialized, "serialized", 0, 0));
  FeaturesWanted w = WantedBy(c, 1);
  for (const std::string& key :
       c.attr<std::vector<std::string>>("sparse_keys")) {
    w.sparse.push_back(key);
  }
  for (const std::string& key :
       c.attr<std::vector<std::string>>("dense_keys")) {
    w.dense.push_back(key);
  }
  if (c.attr<int64_t>("num_sparse") !=
      static_cast<int64_t>(w.sparse_types.size())) {
    return InvalidArgument("len(sparse_keys) != len(sparse_types)");
  }
  GK_RETURN_IF_ERROR(CheckWanted(w));
  return ParseExamples(c, serialized, nullptr, w);
}

// `batch`: the shape of the serialized examples.
Status ShapesFor(InferenceContext& c, const PartialTensorShape& batch,
                 int num_sparse, int num_ragged) {
  constexpr int64_t kAny = -1;
  const bool is_known = !batch.unknown_rank();
  const int64_t rank = is_known ? batch.rank() + 1 : kAny;
  int next = 0;
  for (int i = 0; i < num_sparse; ++i) c.set_output(next++, {kAny, rank});
  for (int i = 0; i < num_sparse; ++i) c.set_output(next++, {kAny});
  for (int i = 0; i < num_sparse; ++i) c.set_output(next++, {rank});
  for (const PartialTensorShape& own :
       c.attr<std::vector<PartialTensorShape>>("dense_shapes")) {
    PartialTensorShape shape;
    if (is_known && !own.unknown_rank()) {
      shape = batch;
      for (const int64_t dim : own.dims()) shape.AddDim(dim);
    }
    if (next < c.num_outputs()) c.set_output(next++, shape);
  }
  int64_t splits = kAny;
  if (is_known) {
    splits = batch.rank() == 0 ? 0 : batch.dim(0) < 0 ? kAny : batch.dim(0) + 1;
  }
  next = c.num_outputs() - 2 * num_ragged;
  for (int i = 0; i < num_ragged; ++i) c.set_output(next++, {kAny});
  for (int i = 0; i < num_ragged; ++i) c.set_output(next++, {splits});
  return OkStatus();
}

// What attributes alone tell to be wrong is so before anything is parsed.
// `num_dense` -1: keys are no attribute.
Status CheckCounts(InferenceContext& c, int64_t num_sparse,
                   int64_t num_dense = -1) {
  const auto count = [&]<class T>(std::string_view name, T) {
    return static_cast<int64_t>(c.attr<std::vector<T>>(name).size());
  };
  if (count("sparse_types", DataType()) != num_sparse) {
    return InvalidArgument("len(sparse_keys) != len(sparse_types)");
  }
  const int64_t types = count("Tdense", DataType());
  if (num_dense >= 0 && num_dense != types) {
    return InvalidArgument("len(dense_keys) != len(dense_types)");
  }
  if (count("dense_shapes", PartialTensorShape()) != types) {
    return InvalidArgument("len(dense_keys) != len(dense_shapes)");
  }
  return OkStatus();
}

Status ParseShape(InferenceContext& c) {
  const int num_sparse = static_cast<int>(c.attr<int64_t>("Nsparse"));
  PartialTensorShape batch;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &batch));
  GK_RETURN_IF_ERROR(CheckCounts(c, num_sparse, c.attr<int64_t>("Ndense")));
  return ShapesFor(c, batch, num_sparse, 0);
}

Status ParseV2Shape(InferenceContext& c) {
  const int num_sparse = static_cast<int>(c.attr<int64_t>("num_sparse"));
  const auto values = c.attr<std::vector<DataType>>("ragged_value_types");
  const auto splits = c.attr<std::vector<DataType>>("ragged_split_types");
  GK_RETURN_IF_ERROR(CheckCounts(c, num_sparse));
  if (values.size() != splits.size()) {
    return InvalidArgument(
        "len(ragged_value_types) != len(ragged_split_types)");
  }
  PartialTensorShape batch = c.input(0);
  if (batch.rank() > 1) {
    return InvalidArgument(
        "Expected serialized to be a scalar or vector, got shape: {}",
        batch.DebugString());
  }
  return ShapesFor(c, batch, num_sparse, static_cast<int>(values.size()));
}

Status ParseSingleShape(InferenceContext& c) {
  const int num_sparse = static_cast<int>(c.attr<int64_t>("num_sparse"));
  PartialTensorShape batch;
  GK_RETURN_IF_ERROR(c.WithRank(0, 0, &batch));
  const auto keys = [&](std::string_view name) {
    return static_cast<int64_t>(c.attr<std::vector<std::string>>(name).size());
  };
  if (keys("sparse_keys") != num_sparse) {
    return InvalidArgument(
        "num_sparse ({}) must match the size of sparse_keys ({})", num_sparse,
        keys("sparse_keys"));
  }
  GK_RETURN_IF_ERROR(CheckCounts(c, num_sparse, keys("dense_keys")));
  return ShapesFor(c, TensorShape(), num_sparse, 0);
}

const OpRecord kRecords[] = {
    {.name = "ParseExample",
     .inputs = "serialized: string; names: string; sparse_keys: Nsparse * "
               "string; dense_keys: Ndense * string; dense_defaults: Tdense",
     .outputs = "sparse_indices: Nsparse * int64; sparse_values: sparse_types; "
                "sparse_shapes: Nsparse * int64; dense_values: Tdense",
     .attrs = "Nsparse: int >= 0; Ndense: int >= 0; sparse_types: list(type) "
              "in [float, int64, string] >= 0; Tdense: list(type) in [float, "
              "int64, string] >= 0; dense_shapes: list(shape) >= 0",
     .traits = kNoGradient,
     .shape = ParseShape,
     .kernel = {.compute = ComputeParse},
     .doc = "Features of a vector of serialized examples, as dense and sparse "
            "tensors."},

    {.name = "ParseExampleV2",
     .inputs = "serialized: string; names: string; sparse_keys: string; "
               "dense_keys: string; ragged_keys: string; dense_defaults: "
               "Tdense",
     .outputs = "sparse_indices: num_sparse * int64; sparse_values: "
                "sparse_types; sparse_shapes: num_sparse * int64; "
                "dense_values: Tdense; ragged_values: ragged_value_types; "
                "ragged_row_splits: ragged_split_types",
     .attrs = "Tdense: list(type) in [float, int64, string] >= 0; num_sparse: "
              "int >= 0; sparse_types: list(type) in [float, int64, string] "
              ">= 0; ragged_value_types: list(type) in [float, int64, string] "
              ">= 0; ragged_split_types: list(type) in [int32, int64] >= 0; "
              "dense_shapes: list(shape) >= 0",
     .traits = kNoGradient,
     .shape = ParseV2Shape,
     .kernel = {.compute = ComputeParseV2},
     .doc = "Features of serialized examples, a vector of them or one, as "
            "dense, sparse and ragged tensors."},

    {.name = "ParseSingleExample",
     .inputs = "serialized: string; dense_defaults: Tdense",
     .outputs = "sparse_indices: num_sparse * int64; sparse_values: "
                "sparse_types; sparse_shapes: num_sparse * int64; "
                "dense_values: Tdense",
     .attrs = "num_sparse: int >= 0; sparse_keys: list(string) >= 0; "
              "dense_keys: list(string) >= 0; sparse_types: list(type) in "
              "[float, int64, string] >= 0; Tdense: list(type) in [float, "
              "int64, string] >= 0; dense_shapes: list(shape) >= 0",
     .traits = kNoGradient,
     .shape = ParseSingleShape,
     .kernel = {.compute = ComputeParseSingle},
     .doc = "Features of one serialized example, as dense and sparse tensors."},
};

}  // namespace

GK_REGISTER_OPS(example_parse)

}  // namespace gk
