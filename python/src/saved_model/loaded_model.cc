// What tf.saved_model.load makes its objects of.
#include "saved_model/loaded_model.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "framework/variable.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/text_caster.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/saved_model/saved_model.h"
#include "python/src/tensors/converted.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

template <class Message>
nb::bytes Bytes(const Message& message) {
  const std::string text = message.Serialize();
  return nb::bytes(text.data(), text.size());
}

std::shared_ptr<LoadedModel> Load(
    const std::string& folder,
    const std::optional<std::vector<std::string>>& tags,
    bool allow_partial_checkpoint, bool skip_checkpoint) {
  const GilRelease release(true);
  return ValueOrThrow(LoadedModel::Load(
      folder, tags, {allow_partial_checkpoint, skip_checkpoint}));
}

// A variable, or the tensor that an object is; None of others.
nb::object ValueOf(const LoadedModel& self, int object) {
  const Tensor& value = self.value(object);
  if (!value) return nb::none();
  const proto::SavedObject& saved = self.objects().at(object);
  if (!saved.variable.has()) return Wrapped(value);
  const VariableResource* v = ValueOrThrow(gk::VariableOf(value));
  return Owned(VariableOfHandle(value, v->dtype(), v->shape(), v->trainable(),
                                v->name()));
}

// Calls a function of the file with tensors, with the current builder.
nb::object Call(LoadedModel& self, const std::string& name,
                nb::handle arguments) {
  TensorVector inputs, outputs;
  for (nb::handle a : arguments) inputs.push_back(Converted(a));
  const Ref<ConcreteFunction> f = ValueOrThrow(self.Function(name));
  ThrowIfError(f->Call(inputs, &outputs));
  return Wrapped(outputs);
}

}  // namespace

void AddLoadedModel(nb::module_& m) {
  nb::class_<LoadedModel>(m, "_LoadedModel",
                          "Objects and functions of a saved model.")
      .def_prop_ro("object_graph",
                   [](const LoadedModel& self) {
                     return Bytes(*self.meta_graph().object_graph_def);
                   })
      .def_prop_ro("meta_info",
                   [](const LoadedModel& self) {
                     return Bytes(*self.meta_graph().meta_info_def);
                   })
      .def_prop_ro("saver",
                   [](const LoadedModel& self) {
                     return Bytes(*self.meta_graph().saver_def);
                   })
      .def_prop_ro("graph",
                   [](const LoadedModel& self) {
                     if (!self.graph()) return nb::object(nb::none());
                     return Owned(WrapGraph(self.graph()->graph().get()));
                   })
      .def("value", ValueOf, nb::arg("object"))
      .def("call", Call, nb::arg("name"), nb::arg("arguments"));
  m.def("_load_saved_model", Load, nb::arg("folder"), nb::arg("tags").none(),
        nb::arg("allow_partial_checkpoint"), nb::arg("skip_checkpoint"));
  m.def(
      "_contains_saved_model",
      [](const std::string& folder) {
        return ValueOrThrow(ContainsSavedModel(folder));
      },
      nb::arg("folder"));
  m.def(
      "_read_fingerprint",
      [](const std::string& folder) {
        return Bytes(ValueOrThrow(ReadFingerprint(folder)));
      },
      nb::arg("folder"));
}

}  // namespace gk::py
