#include "ops/random/random_gamma_grad.h"

#include "framework/op_registry.h"
#include "kernels/math/tabulated.h"
#include "ops/broadcast_gradient.h"
#include "ops/elementwise.h"
#include "ops/fn/Mul.h"
#include "ops/fn/RandomGammaGrad.h"

namespace gk {
namespace {

const OpRecord kRecords[] = {
    {.name = "RandomGammaGrad",
     .inputs = "alpha: T; sample: T",
     .outputs = "output: T",
     .attrs = "T: type in [float, double]",
     .traits = kElementwise,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<[](auto alpha, auto sample) {
       return math::CallByPrecision<math::GammaSampleGradA<true>,
                                    math::GammaSampleGradA<>>(alpha, sample);
     },
                      TypeList<float, double>, kPlainLoop | kSlowLoop>(),
     .doc = "Returns the derivative of samples of the gamma distribution with "
            "respect to its parameter.",
     .test = {.low = 0.5}},
};

}  // namespace

void SetGammaGradient(GradContext& g, int alpha) {
  if (!g.wants(alpha)) return;
  const Tensor parameter = g.x(alpha), sample = g.y(0);
  const Tensor moved = ops::RandomGammaGrad(parameter, sample);
  g.Set(alpha, SumToShape(ops::Mul(g.dy(0), moved), parameter, sample));
}

GK_REGISTER_OPS(random_gamma_grad)

}  // namespace gk
