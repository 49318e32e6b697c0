// What tf.saved_model.load makes its objects of.
#include "saved_model/loaded_model.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "framework/variable.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/text_caster.h"
#include "python/src/function/concrete_function.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/saved_model/restored_function.h"
#include "python/src/saved_model/saved_model.h"
#include "python/src/saved_model/structured_value.h"
#include "python/src/tensors/converted.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/variables/variable_arguments.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

template <class Message>
nb::bytes Bytes(const Message& message) {
  const std::string text = message.Serialize();
  return nb::bytes(text.data(), text.size());
}

// Python's part of a model in a graph: an object that makes graph variables,
// constants and the like.
class ValuesInGraph final : public GraphValues {
 public:
  explicit ValuesInGraph(nb::object maker) : maker_(std::move(maker)) {}

  Tensor Variable(int object, const proto::SavedVariable& saved,
                  const PartialTensorShape& shape,
                  const Tensor& value) override {
    const nb::object made = maker_.attr("variable")(
        object, TextOfFile(saved.name), Owned(WrapShape(shape)),
        nb::borrow(DTypeObject(static_cast<DataType>(saved.dtype))),
        saved.trainable, value ? Wrapped(value) : nb::object(nb::none()));
    return TensorOf(nb::object(made.attr("handle")).ptr());
  }
  Tensor Resource(int object) override {
    const nb::object given = maker_.attr("resource")(object);
    return given.is_none() ? Tensor() : TensorOf(given.ptr());
  }
  Tensor Constant(const Tensor& value) override {
    return TensorOf(nb::object(maker_.attr("constant")(Wrapped(value))).ptr());
  }
  Tensor Asset(const std::string& path) override {
    return TensorOf(nb::object(maker_.attr("asset")(path)).ptr());
  }
  void Initializer(const TensorVector& done) override {
    nb::list outputs;
    for (const Tensor& t : done) outputs.append(Wrapped(t));
    maker_.attr("initialize")(outputs);
  }

 private:
  const nb::object maker_;
};

std::shared_ptr<LoadedModel> PutInGraph(std::shared_ptr<LoadedModel> eager,
                                        nb::object maker) {
  ValuesInGraph values(std::move(maker));
  return ValueOrThrow(LoadedModel::InGraph(std::move(eager), &values));
}

std::shared_ptr<LoadedModel> Load(
    const std::string& folder,
    const std::optional<std::vector<std::string>>& tags,
    bool allow_partial_checkpoint, bool skip_checkpoint, bool variable_devices,
    nb::dict given) {
  LoadOptions options{
      allow_partial_checkpoint, skip_checkpoint, variable_devices, {}};
  for (auto [object, handle] : given) {
    options.given.emplace(nb::cast<int>(object), TensorOf(handle.ptr()));
  }
  const GilRelease release(true);
  return ValueOrThrow(LoadedModel::Load(folder, tags, options));
}

// A variable, or the tensor that an object is; None of others.
nb::object ValueOf(const LoadedModel& self, int object) {
  const Tensor& value = self.value(object);
  if (!value) return nb::none();
  const proto::SavedObject& saved = self.objects().at(object);
  if (!saved.variable.has()) return Wrapped(value);
  const VariableResource* v = ValueOrThrow(gk::VariableOf(value));
  nb::object made = Owned(VariableOfHandle(value, v->dtype(), v->shape(),
                                           v->trainable(), v->name()));
  const auto synchronization =
      static_cast<int>(saved.variable->synchronization);
  const auto aggregation = static_cast<int>(saved.variable->aggregation);
  if (synchronization != 0 || aggregation != 0) {
    SetModes(made.ptr(), synchronization, aggregation);
  }
  return made;
}

// The objects, which live as long as the model.
nb::list Objects(nb::handle self) {
  nb::list objects;
  for (const proto::SavedObject& o : nb::cast<LoadedModel&>(self).objects()) {
    objects.append(nb::cast(&o, nb::rv_policy::reference_internal, self));
  }
  return objects;
}

// Gives the root what a model of TensorFlow 1 has besides objects.
void AddGraphTo(nb::handle self, nb::handle root) {
  package::add_graph(root, self);
}

using ObjectKind = proto::SavedObject::KindCase;

