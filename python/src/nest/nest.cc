// The functions of tf.nest, and the same for elements of datasets.
#include "python/src/nest/nest.h"

#include <algorithm>

#include "python/src/binding/errors.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/only_argument.h"
#include "python/src/data/element_nest.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/function/literal_key.h"
#include "python/src/nest/nest_host.h"

namespace gk::py {
namespace {

// ---- Dots: what stands for leaves in the outline of a structure ----

PyObject* DotText(PyObject*) { return PyUnicode_FromString("."); }
PyType_Slot dot_slots[] = {{Py_tp_repr, Slot<DotText>()}, {0, nullptr}};
PyType_Spec dot_spec = {"graphkiln._Dot", sizeof(PyObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        dot_slots};
PyObject* dot = nullptr;

}  // namespace

PyRef FlatList(PyObject* value, NestRules rules) {
  PyNestHost host(rules, " in flatten");
  PyRef leaves = PyRef::Steal(PyList_New(0));
  const auto append = [&](const PyRef& leaf) {
    return PyList_Append(leaves.get(), leaf.get()) == 0;
  };
  if (!leaves || !FlattenNest(host, PyRef::Share(value), append)) return {};
  return leaves;
}

PyObject* Packed(PyObject* like, NestRules rules, PyObject* leaves) {
  PyNestHost host(rules, " in pack_sequence_as");
  Py_ssize_t next = 0;
  const auto leaf = [&](const PyRef&) -> PyRef {
    if (next < PyList_GET_SIZE(leaves)) {
      return PyRef::Share(PyList_GET_ITEM(leaves, next++));
    }
    PyErr_SetString(PyExc_ValueError, "the structure changed meanwhile");
    return {};
  };
  return MapNest(host, PyRef::Share(like), leaf).Release();
}

namespace {

// ---- Errors ----

std::string TakeText(PyObject* text) {
  PyRef held = PyRef::Steal(text);
  if (!held) {
    PyErr_Clear();
    return "<unprintable>";
  }
  std::string shown(StringView(held.get()));
  PyErr_Clear();  // lone surrogates
  return shown;
}

// Two values that are matched, as Python shows them.
class ValueWords : public StructureWords {
 public:
  ValueWords(PyObject* first, NestRules first_rules, PyObject* second,
             NestRules second_rules, const Structure& a, const Structure& b)
      : StructureWords(a, b),
        values_{first, second},
        rules_{first_rules, second_rules} {}

  std::string Value(Side side, Path path) const override {
    return Shown(Part(side, path).get());
  }
  std::string ClassName(Side side, Path path) const override {
    return TakeText(PyObject_GetAttrString(
        reinterpret_cast<PyObject*>(Py_TYPE(Part(side, path).get())),
        "__name__"));
  }
  std::string TypeName(Side side, Path path) const override {
    // Of what a proxy stands for.
    const auto* node =
        static_cast<const NestNode*>(At(side, path).value().get());
    if (node != nullptr && node->cls) {
      return reinterpret_cast<PyTypeObject*>(node->cls.get())->tp_name;
    }
    return node != nullptr ? StructureWords::TypeName(side, path)
                           : Py_TYPE(Part(side, path).get())->tp_name;
  }
  std::string Keys(Side side, Path path) const override {
    PyRef keys = PyRef::Steal(PySequence_List(Part(side, path).get()));
    return TakeText(keys ? PyObject_Repr(keys.get()) : nullptr);
  }
  std::string Spec(Side side, Path path) const override {
    const auto* node =
        static_cast<const NestNode*>(At(side, path).value().get());
    return Shown(node->facts.get());
  }
  std::string Outline(Side side) const override {
    PyRef leaves = FlatList(values_[side], NestRules::kNest);
    for (Py_ssize_t i = 0; leaves && i < PyList_GET_SIZE(leaves.get()); ++i) {
      PyList_SetItem(leaves.get(), i, Py_NewRef(dot));
    }
    PyRef outline = PyRef::Steal(
        leaves ? Packed(values_[side], NestRules::kNest, leaves.get())
               : nullptr);
    if (!outline) {
      PyErr_Clear();  // a class that takes no dots
      return StructureWords::Outline(side);
    }
    return TakeText(PyObject_Str(outline.get()));
  }

