// Steps of optimizers: variables and their slots change by gradients.
#include "framework/op_registry.h"
#include "ops/training/step_kernel.h"
#include "ops/training/step_shape.h"

namespace gk {
namespace {

#define DENSE_STEP_TYPES                                                     \
  "T: type in [float, double, int32, uint8, int16, int8, complex64, int64, " \
  "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, "   \
  "half, uint32, uint64]"

const OpRecord kRecords[] = {
    {.name = "ResourceApplyAdaMax",
     .inputs = "var: resource; m: resource; v: resource; beta1_power: T; lr: "
               "T; beta1: T; beta2: T; epsilon: T; grad: T",
     .outputs = "",
     .attrs = DENSE_STEP_TYPES "; use_locking: bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute = training::ComputeStep<training::AdaMax>},
     .doc = "A step of Adam by the largest size of a gradient, which decays "
            "(Kingma and Ba, 2015)."},

    {.name = "ResourceApplyAdadelta",
     .inputs = "var: resource; accum: resource; accum_update: resource; lr: "
               "T; rho: T; epsilon: T; grad: T",
     .outputs = "",
     .attrs = DENSE_STEP_TYPES "; use_locking: bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute = training::ComputeStep<training::Adadelta>},
     .doc = "A step by the ratio of averages of old steps and of gradients "
            "(Zeiler, 2012)."},

    {.name = "ResourceApplyAdagrad",
     .inputs = "var: resource; accum: resource; lr: T; grad: T",
     .outputs = "",
     .attrs =
         DENSE_STEP_TYPES "; use_locking: bool = False; update_slots: bool "
                          "= True",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute = training::ComputeStep<training::Adagrad>},
     .doc = "accum += grad ** 2; var -= lr * grad / sqrt(accum) (Duchi, Hazan "
            "and Singer, 2011)."},

    {.name = "ResourceApplyAdagradDA",
     .inputs = "var: resource; gradient_accumulator: resource; "
               "gradient_squared_accumulator: resource; grad: T; lr: T; l1: "
               "T; l2: T; global_step: int64",
     .outputs = "",
     .attrs = DENSE_STEP_TYPES "; use_locking: bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute = training::ComputeStep<training::AdagradDA>},
     .doc = "A step of Adagrad by the average of all gradients (dual "
            "averaging), with the strengths l1 and l2."},

    {.name = "ResourceApplyAdagradV2",
     .inputs = "var: resource; accum: resource; lr: T; epsilon: T; grad: T",
     .outputs = "",
     .attrs =
         DENSE_STEP_TYPES "; use_locking: bool = False; update_slots: bool "
                          "= True",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute = training::ComputeStep<training::AdagradV2>},
     .doc = "accum += grad ** 2; var -= lr * grad / (sqrt(accum) + epsilon)."},

    {.name = "ResourceApplyAdam",
     .inputs = "var: resource; m: resource; v: resource; beta1_power: T; "
               "beta2_power: T; lr: T; beta1: T; beta2: T; epsilon: T; grad: T",
     .outputs = "",
     .attrs =
         DENSE_STEP_TYPES "; use_locking: bool = False; use_nesterov: bool "
                          "= False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute = training::ComputeStep<training::Adam>},
     .doc = "A step by averages of gradients and of their squares (Kingma and "
            "Ba, 2015)."},

    {.name = "ResourceApplyAdamWithAmsgrad",
     .inputs = "var: resource; m: resource; v: resource; vhat: resource; "
               "beta1_power: T; beta2_power: T; lr: T; beta1: T; beta2: T; "
               "epsilon: T; grad: T",
     .outputs = "",
     .attrs = DENSE_STEP_TYPES "; use_locking: bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute = training::ComputeStep<training::AdamWithAmsgrad>},
     .doc = "A step of Adam by the largest average of squares so far (Reddi, "
            "Kale and Kumar, 2018)."},

    {.name = "ResourceApplyAddSign",
     .inputs = "var: resource; m: resource; lr: T; alpha: T; sign_decay: T; "
               "beta: T; grad: T",
     .outputs = "",
     .attrs = DENSE_STEP_TYPES "; use_locking: bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute = training::ComputeStep<training::AddSign>},
     .doc = "var -= lr * (alpha + sign_decay * sign(grad) * sign(m)) * grad "
            "(Bello and others, 2017)."},

