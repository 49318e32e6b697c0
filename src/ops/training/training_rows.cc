// Steps of optimizers for some rows of variables.
#include "framework/op_registry.h"
#include "ops/training/step_kernel.h"
#include "ops/training/step_shape.h"

namespace gk {
namespace {

#define ROW_STEP_TYPES                                                       \
  "T: type in [float, double, int32, uint8, int16, int8, complex64, int64, " \
  "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, "   \
  "half, uint32, uint64]"

const OpRecord kRecords[] = {
    {.name = "ResourceSparseApplyAdadelta",
     .inputs = "var: resource; accum: resource; accum_update: resource; lr: "
               "T; rho: T; epsilon: T; grad: T; indices: Tindices",
     .outputs = "",
     .attrs = ROW_STEP_TYPES "; Tindices: type in [int32, int64]; use_locking: "
                             "bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel =
         {.compute =
              training::ComputeStep<training::OfRows<training::Adadelta>>},
     .doc = "For the rows that indices name, one after another: a step by the "
            "ratio of averages of old steps and of gradients (Zeiler, 2012)."},

    {.name = "ResourceSparseApplyAdagrad",
     .inputs = "var: resource; accum: resource; lr: T; grad: T; indices: "
               "Tindices",
     .outputs = "",
     .attrs = ROW_STEP_TYPES "; Tindices: type in [int32, int64]; use_locking: "
                             "bool = False; update_slots: bool = True",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute =
                    training::ComputeStep<training::OfRows<training::Adagrad>>},
     .doc = "For the rows that indices name, one after another: accum += grad "
            "** 2; var -= lr * grad / sqrt(accum) (Duchi, Hazan and Singer, "
            "2011)."},

    {.name = "ResourceSparseApplyAdagradDA",
     .inputs = "var: resource; gradient_accumulator: resource; "
               "gradient_squared_accumulator: resource; grad: T; indices: "
               "Tindices; lr: T; l1: T; l2: T; global_step: int64",
     .outputs = "",
     .attrs = ROW_STEP_TYPES "; Tindices: type in [int32, int64]; use_locking: "
                             "bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel =
         {.compute =
              training::ComputeStep<training::OfRows<training::AdagradDA>>},
     .doc = "For the rows that indices name, one after another: a step of "
            "Adagrad by the average of all gradients (dual averaging), with "
            "the strengths l1 and l2."},

    {.name = "ResourceSparseApplyAdagradV2",
     .inputs = "var: resource; accum: resource; lr: T; epsilon: T; grad: T; "
               "indices: Tindices",
     .outputs = "",
     .attrs = ROW_STEP_TYPES "; Tindices: type in [int32, int64]; use_locking: "
                             "bool = False; update_slots: bool = True",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel =
         {.compute =
              training::ComputeStep<training::OfRows<training::AdagradV2>>},
     .doc = "For the rows that indices name, one after another: accum += grad "
            "** 2; var -= lr * grad / (sqrt(accum) + epsilon)."},

    {.name = "ResourceSparseApplyCenteredRMSProp",
     .inputs = "var: resource; mg: resource; ms: resource; mom: resource; lr: "
               "T; rho: T; momentum: T; epsilon: T; grad: T; indices: Tindices",
     .outputs = "",
     .attrs = ROW_STEP_TYPES "; Tindices: type in [int32, int64]; use_locking: "
                             "bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute = training::ComputeStep<
                    training::OfRows<training::CenteredRMSProp>>},
     .doc = "For the rows that indices name, one after another: a step by the "
            "gradient over the root of its variance."},

