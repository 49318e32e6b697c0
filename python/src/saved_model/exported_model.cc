// What tf.saved_model.save writes: Python's objects as the core asks for them.
// What an object is, Python's protocol object says
// (graphkiln._src.saved_model.exported_objects).
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "function/remade_dataset.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/text_caster.h"
#include "python/src/checkpoint/checkpoint.h"
#include "python/src/function/concrete_function.h"
#include "python/src/graph/source_location.h"
#include "python/src/saved_model/saved_model.h"
#include "python/src/tensors/converted.h"
#include "python/src/variables/variable_type.h"
#include "saved_model/save_model.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

template <class Message>
Message Parsed(nb::handle bytes) {
  Message message;
  const auto text = nb::cast<nb::bytes>(bytes);
  ThrowIfError(message.Parse({text.c_str(), text.size()}));
  return message;
}

// (ConcreteFunction, StructuredValue of the arguments, of the results).
ExportedTrace TraceOf(nb::handle described) {
  const auto parts = nb::cast<nb::tuple>(described);
  const nb::object concrete = parts[0];
  if (!IsConcreteFunction(concrete.ptr())) {
    throw Error(TypeError("a ConcreteFunction is needed"));
  }
  const auto* const f = ConcreteFunctionOf(concrete.ptr());
  return {Ref<ConcreteFunction>(f->function),
          Parsed<proto::StructuredValue>(parts[1]),
          Parsed<proto::StructuredValue>(parts[2])};
}

// A variable by its handle, all else as a tensor.
Tensor HandleOf(nb::handle value) {
  return IsVariable(value.ptr()) ? VariableOf(value.ptr())->handle
                                 : Converted(value);
}

class PyExported final : public ExportedObject {
 public:
  PyExported(TrackablePtr object, nb::object protocol)
      : object_(std::move(object)), protocol_(std::move(protocol)) {}
  ~PyExported() override {
    const ScopedGil gil;
    protocol_.reset();
  }

  const void* identity() const override { return object_->identity(); }
  std::string Text() const override { return object_->Text(); }
  std::vector<Child> Children() override {
    std::vector<Child> children = object_->Children();
    for (Child& child : children) {
      child.object =
          std::make_shared<PyExported>(std::move(child.object), protocol_);
    }
    return children;
  }
  std::vector<Value> Values() override { return object_->Values(); }
  TensorVector Save() override { return object_->Save(); }
  std::vector<std::string> SlotNames() override { return object_->SlotNames(); }
  TrackablePtr Slot(const Trackable& variable,
                    const std::string& name) override {
    TrackablePtr slot =
        object_->Slot(*static_cast<const PyExported&>(variable).object_, name);
    if (slot == nullptr) return nullptr;
    return std::make_shared<PyExported>(std::move(slot), protocol_);
  }
  ExportedFacts Facts() override {
    const auto facts = nb::cast<nb::dict>(
        nb::object(protocol_.attr("facts")(ObjectOfTrackable(*object_))));
    ExportedFacts made;
    made.message = Parsed<proto::SavedObject>(facts["message"]);
    for (nb::handle trace : nb::object(facts["traces"])) {
      made.traces.push_back(TraceOf(trace));
    }
    for (nb::handle tensor : nb::object(facts["tensors"])) {
      made.tensors.push_back(HandleOf(tensor));
    }
    made.asset = nb::cast<std::string>(facts["asset"]);
    for (auto [name, needed] : nb::cast<nb::dict>(facts["dependencies"])) {
      made.dependencies.emplace_back(
          nb::cast<std::string>(name),
          DescribedObject(nb::borrow(needed), protocol_)->identity());
    }
    for (auto [name, functions] : nb::cast<nb::dict>(facts["saveables"])) {
      const auto pair = nb::cast<nb::tuple>(functions);
      made.saveables.emplace(nb::cast<std::string>(name),
                             std::pair(TraceOf(pair[0]), TraceOf(pair[1])));
    }
    return made;
  }

 private:
  TrackablePtr object_;
  nb::object protocol_;
};

