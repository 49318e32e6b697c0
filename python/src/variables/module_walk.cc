// What tf.Module finds in the attributes of Python's objects.
#include <nanobind/nanobind.h>

#include <optional>
#include <utility>
#include <vector>

#include "framework/attribute_walk.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/throw_error.h"
#include "python/src/nest/nest_node.h"
#include "python/src/types/extension_fields.h"
#include "python/src/variables/variable_arguments.h"
#include "python/src/variables/variable_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// An iterator over what is found: values, or pairs of a path and a value.
class ModuleWalk final : public AttributeWalk::Host {
 public:
  // `cls`: that of modules. None for `wanted`: everything; for `key`: by name.
  ModuleWalk(nb::object root, nb::object cls, bool recursive,
             nb::object wanted, nb::object key, bool with_path, bool expand)
      : cls_(std::move(cls)),
        wanted_(std::move(wanted)),
        key_(std::move(key)),
        with_path_(with_path),
        expand_(expand) {
    found_.push_back({nb::tuple(), std::move(root)});
    options_ = {recursive, with_path};
  }

  // Over after an exception, and closed to itself while it runs, as Python's
  // generators are.
  nb::object Next() {
    if (running_) Throw(ValueError("generator already executing"));
    if (found_.empty()) throw nb::stop_iteration();
    running_ = true;
    nb::object next;
    try {
      next = Found();
    } catch (...) {
      Close();
      throw;
    }
    running_ = false;
    if (next.is_valid()) return next;
    Close();
    throw nb::stop_iteration();
  }

  // For the collector of circles.
  int Traverse(visitproc visit, void* arg) const {
    for (const nb::object* own : {&cls_, &wanted_, &key_}) {
      Py_VISIT(own->ptr());
    }
    for (const At& at : found_) {
      Py_VISIT(at.path.ptr());
      Py_VISIT(at.value.ptr());
    }
    return 0;
  }
  void Close() {
    running_ = false;
    walk_.reset();
    // What ends here may run code that asks again.
    const std::vector<At> gone = std::exchange(found_, {});
    const nb::object parts[] = {std::move(cls_), std::move(wanted_),
                                std::move(key_)};
  }

  std::vector<size_t> Attributes(size_t module) override {
    const At at = found_[module];
    const nb::object ignored =
        at.value.attr("_TF_MODULE_IGNORED_PROPERTIES");
    const nb::list names(nb::object(at.value.attr("__dict__")));
    names.attr("sort")(nb::arg("key") = key_);
    std::vector<size_t> attributes;
    for (nb::handle name : names) {
      // What it was told of is among its attributes.
      if (PyUnicode_Check(name.ptr()) &&
          StringView(name.ptr()).starts_with("_self_unconditional_")) {
        continue;
      }
      const int ignore = PySequence_Contains(ignored.ptr(), name.ptr());
      if (ignore < 0) throw nb::python_error();
      if (ignore) continue;
      attributes.push_back(found_.size());
      found_.push_back({at.path + nb::make_tuple(name), nb::borrow(name)});
    }
    return attributes;
  }

  std::vector<AttributeWalk::Leaf> Leaves(size_t module,
                                          size_t attribute) override {
    const At at = found_[attribute];
    const nb::object value = found_[module].value.attr("__dict__")[at.value];
    std::vector<AttributeWalk::Leaf> leaves;
    try {
      AddLeaves(at.path, value, &leaves);
    } catch (nb::python_error& cause) {
      if (!cause.matches(PyExc_Exception)) throw;
      const nb::object text =
          nb::str("Error processing property {!r} of {!r}")
              .attr("format")(at.value, value);
      nb::raise_from(cause, PyExc_ValueError, "%U", text.ptr());
    }
    return leaves;
  }

  bool IsWanted(size_t value) override {
    if (wanted_.is_none()) return true;
    try {
      const nb::object answer = wanted_(found_[value].value);
      const int wanted = PyObject_IsTrue(answer.ptr());
      if (wanted < 0) throw nb::python_error();
      return wanted;
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_StopIteration)) throw;
      nb::raise_from(error, PyExc_RuntimeError,
                     "generator raised StopIteration");
    }
  }

 private:
  struct At {
    nb::object path, value;
  };

  void AddLeaves(const nb::object& path, const nb::object& value,
                 std::vector<AttributeWalk::Leaf>* leaves) {
    std::vector<PyRef> keys, children;
    const int open = NestItems(value.ptr(), &keys, &children);
    if (open < 0) throw nb::python_error();
    for (size_t i = 0; i < children.size(); ++i) {
      AddLeaves(path + nb::make_tuple(nb::handle(keys[i].get())),
                nb::borrow(children[i].get()), leaves);
    }
    if (open > 0) return;
    if (expand_ && IsCompositeTensor(value) && !IsVariable(value.ptr())) {
      const nb::object spec = value.attr("_type_spec");
      const nb::object name = spec.attr("value_type").attr("__name__");
      AddLeaves(path + nb::make_tuple(name), spec.attr("_to_components")(value),
                leaves);
      return;
    }
    const int is_module = PyObject_IsInstance(value.ptr(), cls_.ptr());
    if (is_module < 0) throw nb::python_error();
    leaves->push_back({found_.size(), value.ptr(), is_module > 0});
    found_.push_back({path, value});
  }

  nb::object Found() {
    if (!walk_) {
      walk_.emplace(this, AttributeWalk::Leaf{0, found_[0].value.ptr(), true},
                    options_);
    }
    const std::optional<size_t> next = walk_->Next();
    if (!next) return {};
    const At& at = found_[*next];
    return with_path_ ? nb::make_tuple(at.path, at.value) : at.value;
  }

  nb::object cls_, wanted_, key_;
  const bool with_path_, expand_;
  AttributeWalk::Options options_;
  bool running_ = false;
  // What the walk has seen lives as long: no two have the same address.
  std::vector<At> found_;
  std::optional<AttributeWalk> walk_;
};

// The errors are those of the pattern that TensorFlow matches.
bool IsNameOfModule(nb::handle name) {
  if (nb::isinstance<nb::str>(name)) {
    return PyUnicode_IS_ASCII(name.ptr()) &&
           IsModuleName(StringView(name.ptr()));
  }
  if (PyObject_CheckBuffer(name.ptr())) {
    Throw(TypeError("cannot use a string pattern on a bytes-like object"));
  }
  Throw(TypeError("expected string or bytes-like object, got '{}'",
                  Py_TYPE(name.ptr())->tp_name));
}

int TraverseWalk(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  return nb::inst_ready(o) ? nb::inst_ptr<ModuleWalk>(o)->Traverse(visit, arg)
                           : 0;
}
int ClearWalk(PyObject* o) {
  if (nb::inst_ready(o)) nb::inst_ptr<ModuleWalk>(o)->Close();
  return 0;
}
PyType_Slot walk_slots[] = {{Py_tp_traverse, Slot<TraverseWalk>()},
                            {Py_tp_clear, Slot<ClearWalk>()},
                            {}};

}  // namespace

void AddModuleWalk(nb::module_& m) {
  nb::class_<ModuleWalk>(m, "ModuleWalk", nb::type_slots(walk_slots),
                         "Iterates over what a module's attributes hold.")
      .def(nb::init<nb::object, nb::object, bool, nb::object, nb::object, bool,
                    bool>(),
           nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(),
           nb::arg(), nb::arg())
      .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__next__", &ModuleWalk::Next);
  m.def("is_module_name", IsNameOfModule);
}

}  // namespace gk::py