 private:
  static std::string Shown(PyObject* o) {
    return Format("type={} str={}",
                  TakeText(PyObject_GetAttrString(
                      reinterpret_cast<PyObject*>(Py_TYPE(o)), "__name__")),
                  TakeText(PyObject_Str(o)));
  }

  PyRef Part(Side side, Path path) const {
    PyRef part = PyRef::Share(values_[side]);
    for (int i : path) {
      std::vector<PyRef> children;
      const int open = OpenNest(part.get(), rules_[side], &children, nullptr);
      PyErr_Clear();
      if (open != 1 || static_cast<size_t>(i) >= children.size()) break;
      part = children[i];
    }
    return part;
  }

  PyObject* values_[2];
  NestRules rules_[2];
};

class KeptValueWords final : public ValueWords {
 public:
  KeptValueWords(PyRef first, PyRef second, NestRules rules, const Structure& a,
                 const Structure& b)
      : ValueWords(first.get(), rules, second.get(), rules, a, b),
        kept_{std::move(first), std::move(second)} {}

 private:
  PyRef kept_[2];
};

}  // namespace

std::unique_ptr<StructureWords> WordsOfValues(PyRef first, PyRef second,
                                              NestRules rules,
                                              const Structure& a,
                                              const Structure& b) {
  return std::make_unique<KeptValueWords>(std::move(first), std::move(second),
                                          rules, a, b);
}

bool AssertSame(PyObject* first, PyObject* second, bool check_types,
                NestRules rules) {
  StructureRef a = StructureOf(first, rules, nullptr);
  StructureRef b = a ? StructureOf(second, rules, nullptr) : nullptr;
  if (!b) return false;
  ForgetComparisonError();
  const Status status = AssertSameStructure(
      *a, *b, check_types, ValueWords(first, rules, second, rules, *a, *b));
  if (RaiseComparisonError()) return false;
  if (!status.ok()) Raise(status);
  return status.ok();
}

namespace {

// str(value), at most 100 characters of it.
PyRef Truncated(PyObject* value) {
  constexpr Py_ssize_t kMost = 100;
  PyRef text = PyRef::Steal(PyObject_Str(value));
  if (!text || PyUnicode_GET_LENGTH(text.get()) <= kMost) return text;
  PyRef head = PyRef::Steal(PyUnicode_Substring(text.get(), 0, kMost));
  return PyRef::Steal(head ? PyUnicode_FromFormat("%U...", head.get())
                           : nullptr);
}

PyObject* RefusePack(PyObject* structure, PyObject* flat, NestRules rules,
                     Py_ssize_t expected, Py_ssize_t given) {
  std::vector<PyRef> children;
  const int open = OpenNest(structure, rules, &children, nullptr);
  if (open < 0) return nullptr;
  if (open == 1) {
    return Raise(WrongLeafCount(expected, given,
                                TakeText(PyObject_Str(structure)),
                                TakeText(PyObject_Str(flat))));
  }
  PyRef shown = Truncated(structure), items = Truncated(flat);
  if (!shown || !items) return nullptr;
  return PyErr_Format(
      PyExc_ValueError,
      "The target structure is of type `%R`\n  %U\nHowever the input is a "
      "sequence (%R) of length %zd.\n  %U\nnest cannot guarantee that it is "
      "safe to map one to the other.",
      reinterpret_cast<PyObject*>(Py_TYPE(structure)), shown.get(),
      reinterpret_cast<PyObject*>(Py_TYPE(flat)), given, items.get());
}

// ---- Functions ----

NestRules RulesFor(int expand) {
  return expand ? NestRules::kExpanded : NestRules::kNest;
}

PyObject* IsNested(PyObject*, PyObject* value) {
  std::vector<PyRef> children;
  const int open = OpenNest(value, NestRules::kNest, &children, nullptr);
  if (open >= 0) return PyBool_FromLong(open);
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return nullptr;
  PyErr_Clear();  // it nests, though it cannot be sorted
  Py_RETURN_TRUE;
}

PyObject* Flatten(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* const names[] = {"structure", "expand_composites",
                                      nullptr};
  PyObject* structure;
  int expand = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|p:flatten",
                                   const_cast<char**>(names), &structure,
                                   &expand)) {
    return nullptr;
  }
  return FlatList(structure, RulesFor(expand)).Release();
}

PyObject* PackSequenceAs(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* const names[] = {"structure", "flat_sequence",
                                      "expand_composites", nullptr};
  PyObject *structure, *flat;
  int expand = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|p:pack_sequence_as",
                                   const_cast<char**>(names), &structure, &flat,
                                   &expand)) {
    return nullptr;
  }
  return PackedSequence(structure, RulesFor(expand), flat);
}

}  // namespace

