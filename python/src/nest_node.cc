#include "nest_node.h"

#include <algorithm>

#include "base/hash.h"
#include "convert.h"
#include "errors.h"
#include "function_trace_type.h"
#include "tensor_spec_type.h"
#include "tensor_type.h"

namespace gk::py {
namespace {

using Kind = Structure::Kind;

// An attribute of the class, not of the instance. Borrowed; null if none.
template <size_t n>
struct Name {
  char text[n];
  constexpr Name(const char (&t)[n]) { std::copy(t, t + n, text); }
};
template <Name kName>
PyObject* Attribute(PyTypeObject* type) {
  static PyObject* name = PyUnicode_InternFromString(kName.text);
  return name ? _PyType_Lookup(type, name) : nullptr;
}
template <Name kName>
PyRef Get(PyObject* o) {
  static PyObject* name = PyUnicode_InternFromString(kName.text);
  return PyRef::Steal(name ? PyObject_GetAttr(o, name) : nullptr);
}

// Is it an instance of this class of collections.abc? -1 with an exception.
template <Name kName>
int IsAbstract(PyObject* o) {
  static PyObject* cls =
      ImportAttribute("collections.abc", kName.text).Release();
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

// A copy of the containers of metadata.
PyRef OwnMetadata(PyObject* o) {
  if (PyAnySet_Check(o) && Py_TYPE(o) == &PySet_Type) {
    return PyRef::Steal(PySet_New(o));
  }
  const bool list = PyList_CheckExact(o), tuple = PyTuple_CheckExact(o);
  if (!list && !tuple && !PyDict_CheckExact(o)) return PyRef::Share(o);
  if (Py_EnterRecursiveCall(" in metadata")) return {};
  PyRef own;
  if (PyDict_CheckExact(o)) {
    own = PyRef::Steal(PyDict_New());
    PyObject *key, *value;
    for (Py_ssize_t at = 0; own && PyDict_Next(o, &at, &key, &value);) {
      PyRef part = OwnMetadata(value);
      if (!part || PyDict_SetItem(own.get(), key, part.get()) < 0) own = {};
    }
  } else {
    own = PyRef::Steal(PySequence_List(o));
    for (Py_ssize_t i = 0; own && i < PyList_GET_SIZE(own.get()); ++i) {
      PyRef part = OwnMetadata(PyList_GET_ITEM(own.get(), i));
      if (!part || PyList_SetItem(own.get(), i, part.Release()) < 0) own = {};
    }
    if (own && tuple) own = PyRef::Steal(PyList_AsTuple(own.get()));
  }
  Py_LeaveRecursiveCall();
  return own;
}

// (metadata, components) as __tf_flatten__ gives them.
PyRef PartsOfObject(PyObject* o) {
  PyRef method = Get<"__tf_flatten__">(o);
  PyRef parts =
      PyRef::Steal(method ? PyObject_CallNoArgs(method.get()) : nullptr);
  if (!parts) return {};
  if (!PyTuple_Check(parts.get()) || PyTuple_GET_SIZE(parts.get()) != 2) {
    PyErr_Format(PyExc_TypeError,
                 "%s.__tf_flatten__ must return (metadata, components), got "
                 "%R",
                 Py_TYPE(o)->tp_name, parts.get());
    return {};
  }
  return parts;
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

// Does a dataclass take itself apart?
int IsStructure(PyTypeObject* type) {
  return Attribute<"__tf_flatten__">(type) != nullptr &&
         Attribute<"__tf_unflatten__">(type) != nullptr &&
         Attribute<"__dataclass_fields__">(type) != nullptr;
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
  if (PyRef inner = Wrapped(o)) {
    const int open = Open(inner.get(), rules, children, node);
    if (open == 1 && node != nullptr && !result) node->wrapper = ClassOf(o);
    return open;
  }
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
             : IsStructure(type)) {
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
      static PyObject* view =
          ImportAttribute("collections.abc", "MappingView").Release();
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

// "d" and more of the class of `type`, without its module.
std::string ShortName(PyObject* cls) {
  const std::string_view name = reinterpret_cast<PyTypeObject*>(cls)->tp_name;
  return std::string(name.substr(name.rfind('.') + 1));
}

bool AddKeys(PyObject* keys, Structure::Facts* facts) {
  PyRef all = PyRef::Steal(PySequence_Tuple(keys));
  if (!all) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(all.get()); ++i) {
    PyObject* key = PyTuple_GET_ITEM(all.get(), i);
    PyRef text = PyRef::Steal(PyObject_Repr(key));
    if (!text) return false;
    std::string shown(StringView(text.get()));
    PyErr_Clear();  // lone surrogates
    std::string bytes = LiteralKey(key);
    if (bytes.empty()) {
      bytes = "o" + shown;
      facts->opaque = true;
    }
    facts->keys.push_back({std::move(bytes), std::move(shown)});
  }
  return true;
}

// False with an exception set.
bool FactsOf(Ref<NestNode> node, Structure::Facts* facts) {
  facts->kind = node->kind;
  if (node->cls) {
    facts->name = ShortName(node->cls.get());
    facts->identity = reinterpret_cast<uint64_t>(node->cls.get());
  }
  switch (node->kind) {
    case Kind::kDict:
      if (!AddKeys(node->sorted.get(), facts)) return false;
      facts->order = node->order;
      break;
    case Kind::kNamedTuple: {
      PyRef fields = Get<"_fields">(node->cls.get());
      if (!fields || !AddKeys(fields.get(), facts)) return false;
      break;
    }
    case Kind::kAttrs:
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(node->facts.get()); ++i) {
        PyRef name = Get<"name">(PyTuple_GET_ITEM(node->facts.get(), i));
        if (!name) return false;
        const std::string text(StringView(name.get()));
        facts->keys.push_back({"s" + text, text});
      }
      break;
    case Kind::kFlattened:
    case Kind::kComposite:
      facts->opaque = true;
      break;
    default:
      if (!node->cls && !node->wrapper) return true;  // nothing of its own
      break;
  }
  if (node->kind == Kind::kNamedTuple) {
    for (Structure::Key& key : facts->keys) key.text = key.bytes.substr(1);
  }
  facts->value = std::move(node);
  return true;
}

StructureRef Walk(PyObject* value, NestRules rules,
                  FunctionRef<bool(PyObject*)> leaf) {
  if (rules == NestRules::kResult && value == Py_None) {
    return Structure::None();
  }
  std::vector<PyRef> parts;
  auto node = MakeRef<NestNode>();
  const int open = OpenNest(value, rules, &parts, node.get());
  if (open < 0) return nullptr;
  if (open == 0) return leaf(value) ? Structure::Leaf() : nullptr;
  std::vector<StructureRef> children;
  children.reserve(parts.size());
  for (const PyRef& part : parts) {
    children.push_back(StructureOf(part.get(), rules, leaf));
    if (!children.back()) return nullptr;
  }
  return StructureOfNode(std::move(node), std::move(children));
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

PyObject* Pack(const Structure& s, std::span<const PyRef> leaves, size_t* next,
               const PackOptions& options) {
  if (s.kind() == Kind::kLeaf) {
    if (*next >= leaves.size()) {
      PyErr_SetString(PyExc_ValueError, "a structure has more leaves");
      return nullptr;
    }
    return Py_NewRef(leaves[(*next)++].get());
  }
  if (s.kind() == Kind::kNone) return Py_NewRef(options.nothing);
  const auto* node = static_cast<const NestNode*>(s.value().get());
  const bool composite = s.kind() == Kind::kComposite;
  if (composite && options.composites == PackOptions::kSpec) {
    *next += s.num_leaves();
    return Py_NewRef(node->facts.get());
  }
  std::vector<PyRef> children;
  children.reserve(s.children().size());
  for (const StructureRef& child : s.children()) {
    children.push_back(PyRef::Steal(Pack(*child, leaves, next, options)));
    if (!children.back()) return nullptr;
  }
  if (composite && options.composites == PackOptions::kParts) {
    return children[0].Release();
  }
  if (node == nullptr) {
    if (s.kind() == Kind::kDict) return PlainDict(s, children).Release();
    return s.kind() == Kind::kTuple ? TupleOf(children).Release()
                                    : ListOf(children).Release();
  }
  return CloseNest(*node, children, nullptr);
}

PyObject* Held(const PyRef& ref) { return ref.get(); }

}  // namespace

NestNode::~NestNode() {
  for (PyRef* ref : {&cls, &wrapper, &keys, &sorted, &facts}) {
    DeferredDecref(ref->Release());
  }
}

size_t NestNode::Hash() const {
  const size_t of_class = reinterpret_cast<size_t>(Held(cls));
  const Py_hash_t h = facts ? PyObject_Hash(facts.get()) : 0;
  if (h != -1) return HashCombine(of_class, h);
  if (PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();  // lists have no hash, but can be compared
  } else {
    KeepComparisonError();
  }
  return of_class;
}

bool NestNode::Equals(const LanguageValue& other) const {
  const auto* o = dynamic_cast<const NestNode*>(&other);
  if (o == nullptr || kind != o->kind || Held(cls) != Held(o->cls) ||
      Held(wrapper) != Held(o->wrapper)) {
    return false;
  }
  if (Held(facts) == Held(o->facts) || kind == Kind::kAttrs) return true;
  // Only what is not interned runs the user's code here.
  if (kind != Kind::kFlattened && kind != Kind::kComposite) return false;
  const int equal =
      PyObject_RichCompareBool(facts.get(), o->facts.get(), Py_EQ);
  if (equal < 0) KeepComparisonError();
  return equal == 1;
}

Ref<LanguageType> NestNode::CommonSupertype(const LanguageType& other) const {
  const auto* o = dynamic_cast<const NestNode*>(&other);
  if (o == nullptr || kind != Kind::kComposite || o->kind != kind) {
    return nullptr;
  }
  if (Attribute<"most_specific_common_supertype">(Py_TYPE(facts.get())) ==
      nullptr) {
    return Held(cls) == Held(o->cls)
               ? Ref<LanguageType>(const_cast<NestNode*>(this))
               : nullptr;
  }
  PyRef joined = PyRef::Steal(PyObject_CallMethod(
      facts.get(), "most_specific_common_supertype", "[O]", o->facts.get()));
  if (!joined) KeepComparisonError();
  if (!joined || joined.get() == Py_None) return nullptr;
  auto node = MakeRef<NestNode>();
  node->kind = kind;
  node->cls = cls;
  node->facts = std::move(joined);
  return node;
}

std::string NestNode::Text() const {
  PyRef text = PyRef::Steal(facts ? PyObject_Repr(facts.get()) : nullptr);
  if (!text) PyErr_Clear();
  return text ? std::string(StringView(text.get())) : std::string();
}

int OpenNest(PyObject* value, NestRules rules, std::vector<PyRef>* children,
             NestNode* node) {
  return IsPlainLeaf(value) ? 0 : Open(value, rules, children, node);
}

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

PyRef FlattenObject(PyObject* value) {
  PyRef parts = PartsOfObject(value);
  PyRef metadata =
      parts ? OwnMetadata(PyTuple_GET_ITEM(parts.get(), 0)) : PyRef();
  PyRef components = PyRef::Steal(
      metadata ? PySequence_Tuple(PyTuple_GET_ITEM(parts.get(), 1)) : nullptr);
  return PyRef::Steal(
      components ? PyTuple_Pack(2, metadata.get(), components.get()) : nullptr);
}

StructureRef StructureOf(PyObject* value, NestRules rules,
                         FunctionRef<bool(PyObject*)> leaf) {
  if (Py_EnterRecursiveCall(" in a nested structure")) return nullptr;
  StructureRef structure = Walk(value, rules, leaf);
  Py_LeaveRecursiveCall();
  return structure;
}

StructureRef StructureOf(PyObject* value, NestRules rules,
                         std::vector<PyRef>* leaves) {
  return StructureOf(value, rules, [&](PyObject* leaf) {
    if (leaves != nullptr) leaves->push_back(PyRef::Share(leaf));
    return true;
  });
}

StructureRef StructureOfNode(Ref<NestNode> node,
                             std::vector<StructureRef> children) {
  Structure::Facts facts;
  if (!FactsOf(std::move(node), &facts)) return nullptr;
  return Structure::Of(std::move(facts), std::move(children));
}

PyObject* PackValue(const Structure& structure, std::span<const PyRef> leaves,
                    const PackOptions& options) {
  size_t next = 0;
  return Pack(structure, leaves, &next, options);
}

}  // namespace gk::py