    {.name = "ResourceSparseApplyFtrl",
     .inputs = "var: resource; accum: resource; linear: resource; grad: T; "
               "indices: Tindices; lr: T; l1: T; l2: T; lr_power: T",
     .outputs = "",
     .attrs =
         ROW_STEP_TYPES "; Tindices: type in [int32, int64]; use_locking: "
                        "bool = False; multiply_linear_by_lr: bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute =
                    training::ComputeStep<training::OfRows<training::Ftrl>>},
     .doc = "For the rows that indices name, one after another: Follows the "
            "regularized leader (McMahan and others, 2013)."},

    {.name = "ResourceSparseApplyFtrlV2",
     .inputs = "var: resource; accum: resource; linear: resource; grad: T; "
               "indices: Tindices; lr: T; l1: T; l2: T; l2_shrinkage: T; "
               "lr_power: T",
     .outputs = "",
     .attrs =
         ROW_STEP_TYPES "; Tindices: type in [int32, int64]; use_locking: "
                        "bool = False; multiply_linear_by_lr: bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute =
                    training::ComputeStep<training::OfRows<training::FtrlV2>>},
     .doc = "For the rows that indices name, one after another: Follows the "
            "regularized leader, with a strength of shrinkage (McMahan and "
            "others, 2013)."},

    {.name = "ResourceSparseApplyKerasMomentum",
     .inputs = "var: resource; accum: resource; lr: T; grad: T; indices: "
               "Tindices; momentum: T",
     .outputs = "",
     .attrs = ROW_STEP_TYPES "; Tindices: type in [int32, int64]; use_locking: "
                             "bool = False; use_nesterov: bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel =
         {.compute =
              training::ComputeStep<training::OfRows<training::KerasMomentum>>},
     .doc = "For the rows that indices name, one after another: accum = "
            "momentum * accum - lr * grad; var += accum."},

    {.name = "ResourceSparseApplyMomentum",
     .inputs = "var: resource; accum: resource; lr: T; grad: T; indices: "
               "Tindices; momentum: T",
     .outputs = "",
     .attrs = ROW_STEP_TYPES "; Tindices: type in [int32, int64]; use_locking: "
                             "bool = False; use_nesterov: bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel =
         {.compute =
              training::ComputeStep<training::OfRows<training::Momentum>>},
     .doc = "For the rows that indices name, one after another: accum = "
            "momentum * accum + grad; var -= lr * accum."},

    {.name = "ResourceSparseApplyProximalAdagrad",
     .inputs = "var: resource; accum: resource; lr: T; l1: T; l2: T; grad: T; "
               "indices: Tindices",
     .outputs = "",
     .attrs = ROW_STEP_TYPES "; Tindices: type in [int32, int64]; use_locking: "
                             "bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute = training::ComputeStep<
                    training::OfRows<training::ProximalAdagrad>>},
     .doc = "For the rows that indices name, one after another: a step of "
            "Adagrad, then one towards 0 by the strengths l1 and l2."},

    {.name = "ResourceSparseApplyProximalGradientDescent",
     .inputs = "var: resource; alpha: T; l1: T; l2: T; grad: T; indices: "
               "Tindices",
     .outputs = "",
     .attrs = ROW_STEP_TYPES "; Tindices: type in [int32, int64]; use_locking: "
                             "bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute = training::ComputeStep<
                    training::OfRows<training::ProximalGradientDescent>>},
     .doc = "For the rows that indices name, one after another: a step by the "
            "gradient, then one towards 0 by the strengths l1 and l2 (Duchi "
            "and Singer, 2009)."},

    {.name = "ResourceSparseApplyRMSProp",
     .inputs = "var: resource; ms: resource; mom: resource; lr: T; rho: T; "
               "momentum: T; epsilon: T; grad: T; indices: Tindices",
     .outputs = "",
     .attrs = ROW_STEP_TYPES "; Tindices: type in [int32, int64]; use_locking: "
                             "bool = False",
     .traits = training::kStepTraits,
     .shape = training::StepShape,
     .kernel = {.compute =
                    training::ComputeStep<training::OfRows<training::RMSProp>>},
     .doc = "For the rows that indices name, one after another: a step by the "
            "gradient over the root of the average of its squares."},
};

}  // namespace

GK_REGISTER_OPS(training_rows)

}  // namespace gk
