// Containers of Python made of their children.
#include "framework/nest.h"
#include "python/src/binding/class_attribute.h"
#include "python/src/binding/imported_once.h"
#include "python/src/nest/flattened_object.h"
#include "python/src/nest/nest_node.h"

namespace gk::py {
namespace {

using Kind = Structure::Kind;

PyRef ListOf(std::span<const PyRef> items) {
  PyRef list = PyRef::Steal(PyList_New(items.size()));
  for (size_t i = 0; list && i < items.size(); ++i) {
    PyList_SET_ITEM(list.get(), i, Py_NewRef(items[i].get()));
  }
  return list;
}

PyRef TupleOf(std::span<const PyRef> items) {
  PyRef tuple = PyRef::Steal(PyTuple_New(items.size()));
  for (size_t i = 0; tuple && i < items.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), i, Py_NewRef(items[i].get()));
  }
  return tuple;
}

// The entries of a mapping, in its order.
PyRef DictOf(const NestNode& node, std::span<const PyRef> children) {
  PyRef out = PyRef::Steal(PyDict_New());
  for (Py_ssize_t i = 0; out && i < PyList_GET_SIZE(node.keys.get()); ++i) {
    const size_t at = node.order.empty() ? i : node.order[i];
    if (at < children.size() &&
        PyDict_SetItem(out.get(), PyList_GET_ITEM(node.keys.get(), i),
                       children[at].get()) < 0) {
      return {};
    }
  }
  return out;
}

// A mapping of a class of its own.
PyObject* MappingOf(const NestNode& node, PyRef entries, PyObject* like) {
  if (node.facts) {
    return PyObject_CallFunctionObjArgs(node.cls.get(), node.facts.get(),
                                        entries.get(), nullptr);
  }
  auto* type = reinterpret_cast<PyTypeObject*>(node.cls.get());
  if (PyType_IsSubtype(type, &PyDict_Type) ||
      Attribute<"__setitem__">(type) != nullptr) {
    PyRef made = PyRef::Steal(PyObject_CallNoArgs(node.cls.get()));
    if (!made && !PyErr_ExceptionMatches(PyExc_TypeError)) return nullptr;
    if (made) {
      PyObject *key, *value;
      for (Py_ssize_t at = 0; PyDict_Next(entries.get(), &at, &key, &value);) {
        if (PyObject_SetItem(made.get(), key, value) < 0) return nullptr;
      }
      return made.Release();
    }
    PyErr_Clear();  // it is never empty: perhaps it takes its entries
  }
  PyObject* made = PyObject_CallOneArg(node.cls.get(), entries.get());
  if (made != nullptr || !PyErr_ExceptionMatches(PyExc_TypeError)) return made;
  PyObject *error_type, *error, *trace;
  PyErr_Fetch(&error_type, &error, &trace);
  PyErr_NormalizeException(&error_type, &error, &trace);
  PyErr_Format(PyExc_TypeError,
               "Error creating an object of type %R like %S. Note that it must "
               "accept a single positional argument representing an iterable "
               "of key-value pairs, in addition to self. Cause: %S",
               node.cls.get(), like ? like : entries.get(), error);
  Py_XDECREF(error_type);
  Py_XDECREF(error);
  Py_XDECREF(trace);
  return nullptr;
}

// By position, as TensorFlow calls attrs classes; what the class takes by name
// alone by that.
PyObject* AttrsOf(const NestNode& node, std::span<const PyRef> children) {
  std::vector<PyRef> positional;
  PyRef named = PyRef::Steal(PyDict_New());
  for (size_t i = 0; named && i < children.size(); ++i) {
    PyObject* attribute = PyTuple_GET_ITEM(node.facts.get(), i);
    PyRef by_name = Get<"kw_only">(attribute);
    if (!by_name) PyErr_Clear();
    const int is_named = by_name ? PyObject_IsTrue(by_name.get()) : 0;
    if (is_named < 0) return nullptr;
    if (is_named == 0) {
      positional.push_back(children[i]);
      continue;
    }
    PyRef alias = Get<"alias">(attribute);
    if (!alias ||
        PyDict_SetItem(named.get(), alias.get(), children[i].get()) < 0) {
      return nullptr;
    }
  }
  PyRef tuple = named ? TupleOf(positional) : PyRef();
  return tuple ? PyObject_Call(node.cls.get(), tuple.get(), named.get())
               : nullptr;
}

// The leaves of the parts of a composite value.
bool LeavesOf(PyObject* parts, std::vector<PyRef>* leaves) {
  return static_cast<bool>(StructureOf(parts, NestRules::kExpanded, leaves));
}

