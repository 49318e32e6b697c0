// BackwardFn: how a recorded call is differentiated.
#ifndef GK_FRAMEWORK_TAPE_HOOK_H_
#define GK_FRAMEWORK_TAPE_HOOK_H_

#include <functional>
#include <span>
#include <vector>

#include "framework/grad_context.h"

namespace gk {

// Gradients of a call's inputs, given those of its outputs. `wanted[i]`: is
// input i's gradient asked for? The result has one entry an input, none where
// it was not wanted or does not exist. Builds with the current OpBuilder, so
// that observers see it; throws Error.
using BackwardFn = std::function<std::vector<Gradient>(
    std::span<const Gradient> output_grads, const std::vector<bool>& wanted)>;

}  // namespace gk

#endif  // GK_FRAMEWORK_TAPE_HOOK_H_
