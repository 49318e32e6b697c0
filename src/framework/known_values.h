// Known values: what can be computed of a graph while it is being built.
//
// Shape functions ask for the values of shape arguments; most of those come
// from constants and from static shapes. Only small values are computed.
#ifndef GK_FRAMEWORK_KNOWN_VALUES_H_
#define GK_FRAMEWORK_KNOWN_VALUES_H_

#include <optional>

#include "framework/graph.h"

namespace gk {

// Values of more elements are not computed while building.
inline constexpr int64_t kMaxKnownElements = 1024;

// Fills in the values of `node`'s outputs that follow from its attributes,
// the known values of its inputs or the static shapes of its inputs.
void ComputeKnownValues(Node* node);

// The 1-D integer value of an edge as a partial shape: -1 for elements that
// are not known. Nothing if not even the length is known.
std::optional<PartialTensorShape> KnownShapeValue(Output o);

// The shape that a vector of integers says, eager or of a graph, as far as it
// is known. ValueError for what is no vector and for sizes below -1.
StatusOr<PartialTensorShape> ConstantValueAsShape(const Tensor& t);

}  // namespace gk

#endif  // GK_FRAMEWORK_KNOWN_VALUES_H_
