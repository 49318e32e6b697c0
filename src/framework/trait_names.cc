#include "framework/trait_names.h"

#include <utility>

#include "framework/op_record.h"

namespace gk {

std::vector<std::string_view> TraitNames(uint64_t traits) {
  static constexpr std::pair<Trait, std::string_view> kNames[] = {
      {kStateful, "stateful"},
      {kElementwise, "elementwise"},
      {kCommutative, "commutative"},
      {kAssociative, "associative"},
      {kIdempotent, "idempotent"},
      {kInvolution, "involution"},
      {kView, "view"},
      {kReduction, "reduction"},
      {kAggregate, "aggregate"},
      {kSourceOp, "source"},
      {kRandom, "random"},
      {kReadsResource, "reads_resource"},
      {kWritesResource, "writes_resource"},
      {kCallsFunction, "calls_function"},
      {kNoGradient, "no_gradient"},
      {kExpensive, "expensive"},
      {kIdentityZero, "identity_zero"},
      {kIdentityOne, "identity_one"},
      {kKeepsZero, "keeps_zero"},
      {kCheap, "cheap"},
      {kShapeOnly, "shape_only"},
      {kPassesValues, "passes_values"},
      {kUndefined, "undefined"},
      {kViewOfOne, "view_of_one"},
      {kUpdatesInput, "updates_input"},
      {kAddition, "addition"},
      {kConstant, "constant"},
      {kPlaceholder, "placeholder"},
      {kIdentity, "identity"},
      {kOnlyOrders, "only_orders"},
      {kInequality, "inequality"},
      {kCounts, "counts"},
      {kSlices, "slices"},
      {kAppends, "appends"},
      {kTakesLast, "takes_last"},
      {kReadsVariable, "reads_variable"},
      {kAssignsVariable, "assigns_variable"},
      {kUnregistered, "unregistered"},
      {kMayBeFed, "may_be_fed"}};
  std::vector<std::string_view> names;
  for (const auto& [trait, name] : kNames) {
    if ((traits & trait) != 0) names.push_back(name);
  }
  return names;
}

}  // namespace gk