    {.name = "ResourceApplyCenteredRMSProp",
     .inputs = "var: resource; mg: resource; ms: resource; mom: resource; lr: "
               "T; rho: T; momentum: T; epsilon: T; grad: T",
     .outputs = "",
     .attrs = DENSE_STEP_TYPES "; use_locking: bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute = training::ComputeStep<training::CenteredRMSProp>},
     .doc = "A step by the gradient over the root of its variance."},

    {.name = "ResourceApplyFtrl",
     .inputs = "var: resource; accum: resource; linear: resource; grad: T; "
               "lr: T; l1: T; l2: T; lr_power: T",
     .outputs = "",
     .attrs = DENSE_STEP_TYPES "; use_locking: bool = False; "
                               "multiply_linear_by_lr: bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute = training::ComputeStep<training::Ftrl>},
     .doc = "Follows the regularized leader (McMahan and others, 2013)."},

    {.name = "ResourceApplyFtrlV2",
     .inputs = "var: resource; accum: resource; linear: resource; grad: T; "
               "lr: T; l1: T; l2: T; l2_shrinkage: T; lr_power: T",
     .outputs = "",
     .attrs = DENSE_STEP_TYPES "; use_locking: bool = False; "
                               "multiply_linear_by_lr: bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute = training::ComputeStep<training::FtrlV2>},
     .doc = "Follows the regularized leader, with a strength of shrinkage "
            "(McMahan and others, 2013)."},

    {.name = "ResourceApplyGradientDescent",
     .inputs = "var: resource; alpha: T; delta: T",
     .outputs = "",
     .attrs = DENSE_STEP_TYPES "; use_locking: bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute = training::ComputeStep<training::GradientDescent>},
     .doc = "var -= alpha * delta."},

    {.name = "ResourceApplyKerasMomentum",
     .inputs = "var: resource; accum: resource; lr: T; grad: T; momentum: T",
     .outputs = "",
     .attrs =
         DENSE_STEP_TYPES "; use_locking: bool = False; use_nesterov: bool "
                          "= False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute = training::ComputeStep<training::KerasMomentum>},
     .doc = "accum = momentum * accum - lr * grad; var += accum."},

    {.name = "ResourceApplyMomentum",
     .inputs = "var: resource; accum: resource; lr: T; grad: T; momentum: T",
     .outputs = "",
     .attrs =
         DENSE_STEP_TYPES "; use_locking: bool = False; use_nesterov: bool "
                          "= False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute = training::ComputeStep<training::Momentum>},
     .doc = "accum = momentum * accum + grad; var -= lr * accum."},

    {.name = "ResourceApplyPowerSign",
     .inputs = "var: resource; m: resource; lr: T; logbase: T; sign_decay: T; "
               "beta: T; grad: T",
     .outputs = "",
     .attrs = DENSE_STEP_TYPES "; use_locking: bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute = training::ComputeStep<training::PowerSign>},
     .doc = "var -= lr * exp(logbase * sign_decay * sign(grad) * sign(m)) * "
            "grad (Bello and others, 2017)."},

    {.name = "ResourceApplyProximalAdagrad",
     .inputs = "var: resource; accum: resource; lr: T; l1: T; l2: T; grad: T",
     .outputs = "",
     .attrs = DENSE_STEP_TYPES "; use_locking: bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute = training::ComputeStep<training::ProximalAdagrad>},
     .doc =
         "A step of Adagrad, then one towards 0 by the strengths l1 and l2."},

    {.name = "ResourceApplyProximalGradientDescent",
     .inputs = "var: resource; alpha: T; l1: T; l2: T; delta: T",
     .outputs = "",
     .attrs = DENSE_STEP_TYPES "; use_locking: bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute =
                    training::ComputeStep<training::ProximalGradientDescent>},
     .doc = "A step by the gradient, then one towards 0 by the strengths l1 "
            "and l2 (Duchi and Singer, 2009)."},

    {.name = "ResourceApplyRMSProp",
     .inputs = "var: resource; ms: resource; mom: resource; lr: T; rho: T; "
               "momentum: T; epsilon: T; grad: T",
     .outputs = "",
     .attrs = DENSE_STEP_TYPES "; use_locking: bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute = training::ComputeStep<training::RMSProp>},
     .doc = "A step by the gradient over the root of the average of its "
            "squares."},
};

}  // namespace

GK_REGISTER_OPS(training_dense)

}  // namespace gk
