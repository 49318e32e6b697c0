// Batches of serialized examples parsed, as graphs of TensorFlow's parsing
// datasets have them.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/ragged_variant.h"
#include "ops/data/sparse_variant.h"

namespace gk {
namespace {

using Keys = std::vector<std::string>;
using Types = std::vector<DataType>;

// ParseExampleV2 for these features, and where its results go.
struct ExampleParser {
  const OpRecord* op = nullptr;
  AttrMap attrs;
  TensorVector features;  // its inputs behind the examples
  size_t sparse = 0, dense = 0, ragged = 0;
  // Of the sparse, the dense and the ragged ones: the component of each.
  std::vector<size_t> places;

  StatusOr<TensorVector> Parse(const Tensor& examples) const;
};

StatusOr<TensorVector> ExampleParser::Parse(const Tensor& examples) const {
  std::vector<const Tensor*> inputs = {&examples};
  for (const Tensor& t : features) inputs.push_back(&t);
  TensorVector parsed(3 * sparse + dense + 2 * ragged);
  KernelContext context(*op, attrs, inputs, parsed);
  GK_RETURN_IF_ERROR(op->kernel.compute(context));
  TensorVector element(places.size());
  for (size_t i = 0; i < sparse; ++i) {
    GK_ASSIGN_OR_RETURN(element[places[i]],
                        SparseInVariants({parsed[i], parsed[sparse + i],
                                          parsed[2 * sparse + i]}));
  }
  const auto* const values = parsed.data() + 3 * sparse;
  for (size_t i = 0; i < dense; ++i) {
    element[places[sparse + i]] = values[i];
  }
  for (size_t i = 0; i < ragged; ++i) {
    GK_ASSIGN_OR_RETURN(
        Variant variant,
        RaggedOfParts({values[dense + ragged + i], values[dense + i]}));
    element[places[sparse + dense + i]] = Tensor::Scalar(std::move(variant));
  }
  return element;
}

class ParseExamplesDataset final : public OneInputDataset {
 public:
  ParseExamplesDataset(OneInput in, ExampleParser parser)
      : OneInputDataset(std::move(in)), parser_(std::move(parser)) {}

  int64_t Cardinality() const override { return input().Cardinality(); }

 private:
  class Iterator final : public OneInputIterator<ParseExamplesDataset> {
   public:
    using OneInputIterator::OneInputIterator;
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      TensorVector examples;
      GK_RETURN_IF_ERROR(input().Next(cancellation, &examples, end));
      if (*end) return OkStatus();
      GK_ASSIGN_OR_RETURN(*element, dataset().parser_.Parse(examples[0]));
      return CheckElement(dataset().signature(), *element);
    }
  };

  IteratorPtr Over(IteratorPtr input, const ContextRef&) const override {
    return std::make_unique<Iterator>(this, std::move(input));
  }