PyObject* PackedSequence(PyObject* structure, NestRules rules, PyObject* flat) {
  std::vector<PyRef> unused;
  const int nested = OpenNest(flat, rules, &unused, nullptr);
  if (nested < 0) return nullptr;
  if (nested == 0) {
    PyRef shown = Truncated(flat);
    return shown ? PyErr_Format(
                       PyExc_TypeError,
                       "Attempted to pack value:\n  %U\ninto a structure, but "
                       "found incompatible type `%R` instead.",
                       shown.get(), reinterpret_cast<PyObject*>(Py_TYPE(flat)))
                 : nullptr;
  }
  PyRef leaves = PyRef::Steal(PySequence_List(flat));
  PyRef own = leaves ? FlatList(structure, rules) : PyRef();
  if (!own) return nullptr;
  const Py_ssize_t expected = PyList_GET_SIZE(own.get());
  const Py_ssize_t given = PyList_GET_SIZE(leaves.get());
  if (expected != given) {
    return RefusePack(structure, flat, rules, expected, given);
  }
  return Packed(structure, rules, leaves.get());
}

namespace {

PyObject* AssertSameStructureFunction(PyObject*, PyObject* args,
                                      PyObject* kwargs) {
  static const char* const names[] = {"nest1", "nest2", "check_types",
                                      "expand_composites", nullptr};
  PyObject *first, *second;
  int check_types = 1, expand = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|pp:assert_same_structure",
                                   const_cast<char**>(names), &first, &second,
                                   &check_types, &expand) ||
      !AssertSame(first, second, check_types, RulesFor(expand))) {
    return nullptr;
  }
  Py_RETURN_NONE;
}

// The options of map_structure. False with an exception set.
bool ReadMapOptions(PyObject* kwargs, int* check_types, int* expand) {
  PyRef others = PyRef::Steal(PyList_New(0));
  PyObject *key, *value;
  for (Py_ssize_t at = 0;
       others && kwargs && PyDict_Next(kwargs, &at, &key, &value);) {
    int* option =
        PyUnicode_CompareWithASCIIString(key, "check_types") == 0 ? check_types
        : PyUnicode_CompareWithASCIIString(key, "expand_composites") == 0
            ? expand
            : nullptr;
    if (option == nullptr) {
      if (PyList_Append(others.get(), key) < 0) return false;
    } else if ((*option = PyObject_IsTrue(value)) < 0) {
      return false;
    }
  }
  if (!others || PyList_GET_SIZE(others.get()) == 0) {
    return static_cast<bool>(others);
  }
  PyRef comma = PyRef::Steal(PyUnicode_FromString("`, `"));
  PyRef joined =
      PyRef::Steal(comma ? PyUnicode_Join(comma.get(), others.get()) : nullptr);
  if (joined) {
    PyErr_Format(PyExc_ValueError,
                 "Only valid keyword arguments are `check_types` and "
                 "`expand_composites`, not: `%U`",
                 joined.get());
  }
  return false;
}

