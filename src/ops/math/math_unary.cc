// Functions of one number: sign and rounding.
#include "ops/fn/math_unary.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/elementwise.h"

namespace gk {
namespace {

const OpRecord kRecords[] = {
    {.name = "Neg",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, int8, int16, int32, "
              "int64, complex64, complex128]",
     .traits = kElementwise | kInvolution,
     .shape = shape_fn::SameAsInput,
     .kernel = Unary<[](auto x) { return decltype(x)(-x); },
                     Join<Join<FloatTypes, SignedTypes>, ComplexTypes>>(),
     .gradient = [](GradContext& g) { g.Set(0, ops::Neg(g.dy(0))); },
     .python = {.names = "math.negative|negative"},
     .doc = "Returns -x element-wise.",
     .test = {.reference = "-x"}},
};

}  // namespace

GK_REGISTER_OPS(math_unary)

}  // namespace gk