  const ExampleParser parser_;
};

// Components are in the order of the keys, whatever kind they are of.
Status PlaceKeys(const std::vector<const Keys*>& kinds,
                 std::vector<size_t>* places) {
  std::map<std::string, size_t> sorted;
  for (const Keys* keys : kinds) {
    for (const std::string& key : *keys) {
      if (!sorted.emplace(key, 0).second) {
        return InvalidArgument("Duplicate key not allowed: {}", key);
      }
    }
  }
  size_t next = 0;
  for (auto& [key, place] : sorted) place = next++;
  for (const Keys* keys : kinds) {
    for (const std::string& key : *keys) places->push_back(sorted.at(key));
  }
  return OkStatus();
}

StatusOr<Tensor> Strings(const Keys& keys) {
  GK_ASSIGN_OR_RETURN(
      Tensor t,
      Tensor::Allocate(DataType::kString,
                       TensorShape({static_cast<int64_t>(keys.size())})));
  std::ranges::copy(keys, t.data<std::string>());
  return t;
}

Status ComputeParseExamples(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(OneInput in, ReadOneInput(c));
  const ElementSignature& given = in.dataset->signature();
  if (given.types.size() != 1 || given.types[0] != DataType::kString) {
    return InvalidArgument(
        "ParseExampleDataset takes elements of one vector of strings");
  }
  int64_t parallel = 0;
  GK_RETURN_IF_ERROR(ScalarInput(c, 1, "num_parallel_calls", &parallel));
  if (parallel <= 0 && parallel != -1) {
    return InvalidArgument("num_parallel_calls must be greater than zero.");
  }
  const auto& sparse = c.attr<Keys>("sparse_keys");
  const auto& dense = c.attr<Keys>("dense_keys");
  const auto& ragged = c.attr<Keys>("ragged_keys");
  const auto& shapes = c.attr<std::vector<PartialTensorShape>>("dense_shapes");
  const auto fit = [&](const Keys& keys, size_t n) { return keys.size() == n; };
  if (!fit(sparse, c.attr<Types>("sparse_types").size()) ||
      !fit(dense, c.attr<Types>("Tdense").size()) ||
      !fit(dense, shapes.size()) ||
      !fit(ragged, c.attr<Types>("ragged_value_types").size()) ||
      !fit(ragged, c.attr<Types>("ragged_split_types").size())) {
    return InvalidArgument("Each key of a feature needs its types and shape");
  }
  ExampleParser parser;
  GK_ASSIGN_OR_RETURN(parser.op, OpRegistry::Get().LookUp("ParseExampleV2"));
  for (const char* shared : {"Tdense", "sparse_types", "ragged_value_types",
                             "ragged_split_types", "dense_shapes"}) {
    parser.attrs.Set(shared, *c.attrs().Find(shared));
  }
  parser.attrs.Set("num_sparse", static_cast<int64_t>(sparse.size()));
  for (const Keys& keys : {Keys(), sparse, dense, ragged}) {
    GK_ASSIGN_OR_RETURN(Tensor names, Strings(keys));
    parser.features.push_back(std::move(names));
  }
  for (int i = 2; i < c.num_inputs(); ++i) {
    parser.features.push_back(c.input(i));
  }
  parser.sparse = sparse.size();
  parser.dense = dense.size();
  parser.ragged = ragged.size();
  GK_RETURN_IF_ERROR(PlaceKeys({&sparse, &dense, &ragged}, &parser.places));
  if (parser.places.size() != in.signature.types.size()) {
    return InvalidArgument("{} features make no element of {} components",
                           parser.places.size(), in.signature.types.size());
  }
  return SetDataset(
      c, MakeRef<ParseExamplesDataset>(std::move(in), std::move(parser)));
}

#define GK_PARSE_ATTRS                                              \
  "sparse_keys: list(string) >= 0; dense_keys: list(string) >= 0; " \
  "sparse_types: list(type) in [float, int64, string] >= 0; "       \
  "Tdense: list(type) in [float, int64, string] >= 0; "             \
  "dense_shapes: list(shape) >= 0; " GK_ELEMENT_ATTRS "; "
#define GK_PARSE_RAGGED_ATTRS                                            \
  "; ragged_keys: list(string) >= 0 = []; "                              \
  "ragged_value_types: list(type) in [float, int64, string] >= 0 = []; " \
  "ragged_split_types: list(type) in [int32, int64] >= 0 = []"

const OpRecord kRecords[] = {
    {.name = "ParseExampleDataset",
     .inputs = "input_dataset: variant; num_parallel_calls: int64; "
               "dense_defaults: Tdense",
     .outputs = "handle: variant",
     .attrs = GK_PARSE_ATTRS "sloppy: bool = False" GK_PARSE_RAGGED_ATTRS,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeParseExamples},
     .doc = "ParseExampleDatasetV2."},

    {.name = "ParseExampleDatasetV2",
     .inputs = "input_dataset: variant; num_parallel_calls: int64; "
               "dense_defaults: Tdense",
     .outputs = "handle: variant",
     .attrs = GK_PARSE_ATTRS
     "deterministic: string = 'default'" GK_PARSE_RAGGED_ATTRS,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeParseExamples},
     .doc = "A dataset of the features of each batch of serialized examples, "
            "in the order of their names."},
};

}  // namespace

GK_REGISTER_OPS(data_parse_examples)

}  // namespace gk