// The results of a function for one leaf of each of some structures.
PyRef CallForLeaves(PyObject* function, const std::vector<PyRef>& flats) {
  Py_ssize_t n = PyList_GET_SIZE(flats[0].get());
  for (const PyRef& flat : flats) {
    n = std::min(n, PyList_GET_SIZE(flat.get()));
  }
  PyRef results = PyRef::Steal(PyList_New(n));
  std::vector<PyObject*> entry(flats.size());
  for (Py_ssize_t i = 0; results && i < n; ++i) {
    for (size_t j = 0; j < flats.size(); ++j) {
      entry[j] = PyList_GET_ITEM(flats[j].get(), i);
    }
    PyObject* result =
        PyObject_Vectorcall(function, entry.data(), entry.size(), nullptr);
    if (result == nullptr) return {};
    PyList_SET_ITEM(results.get(), i, result);
  }
  return results;
}

PyObject* MapStructure(PyObject*, PyObject* args, PyObject* kwargs) {
  const Py_ssize_t n = PyTuple_GET_SIZE(args);
  if (n == 0) {
    PyErr_SetString(PyExc_TypeError,
                    "map_structure() missing 1 required positional argument: "
                    "'func'");
    return nullptr;
  }
  PyObject* function = PyTuple_GET_ITEM(args, 0);
  if (!PyCallable_Check(function)) {
    return PyErr_Format(PyExc_TypeError, "func must be callable, got: %S",
                        function);
  }
  if (n == 1) {
    PyErr_SetString(PyExc_ValueError, "Must provide at least one structure");
    return nullptr;
  }
  int check_types = 1, expand = 0;
  if (!ReadMapOptions(kwargs, &check_types, &expand)) return nullptr;
  const NestRules rules = RulesFor(expand);
  PyObject* first = PyTuple_GET_ITEM(args, 1);
  for (Py_ssize_t i = 2; i < n; ++i) {
    if (!AssertSame(first, PyTuple_GET_ITEM(args, i), check_types, rules)) {
      return nullptr;
    }
  }
  std::vector<PyRef> flats;
  for (Py_ssize_t i = 1; i < n; ++i) {
    flats.push_back(FlatList(PyTuple_GET_ITEM(args, i), rules));
    if (!flats.back()) return nullptr;
  }
  PyRef results = CallForLeaves(function, flats);
  return results ? Packed(first, rules, results.get()) : nullptr;
}

}  // namespace

PyObject* FlattenUpTo(PyObject* shallow, PyObject* deep, NestRules rules,
                      bool gaps) {
  StructureRef wanted = StructureOf(shallow, rules, nullptr);
  if (!wanted) return nullptr;
  PyNestHost host(NestRules::kNest, " in a nested structure", gaps);
  std::vector<PyRef> parts;
  StructureRef given =
      DescribeUpTo(host, PyRef::Share(deep), *wanted,
                   [&](const PyRef& part) { parts.push_back(part); });
  if (!given) return nullptr;
  const Status status = AssertShallowStructure(
      *given, *wanted, {.any_sequence = true, .gaps = gaps},
      ValueWords(deep, NestRules::kNest, shallow, rules, *given, *wanted));
  if (!status.ok()) return Raise(status);
  PyRef list = PyRef::Steal(PyList_New(parts.size()));
  for (size_t i = 0; list && i < parts.size(); ++i) {
    PyList_SET_ITEM(list.get(), i, parts[i].Release());
  }
  return list.Release();
}

