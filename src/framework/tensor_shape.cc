#include "framework/tensor_shape.h"

#include <algorithm>

namespace gk {

int64_t MultiplyWithoutOverflow(int64_t a, int64_t b) {
  if (a < 0 || b < 0) return -1;
  int64_t r;
  return __builtin_mul_overflow(a, b, &r) ? -1 : r;
}

namespace {

std::string JoinDims(std::span<const int64_t> dims, const char* separator,
                     const char* unknown) {
  std::string s;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) s += separator;
    s += dims[i] < 0 ? std::string(unknown) : std::to_string(dims[i]);
  }
  return s;
}

}  // namespace

TensorShape::TensorShape(std::initializer_list<int64_t> dims) : dims_(dims) {
  Recount();
}

TensorShape::TensorShape(std::span<const int64_t> dims) : dims_(dims) {
  Recount();
}

StatusOr<TensorShape> TensorShape::Make(std::span<const int64_t> dims) {
  if (dims.size() > static_cast<size_t>(kMaxRank)) {
    return InvalidArgument("Shape has rank {}; at most {} is supported",
                           dims.size(), kMaxRank);
  }
  // A zero makes the count zero; the rest must fit all the same, so that
  // strides and partial products computed later cannot overflow.
  int64_t count = 1;
  for (int64_t d : dims) {
    if (d < 0) {
      return InvalidArgument(
          "Dimension {} must be >= 0",
          JoinDims(dims, ",", "-1") + ": " + std::to_string(d));
    }
    count = MultiplyWithoutOverflow(count, std::max<int64_t>(d, 1));
    if (count < 0) {
      return InvalidArgument(
          "Shape [{}] would have more than 2**63 - 1 elements",
          JoinDims(dims, ",", "?"));
    }
  }
  return TensorShape(dims);
}

void TensorShape::Recount() {
  num_elements_ = 1;
  for (int64_t d : dims_) num_elements_ *= d;
}

void TensorShape::AddDim(int64_t size) {
  dims_.push_back(size);
  num_elements_ *= size;
}
void TensorShape::InsertDim(int at, int64_t size) {
  dims_.insert(at, size);
  num_elements_ *= size;
}
void TensorShape::RemoveDim(int at) {
  dims_.erase(at);
  Recount();
}
void TensorShape::SetDim(int at, int64_t size) {
  dims_[at] = size;
  Recount();
}

std::string TensorShape::DebugString() const {
  return "[" + JoinDims(dims_, ",", "?") + "]";
}

StatusOr<PartialTensorShape> PartialTensorShape::Make(
    std::span<const int64_t> dims) {
  if (dims.size() > static_cast<size_t>(kMaxRank)) {
    return InvalidArgument("Shape has rank {}; at most {} is supported",
                           dims.size(), kMaxRank);
  }
  int64_t count = 1;
  for (int64_t d : dims) {
    if (d < -1) return InvalidArgument("Dimension {} must be >= 0", d);
    count = MultiplyWithoutOverflow(count, std::max<int64_t>(d, 1));
    if (count < 0) {
      return InvalidArgument(
          "Shape [{}] would have more than 2**63 - 1 elements",
          JoinDims(dims, ",", "?"));
    }
  }
  return PartialTensorShape(dims);
}

PartialTensorShape PartialTensorShape::UnknownOfRank(int rank) {
  PartialTensorShape s;
  s.known_rank_ = true;
  s.dims_.resize(rank, kUnknownDim);
  return s;
}

bool PartialTensorShape::IsFullyDefined() const {
  return known_rank_ && std::all_of(dims_.begin(), dims_.end(),
                                    [](int64_t d) { return d >= 0; });
}

int64_t PartialTensorShape::num_elements() const {
  if (!IsFullyDefined()) return -1;
  int64_t n = 1;
  for (int64_t d : dims_) n *= d;
  return n;
}

StatusOr<TensorShape> PartialTensorShape::AsTensorShape() const {
  if (!IsFullyDefined()) {
    return InvalidArgument("Shape {} is not fully defined", DebugString());
  }
  return TensorShape::Make(dims_);
}

bool PartialTensorShape::IsCompatibleWith(const PartialTensorShape& o) const {
  if (!known_rank_ || !o.known_rank_) return true;
  if (dims_.size() != o.dims_.size()) return false;
  for (int i = 0; i < dims_.size(); ++i) {
    if (dims_[i] >= 0 && o.dims_[i] >= 0 && dims_[i] != o.dims_[i]) {
      return false;
    }
  }
  return true;
}

bool PartialTensorShape::IsSubtypeOf(const PartialTensorShape& o) const {
  if (!o.known_rank_) return true;
  if (!known_rank_ || dims_.size() != o.dims_.size()) return false;
  for (int i = 0; i < dims_.size(); ++i) {
    if (o.dims_[i] >= 0 && dims_[i] != o.dims_[i]) return false;
  }
  return true;
}

StatusOr<PartialTensorShape> PartialTensorShape::MergeWith(
    const PartialTensorShape& o) const {
  if (!IsCompatibleWith(o)) {
    return InvalidArgument("Shapes {} and {} are not compatible",
                           PythonString(), o.PythonString());
  }
  if (!known_rank_) return o;
  PartialTensorShape r = *this;
  if (o.known_rank_) {
    for (int i = 0; i < dims_.size(); ++i) {
      if (r.dims_[i] < 0) r.dims_[i] = o.dims_[i];
    }
  }
  return r;
}

PartialTensorShape PartialTensorShape::CommonSupertype(
    const PartialTensorShape& o) const {
  if (!known_rank_ || !o.known_rank_ || dims_.size() != o.dims_.size()) {
    return PartialTensorShape();
  }
  PartialTensorShape r = *this;
  for (int i = 0; i < dims_.size(); ++i) {
    if (dims_[i] != o.dims_[i]) r.dims_[i] = kUnknownDim;
  }
  return r;
}

std::string PartialTensorShape::DebugString() const {
  if (!known_rank_) return "<unknown>";
  return "[" + JoinDims(dims_, ",", "?") + "]";
}

std::string PartialTensorShape::PythonString() const {
  if (!known_rank_) return "<unknown>";
  if (dims_.size() == 1) {
    return "(" + JoinDims(dims_, ", ", "None") + ",)";
  }
  return "(" + JoinDims(dims_, ", ", "None") + ")";
}

StatusOr<TensorShape> BroadcastShapes(const TensorShape& a,
                                      const TensorShape& b) {
  const int rank = std::max(a.rank(), b.rank());
  InlinedVector<int64_t, 6> dims;
  for (int i = 0; i < rank; ++i) {
    const int ia = i - (rank - a.rank()), ib = i - (rank - b.rank());
    const int64_t da = ia < 0 ? 1 : a.dim(ia), db = ib < 0 ? 1 : b.dim(ib);
    if (da != db && da != 1 && db != 1) {
      return InvalidArgument("Incompatible shapes: {} vs. {}", a.DebugString(),
                             b.DebugString());
    }
    dims.push_back(da == 1 ? db : da);
  }
  return TensorShape::Make(dims);
}

}  // namespace gk
