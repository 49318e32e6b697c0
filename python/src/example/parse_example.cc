#include "python/src/example/parse_example.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "function/example_features.h"
#include "function/example_sequences.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/text_caster.h"
#include "python/src/ragged/composite_types.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/shape_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

DataType TypeOrNone(Handle dtype) { return AsType(dtype, DataType::kInvalid); }

// (kind, key, length)
FeaturePartition PartitionOf(Handle told) {
  return {static_cast<FeaturePartition::Kind>(nb::cast<int>(told[0])),
          TextOf(told[1]), nb::cast<int64_t>(told[2])};
}

// A dictionary of fields by their C++ names; those that are not there keep
// their defaults.
ExampleFeature FeatureOf(Handle key, Handle told) {
  ExampleFeature f;
  f.key = TextOf(key);
  const nb::dict fields = nb::borrow<nb::dict>(told);
  const auto field = [&](const char* name) -> Handle {
    return fields.contains(name) ? Object(fields[name]) : nb::none();
  };
  f.shown = TextOf(fields["shown"]);
  f.kind = static_cast<ExampleFeature::Kind>(nb::cast<int>(fields["kind"]));
  f.dtype = TypeOrNone(field("dtype"));
  if (const Handle shape = field("shape"); !shape.is_none()) {
    f.shape = Shape(shape.ptr());
  }
  if (const Handle value = field("default_value"); !value.is_none()) {
    f.default_value = AsComponent(value, f.dtype);
  }
  const auto set = [&](const char* name, bool* to) {
    if (const Handle value = field(name); !value.is_none()) {
      *to = nb::cast<bool>(value);
    }
  };
  set("allow_missing", &f.allow_missing);
  set("already_sorted", &f.already_sorted);
  set("validate", &f.validate);
  if (const Handle name = field("value_key"); !name.is_none()) {
    f.value_key = TextOf(name);
  }
  if (const Handle keys = field("index_keys"); !keys.is_none()) {
    for (Handle name : keys) f.index_keys.push_back(TextOf(name));
    for (Handle n : field("size")) f.size.push_back(nb::cast<int64_t>(n));
  }
  if (const Handle parts = field("partitions"); !parts.is_none()) {
    for (Handle part : parts) f.partitions.push_back(PartitionOf(part));
    f.splits_type = TypeOrNone(field("splits_type"));
  }
  return f;
}

std::vector<ExampleFeature> FeaturesOf(Handle told) {
  std::vector<ExampleFeature> features;
  for (Handle pair : told) features.push_back(FeatureOf(pair[0], pair[1]));
  return features;
}
nb::dict ByName(const std::vector<ExampleFeature>& features,
                const std::vector<ExampleValue>& values) {
  nb::dict made;
  for (size_t i = 0; i < values.size(); ++i) {
    made[features[i].key.c_str()] =
        std::visit([](const auto& value) { return Wrapped(value); }, values[i]);
  }
  return made;
}

// Serialized examples and what they are called: one, or those of a batch, which
// the function `of_batches` takes.
struct Examples {
  Examples(Handle serialized, Handle names, bool one, const char* of_batches)
      : texts(AsComponent(serialized, DataType::kString)) {
    const PartialTensorShape shape = texts.partial_shape();
    if (one && shape.rank() > 0) {
      throw Error(ValueError(
          "Input serialized must be a scalar, got shape {}. {} takes a batch "
          "of examples.",
          shape.PythonString(), of_batches));
    }
    if (!names.is_none()) labels = AsComponent(names, DataType::kString);
  }
  Tensor texts, labels;
};

Object ParseExamples(Handle, Handle serialized, Handle names, Handle features,
                     Handle name, Handle single) {
  const bool one = nb::cast<bool>(single);
  const CallScope scope(name, "");
  return Tried([&] {
    const Examples in(serialized, names, one, "parse_example");
    const std::vector<ExampleFeature> wanted = FeaturesOf(features);
    return Object(ByName(wanted, ParseExample(in.texts, in.labels, wanted)));
  });
}

Object ParseSequences(Handle, Handle serialized, Handle names, Handle context,
                      Handle sequence, Handle name, Handle single) {
  const bool one = nb::cast<bool>(single);
  const CallScope scope(name, "");
  return Tried([&] {
    const Examples in(serialized, names, one, "parse_sequence_example");
    const std::vector<ExampleFeature> in_context = FeaturesOf(context),
                                      in_lists = FeaturesOf(sequence);
    const SequenceValues values =
        ParseSequenceExample(in.texts, in.labels, in_context, in_lists);
    nb::dict lengths;
    for (size_t i = 0; i < in_lists.size(); ++i) {
      if (!values.lengths[i]) continue;
      lengths[in_lists[i].key.c_str()] = Wrapped(values.lengths[i]);
    }
    return Object(nb::make_tuple(ByName(in_context, values.context),
                                 ByName(in_lists, values.sequence), lengths));
  });
}

PyMethodDef kFunctions[] = {
    GK_MODULE_FUNCTION(
        "parse_examples", "serialized, names, features, name, single",
        ParseExamples, "Values by name of the features (name, fields)."),
    GK_MODULE_FUNCTION("parse_sequences",
                       "serialized, names, context, sequence, name, single",
                       ParseSequences,
                       "Values and lengths by name of the features (name, "
                       "fields) of sequences."),
    {}};

}  // namespace

void AddParseExample(nb::module_& m) { AddFunctions(m, kFunctions); }

}  // namespace gk::py
