#include "ops/static_value.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "framework/graph.h"

namespace gk {
namespace {

// What TensorFlow's get_static_value looks through; these alone.
constexpr std::string_view kToldOfShapes[] = {"Const", "Shape", "Size", "Rank"};
constexpr std::string_view kToldOfAll[] = {
    "Range",    "Cast",           "Concat",       "ConcatV2",
    "Split",    "Equal",          "NotEqual",     "Pack",
    "Unpack",   "Fill",           "StopGradient", "CheckNumericsV2",
    "Identity", "DebugIdentityV2"};

bool IsOneOf(std::string_view type, std::span<const std::string_view> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

}  // namespace

Tensor StaticValue(const Tensor& t) {
  const Tensor value = t.KnownValue();
  if (!value || !t.is_symbolic()) return value;
  std::vector<const Node*> to_ask = {Graph::OutputOf(t).node};
  std::unordered_set<const Node*> asked;
  while (!to_ask.empty()) {
    const Node* node = to_ask.back();
    to_ask.pop_back();
    if (!asked.insert(node).second) continue;
    const std::string_view type = node->type();
    if (IsOneOf(type, kToldOfShapes)) continue;
    if (!IsOneOf(type, kToldOfAll)) return Tensor();
    const bool stacks = type == "Pack" || type == "Unpack";
    if (stacks && node->attr<int64_t>("axis") != 0) return Tensor();
    // Of what is filled the shape is known.
    for (int i = type == "Fill" ? 1 : 0; i < node->num_inputs(); ++i) {
      to_ask.push_back(node->input(i).node);
    }
  }
  return value;
}

}  // namespace gk