PyObject* CompositeOf(const NestNode& node, std::span<const PyRef> children,
                      PyObject* like) {
  if (like != nullptr &&
      Attribute<"_with_components">(Py_TYPE(like)) != nullptr) {
    std::vector<PyRef> leaves;
    if (!LeavesOf(children[0].get(), &leaves)) return nullptr;
    PyRef list = ListOf(leaves);
    PyRef method = Get<"_with_components">(like);
    return list && method ? PyObject_CallOneArg(method.get(), list.get())
                          : nullptr;
  }
  PyRef method = Get<"_from_components">(node.facts.get());
  return method ? PyObject_CallOneArg(method.get(), children[0].get())
                : nullptr;
}

PyObject* Close(const NestNode& node, std::span<const PyRef> children,
                PyObject* like) {
  PyObject* cls = node.cls.get();
  switch (node.kind) {
    case Kind::kTuple:
      if (cls == nullptr) return TupleOf(children).Release();
      [[fallthrough]];
    case Kind::kList:
    case Kind::kSequence: {
      PyRef list = ListOf(children);
      // Ranges and views cannot be made of their items.
      if (!list || cls == nullptr) return list.Release();
      auto* type = reinterpret_cast<PyTypeObject*>(cls);
      static constinit ImportedOnce views("collections.abc", "MappingView");
      PyObject* const view = views.Get();
      if (view == nullptr) return nullptr;
      const int is_view = type == &PyRange_Type ? 1
                          : node.kind != Kind::kSequence
                              ? 0
                              : PyObject_IsSubclass(cls, view);
      if (is_view < 0) return nullptr;
      return is_view ? list.Release() : PyObject_CallOneArg(cls, list.get());
    }
    case Kind::kNamedTuple: {
      PyRef tuple = TupleOf(children);
      return tuple ? PyObject_CallObject(cls, tuple.get()) : nullptr;
    }
    case Kind::kAttrs:
      return AttrsOf(node, children);
    case Kind::kDict: {
      PyRef entries = DictOf(node, children);
      if (!entries || cls == nullptr) return entries.Release();
      return MappingOf(node, std::move(entries), like);
    }
    case Kind::kFlattened: {
      PyRef tuple = TupleOf(children);
      PyRef own = tuple ? OwnMetadata(node.facts.get()) : PyRef();
      return own ? PyObject_CallMethod(cls, "__tf_unflatten__", "OO", own.get(),
                                       tuple.get())
                 : nullptr;
    }
    case Kind::kComposite:
      return CompositeOf(node, children, like);
    default:
      PyErr_SetString(PyExc_SystemError, "a leaf has no children");
      return nullptr;
  }
}

// A mapping of the language's own that was made elsewhere.
PyRef PlainDict(const Structure& s, std::span<const PyRef> children) {
  PyRef dict = PyRef::Steal(PyDict_New());
  for (size_t i = 0; dict && i < children.size(); ++i) {
    const size_t at = s.order().empty() ? i : s.order()[i];
    PyRef key = PyRef::Steal(ToPyString(s.keys()[at].bytes.substr(1)));
    if (!key || PyDict_SetItem(dict.get(), key.get(), children[at].get()) < 0) {
      return {};
    }
  }
  return dict;
}

}  // namespace

PyObject* CloseNest(const NestNode& node, std::span<const PyRef> children,
                    PyObject* like) {
  PyRef made = PyRef::Steal(Close(node, children, like));
  // Records come out of their proxies.
  if (!made || !node.wrapper || node.kind == Kind::kNamedTuple ||
      node.kind == Kind::kAttrs) {
    return made.Release();
  }
  return PyObject_CallOneArg(node.wrapper.get(), made.get());
}

PyObject* PackValue(const Structure& structure, std::span<const PyRef> leaves,
                    const PackOptions& options) {
  const auto node_of = [](const Structure& s) {
    return static_cast<const NestNode*>(s.value().get());
  };
  const auto whole = [&](const Structure& s) {
    if (s.kind() == Kind::kNone) return PyRef::Share(options.nothing);
    return s.kind() == Kind::kComposite &&
                   options.composites == PackOptions::kSpec
               ? node_of(s)->facts
               : PyRef();
  };
  const auto close = [&](const Structure& s, std::span<const PyRef> parts) {
    if (s.kind() == Kind::kComposite &&
        options.composites == PackOptions::kParts) {
      return parts[0];
    }
    if (const NestNode* node = node_of(s)) {
      return PyRef::Steal(CloseNest(*node, parts, nullptr));
    }
    return s.kind() == Kind::kDict    ? PlainDict(s, parts)
           : s.kind() == Kind::kTuple ? TupleOf(parts)
                                      : ListOf(parts);
  };
  size_t next = 0;
  PyRef made = PackNest(structure, leaves, &next, whole, close);
  if (!made && !PyErr_Occurred()) {
    PyErr_SetString(PyExc_ValueError, "a structure has more leaves");
  }
  return made.Release();
}

}  // namespace gk::py
