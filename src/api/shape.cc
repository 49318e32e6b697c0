#include "graphkiln/shape.h"

#include "api/inner.h"

namespace gk::api {

Shape::Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {
  const StatusOr<PartialTensorShape> checked = PartialTensorShape::Make(dims_);
  if (!checked.ok()) ThrowPublic(checked.status());
}

Shape Shape::UnknownRank() {
  Shape s;
  s.known_ = false;
  return s;
}

int64_t Shape::dim(int i) const {
  const int n = static_cast<int>(dims_.size());
  const int at = i < 0 ? i + n : i;
  if (!known_ || at < 0 || at >= n) {
    ThrowPublic(IndexError("there is no dimension {} in the shape {}", i,
                           to_string()));
  }
  return dims_[at];
}

bool Shape::is_fully_defined() const {
  return Inner(*this).IsFullyDefined();
}

int64_t Shape::num_elements() const { return Inner(*this).num_elements(); }

std::string Shape::to_string() const { return Inner(*this).PythonString(); }

}  // namespace gk::api
