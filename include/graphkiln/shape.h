// Shape: the sizes of a tensor's dimensions, some or all of which may be
// unknown while a function is traced. A value.
#ifndef GRAPHKILN_SHAPE_H_
#define GRAPHKILN_SHAPE_H_

#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>
#include <vector>

#include <graphkiln/export.h>

namespace gk {
GK_API_NAMESPACE {

inline constexpr int64_t kUnknown = -1;

// The sizes of a tensor's dimensions, as far as they are known.
class GK_EXPORT Shape {
 public:
  Shape() = default;  // of a scalar
  // kUnknown for a dimension that is not known. Throws Error if a size is
  // below that, or if there are more than 254 dimensions.
  Shape(std::initializer_list<int64_t> dims)
      : Shape(std::vector<int64_t>(dims)) {}
  explicit Shape(std::vector<int64_t> dims);
  static Shape UnknownRank();

  // Is the number of dimensions known?
  bool has_rank() const { return known_; }
  // -1 if unknown.
  int rank() const { return known_ ? static_cast<int>(dims_.size()) : -1; }
  // Negative positions count from the end. Throws Error if there is none.
  int64_t dim(int i) const;
  int64_t operator[](int i) const { return dim(i); }
  const std::vector<int64_t>& dims() const { return dims_; }
  bool is_fully_defined() const;
  // -1 unless fully defined.
  int64_t num_elements() const;
  // "(2, None)", "<unknown>".
  std::string to_string() const;

  // Could a tensor have both shapes? Has every tensor of this one the other,
  // too?
  bool is_compatible_with(const Shape& other) const;
  bool is_subtype_of(const Shape& other) const;
  // What both say. Throws Error (ValueError) if they contradict one another.
  Shape merge_with(const Shape& other) const;
  // The narrowest that all tensors of either shape have.
  Shape most_specific_compatible_shape(const Shape& other) const;
  // The same of more.
  Shape most_specific_common_supertype(const std::vector<Shape>& others) const;
  // These dimensions, then those of `other`; not known if one's are not.
  Shape concatenate(const Shape& other) const;
  // This shape, which has the rank, if none is known `rank` unknown
  // dimensions. Throw Error (ValueError) if it is known to have another one.
  Shape with_rank(int rank) const;
  Shape with_rank_at_least(int rank) const;
  Shape with_rank_at_most(int rank) const;
  // Throw Error (ValueError) if it is not so.
  void assert_is_compatible_with(const Shape& other) const;
  void assert_is_fully_defined() const;
  void assert_same_rank(const Shape& other) const;
  void assert_has_rank(int rank) const;

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  bool known_ = true;
  std::vector<int64_t> dims_;
};

// Writes what to_string() gives.
inline std::ostream& operator<<(std::ostream& out, const Shape& s) {
  return out << s.to_string();
}

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_SHAPE_H_