std::vector<SourceFrame> FramesOf(SourceId source) {
  std::vector<SourceFrame> frames;
  for (nb::handle line : nb::steal<nb::list>(SourceLinesOf(source))) {
    frames.push_back({nb::cast<std::string>(line[0]), nb::cast<int>(line[1]),
                      nb::cast<std::string>(line[2])});
  }
  return frames;
}

void Save(nb::object root, nb::object protocol, nb::handle signatures,
          const std::string& folder, std::vector<std::string> extra_tags,
          bool skip_saver, bool variable_devices, bool custom_gradients,
          nb::handle aliases,
          nb::object sharding, bool save_debug_info, bool strip_debug_nodes,
          std::optional<std::vector<std::string>> namespaces) {
  SaveOptions options;
  options.writer = "graphkiln-" GK_VERSION;
  options.extra_tags = std::move(extra_tags);
  options.skip_saver = skip_saver;
  options.variable_devices = variable_devices;
  options.custom_gradients = custom_gradients;
  options.sharding = ShardingPolicyOf(std::move(sharding));
  options.strip_debug_nodes = strip_debug_nodes;
  options.namespaces = std::move(namespaces);
  if (save_debug_info) options.frames = FramesOf;
  for (nb::handle item : aliases) {
    const auto pair = nb::cast<nb::tuple>(item);
    const Ref<GraphFunction> f = DefinitionOf(nb::object(pair[0]).ptr());
    if (f) options.function_aliases[f.get()] = nb::cast<std::string>(pair[1]);
  }
  std::vector<ExportedSignature> exported;
  for (nb::handle item : signatures) {
    const auto parts = nb::cast<nb::tuple>(item);
    ExportedSignature& signature = exported.emplace_back();
    signature.name = nb::cast<std::string>(parts[0]);
    signature.trace = TraceOf(parts[1]);
    for (auto [name, value] : nb::cast<nb::dict>(parts[2])) {
      signature.defaults.emplace(nb::cast<std::string>(name), Converted(value));
    }
  }
  nb::object kept = protocol;
  const auto described = std::make_shared<PyExported>(
      DescribedObject(std::move(root), protocol), std::move(kept));
  const Status status = SaveModel(described, exported, folder, options);
  if (status.code() == Code::kFailedPrecondition &&
      status.message().find("untracked") != std::string::npos) {
    // Of a signature, or of a function that is saved as an attribute alone.
    PyErr_SetString(exported.empty() ? PyExc_KeyError : PyExc_AssertionError,
                    status.message().c_str());
    throw nb::python_error();
  }
  // What a gradient function of the program raised, and what it was asked for.
  if (status.code() == Code::kPythonException && !status.message().empty()) {
    nb::python_error cause;
    nb::raise_from(cause, PyExc_ValueError, "%s", status.message().c_str());
  }
  ThrowIfError(status);
}

}  // namespace

void AddExportedModel(nb::module_& m) {
  m.def(
      "_remade_dataset",
      [](nb::handle handle, nb::handle files) {
        const auto given = [&](const Tensor& names) {
          const nb::object made = files(Wrapped(names));
          return TensorOf(made.ptr());
        };
        return Wrapped(
            ValueOrThrow(RemadeDataset(TensorOf(handle.ptr()), given)));
      },
      nb::arg("handle"), nb::arg("files"));
  m.def(
      "_files_of_dataset",
      [](nb::handle handle) {
        nb::list found;
        for (const Tensor& t : FilesOfDataset(TensorOf(handle.ptr()))) {
          found.append(Wrapped(t));
        }
        return found;
      },
      nb::arg("handle"));
  m.def("_save_model", Save, nb::arg("root"), nb::arg("protocol"),
        nb::arg("signatures"), nb::arg("folder"), nb::arg("extra_tags"),
        nb::arg("skip_saver"), nb::arg("variable_devices"),
        nb::arg("custom_gradients"), nb::arg("aliases"),
        nb::arg("sharding").none(), nb::arg("save_debug_info"),
        nb::arg("strip_debug_nodes"), nb::arg("namespaces").none());
}

}  // namespace gk::py
