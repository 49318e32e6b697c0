// Containers of Python as nodes of a Structure: taken apart into children and
// what there is besides them, and made of both again.
#ifndef GK_PYTHON_NEST_NODE_H_
#define GK_PYTHON_NEST_NODE_H_

#include <span>
#include <vector>

#include "base/function_ref.h"
#include "framework/structure.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

// Which values nest.
enum class NestRules : uint8_t {
  // tf.nest: sequences, mappings and their views, attrs classes and dataclasses
  // that take themselves apart.
  kNest,
  // The same, and composite tensors and their specs.
  kExpanded,
  // Elements of datasets: of sequences only tuples; a list is a tensor.
  kElement,
  // What a traced function returns: composite values too; lists and tuples
  // lose their class, other sequences are tensors, None is nothing.
  kResult,
};

// What a container is besides its children. Made with the GIL, dropped
// without.
class NestNode final : public LanguageType {
 public:
  NestNode() = default;
  ~NestNode() override;

  // Of an object that takes itself apart: by its metadata.
  size_t Hash() const override;
  // Those of composite values, by their specs.
  Ref<LanguageType> CommonSupertype(const LanguageType& other) const override;
  bool Equals(const LanguageValue& other) const override;
  std::string Text() const override;

  Structure::Kind kind = Structure::Kind::kLeaf;
  PyRef cls;      // null: the language's own list, tuple or dict
  PyRef wrapper;  // the class of a proxy around such a container
  PyRef keys;     // of a mapping, in its order: a list
  PyRef sorted;   // the same sorted
  // The child of each of `keys`; empty: they are sorted.
  std::vector<int> order;
  // Default factory of a mapping; attributes of an attrs class; metadata of
  // an object that takes itself apart; spec of a composite value.
  PyRef facts;
};

// Takes a value apart: 1, and its children in the order of flattening and what
// it is besides them (if `node` is given); 0 for a leaf; -1 with an exception.
// (nest_open.cc)
int OpenNest(PyObject* value, NestRules rules, std::vector<PyRef>* children,
             NestNode* node);
// The same by the rules of tf.nest, with what leads to each child: a key, a
// field or a number. (nest_open.cc)
int NestItems(PyObject* value, std::vector<PyRef>* keys,
              std::vector<PyRef>* children);

// The reverse. `like`: the value, if there is one, for errors and for what
// makes itself. New reference, null with an exception set. (nest_close.cc)
PyObject* CloseNest(const NestNode& node, std::span<const PyRef> children,
                    PyObject* like);

// How a value nests; `leaf` is called for its leaves until it returns false.
// Null with an exception set.
StructureRef StructureOf(PyObject* value, NestRules rules,
                         FunctionRef<bool(PyObject*)> leaf);
// The same; leaves are appended unless that is null.
StructureRef StructureOf(PyObject* value, NestRules rules,
                         std::vector<PyRef>* leaves);

// The structure of a container with these children.
StructureRef StructureOfNode(Ref<NestNode> node,
                             std::vector<StructureRef> children);

struct PackOptions {
  // What stands for a composite value: one made of the leaves, its spec, or
  // the structure of its parts.
  enum Composites { kValue, kSpec, kParts } composites = kValue;
  PyObject* nothing = Py_None;  // stands for None
};
// The value of this structure that has these leaves. New reference, null with
// an exception set.
PyObject* PackValue(const Structure& structure, std::span<const PyRef> leaves,
                    const PackOptions& options = {});

bool AddNest(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_NEST_NODE_H_
