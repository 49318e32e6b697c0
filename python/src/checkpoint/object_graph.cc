// Checkpoints of Python's objects: what the core asks of one, Python's protocol
// object answers (graphkiln._src.checkpoint.objects).
#include "checkpoint/object_graph.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "checkpoint/restoration.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/text_caster.h"
#include "python/src/checkpoint/checkpoint.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/converted.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

// Held weakly where that can be: a restoration that waits for objects keeps
// none of those that are there.
class PyTrackable final : public Trackable {
 public:
  PyTrackable(nb::object object, nb::object protocol)
      : protocol_(std::move(protocol)) {
    if (PyObject* weak = PyWeakref_NewRef(object.ptr(), nullptr)) {
      held_ = nb::steal(weak);
      weak_ = true;
    } else {
      PyErr_Clear();
      held_ = std::move(object);
    }
  }
  ~PyTrackable() override {
    const ScopedGil gil;
    held_.reset();
    protocol_.reset();
  }

  // One weak reference stands for an object as long as it is kept.
  const void* identity() const override { return held_.ptr(); }
  std::string Text() const override {
    return nb::cast<std::string>(nb::str(Object()));
  }
  std::vector<Child> Children() override {
    std::vector<Child> children;
    if (IsVariable(Object().ptr())) return children;
    for (nb::handle item : Ask("children")) {
      const auto child = nb::cast<nb::tuple>(item);
      children.push_back(
          {nb::cast<std::string>(child[0]),
           std::make_shared<PyTrackable>(nb::object(child[1]), protocol_)});
    }
    return children;
  }
  std::vector<Value> Values() override {
    const nb::object object = Object();
    if (IsVariable(object.ptr())) {
      auto name = nb::cast<std::string>(object.attr("name"));
      if (name.ends_with(":0")) name.resize(name.size() - 2);
      return {{kVariableValue, std::move(name), {""},
               VariableOf(object.ptr())->dtype}};
    }
    std::vector<Value> values;
    for (nb::handle item : Ask("values")) {
      const auto value = nb::cast<nb::tuple>(item);
      values.push_back({nb::cast<std::string>(value[0]),
                        nb::cast<std::string>(value[1]),
                        nb::cast<std::vector<std::string>>(value[2])});
    }
    return values;
  }
  TensorVector Save() override {
    const nb::object object = Object();
    if (IsVariable(object.ptr())) {
      const Tensor& handle = VariableOf(object.ptr())->handle;
      if (!InGraph() && !handle.is_symbolic()) return SaveVariable(handle);
      const nb::object value = Ask("value_in_graph");
      if (IsTensor(value.ptr())) return {Converted(value)};
      return {ValueOrThrow(
          ValueToTensor(value.ptr(), VariableOf(object.ptr())->dtype))};
    }
    TensorVector tensors;
    for (nb::handle value : Ask("save")) tensors.push_back(Converted(value));
    return tensors;
  }
  void RestoreAll(const RestoredValues& values) override {
    const nb::object object = Object();
    if (IsVariable(object.ptr())) {
      RestoreValue(object, values.at(0).second.at(0));
      return;
    }
    nb::dict tensors;
    for (const auto& [name, of_value] : values) {
      tensors[name.c_str()] = Wrapped(of_value);
    }
    protocol_.attr("restore")(object, tensors);
  }
  void Await(const std::string& child,
             const std::shared_ptr<Restoration>& restoration,
             int node) override {
    protocol_.attr("wait")(Object(), child, restoration, node);
  }
  std::vector<std::string> SlotNames() override {
    if (IsVariable(Object().ptr())) return {};
    return nb::cast<std::vector<std::string>>(Ask("slot_names"));
  }
  std::shared_ptr<Trackable> Slot(const Trackable& variable,
                                  const std::string& slot) override {
    return Described(protocol_.attr("slot")(
        Object(), static_cast<const PyTrackable&>(variable).Object(), slot));
  }
  std::shared_ptr<Trackable> CreateSlot(
      const std::shared_ptr<Trackable>& variable, const std::string& slot,
      const std::shared_ptr<Restoration>& restoration, int node) override {
    return Described(protocol_.attr("create_slot")(
        Object(), static_cast<const PyTrackable&>(*variable).Object(), slot,
        restoration, node));
  }
  int64_t restored_by() const override {
    return nb::cast<int64_t>(protocol_.attr("restored_by")(Object()));
  }
  void set_restored_by(int64_t number) override {
    protocol_.attr("set_restored_by")(Object(), number);
  }

  // None once it is gone.
  nb::object Object() const {
    if (!weak_) return held_;
    return Owned(PyObject_CallNoArgs(held_.ptr()));
  }

 private:
  nb::object Ask(const char* question) const {
    return protocol_.attr(question)(Object());
  }

