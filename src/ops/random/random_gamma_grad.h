// The gradient of samples of the gamma distribution.
#ifndef GK_OPS_RANDOM_RANDOM_GAMMA_GRAD_H_
#define GK_OPS_RANDOM_RANDOM_GAMMA_GRAD_H_

#include "framework/grad_context.h"

namespace gk {

// Sets the gradient of input `alpha` of an op whose first output is samples of
// the gamma distribution with that parameter, for which dimensions stand before
// those of alpha.
void SetGammaGradient(GradContext& g, int alpha);

}  // namespace gk

#endif  // GK_OPS_RANDOM_RANDOM_GAMMA_GRAD_H_
