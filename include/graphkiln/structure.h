// Structure: how values nest, without their leaves; what functions of
// gk::nest compare, and what a traced function takes and gives.
#ifndef GRAPHKILN_STRUCTURE_H_
#define GRAPHKILN_STRUCTURE_H_

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
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
  Structure() noexcept = default;
  Structure(const Structure& o) : part_(o.part_) {
    if (part_ != nullptr) AddRef(part_);
  }
  Structure(Structure&& o) noexcept : part_(std::exchange(o.part_, nullptr)) {}
  Structure& operator=(Structure o) noexcept {
    std::swap(part_, o.part_);
    return *this;
  }
  ~Structure() {
    if (part_ != nullptr) Unref(part_);
  }

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

  // --- For the library itself, whose own structure a Part is.
  struct Part;
  // Takes over a reference.
  explicit Structure(const Part* part) : part_(part) {}
  const Part* part() const { return part_; }

 private:
  static void AddRef(const Part* part);
  static void Unref(const Part* part);

  const Part* part_ = nullptr;
};

// As to_string().
GK_EXPORT std::ostream& operator<<(std::ostream& out, const Structure& s);

namespace detail {

// A part of a structure, as long as that lives; or, without one, of any
// structure in which nothing is missing.
class GK_EXPORT StructureView {
 public:
  StructureView() = default;
  explicit StructureView(const Structure& structure)
      : part_(structure.part() ? structure.part() : Nothing()) {}

  bool is_nothing() const { return part_ != nullptr && IsNothing(part_); }
  StructureView part(size_t i) const {
    return part_ == nullptr ? *this : StructureView(PartOf(part_, i));
  }
  // --- With a structure alone.
  struct Numbers {
    size_t parts, leaves;
  };
  Numbers numbers() const;
  bool is_tuple() const;
  // What a part is called; as long as the structure lives.
  std::string_view key(size_t i) const;

 private:
  explicit StructureView(const Structure::Part* part) : part_(part) {}
  static const Structure::Part* Nothing();
  static bool IsNothing(const Structure::Part* part);
  static const Structure::Part* PartOf(const Structure::Part* part, size_t i);

  const Structure::Part* part_ = nullptr;
};

// Makes a structure part by part: those of a container between Begin and its
// end.
class GK_EXPORT StructureMaker {
 public:
  // Are some values leaves that else are structs?
  explicit StructureMaker(bool of_element = false) : of_element_(of_element) {}
  bool of_element() const { return of_element_; }

  void Leaf();
  void None() { parts_.emplace_back(); }
  size_t Begin() const { return parts_.size(); }
  void EndList(size_t begin);
  void EndTuple(size_t begin);
  void EndMap(size_t begin, const std::vector<std::string>& keys);
  void EndStruct(size_t begin, const StructureFacts& facts);
  Structure Take() { return std::move(parts_.back()); }

 private:
  std::vector<Structure> parts_;
  bool of_element_;
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