  // That of a variable of a graph when the status is told to, by a session.
  void RestoreValue(const nb::object& object, const Tensor& value) {
    const PyVariable* const v = VariableOf(object.ptr());
    if (!v->handle.is_symbolic()) {
      RestoreVariable(v->handle, value);
      return;
    }
    ThrowIfError(
        CheckRestored(Values().at(0).full_name, v->dtype, v->shape, value));
    protocol_.attr("restore_in_graph")(object, Wrapped(value));
  }

  std::shared_ptr<Trackable> Described(nb::object object) const {
    if (object.is_none()) return nullptr;
    return std::make_shared<PyTrackable>(std::move(object), protocol_);
  }

  nb::object held_;
  nb::object protocol_;
  bool weak_ = false;
};

// Snapshots are made by Python's thread and written by any.
void WriteWithoutGil(const ObjectSnapshot& snapshot, const std::string& prefix,
                     nb::object callback) {
  const ShardingPolicy policy = ShardingPolicyOf(std::move(callback));
  const GilRelease release(true);
  ThrowIfError(WriteSnapshot(snapshot, prefix, policy));
}

void ThrowAssertion(const Status& status) {
  if (status.ok()) return;
  if (status.code() != Code::kFailedPrecondition) throw Error(status);
  PyErr_SetString(PyExc_AssertionError, status.message().c_str());
  throw nb::python_error();
}

template <Status (Restoration::*kAssert)(const TrackablePtr&) const>
void Assert(const Restoration& restoration, nb::object root,
            nb::object protocol) {
  ThrowAssertion((restoration.*kAssert)(
      DescribedObject(std::move(root), std::move(protocol))));
}

}  // namespace

TrackablePtr DescribedObject(nb::object object, nb::object protocol) {
  return std::make_shared<PyTrackable>(std::move(object), std::move(protocol));
}

nb::object ObjectOfTrackable(const Trackable& trackable) {
  return static_cast<const PyTrackable&>(trackable).Object();
}

void AddObjectGraphs(nb::module_& m) {
  nb::class_<ObjectSnapshot>(m, "_ObjectSnapshot",
                             "What is to be written of a program's objects.")
      .def("write", WriteWithoutGil, nb::arg("prefix"),
           nb::arg("sharding").none())
      .def_prop_ro("graph",
                   [](const ObjectSnapshot& self) {
                     const std::string text = self.graph.Serialize();
                     return nb::bytes(text.data(), text.size());
                   })
      .def_prop_ro("tensors", [](const ObjectSnapshot& self) {
        nb::list tensors;
        for (const ShardableTensor& tensor : self.tensors) {
          tensors.append(nb::make_tuple(tensor.key, Wrapped(tensor.tensor)));
        }
        return tensors;
      });
  m.def(
      "_object_snapshot",
      [](nb::object root, nb::object protocol) {
        return TakeSnapshot(
            DescribedObject(std::move(root), std::move(protocol)));
      },
      nb::arg("root"), nb::arg("protocol"));
  m.def(
      "_reachable_objects",
      [](nb::object root, nb::object protocol) {
        nb::list objects;
        for (const TrackablePtr& object : ReachableObjects(
                 DescribedObject(std::move(root), std::move(protocol)))) {
          objects.append(static_cast<const PyTrackable&>(*object).Object());
        }
        return objects;
      },
      nb::arg("root"), nb::arg("protocol"));
  nb::class_<Restoration>(m, "_Restoration",
                          "A checkpoint that is put back into objects.")
      .def_prop_ro("by_name", &Restoration::by_name)
      .def_prop_ro("number", &Restoration::number)
      .def("is_variable", &Restoration::IsVariable)
      .def("value",
           [](const Restoration& self, int node) {
             return Wrapped(ValueOrThrow(self.ValueOf(node)));
           })
      .def(
          "resume",
          [](Restoration& self, int node, nb::object object,
             nb::object protocol) {
            ThrowIfError(self.Resume(
                node, DescribedObject(std::move(object), std::move(protocol))));
          })
      .def("add_optional",
           [](Restoration& self, nb::object object, nb::object protocol) {
             self.AddOptional(
                 DescribedObject(std::move(object), std::move(protocol)));
           })
      .def("take_split_objects", &Restoration::TakeSplitObjects)
      .def("assert_consumed", Assert<&Restoration::AssertConsumed>)
      .def("assert_existing_objects_matched",
           Assert<&Restoration::AssertExistingObjectsMatched>)
      .def("assert_nontrivial_match",
           Assert<&Restoration::AssertNontrivialMatch>)
      .def("unused", [](const Restoration& self) {
        Restoration::Unused unused = self.UnusedValues();
        return nb::make_tuple(std::move(unused.nodes),
                              std::move(unused.values));
      });
  m.def(
      "_start_restoration",
      [](std::shared_ptr<BundleReader> reader, nb::object root,
         nb::object protocol, bool with_slots) {
        return ValueOrThrow(Restoration::Start(
            std::move(reader),
            DescribedObject(std::move(root), std::move(protocol)), with_slots));
      },
      nb::arg("reader"), nb::arg("root"), nb::arg("protocol"),
      nb::arg("with_slots"));
}

}  // namespace gk::py
