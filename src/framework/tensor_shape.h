// TensorShape (every dimension known) and PartialTensorShape (dimensions or
// the rank itself may be unknown). Values; ranks up to 254.
#ifndef GK_FRAMEWORK_TENSOR_SHAPE_H_
#define GK_FRAMEWORK_TENSOR_SHAPE_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "base/inlined_vector.h"
#include "base/status.h"

namespace gk {

inline constexpr int kMaxRank = 254;
inline constexpr int64_t kUnknownDim = -1;

class TensorShape {
 public:
  TensorShape() = default;
  // Dims that are known to be valid (made by our own code).
  TensorShape(std::initializer_list<int64_t> dims);
  explicit TensorShape(std::span<const int64_t> dims);
  // Dims from outside: negative sizes, ranks over kMaxRank and products that
  // overflow int64 are InvalidArgument.
  static StatusOr<TensorShape> Make(std::span<const int64_t> dims);

  int rank() const { return dims_.size(); }
  int64_t dim(int i) const { return dims_[i]; }
  std::span<const int64_t> dims() const { return dims_; }
  int64_t num_elements() const { return num_elements_; }
  bool IsScalar() const { return dims_.empty(); }

  // Building; the caller vouches that the product stays in range.
  void AddDim(int64_t size);
  void InsertDim(int at, int64_t size);
  void RemoveDim(int at);
  void SetDim(int at, int64_t size);

  // "[2,3]".
  std::string DebugString() const;
  friend bool operator==(const TensorShape& a, const TensorShape& b) {
    return a.dims_ == b.dims_;
  }

 private:
  void Recount();
  InlinedVector<int64_t, 6> dims_;
  int64_t num_elements_ = 1;
};

class PartialTensorShape {
 public:
  PartialTensorShape() = default;  // unknown rank
  PartialTensorShape(std::initializer_list<int64_t> dims)
      : known_rank_(true), dims_(dims) {}
  explicit PartialTensorShape(std::span<const int64_t> dims)
      : known_rank_(true), dims_(dims) {}
  PartialTensorShape(const TensorShape& s) : PartialTensorShape(s.dims()) {}
  // -1 is unknown; anything below, or a rank over kMaxRank, is an error.
  static StatusOr<PartialTensorShape> Make(std::span<const int64_t> dims);
  static PartialTensorShape UnknownOfRank(int rank);

  bool unknown_rank() const { return !known_rank_; }
  // -1 if unknown.
  int rank() const { return known_rank_ ? dims_.size() : -1; }
  int64_t dim(int i) const { return dims_[i]; }
  std::span<const int64_t> dims() const { return dims_; }
  bool IsFullyDefined() const;
  // -1 unless fully defined.
  int64_t num_elements() const;
  // The full shape; error unless fully defined.
  StatusOr<TensorShape> AsTensorShape() const;

  void AddDim(int64_t size) {
    known_rank_ = true;
    dims_.push_back(size);
  }
  void SetDim(int at, int64_t size) { dims_[at] = size; }
  void InsertDim(int at, int64_t size) { dims_.insert(at, size); }
  void RemoveDim(int at) { dims_.erase(at); }

  // Could one concrete shape match both?
  bool IsCompatibleWith(const PartialTensorShape& o) const;
  // Every concrete shape that matches `this` matches `o`.
  bool IsSubtypeOf(const PartialTensorShape& o) const;
  // What is known by either; InvalidArgument if they conflict.
  StatusOr<PartialTensorShape> MergeWith(const PartialTensorShape& o) const;
  // The most specific shape that covers both.
  PartialTensorShape CommonSupertype(const PartialTensorShape& o) const;

  // "[2,?]" in runtime messages, "<unknown>" for unknown rank.
  std::string DebugString() const;
  // "(2, None)", "<unknown>": as Python prints a TensorShape.
  std::string PythonString() const;
  friend bool operator==(const PartialTensorShape& a,
                         const PartialTensorShape& b) {
    return a.known_rank_ == b.known_rank_ && a.dims_ == b.dims_;
  }

 private:
  bool known_rank_ = false;
  InlinedVector<int64_t, 6> dims_;
};

// a * b, or -1 if the product does not fit (or either is negative).
int64_t MultiplyWithoutOverflow(int64_t a, int64_t b);

// The broadcast of two shapes; InvalidArgument ("Incompatible shapes: [2] vs.
// [3]") if there is none.
StatusOr<TensorShape> BroadcastShapes(const TensorShape& a,
                                      const TensorShape& b);

}  // namespace gk

#endif  // GK_FRAMEWORK_TENSOR_SHAPE_H_
