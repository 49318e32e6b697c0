// Structure: how values nest, without their leaves; what functions of
// gk::nest compare, and what a traced function takes and gives.
#ifndef GRAPHKILN_STRUCTURE_H_
#define GRAPHKILN_STRUCTURE_H_

#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <graphkiln/export.h>
#include <graphkiln/trace_structure.h>

namespace gk {
GK_API_NAMESPACE {

// A handle; copying shares. Equal structures are equal in each container, its
// class and its keys.
class GK_EXPORT Structure {
 public:
  // What there is at a place.
  enum class Kind {
    kLeaf,
    kNone,  // nothing is there: an empty optional, a tensor not defined()
    kList,  // a vector
    kTuple,  // a tuple, a pair or an array
    kMap,
    kStruct,
    kOther,  // a container that only Python has
  };

  // That of nothing.
  Structure();

  // What the whole is.
  Kind kind() const;
  // The name of a struct, if GK_TRACE_STRUCTURE gave it one.
  const std::string& name() const;
  // The parts of a container, in the order of its leaves; and what each is
  // called: a key, a field or a number.
  size_t size() const;
  Structure child(size_t i) const;
  std::string key(size_t i) const;

  // How many leaves there are.
  size_t num_leaves() const;
  // The way to each leaf: "weights/0/x".
  std::vector<std::string> leaf_paths(std::string_view separator = "/") const;
  // "{'a': ., 'b': [., .]}".
  std::string to_string() const;

  friend GK_EXPORT bool operator==(const Structure& a, const Structure& b);

  // --- For the library itself.
  struct Rep;
  explicit Structure(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}
  const Rep& rep() const { return *rep_; }

 private:
  std::shared_ptr<const Rep> rep_;
};

// As to_string().
GK_EXPORT std::ostream& operator<<(std::ostream& out, const Structure& s);

namespace detail {

// Makes a structure part by part: those of a container between Begin and its
// end.
class GK_EXPORT StructureMaker {
 public:
  StructureMaker();
  ~StructureMaker();
  StructureMaker(const StructureMaker&) = delete;

  void Leaf();
  void None();
  void Begin();
  void EndList();
  void EndTuple();
  void EndMap(const std::vector<std::string>& keys);
  void EndStruct(const StructureFacts& facts);
  Structure Take();

  // Is it an element's: are some values leaves that else are structs?
  bool of_element = false;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

// Throws Error (ValueError, TypeError) unless both nest alike.
GK_EXPORT void AssertSameStructure(const Structure& first,
                                   const Structure& second, bool check_types);
// Throws Error (ValueError) unless there is a leaf for each of n tensors.
GK_EXPORT void CheckLeaves(const Structure& structure, size_t n);

}  // namespace detail
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_STRUCTURE_H_
