// tf.RaggedTensorSpec.
#include "python/src/binding/class_members.h"
#include "python/src/binding/text_caster.h"
#include "python/src/ragged/composite_types.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/types/spec_of_value.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

Handle Class() { return TheCompositeClasses().ragged_spec; }
int64_t RankOf(Handle self) {
  return nb::cast<int64_t>(self.attr("_ragged_rank"));
}

// Of the values: `dtype`, or that of their spec.
Object TypeOfValues(Handle dtype, Handle flat) {
  if (dtype.is_none()) {
    if (!flat.is_none()) return TypeObject(flat.attr("dtype"));
    Throw(ValueError(
        "At least one of dtype or flat_values_spec must be provided"));
  }
  const Object type = TypeObject(dtype);
  if (!flat.is_none() && !type.equal(flat.attr("dtype"))) {
    Throw(ValueError("dtype must be the same as flat_values_spec.dtype"));
  }
  return type;
}

Object Init(Handle self, Handle given_shape, Handle dtype, Handle ragged_rank,
            Handle row_splits_dtype, Handle flat) {
  const PartialTensorShape shape = Shape(given_shape);
  const Object splits_type = TypeObject(row_splits_dtype),
               type = TypeOfValues(dtype, flat);
  if (!ragged_rank.is_none() && !PyLong_Check(ragged_rank.ptr())) {
    Throw(TypeError("Argument `ragged_rank` must be an int. Received {}.",
                    TextOf(ragged_rank)));
  }
  std::optional<int64_t> rank;
  if (!ragged_rank.is_none()) rank = nb::cast<int64_t>(ragged_rank);
  const int ranks =
      Told([&] { return TypeSpec::Ragged({}, shape, rank).ragged_rank; });
  SetParts(self, {{"_shape", Wrapped(shape)},
                  {"_row_splits_dtype", splits_type},
                  {"_dtype", type},
                  {"_flat_values_spec", nb::borrow(flat)},
                  {"_ragged_rank", nb::int_(ranks)}});
  return nb::none();
}

Object FromValue(Handle cls, Handle value) {
  const Object flat = value.attr("flat_values");
  const bool plain = IsTensor(flat.ptr());
  return cls(value.attr("shape"),
             plain ? Object(value.attr("dtype")) : nb::none(),
             value.attr("ragged_rank"), value.attr("row_splits").attr("dtype"),
             plain ? nb::none() : SpecOfValue(flat));
}
Object ValueType(Handle self) {
  return nb::borrow(RankOf(self) > 0 ? TheCompositeClasses().ragged
                                     : reinterpret_cast<PyObject*>(TensorType));
}
Object WithShape(Handle self, Handle shape) {
  return Class()(shape, self.attr("_dtype"), self.attr("_ragged_rank"),
                 self.attr("_row_splits_dtype"));
}
Object Serialize(Handle self) {
  nb::list parts;
  for (const char* part :
       {"_shape", "_dtype", "_ragged_rank", "_row_splits_dtype"}) {
    parts.append(self.attr(part));
  }
  const Object flat = self.attr("_flat_values_spec");
  if (!flat.is_none()) parts.append(flat);
  return nb::tuple(parts);
}

Object ComponentSpecs(Handle self) {
  nb::list specs = SpecsOfParts(TypeSpec::Ragged(
      AsType(self.attr("_dtype"), DataType::kFloat), Shape(self.attr("_shape")),
      RankOf(self), AsType(self.attr("_row_splits_dtype"), DataType::kInt64)));
  const Object flat = self.attr("_flat_values_spec");
  if (!flat.is_none()) specs[0] = flat;
  return specs;
}
Object ToComponents(Handle, Handle value) {
  nb::list parts;
  if (!IsRagged(value)) {
    parts.append(value);
    return parts;
  }
  parts.append(value.attr("flat_values"));
  parts.extend(value.attr("nested_row_splits"));
  return parts;
}
Object FromComponents(Handle self, Handle given) {
  const nb::list parts(given);
  if (parts.size() == 0) {
    Throw(ValueError("A ragged tensor has at least one component, got none."));
  }
  const PartialTensorShape shape = Shape(self.attr("_shape"));
  Object made = parts[0];
  for (size_t level = parts.size() - 1; level > 0; --level) {
    const int64_t length =
        shape.unknown_rank() ? kUnknownDim : shape.dim(static_cast<int>(level));
    made = NewValue(TheCompositeClasses().ragged,
                    {{"_values", made},
                     {"_row_splits", Object(parts[level])},
                     {"_uniform_row_length",
                      length < 0 ? nb::none() : Object(nb::int_(length))},
                     {"_given_lengths", nb::none()}});
  }
  return made;
}
Object IsCompatibleWith(Handle self, Handle value) {
  if (RankOf(self) == 0 &&
      (IsTensor(value.ptr()) || IsTensorSpec(value.ptr()))) {
    return Object(ComponentSpecs(self)[0]).attr("is_compatible_with")(value);
  }
  return Handle(reinterpret_cast<PyObject*>(TypeSpecType))
      .attr("is_compatible_with")(self, value);
}

PyMethodDef methods[] = {
    GK_METHOD("__init__",
              "shape=None, dtype=tf.float32, ragged_rank=None, "
              "row_splits_dtype=tf.int64, flat_values_spec=None",
              Init, ""),
    GK_CLASS_METHOD("from_value", "value", FromValue,
                    "The spec of a ragged tensor."),
    GK_METHOD("_with_shape", "shape", WithShape, ""),
    GK_METHOD("_serialize", "", Serialize, ""),
    GK_METHOD("_to_components", "value", ToComponents, ""),
    GK_METHOD("_from_components", "components", FromComponents, ""),
    GK_METHOD("is_compatible_with", "spec_or_value", IsCompatibleWith,
              "Could the value be described by this spec?"),
    {}};
PyGetSetDef properties[] = {
    GK_PROPERTY("ragged_rank", Part<"_ragged_rank">,
                "How many dimensions are partitioned."),
    GK_PROPERTY("row_splits_dtype", Part<"_row_splits_dtype">,
                "Of the row splits."),
    GK_PROPERTY("flat_values_spec", Part<"_flat_values_spec">,
                "Of the innermost values, if given."),
    GK_PROPERTY("value_type", ValueType,
                "tf.RaggedTensor, or tf.Tensor if nothing is ragged."),
    GK_PROPERTY("_component_specs", ComponentSpecs, nullptr),
    {}};

}  // namespace

void AddRaggedTensorSpec(nb::module_& m) {
  CompositeClasses& classes = TheCompositeClasses();
  classes.ragged_spec =
      AddClass(m, "RaggedTensorSpec", classes.shaped_spec, std::nullopt,
               "What is known of a tf.RaggedTensor.\n\n"
               "Args:\n"
               "  shape: None for ragged dimensions; may be unknown if the "
               "rank is given.\n"
               "  dtype: of the values.\n"
               "  ragged_rank: how many dimensions are partitioned; all but "
               "one unless\n"
               "    given.\n"
               "  row_splits_dtype: tf.int32 or tf.int64.\n"
               "  flat_values_spec: of the values if they are composite.\n\n"
               ">>> spec = tf.RaggedTensorSpec([None, None], tf.int32)\n"
               ">>> f = tf.function(lambda x: x.values + 1, "
               "input_signature=[spec])\n"
               ">>> f(tf.ragged.constant([[1, 2], [3]])).numpy().tolist()\n"
               "[2, 3, 4]\n",
               methods, properties)
          .ptr();
}

}  // namespace gk::py
