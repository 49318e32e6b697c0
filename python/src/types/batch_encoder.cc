#include "python/src/types/batch_encoder.h"

#include "python/src/binding/class_members.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/data/element_spec.h"
#include "python/src/ragged/composite_classes.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

Object Batch(Handle, Handle spec, Handle size) {
  const int64_t n = size.is_none() ? -1 : ArgumentOf<int64_t>::Get(size);
  return Told([&] {
    return SpecOfFields(spec.type(), FieldsOfSpec(spec).Batched(n));
  });
}
Object Unbatch(Handle, Handle spec) {
  return Told(
      [&] { return SpecOfFields(spec.type(), FieldsOfSpec(spec).Row()); });
}
Object Encode(Handle, Handle spec, Handle value, Handle) {
  return spec.attr("_to_components")(value);
}
Object Decode(Handle, Handle spec, Handle encoded) {
  return spec.attr("_from_components")(encoded);
}
Object EncodingSpecs(Handle, Handle spec) {
  return spec.attr("_component_specs");
}

#define GK_POINT                                         \
  ">>> class Point(tf.experimental.BatchableExtensionType):\n" \
  "...     x: tf.Tensor\n"
PyMethodDef methods[] = {
    GK_METHOD("batch", "spec, batch_size", Batch,
              "The spec of `batch_size` values of `spec` stacked; None: of a "
              "number\nthat is not known.\n\n" GK_POINT
              ">>> tf.experimental.ExtensionTypeBatchEncoder().batch(\n"
              "...     Point.Spec(tf.TensorSpec([2])), None)\n"
              "Point.Spec(x=TensorSpec(shape=(None, 2), dtype=tf.float32, "
              "name=None))\n"),
    GK_METHOD("unbatch", "spec", Unbatch,
              "The spec of a row of a value of `spec`.\n\n"
              "Raises:\n"
              "  ValueError: the value has a scalar among its fields."
              "\n\n" GK_POINT
              ">>> tf.experimental.ExtensionTypeBatchEncoder().unbatch(\n"
              "...     Point.Spec(tf.TensorSpec([2])))\n"
              "Point.Spec(x=TensorSpec(shape=(), dtype=tf.float32, "
              "name=None))\n"),
    GK_METHOD("encode", "spec, value, minimum_rank=0", Encode,
              "What is stacked for `value`: a structure of values that\n"
              "`encoding_specs` describes.\n\n"
              "Args:\n"
              "  spec: of the value.\n"
              "  value: of the extension type.\n"
              "  minimum_rank: 1 if rows of the result will be taken."
              "\n\n" GK_POINT ">>> p = Point(1.5)\n"
              ">>> tf.experimental.ExtensionTypeBatchEncoder().encode(\n"
              "...     tf.type_spec_from_value(p), p)\n"
              "(<tf.Tensor: shape=(), dtype=float32, numpy=1.5>,)\n"),
    GK_METHOD("decode", "spec, encoded_value", Decode,
              "The value of `spec` that `encode` made the encoding of."
              "\n\n" GK_POINT
              ">>> tf.experimental.ExtensionTypeBatchEncoder().decode(\n"
              "...     Point.Spec(tf.TensorSpec([])), (tf.constant(1.5),))\n"
              "Point(x=<tf.Tensor: shape=(), dtype=float32, numpy=1.5>)\n"),
    GK_METHOD("encoding_specs", "spec", EncodingSpecs,
              "The structure of the specs of what `encode` returns."
              "\n\n" GK_POINT
              ">>> tf.experimental.ExtensionTypeBatchEncoder()"
              ".encoding_specs(\n"
              "...     Point.Spec(tf.TensorSpec([])))\n"
              "(TensorSpec(shape=(), dtype=tf.float32, name=None),)\n"),
    {}};

}  // namespace

void AddBatchEncoder(nb::module_& m) {
  TheCompositeClasses().batch_encoder = AddClass(
      m, "ExtensionTypeBatchEncoder", {}, std::nullopt,
      "How values of a tf.experimental.BatchableExtensionType are stacked "
      "and\ntaken apart, for tf.data.Dataset and tf.map_fn.\n\n"
      "This one stacks each field by itself; a tf.TensorShape among the "
      "fields\ngets the outer dimension. A subclass, as the "
      "`__batch_encoder__` of a type,\ndoes it in another way: what `encode` "
      "returns must be stackable, and a\nstack of it what `encode` returns "
      "for the batch.\n\n" GK_POINT
      ">>> spec = Point.Spec(tf.TensorSpec([]))\n"
      ">>> tf.experimental.ExtensionTypeBatchEncoder().batch(spec, 3)\n"
      "Point.Spec(x=TensorSpec(shape=(3,), dtype=tf.float32, name=None))\n",
      methods, nullptr, "graphkiln.experimental").ptr();
}
#undef GK_POINT

}  // namespace gk::py
