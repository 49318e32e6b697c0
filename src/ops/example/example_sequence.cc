// The ops that read features out of serialized SequenceExamples.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "framework/op_registry.h"
#include "ops/example/parse_sequences.h"

namespace gk {
namespace {

std::vector<std::string_view> KeysIn(const Tensor& keys) {
  const std::string* first = keys.data<std::string>();
  return {first, first + keys.num_elements()};
}

using Types = std::vector<DataType>;
using Shapes = std::vector<PartialTensorShape>;

// Of the context or of the lists: what its arguments are called.
struct PartNames {
  std::string prefix, dense_types, title;
};
const PartNames kContext{"context", "Tcontext_dense", "Context"};
const PartNames kLists{"feature_list", "feature_list_dense_types", "Sequence"};

// What the attributes say has to agree; `c` is any context that has them.
template <class Context>
Status CheckNumbers(const Context& c, const PartNames& part) {
  const std::string& p = part.prefix;
  const auto size = [&](const std::string& types) {
    return static_cast<int64_t>(c.template attr<Types>(types).size());
  };
  const int64_t sparse = c.template attr<int64_t>("N" + p + "_sparse");
  if (sparse != size(p + "_sparse_types")) {
    return InvalidArgument(
        "num_{}_sparse ({}) must match the size of {}_sparse_types ({}): it is "
        "N{}_sparse",
        p, sparse, p, size(p + "_sparse_types"), p);
  }
  const int64_t types = size(part.dense_types),
                dense = &part == &kLists
                            ? c.template attr<int64_t>("Nfeature_list_dense")
                            : types,
                shapes = c.template attr<Shapes>(p + "_dense_shapes").size();
  if (dense != types || (dense > 0 && dense != shapes)) {
    return InvalidArgument(
        "num_{}_dense ({}) must match the size of {}_dense_types ({}) and "
        "{}_dense_shapes ({}): it is {}",
        p, dense, p, types, p, shapes,
        &part == &kLists ? "Nfeature_list_dense" : "that of Tcontext_dense");
  }
  const int64_t ragged = size(p + "_ragged_value_types"),
                splits = size(p + "_ragged_split_types");
  if (ragged != splits) {
    return InvalidArgument(
        "num_{}_ragged ({}) must match the size of {}_ragged_value_types ({}) "
        "and {}_ragged_split_types ({})",
        p, ragged, p, ragged, p, splits);
  }
  return OkStatus();
}

Status SameNumber(const std::string& keys, size_t given,
                  const std::string& types, size_t wanted) {
  if (given == wanted) return OkStatus();
  return InvalidArgument("Expected len({}) to match {}, got {} and {}", keys,
                         types, given, wanted);
}

// The kinds of features of one part, `wanted`, exclude each other.
template <class Part>
Status CheckKeys(const Part& wanted, const PartNames& names) {
  const std::string& p = names.prefix;
  GK_RETURN_IF_ERROR(SameNumber(p + "_sparse_keys", wanted.sparse.size(),
                                "N" + p + "_sparse",
                                wanted.sparse_types.size()));
  GK_RETURN_IF_ERROR(SameNumber(p + "_dense_keys", wanted.dense.size(),
                                names.dense_types, wanted.dense_types.size()));
  GK_RETURN_IF_ERROR(SameNumber(p + "_ragged_keys", wanted.ragged.size(),
                                p + "_ragged_value_types",
                                wanted.ragged_types.size()));
  const std::set<std::string_view> sparse(wanted.sparse.begin(),
                                          wanted.sparse.end()),
      dense(wanted.dense.begin(), wanted.dense.end());
  const auto both = [&](std::string_view key, const char* kinds) {
    return InvalidArgument("{} feature {} cannot be both {}", names.title, key,
                           kinds);
  };
  for (const std::string_view key : dense) {
    if (sparse.contains(key)) return both(key, "dense and sparse");
  }
  for (const std::string_view key : wanted.ragged) {
    if (dense.contains(key)) return both(key, "dense and sparse");
    if (sparse.contains(key)) return both(key, "ragged and sparse");
  }
  for (const PartialTensorShape& shape : wanted.dense_shapes) {
    if (!shape.IsFullyDefined()) {
      return InvalidArgument("{}_dense_shapes must be known, but one is {}", p,
                             shape.DebugString());
    }
    int64_t elements = 1;
    for (const int64_t dim : shape.dims()) {
      if (!__builtin_mul_overflow(elements, dim, &elements)) continue;
      return InvalidArgument("{}_dense_shapes has too many elements: {}", p,
                             shape.DebugString());
    }
  }
  return OkStatus();
}

// A default that has no elements says that the feature must be there.
Status CheckDefaults(const SequenceWanted& w) {
  for (size_t i = 0; i < w.context_defaults.size(); ++i) {
    const TensorShape& given = w.context_defaults[i]->shape();
    const PartialTensorShape& shape = w.context.dense_shapes[i];
    if (given.num_elements() == 0 || shape.IsCompatibleWith(given)) continue;
    return InvalidArgument(
        "default_value[{}].shape() == {} != context_dense_shapes[{}] == {}: "
        "context_dense_defaults[{}] has the shape of the feature, or no "
        "elements where there is no default",
        i, given.DebugString(), i, shape.DebugString(), i);
  }
  return OkStatus();
}

// The same of the first version, in which names are attributes, too, and of the
// op for one example (`single`), in which they are inputs.
template <class Context>
Status CheckFirstNumbers(const Context& c, bool single = false) {
  for (const PartNames* part : {&kContext, &kLists}) {
    const std::string& p = part->prefix;
    for (const bool sparse : {true, false}) {
      const std::string kind = sparse ? "_sparse" : "_dense";
      const std::string types =
          sparse ? p + "_sparse_types" : part->dense_types;
      const auto wanted =
          static_cast<int64_t>(c.template attr<Types>(types).size());
      const auto check = [&](const std::string& what, int64_t n) {
        return n == wanted ? OkStatus()
                           : InvalidArgument(
                                 "{} ({}) must match the size of "
                                 "{} ({})",
                                 what, n, types, wanted);
      };
      const std::string number = "N" + p + kind, keys = p + kind + "_keys";
      GK_RETURN_IF_ERROR(check(number, c.template attr<int64_t>(number)));
      if (!single) {
        GK_RETURN_IF_ERROR(check(
            keys, static_cast<int64_t>(
                      c.template attr<std::vector<std::string>>(keys).size())));
      }
      if (sparse) continue;
      const std::string shapes = p + "_dense_shapes";
      GK_RETURN_IF_ERROR(
          check(shapes,
                static_cast<int64_t>(c.template attr<Shapes>(shapes).size())));
    }
  }
  return OkStatus();
}

Status ComputeSequences(KernelContext& c) {
  const Tensor &serialized = c.input(0), &names = c.input(1);
  if (serialized.rank() > 1) {
    return InvalidArgument(
        "Expected serialized to be a scalar or vector, got shape: {}",
        serialized.shape().DebugString());
  }
  if (names.num_elements() != 0 &&
      names.num_elements() != serialized.num_elements()) {
    return InvalidArgument(
        "Expected debug_name to have one name for each of serialized, {}, but "
        "its shape is {}",
        serialized.shape().DebugString(), names.shape().DebugString());
  }
  GK_RETURN_IF_ERROR(CheckNumbers(c, kContext));
  GK_RETURN_IF_ERROR(CheckNumbers(c, kLists));
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
  GK_RETURN_IF_ERROR(CheckKeys(w.context, kContext));
  GK_RETURN_IF_ERROR(CheckKeys(w.lists, kLists));
  GK_RETURN_IF_ERROR(CheckDefaults(w));
  GK_RETURN_IF_ERROR(SameNumber("feature_list_dense_missing_assumed_empty",
                                w.lists_may_miss.size(), "Nfeature_list_dense",
                                w.lists.dense.size()));
  return ParseSequences(c, serialized, names, w);
}

// Of the first version, whose names stand in attributes and which knows nothing
// ragged.
Status ComputeFirstSequences(KernelContext& c) {
  const Tensor &serialized = c.input(0), &names = c.input(1);
  if (serialized.rank() > 1) {
    return InvalidArgument(
        "Expected serialized to be a scalar or vector, got shape: {}",
        serialized.shape().DebugString());
  }
  if (names.num_elements() != 0 &&
      names.num_elements() != serialized.num_elements()) {
    return InvalidArgument(
        "Expected len(debug_name) == len(serialized), but got: {} vs. {}",
        names.num_elements(), serialized.num_elements());
  }
  using Names = std::vector<std::string>;
  const auto keys = [&](std::string_view attr) {
    const Names& all = c.attr<Names>(attr);
    return std::vector<std::string_view>(all.begin(), all.end());
  };
  SequenceWanted w;
  w.context.sparse = keys("context_sparse_keys");
  w.context.dense = keys("context_dense_keys");
  w.context.sparse_types = c.attr<Types>("context_sparse_types");
  w.context.dense_types = c.attr<Types>("Tcontext_dense");
  w.context.dense_shapes = c.attr<Shapes>("context_dense_shapes");
  w.lists.sparse = keys("feature_list_sparse_keys");
  w.lists.dense = keys("feature_list_dense_keys");
  w.lists.sparse_types = c.attr<Types>("feature_list_sparse_types");
  w.lists.dense_types = c.attr<Types>("feature_list_dense_types");
  w.lists.dense_shapes = c.attr<Shapes>("feature_list_dense_shapes");
  const auto may_miss = keys("feature_list_dense_missing_assumed_empty");
  for (const std::string_view key : w.lists.dense) {
    w.lists_may_miss.push_back(
        std::find(may_miss.begin(), may_miss.end(), key) != may_miss.end());
  }
  for (int i = 2; i < c.num_inputs(); ++i) {
    w.context_defaults.push_back(&c.input(i));
  }
  GK_RETURN_IF_ERROR(CheckFirstNumbers(c));
  GK_RETURN_IF_ERROR(CheckKeys(w.context, kContext));
  GK_RETURN_IF_ERROR(CheckKeys(w.lists, kLists));
  GK_RETURN_IF_ERROR(CheckDefaults(w));
  return ParseSequences(c, serialized, names, w);
}

// `outer`: the dimension of the batch, if there is one; behind the rest come
// lengths.
Status SetFirstShapes(InferenceContext& c, const PartialTensorShape& outer) {
  const int64_t around = outer.rank();
  constexpr int64_t kAny = -1;
  int next = 0;
  const auto sparse = [&](std::string_view types, int64_t rank) {
    const auto n = static_cast<int>(c.attr<Types>(types).size());
    for (int i = 0; i < n; ++i) c.set_output(next++, {kAny, rank + around});
    for (int i = 0; i < n; ++i) c.set_output(next++, {kAny});
    for (int i = 0; i < n; ++i) c.set_output(next++, {rank + around});
  };
  const auto dense = [&](std::string_view shapes, bool steps) {
    for (const PartialTensorShape& own : c.attr<Shapes>(shapes)) {
      PartialTensorShape shape = outer;
      if (steps) shape.AddDim(kAny);
      if (own.unknown_rank()) {
        shape = PartialTensorShape();
      } else {
        for (const int64_t dim : own.dims()) shape.AddDim(dim);
      }
      c.set_output(next++, shape);
    }
  };
  sparse("context_sparse_types", 1);
  dense("context_dense_shapes", false);
  sparse("feature_list_sparse_types", 2);
  dense("feature_list_dense_shapes", true);
  while (next < c.num_outputs()) c.set_output(next++, outer);
  return OkStatus();
}

// Of one example, whose names are scalars.
Status ComputeSingleSequence(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckFirstNumbers(c, /*single=*/true));
  const Tensor &serialized = c.input(0), &may_miss = c.input(1),
               &name = c.input(c.num_inputs() - 1);
  if (serialized.rank() != 0) {
    return InvalidArgument("Expected serialized to be a scalar, got shape: {}",
                           serialized.shape().DebugString());
  }
  if (may_miss.rank() != 1) {
    return InvalidArgument(
        "Expected feature_list_dense_missing_assumed_empty to be a vector, got "
        "shape: {}",
        may_miss.shape().DebugString());
  }
  if (name.rank() != 0) {
    return InvalidArgument("Expected debug_name to be a scalar, got shape: {}",
                           name.shape().DebugString());
  }
  int next = 2;
  const auto keys = [&](std::string_view part, size_t n,
                        std::vector<std::string_view>* to) -> Status {
    for (size_t i = 0; i < n; ++i, ++next) {
      const Tensor& key = c.input(next);
      if (key.rank() != 0) {
        return InvalidArgument("Expected {}[{}] to be a scalar, got shape: {}",
                               part, i, key.shape().DebugString());
      }
      to->push_back(key.scalar<std::string>());
    }
    return OkStatus();
  };
  SequenceWanted w;
  w.lengths = false;
  w.context.sparse_types = c.attr<Types>("context_sparse_types");
  w.context.dense_types = c.attr<Types>("Tcontext_dense");
  w.context.dense_shapes = c.attr<Shapes>("context_dense_shapes");
  w.lists.sparse_types = c.attr<Types>("feature_list_sparse_types");
  w.lists.dense_types = c.attr<Types>("feature_list_dense_types");
  w.lists.dense_shapes = c.attr<Shapes>("feature_list_dense_shapes");
  GK_RETURN_IF_ERROR(keys("context_sparse_keys", w.context.sparse_types.size(),
                          &w.context.sparse));
  GK_RETURN_IF_ERROR(keys("context_dense_keys", w.context.dense_types.size(),
                          &w.context.dense));
  GK_RETURN_IF_ERROR(keys("feature_list_sparse_keys",
                          w.lists.sparse_types.size(), &w.lists.sparse));
  GK_RETURN_IF_ERROR(keys("feature_list_dense_keys", w.lists.dense_types.size(),
                          &w.lists.dense));
  const std::vector<std::string_view> missing = KeysIn(may_miss);
  for (const std::string_view key : w.lists.dense) {
    w.lists_may_miss.push_back(std::ranges::count(missing, key) > 0);
  }
  for (; next < c.num_inputs() - 1; ++next) {
    w.context_defaults.push_back(&c.input(next));
  }
  GK_RETURN_IF_ERROR(CheckKeys(w.context, kContext));
  GK_RETURN_IF_ERROR(CheckKeys(w.lists, kLists));
  GK_RETURN_IF_ERROR(CheckDefaults(w));
  return ParseSequences(c, serialized, name, w);
}

Status FirstSequenceShapes(InferenceContext& c) {
  GK_RETURN_IF_ERROR(CheckFirstNumbers(c));
  int64_t batch = -1;
  if (const PartialTensorShape given = c.input(0); !given.unknown_rank()) {
    if (given.rank() != 1) {
      return InvalidArgument("Shape must be rank 1 but is rank {}",
                             given.rank());
    }
    batch = given.dim(0);
  }
  return SetFirstShapes(c, {batch});
}

Status SingleSequenceShapes(InferenceContext& c) {
  GK_RETURN_IF_ERROR(CheckFirstNumbers(c, /*single=*/true));
  for (int i = 0; i < 2; ++i) {
    const PartialTensorShape given = c.input(i);
    if (given.unknown_rank() || given.rank() == i) continue;
    return InvalidArgument("Shape must be rank {} but is rank {}", i,
                           given.rank());
  }
  return SetFirstShapes(c, TensorShape());
}

Status SequenceShapes(InferenceContext& c) {
  GK_RETURN_IF_ERROR(CheckNumbers(c, kContext));
  GK_RETURN_IF_ERROR(CheckNumbers(c, kLists));
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
    return static_cast<int>(c.attr<Types>(name).size());
  };
  const int64_t outer = batch.rank();
  const auto sparse = [&](int n, int64_t inner) {
    for (int i = 0; i < n; ++i) c.set_output(next++, {kAny, outer + inner});
    for (int i = 0; i < n; ++i) c.set_output(next++, {kAny});
    for (int i = 0; i < n; ++i) c.set_output(next++, {outer + inner});
  };
  const auto dense = [&](int n, std::string_view shapes, bool steps) {
    const Shapes all = c.attr<Shapes>(shapes);
    for (int i = 0; i < n; ++i) {
      const PartialTensorShape& own = all[i];
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
  dense(count("Tcontext_dense"), "context_dense_shapes", false);
  vectors(2 * count("context_ragged_value_types"));
  sparse(count("feature_list_sparse_types"), 2);
  dense(count("feature_list_dense_types"), "feature_list_dense_shapes", true);
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

    {.name = "ParseSequenceExample",
     .inputs = "serialized: string; debug_name: string; "
               "context_dense_defaults: Tcontext_dense",
     .outputs =
         "context_sparse_indices: Ncontext_sparse * int64; "
         "context_sparse_values: context_sparse_types; "
         "context_sparse_shapes: Ncontext_sparse * int64; "
         "context_dense_values: Tcontext_dense; feature_list_sparse_indices: "
         "Nfeature_list_sparse * int64; feature_list_sparse_values: "
         "feature_list_sparse_types; feature_list_sparse_shapes: "
         "Nfeature_list_sparse * int64; feature_list_dense_values: "
         "feature_list_dense_types; feature_list_dense_lengths: "
         "Nfeature_list_dense * int64",
     .attrs =
         "feature_list_dense_missing_assumed_empty: list(string) >= 0; "
         "context_sparse_keys: list(string) >= 0; context_dense_keys: "
         "list(string) >= 0; feature_list_sparse_keys: list(string) >= 0; "
         "feature_list_dense_keys: list(string) >= 0; Ncontext_sparse: int >= "
         "0 = 0; Ncontext_dense: int >= 0 = 0; Nfeature_list_sparse: int >= 0 "
         "= 0; Nfeature_list_dense: int >= 0 = 0; context_sparse_types: "
         "list(type) in [float, int64, string] >= 0 = []; Tcontext_dense: "
         "list(type) in [float, int64, string] >= 0 = []; "
         "feature_list_dense_types: list(type) in [float, int64, string] >= 0 "
         "= []; context_dense_shapes: list(shape) >= 0 = []; "
         "feature_list_sparse_types: list(type) in [float, int64, string] >= 0 "
         "= []; feature_list_dense_shapes: list(shape) >= 0 = []",
     .traits = kNoGradient,
     .shape = FirstSequenceShapes,
     .kernel = {.compute = ComputeFirstSequences},
     .doc = "ParseSequenceExampleV2 of a vector of serialized "
            "SequenceExamples, whose names are attributes, without ragged "
            "tensors."},

    {.name = "ParseSingleSequenceExample",
     .inputs = "serialized: string; feature_list_dense_missing_assumed_empty: "
               "string; context_sparse_keys: Ncontext_sparse * string; "
               "context_dense_keys: Ncontext_dense * string; "
               "feature_list_sparse_keys: Nfeature_list_sparse * string; "
               "feature_list_dense_keys: Nfeature_list_dense * string; "
               "context_dense_defaults: Tcontext_dense; debug_name: string",
     .outputs =
         "context_sparse_indices: Ncontext_sparse * int64; "
         "context_sparse_values: context_sparse_types; "
         "context_sparse_shapes: Ncontext_sparse * int64; "
         "context_dense_values: Tcontext_dense; feature_list_sparse_indices: "
         "Nfeature_list_sparse * int64; feature_list_sparse_values: "
         "feature_list_sparse_types; feature_list_sparse_shapes: "
         "Nfeature_list_sparse * int64; feature_list_dense_values: "
         "feature_list_dense_types",
     .attrs =
         "Ncontext_sparse: int >= 0 = 0; Ncontext_dense: int >= 0 = 0; "
         "Nfeature_list_sparse: int >= 0 = 0; Nfeature_list_dense: int >= 0 = "
         "0; context_sparse_types: list(type) in [float, int64, string] >= 0 = "
         "[]; Tcontext_dense: list(type) in [float, int64, string] >= 0 = []; "
         "feature_list_dense_types: list(type) in [float, int64, string] >= 0 "
         "= []; context_dense_shapes: list(shape) >= 0 = []; "
         "feature_list_sparse_types: list(type) in [float, int64, string] >= 0 "
         "= []; feature_list_dense_shapes: list(shape) >= 0 = []",
     .traits = kNoGradient,
     .shape = SingleSequenceShapes,
     .kernel = {.compute = ComputeSingleSequence},
     .doc = "ParseSequenceExample of one serialized SequenceExample, whose "
            "names are inputs, without lengths."},
};

}  // namespace

GK_REGISTER_OPS(example_sequence)

}  // namespace gk
