#include <cstring>
#include <limits>

#include "grappler/rewrites/rewrites.h"

namespace gk {
namespace {

// Zeros have signs: 0 is no identity of + for -0, but -0 is. Rather than know
// each op's case, ask the kernel about every kind of value.
bool KeepsEveryValue(const Node& node, int constant_at,
                     const Tensor& constant) {
  const TileKernel* tile =
      node.op().kernel.tile
          ? node.op().kernel.tile(constant.dtype(), node.attrs())
          : nullptr;
  if (!tile || tile->num_inputs != 2 || tile->in[0] != tile->in[1] ||
      tile->out != tile->in[0] || tile->in[0] != constant.dtype()) {
    return false;
  }
  bool keeps = false;
  VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t,
            uint8_t, uint16_t, uint32_t, uint64_t>(
      constant.dtype(), [&](auto tag) {
        using T = decltype(tag);
        constexpr int kProbes = 8;
        using Limits = std::numeric_limits<float>;
        const float probes[kProbes] = {0.0f,
                                       -0.0f,
                                       1.0f,
                                       3.0f,
                                       Limits::infinity(),
                                       -Limits::infinity(),
                                       Limits::denorm_min(),
                                       -1.5f};
        T values[kProbes] = {}, constants[kProbes] = {}, out[kProbes] = {};
        for (int i = 0; i < kProbes; ++i) {
          if constexpr (std::is_integral_v<T>) {
            values[i] = static_cast<T>(i * 37 - 5);
          } else {
            values[i] = T(probes[i]);
          }
          constants[i] = constant.data<T>()[0];
        }
        const void* operands[3] = {values, values, values};
        operands[constant_at] = constants;
        keeps = tile->fn(out, operands, kProbes, nullptr) == 0 &&
                std::memcmp(out, values, sizeof(out)) == 0;
      });
  return keeps;
}

}  // namespace

std::optional<Output> DropIdentityElement(const Node& node,
                                          const RewriteContext& c) {
  const OpRecord& op = node.op();
  if (!op.Has(kIdentityZero | kIdentityOne)) return std::nullopt;
  for (int at = 1; at >= 0; --at) {
    const Tensor& constant = KnownValue(c.input(node, at));
    if (!constant) continue;
    if (!(op.Has(kIdentityZero) && IsAll(constant, 0)) &&
        !(op.Has(kIdentityOne) && IsAll(constant, 1))) {
      continue;
    }
    const Output x = c.input(node, 1 - at);
    const PartialTensorShape& shape = x.node->output(x.index).shape;
    const bool same_shape =
        constant.rank() == 0 ||
        (shape.IsFullyDefined() && shape == node.output(0).shape);
    if (same_shape && KeepsEveryValue(node, at, constant)) return x;
  }
  return std::nullopt;
}

}  // namespace gk