namespace {

PyObject* FlattenElement(PyObject*, PyObject* value) {
  return LeavesOfElement(value);
}

PyObject* PackElement(PyObject*, PyObject* args) {
  PyObject *structure, *leaves;
  if (!PyArg_ParseTuple(args, "OO", &structure, &leaves)) return nullptr;
  PyRef list = PyRef::Steal(PySequence_List(leaves));
  return list ? ElementLike(structure, list.get()) : nullptr;
}

PyObject* MapElement(PyObject*, PyObject* args) {
  PyObject *function, *structure;
  if (!PyArg_ParseTuple(args, "OO", &function, &structure)) return nullptr;
  const std::vector<PyRef> flats = {FlatList(structure, NestRules::kElement)};
  PyRef results = flats[0] ? CallForLeaves(function, flats) : PyRef();
  return results ? ElementLike(structure, results.get()) : nullptr;
}

PyObject* ElementUpTo(PyObject*, PyObject* args) {
  PyObject *shallow, *deep;
  int gaps = 0;
  if (!PyArg_ParseTuple(args, "OO|p", &shallow, &deep, &gaps)) return nullptr;
  return LeavesUpTo(shallow, deep, gaps);
}

constexpr int kKeywords = METH_VARARGS | METH_KEYWORDS;
constexpr char kSeq[] = "seq";

PyMethodDef functions[] = {
    {"nest_is_nested", GK_OF_ARGUMENT(kSeq, IsNested),
     "nest_is_nested(seq)\n--\n\n"
     "Is it a structure rather than a leaf?\n\n"
     ">>> tf.nest.is_nested([1]), tf.nest.is_nested('abc')\n"
     "(True, False)"},
    {"nest_flatten", AsCFunction(Guarded<Flatten>), kKeywords,
     "nest_flatten(structure, expand_composites=False)\n--\n\n"
     "The leaves from left to right; mappings in the order of their keys.\n\n"
     "Args:\n"
     "  structure: any nested structure, or a single leaf.\n"
     "  expand_composites: whether composite tensors count as structures.\n\n"
     ">>> tf.nest.flatten({'b': 2, 'a': [0, 1]})\n"
     "[0, 1, 2]"},
    {"nest_pack", AsCFunction(Guarded<PackSequenceAs>), kKeywords,
     "nest_pack(structure, flat_sequence, expand_composites=False)\n--\n\n"
     "The leaves `flat_sequence` in the form of `structure`.\n\n"
     "Raises ValueError if their numbers differ.\n\n"
     ">>> tf.nest.pack_sequence_as({'a': 0, 'b': [0]}, [1, 2])\n"
     "{'a': 1, 'b': [2]}"},
    {"nest_assert_same", AsCFunction(Guarded<AssertSameStructureFunction>),
     kKeywords,
     "nest_assert_same(nest1, nest2, check_types=True, "
     "expand_composites=False)\n--\n\n"
     "Checks that two structures nest alike.\n\n"
     "Raises ValueError if they do not, and TypeError if `check_types` and "
     "the\ntypes of two sequences differ.\n\n"
     ">>> tf.nest.assert_same_structure([1, (2,)], [3, (4,)])"},
    {"nest_map", AsCFunction(Guarded<MapStructure>), kKeywords,
     "nest_map(func, *structure, **kwargs)\n--\n\n"
     "Calls `func` on the leaves; the results in the form of the first.\n\n"
     "Args:\n"
     "  func: takes one leaf of each structure.\n"
     "  structure: structures that nest alike.\n"
     "  check_types: whether sequence types must agree; True unless given.\n"
     "  expand_composites: whether composite tensors count as structures.\n\n"
     ">>> tf.nest.map_structure(lambda x, y: x + y, [1, [2]], [3, [4]])\n"
     "[4, [6]]"},
    {"element_flatten", Guarded<FlattenElement>, METH_O, nullptr},
    {"element_pack", Guarded<PackElement>, METH_VARARGS, nullptr},
    {"element_map", Guarded<MapElement>, METH_VARARGS, nullptr},
    {"element_flatten_up_to", Guarded<ElementUpTo>, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* LeavesOfElement(PyObject* element) {
  return FlatList(element, NestRules::kElement).Release();
}
int IsLeafOfElement(PyObject* value) {
  std::vector<PyRef> children;
  const int open = OpenNest(value, NestRules::kElement, &children, nullptr);
  return open < 0 ? -1 : open == 0;
}
PyObject* LeavesUpTo(PyObject* shallow, PyObject* deep, bool gaps) {
  return FlattenUpTo(shallow, deep, NestRules::kElement, gaps);
}
PyObject* ElementLike(PyObject* like, PyObject* leaves) {
  return Packed(like, NestRules::kElement, leaves);
}

bool AddNest(PyObject* module) {
  PyTypeObject* type = AddType(module, &dot_spec, nullptr);
  dot = type ? reinterpret_cast<PyObject*>(PyObject_New(PyObject, type))
             : nullptr;
  return dot != nullptr && PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace gk::py
