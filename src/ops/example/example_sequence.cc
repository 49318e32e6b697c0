// The op that reads features out of serialized SequenceExamples.
#include <string>

#include "framework/op_registry.h"
#include "ops/example/parse_sequences.h"

namespace gk {
namespace {

std::vector<std::string_view> KeysIn(const Tensor& keys) {
  const std::string* first = keys.data<std::string>();
  return {first, first + keys.num_elements()};
}

Status SameNumber(std::string_view one, int64_t in_one, std::string_view other,
                  int64_t in_other) {
  if (in_one == in_other) return OkStatus();
  return InvalidArgument("There must be as many {} as {}, got {} and {}", one,
                         other, in_one, in_other);
}

// Of the context or of the lists: their names in the signature.
struct SequencePart {
  const char *name, *dense_types;
};

Status ComputeSequences(KernelContext& c) {
  const Tensor &serialized = c.input(0), &names = c.input(1);
  if (serialized.rank() > 1) {
    return InvalidArgument(
        "Expected serialized to be a scalar or vector, got shape: {}",
        serialized.shape().DebugString());
  }
  if (names.num_elements() != 0 && !(names.shape() == serialized.shape())) {
    return InvalidArgument(
        "Expected debug_name to have the shape of serialized, {}, but it has "
        "{}",
        serialized.shape().DebugString(), names.shape().DebugString());
  }
  using Types = std::vector<DataType>;
  using Shapes = std::vector<PartialTensorShape>;
  SequenceWanted w;
  w.context = {KeysIn(c.input(2)),
               KeysIn(c.input(3)),
               KeysIn(c.input(4)),
               c.attr<Types>("context_sparse_types"),
               c.attr<Types>("Tcontext_dense"),
               c.attr<Types>("context_ragged_value_types"),
               c.attr<Types>("context_ragged_split_types"),
               c.attr<Shapes>("context_dense_shapes")};
  w.lists = {KeysIn(c.input(5)),
             KeysIn(c.input(6)),
             KeysIn(c.input(7)),
             c.attr<Types>("feature_list_sparse_types"),
             c.attr<Types>("feature_list_dense_types"),
             c.attr<Types>("feature_list_ragged_value_types"),
             c.attr<Types>("feature_list_ragged_split_types"),
             c.attr<Shapes>("feature_list_dense_shapes")};
  const Tensor& missing = c.input(8);
  for (int64_t i = 0; i < missing.num_elements(); ++i) {
    w.lists_may_miss.push_back(missing.data<bool>()[i]);
  }
  for (int i = 9; i < c.num_inputs(); ++i) {
    w.context_defaults.push_back(&c.input(i));
  }
  for (const auto& [names_of, part] :
       {std::pair{SequencePart{"context", "Tcontext_dense"}, &w.context},
        {{"feature_list", "feature_list_dense_types"}, &w.lists}}) {
    const std::string what = names_of.name;
    const std::string sparse = what + "_sparse_keys",
                      dense = what + "_dense_keys",
                      ragged = what + "_ragged_keys";
    const int64_t num_sparse = part->sparse.size(),
                  num_dense = part->dense.size(),
                  num_ragged = part->ragged.size();
    GK_RETURN_IF_ERROR(SameNumber(sparse, num_sparse, what + "_sparse_types",
                                  part->sparse_types.size()));
    GK_RETURN_IF_ERROR(SameNumber(sparse, num_sparse, "N" + what + "_sparse",
                                  c.attr<int64_t>("N" + what + "_sparse")));
    GK_RETURN_IF_ERROR(SameNumber(dense, num_dense, names_of.dense_types,
                                  part->dense_types.size()));
    GK_RETURN_IF_ERROR(SameNumber(dense, num_dense, what + "_dense_shapes",
                                  part->dense_shapes.size()));
    GK_RETURN_IF_ERROR(SameNumber(ragged, num_ragged,
                                  what + "_ragged_value_types",
                                  part->ragged_types.size()));
    GK_RETURN_IF_ERROR(SameNumber(ragged, num_ragged,
                                  what + "_ragged_split_types",
                                  part->split_types.size()));
    for (const PartialTensorShape& shape : part->dense_shapes) {
      if (shape.IsFullyDefined()) continue;
      return InvalidArgument("{}_dense_shapes must be known, but one is {}",
                             what, shape.DebugString());
    }
  }
  const int64_t num_dense = w.lists.dense.size();
  GK_RETURN_IF_ERROR(SameNumber("feature_list_dense_keys", num_dense,
                                "Nfeature_list_dense",
                                c.attr<int64_t>("Nfeature_list_dense")));
  GK_RETURN_IF_ERROR(SameNumber("feature_list_dense_keys", num_dense,
                                "feature_list_dense_missing_assumed_empty",
                                w.lists_may_miss.size()));
  return ParseSequences(c, serialized, names, w);
}

Status SequenceShapes(InferenceContext& c) {
  const PartialTensorShape batch = c.input(0);
  constexpr int64_t kAny = -1;
  if (batch.unknown_rank()) {
    for (int i = 0; i < c.num_outputs(); ++i) {
      c.set_output(i, PartialTensorShape());
    }
    return OkStatus();
  }
  if (batch.rank() > 1) {
    return InvalidArgument(
        "Expected serialized to be a scalar or vector, got shape: {}",
        batch.DebugString());
  }
  int next = 0;
  const auto count = [&](std::string_view name) {
    return static_cast<int>(c.attr<std::vector<DataType>>(name).size());
  };
  const int64_t outer = batch.rank();
  const auto sparse = [&](int n, int64_t inner) {
    for (int i = 0; i < n; ++i) c.set_output(next++, {kAny, outer + inner});
    for (int i = 0; i < n; ++i) c.set_output(next++, {kAny});
    for (int i = 0; i < n; ++i) c.set_output(next++, {outer + inner});
  };
  const auto dense = [&](std::string_view shapes, bool steps) {
    for (const PartialTensorShape& own :
         c.attr<std::vector<PartialTensorShape>>(shapes)) {
      PartialTensorShape shape = batch;
      if (steps) shape.AddDim(kAny);
      if (own.unknown_rank()) {
        shape = PartialTensorShape();
      } else {
        for (const int64_t dim : own.dims()) shape.AddDim(dim);
      }
      if (next < c.num_outputs()) c.set_output(next++, shape);
    }
  };
  const auto vectors = [&](int n) {
    for (int i = 0; i < n && next < c.num_outputs(); ++i) {
      c.set_output(next++, {kAny});
    }
  };
  sparse(count("context_sparse_types"), 1);
  dense("context_dense_shapes", false);
  vectors(2 * count("context_ragged_value_types"));
  sparse(count("feature_list_sparse_types"), 2);
  dense("feature_list_dense_shapes", true);
  for (int i = count("feature_list_dense_types");
       i > 0 && next < c.num_outputs(); --i) {
    c.set_output(next++, batch);
  }
  vectors(3 * count("feature_list_ragged_value_types"));
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "ParseSequenceExampleV2",
     .inputs = "serialized: string; debug_name: string; context_sparse_keys: "
               "string; context_dense_keys: string; context_ragged_keys: "
               "string; feature_list_sparse_keys: string; "
               "feature_list_dense_keys: string; feature_list_ragged_keys: "
               "string; feature_list_dense_missing_assumed_empty: bool; "
               "context_dense_defaults: Tcontext_dense",
     .outputs =
         "context_sparse_indices: Ncontext_sparse * int64; "
         "context_sparse_values: context_sparse_types; "
         "context_sparse_shapes: Ncontext_sparse * int64; "
         "context_dense_values: Tcontext_dense; context_ragged_values: "
         "context_ragged_value_types; context_ragged_row_splits: "
         "context_ragged_split_types; feature_list_sparse_indices: "
         "Nfeature_list_sparse * int64; feature_list_sparse_values: "
         "feature_list_sparse_types; feature_list_sparse_shapes: "
         "Nfeature_list_sparse * int64; feature_list_dense_values: "
         "feature_list_dense_types; feature_list_dense_lengths: "
         "Nfeature_list_dense * int64; feature_list_ragged_values: "
         "feature_list_ragged_value_types; feature_list_ragged_outer_splits: "
         "feature_list_ragged_split_types; feature_list_ragged_inner_splits: "
         "feature_list_ragged_split_types",
     .attrs =
         "Ncontext_sparse: int >= 0 = 0; Tcontext_dense: list(type) in [float, "
         "int64, string] >= 0 = []; context_sparse_types: list(type) in "
         "[float, int64, string] >= 0 = []; context_ragged_value_types: "
         "list(type) in [float, int64, string] >= 0 = []; "
         "context_ragged_split_types: list(type) in [int32, int64] >= 0 = []; "
         "context_dense_shapes: list(shape) >= 0 = []; Nfeature_list_sparse: "
         "int >= 0 = 0; Nfeature_list_dense: int >= 0 = 0; "
         "feature_list_dense_types: list(type) in [float, int64, string] >= 0 "
         "= []; feature_list_sparse_types: list(type) in [float, int64, "
         "string] >= 0 = []; feature_list_ragged_value_types: list(type) in "
         "[float, int64, string] >= 0 = []; feature_list_ragged_split_types: "
         "list(type) in [int32, int64] >= 0 = []; feature_list_dense_shapes: "
         "list(shape) >= 0 = []",
     .traits = kNoGradient,
     .shape = SequenceShapes,
     .kernel = {.compute = ComputeSequences},
     .doc = "Features of serialized SequenceExamples, a vector of them or one, "
            "and lists of features, as dense, sparse and ragged tensors."},
};

}  // namespace

GK_REGISTER_OPS(example_sequence)

}  // namespace gk
