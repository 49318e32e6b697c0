// What is known of the shapes of an optimizer's step before it runs.
#ifndef GK_OPS_TRAINING_STEP_SHAPE_H_
#define GK_OPS_TRAINING_STEP_SHAPE_H_

#include "framework/inference_context.h"

namespace gk::training {

Status StepShape(InferenceContext& c);

}  // namespace gk::training

#endif  // GK_OPS_TRAINING_STEP_SHAPE_H_
