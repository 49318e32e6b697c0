#include "python/src/nest/nest_node.h"

#include "base/hash.h"
#include "python/src/binding/class_attribute.h"
#include "python/src/binding/errors.h"
#include "python/src/function/literal_key.h"
#include "python/src/tensors/convert.h"

namespace gk::py {
namespace {

using Kind = Structure::Kind;

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

StructureRef StructureOfNode(Ref<NestNode> node,
                             std::vector<StructureRef> children) {
  Structure::Facts facts;
  if (!FactsOf(std::move(node), &facts)) return nullptr;
  return Structure::Of(std::move(facts), std::move(children));
}

}  // namespace gk::py
