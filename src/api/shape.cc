#include "graphkiln/shape.h"

#include <charconv>

#include "api/inner.h"
#include "framework/shape_checks.h"
#include "graphkiln/call_structure.h"

namespace gk::api {
namespace {

Shape KnownShape(const StatusOr<PartialTensorShape>& shape) {
  if (!shape.ok()) ThrowPublic(shape.status());
  return Outer(*shape);
}

}  // namespace

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

bool Shape::is_compatible_with(const Shape& other) const {
  return Inner(*this).IsCompatibleWith(Inner(other));
}
bool Shape::is_subtype_of(const Shape& other) const {
  return Inner(*this).IsSubtypeOf(Inner(other));
}
Shape Shape::merge_with(const Shape& other) const {
  return KnownShape(MergeShapes(Inner(*this), Inner(other)));
}
Shape Shape::most_specific_compatible_shape(const Shape& other) const {
  return Outer(Inner(*this).CommonSupertype(Inner(other)));
}
Shape Shape::most_specific_common_supertype(
    const std::vector<Shape>& others) const {
  PartialTensorShape common = Inner(*this);
  for (const Shape& s : others) common = common.CommonSupertype(Inner(s));
  return Outer(common);
}
Shape Shape::concatenate(const Shape& other) const {
  return KnownShape(ConcatenateShapes(Inner(*this), Inner(other)));
}

Shape Shape::with_rank(int rank) const {
  return KnownShape(WithRank(Inner(*this), RankBound::kExactly, rank));
}
Shape Shape::with_rank_at_least(int rank) const {
  return KnownShape(WithRank(Inner(*this), RankBound::kAtLeast, rank));
}
Shape Shape::with_rank_at_most(int rank) const {
  return KnownShape(WithRank(Inner(*this), RankBound::kAtMost, rank));
}

void Shape::assert_is_compatible_with(const Shape& other) const {
  if (is_compatible_with(other)) return;
  ThrowPublic(ValueError("Shapes {} and {} are incompatible", to_string(),
                         other.to_string()));
}
void Shape::assert_is_fully_defined() const {
  ThrowUnlessOk(CheckFullyDefined(Inner(*this)));
}
void Shape::assert_same_rank(const Shape& other) const {
  ThrowUnlessOk(CheckSameRank(Inner(*this), Inner(other)));
}
void Shape::assert_has_rank(int rank) const {
  ThrowUnlessOk(CheckRank(Inner(*this), RankBound::kExactly, rank));
}

}  // namespace gk::api