nb::object KindOf(const proto::SavedObject& self) {
  switch (self.kind_case) {
    case ObjectKind::kUserObject:
      return nb::str("user_object");
    case ObjectKind::kAsset:
      return nb::str("asset");
    case ObjectKind::kFunction:
      return nb::str("function");
    case ObjectKind::kVariable:
      return nb::str("variable");
    case ObjectKind::kBareConcreteFunction:
      return nb::str("bare_concrete_function");
    case ObjectKind::kConstant:
      return nb::str("constant");
    case ObjectKind::kResource:
      return nb::str("resource");
    case ObjectKind::kCapturedTensor:
      return nb::str("captured_tensor");
    default:
      return nb::none();
  }
}

nb::list Children(const proto::SavedObject& self) {
  nb::list children;
  for (const auto& child : self.children) {
    children.append(
        nb::make_tuple(TextOfFile(child.local_name), child.node_id));
  }
  return children;
}

nb::list Slots(const proto::SavedObject& self) {
  nb::list slots;
  for (const auto& slot : self.slot_variables) {
    slots.append(nb::make_tuple(slot.original_variable_node_id,
                                TextOfFile(slot.slot_name),
                                slot.slot_variable_node_id));
  }
  return slots;
}

nb::dict Saveables(const proto::SavedObject& self) {
  nb::dict made;
  for (const auto& [name, functions] : self.saveable_objects) {
    made[TextOfFile(name)] =
        nb::make_tuple(functions.save_function, functions.restore_function);
  }
  return made;
}

// What a loader's part of it reads; the message for all else.
void AddSavedObject(nb::module_& m) {
  using Object = proto::SavedObject;
  nb::class_<Object>(m, "_SavedObject", "An object of a saved model.")
      .def_prop_ro("kind", KindOf)
      .def_prop_ro("identifier",
                   [](const Object& self) {
                     return TextOfFile(self.user_object->identifier);
                   })
      .def_prop_ro("children", Children)
      .def_prop_ro("slots", Slots)
      .def_prop_ro("saveables", Saveables)
      .def_prop_ro("is_registered",
                   [](const Object& self) {
                     return !self.registered_name.empty() ||
                            !self.registered_saver.empty();
                   })
      .def_prop_ro("message", Bytes<Object>);
}

}  // namespace

void AddLoadedModel(nb::module_& m) {
  AddSavedObject(m);
  nb::class_<LoadedModel>(m, "_LoadedModel",
                          "Objects and functions of a saved model.")
      .def_prop_ro("objects", Objects)
      .def_prop_ro("tensorflow_version",
                   [](const LoadedModel& self) {
                     return TextOfFile(
                         self.meta_graph().meta_info_def->tensorflow_version);
                   })
      .def_prop_ro(
          "tensorflow_git_version",
          [](const LoadedModel& self) {
            return TextOfFile(
                self.meta_graph().meta_info_def->tensorflow_git_version);
          })
      .def_prop_ro("aliased_functions",
                   [](const LoadedModel& self) {
                     nb::dict numbers;
                     const auto found = self.AliasedFunctions();
                     for (const auto& [alias, number] : found) {
                       numbers[TextOfFile(alias)] = number;
                     }
                     return numbers;
                   })
      .def_prop_ro("aliased_traces",
                   [](const LoadedModel& self) {
                     nb::dict named;
                     const auto found = self.AliasedTraces();
                     for (const auto& [alias, names] : found) {
                       nb::list all;
                       for (const std::string& name : names) {
                         all.append(TextOfFile(name));
                       }
                       named[TextOfFile(alias)] = all;
                     }
                     return named;
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
      .def("in_graph", PutInGraph, nb::arg("maker"))
      .def(
          "in_program",
          [](const LoadedModel& self, nb::handle value) {
            const Tensor* used = self.InProgram(TensorOf(value.ptr()));
            return used ? Wrapped(*used) : nb::borrow(value);
          },
          nb::arg("value"))
      .def("add_graph_to", AddGraphTo, nb::arg("root"))
      .def("value", ValueOf, nb::arg("object"))
      .def("function", RestoredFunctionOf, nb::arg("object"))
      .def(
          "trace",
          [](LoadedModel& self, const std::string& name) {
            return ConcreteFunctionOver(ValueOrThrow(self.Function(name)));
          },
          nb::arg("name"));
  m.def("_load_saved_model", Load, nb::arg("folder"), nb::arg("tags").none(),
        nb::arg("allow_partial_checkpoint"), nb::arg("skip_checkpoint"),
        nb::arg("variable_devices"), nb::arg("given"));
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
