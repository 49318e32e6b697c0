#include "graphkiln/shape.h"

#include <charconv>

#include "api/inner.h"
#include "graphkiln/call_structure.h"

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
    ThrowPublic(
        IndexError("there is no dimension {} in the shape {}", i, to_string()));
  }
  return dims_[at];
}

bool Shape::is_fully_defined() const { return Inner(*this).IsFullyDefined(); }

int64_t Shape::num_elements() const { return Inner(*this).num_elements(); }

std::string Shape::to_string() const { return Inner(*this).PythonString(); }

namespace detail {

Shape ShapeOfText(const std::string& text) {
  if (text.front() != '(') return Shape::UnknownRank();
  std::vector<int64_t> dims;
  for (const char* at = text.data(); *at != '\0'; ++at) {
    if (*at == 'N') dims.push_back(kUnknown);
    if (*at >= '0' && *at <= '9') {
      dims.emplace_back();
      at = std::from_chars(at, text.data() + text.size(), dims.back()).ptr - 1;
    }
  }
  return Shape(std::move(dims));
}

}  // namespace detail

}  // namespace gk::api
