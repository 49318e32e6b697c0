// Containers of Python taken apart.
#include "python/src/binding/class_attribute.h"
#include "python/src/binding/imported_once.h"
#include "python/src/nest/flattened_object.h"
#include "python/src/nest/nest_node.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/tensors/tensor_type.h"

namespace gk::py {
namespace {

using Kind = Structure::Kind;

// Is it an instance of this class of collections.abc? -1 with an exception.
template <Name kName>
int IsAbstract(PyObject* o) {
  static constinit ImportedOnce imported("collections.abc", kName.text);
  PyObject* const cls = imported.Get();
  return cls ? PyObject_IsInstance(o, cls) : -1;
}

bool IsPlainLeaf(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  return o == Py_None || IsTensor(o) || type == &PyUnicode_Type ||
         type == &PyLong_Type || type == &PyFloat_Type ||
         type == &PyBool_Type || type == &PyBytes_Type;
}

PyRef ClassOf(PyObject* o) {
  return PyRef::Share(reinterpret_cast<PyObject*>(Py_TYPE(o)));
}

bool AppendAll(PyObject* iterable, std::vector<PyRef>* out) {
  PyRef items = PyRef::Steal(iterable ? PySequence_Tuple(iterable) : nullptr);
  if (!items) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
    out->push_back(PyRef::Share(PyTuple_GET_ITEM(items.get(), i)));
  }
  return true;
}

int OpenSequence(Kind kind, PyObject* o, bool own, std::vector<PyRef>* children,
                 NestNode* node) {
  if (node != nullptr) {
    node->kind = kind;
    if (!own) node->cls = ClassOf(o);
  }
  return AppendAll(o, children) ? 1 : -1;
}

// Which child each entry of a mapping is, if keys are not sorted.
bool FindOrder(NestNode* node) {
  PyObject *keys = node->keys.get(), *sorted = node->sorted.get();
  const Py_ssize_t n = PyList_GET_SIZE(keys);
  bool same = true;
  for (Py_ssize_t i = 0; i < n && same; ++i) {
    same = PyList_GET_ITEM(keys, i) == PyList_GET_ITEM(sorted, i);
  }
  if (same) return true;
  PyRef positions = PyRef::Steal(PyDict_New());
  for (Py_ssize_t i = 0; positions && i < n; ++i) {
    PyRef number = PyRef::Steal(PyLong_FromSsize_t(i));
    if (!number || PyDict_SetItem(positions.get(), PyList_GET_ITEM(sorted, i),
                                  number.get()) < 0) {
      return false;
    }
  }
  for (Py_ssize_t i = 0; positions && i < n; ++i) {
    PyObject* number =
        PyDict_GetItemWithError(positions.get(), PyList_GET_ITEM(keys, i));
    if (number == nullptr) {
      if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_KeyError, "a mapping changed its keys");
      }
      return false;
    }
    node->order.push_back(static_cast<int>(PyLong_AsLong(number)));
  }
  return static_cast<bool>(positions);
}

int OpenMapping(PyObject* o, NestRules rules, std::vector<PyRef>* children,
                NestNode* node) {
  PyRef keys =
      PyRef::Steal(PyDict_CheckExact(o) ? PyDict_Keys(o) : PySequence_List(o));
  PyRef sorted = PyRef::Steal(keys ? PySequence_List(keys.get()) : nullptr);
  if (!sorted) return -1;
  if (PyList_GET_SIZE(sorted.get()) > 1 && PyList_Sort(sorted.get()) < 0) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
    PyErr_Clear();
    if (rules != NestRules::kResult) {
      PyErr_SetString(PyExc_TypeError,
                      "nest only supports dicts with sortable keys.");
      return -1;
    }
    sorted = keys;  // several kinds: as they come
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(sorted.get()); ++i) {
    children->push_back(
        PyRef::Steal(PyObject_GetItem(o, PyList_GET_ITEM(sorted.get(), i))));
    if (!children->back()) return -1;
  }
  if (node == nullptr) return 1;
  node->kind = Kind::kDict;
  if (!PyDict_CheckExact(o)) {
    node->cls = ClassOf(o);
    if (Attribute<"default_factory">(Py_TYPE(o)) != nullptr) {
      node->facts = Get<"default_factory">(o);
      if (!node->facts) return -1;
    }
  }
  node->keys = std::move(keys);
  node->sorted = std::move(sorted);
  return FindOrder(node) ? 1 : -1;
}

int OpenAttrs(PyObject* o, PyObject* attributes, std::vector<PyRef>* children,
              NestNode* node) {
  PyRef all = PyRef::Steal(PySequence_Tuple(attributes));
  if (!all) return -1;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(all.get()); ++i) {
    PyRef name = Get<"name">(PyTuple_GET_ITEM(all.get(), i));
    children->push_back(
        PyRef::Steal(name ? PyObject_GetAttr(o, name.get()) : nullptr));
    if (!children->back()) return -1;
  }
  if (node == nullptr) return 1;
  node->kind = Kind::kAttrs;
  node->cls = ClassOf(o);
  node->facts = std::move(all);
  return 1;
}

int OpenObject(PyObject* o, NestRules rules, std::vector<PyRef>* children,
               NestNode* node) {
  PyRef parts = PartsOfObject(o);
  if (!parts || !AppendAll(PyTuple_GET_ITEM(parts.get(), 1), children)) {
    return -1;
  }
  if (node == nullptr) return 1;
  node->kind = Kind::kFlattened;
  node->cls = ClassOf(o);
  PyObject* metadata = PyTuple_GET_ITEM(parts.get(), 0);
  node->facts = rules == NestRules::kResult ? OwnMetadata(metadata)
                                            : PyRef::Share(metadata);
  return node->facts ? 1 : -1;
}

// A composite value, or the spec of such.
int OpenComposite(PyObject* o, bool is_spec, std::vector<PyRef>* children,
                  NestNode* node) {
  PyRef spec = is_spec ? PyRef::Share(o) : Get<"_type_spec">(o);
  if (!spec) return -1;
  PyRef parts;
  if (is_spec) {
    parts = Get<"_component_specs">(o);
  } else {
    PyRef method = Get<"_to_components">(spec.get());
    parts =
        PyRef::Steal(method ? PyObject_CallOneArg(method.get(), o) : nullptr);
  }
  if (!parts) return -1;
  children->push_back(std::move(parts));
  if (node == nullptr) return 1;
  node->kind = Kind::kComposite;
  node->cls = ClassOf(o);
  node->facts = std::move(spec);
  return 1;
}

// What another class of sequence is under these rules.
int OpenOtherSequence(PyObject* o, NestRules rules,
                      std::vector<PyRef>* children, NestNode* node) {
  if (PyUnicode_Check(o) || PyBytes_Check(o) || PyByteArray_Check(o)) return 0;
  if (PyRange_Check(o)) {
    return OpenSequence(Kind::kSequence, o, false, children, node);
  }
  int is = IsAbstract<"MappingView">(o);
  if (is == 0 && rules != NestRules::kResult) is = IsAbstract<"Sequence">(o);
  if (is <= 0) return is;
  return OpenSequence(Kind::kSequence, o, false, children, node);
}

int Open(PyObject* o, NestRules rules, std::vector<PyRef>* children,
         NestNode* node);

// A proxy of a container: null if `o` is none.
PyRef Wrapped(PyObject* o) {
  if (Attribute<"__wrapped__">(Py_TYPE(o)) == nullptr) return {};
  PyRef cls = Get<"__class__">(o);
  if (!cls) PyErr_Clear();
  if (!cls || cls.get() == reinterpret_cast<PyObject*>(Py_TYPE(o))) return {};
  PyRef inner = Get<"__wrapped__">(o);
  if (!inner) PyErr_Clear();
  return inner;
}

int Open(PyObject* o, NestRules rules, std::vector<PyRef>* children,
         NestNode* node) {
  PyTypeObject* type = Py_TYPE(o);
  const bool element = rules == NestRules::kElement;
  const bool result = rules == NestRules::kResult;
  const bool own =
      PyTuple_CheckExact(o) || PyList_CheckExact(o) || PyDict_CheckExact(o);
  if (PyRef inner = own ? PyRef() : Wrapped(o)) {
    const int open = Open(inner.get(), rules, children, node);
    if (open == 1 && node != nullptr && !result) node->wrapper = ClassOf(o);
    return open;
  }
  if (PyTuple_Check(o)) {
    PyObject* fields = Attribute<"_fields">(type);
    if (fields != nullptr && PyTuple_Check(fields)) {
      return OpenSequence(Kind::kNamedTuple, o, false, children, node);
    }
    return OpenSequence(Kind::kTuple, o, result || PyTuple_CheckExact(o),
                        children, node);
  }
  if (PyList_Check(o)) {
    if (element) return 0;
    return OpenSequence(Kind::kList, o, result || PyList_CheckExact(o),
                        children, node);
  }
  if (PyDict_Check(o)) return OpenMapping(o, rules, children, node);
  int is = IsAbstract<"Mapping">(o);
  if (is < 0) return -1;
  if (is == 1) return OpenMapping(o, rules, children, node);
  if (!element) {
    const int open = OpenOtherSequence(o, rules, children, node);
    if (open != 0) return open;
  }
  if (PyObject* attributes = Attribute<"__attrs_attrs__">(type)) {
    return OpenAttrs(o, attributes, children, node);
  }
  if (result ? Attribute<"__tf_flatten__">(type) != nullptr
             : IsFlattenedDataclass(type)) {
    return OpenObject(o, rules, children, node);
  }
  if (result || rules == NestRules::kExpanded) {
    if (Attribute<"_type_spec">(type) != nullptr) {
      return OpenComposite(o, /*is_spec=*/false, children, node);
    }
    if (!result && !IsTensorSpec(o) &&
        Attribute<"_component_specs">(type) != nullptr) {
      return OpenComposite(o, /*is_spec=*/true, children, node);
    }
  }
  return 0;
}

}  // namespace

int OpenNest(PyObject* value, NestRules rules, std::vector<PyRef>* children,
             NestNode* node) {
  return IsPlainLeaf(value) ? 0 : Open(value, rules, children, node);
}

int NestItems(PyObject* value, std::vector<PyRef>* keys,
              std::vector<PyRef>* children) {
  NestNode node;
  const int open = OpenNest(value, NestRules::kNest, children, &node);
  if (open <= 0) return open;
  PyRef fields;
  if (node.kind == Kind::kNamedTuple) {
    fields = Get<"_fields">(value);
    if (!fields) return -1;
  }
  for (size_t i = 0; i < children->size(); ++i) {
    PyRef key;
    if (node.kind == Kind::kDict) {
      key = PyRef::Share(PyList_GET_ITEM(node.sorted.get(), i));
    } else if (node.kind == Kind::kAttrs) {
      key = Get<"name">(PyTuple_GET_ITEM(node.facts.get(), i));
    } else if (fields) {
      key = PyRef::Steal(PySequence_GetItem(fields.get(), i));
    } else {
      key = PyRef::Steal(PyLong_FromSize_t(i));
    }
    if (!key) return -1;
    keys->push_back(std::move(key));
  }
  return 1;
}

}  // namespace gk::py
