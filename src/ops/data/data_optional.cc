// Optionals: the components of an element, or nothing.
#include "data/optional.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"
#include "ops/element_moves.h"
#include "ops/fn/OptionalFromValue.h"
#include "ops/fn/OptionalGetValue.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

Status SetOptional(KernelContext& c, Ref<OptionalVariant> optional) {
  GK_ASSIGN_OR_RETURN(Tensor t, OptionalVariant::Wrap(std::move(optional)));
  c.set_output(0, std::move(t));
  return OkStatus();
}

Status ComputeNone(KernelContext& c) {
  return SetOptional(c, MakeRef<OptionalVariant>());
}

Status ComputeFromValue(KernelContext& c) {
  TensorVector components;
  for (int i = 0; i < c.num_inputs(); ++i) components.push_back(c.input(i));
  return SetOptional(c, MakeRef<OptionalVariant>(std::move(components)));
}

Status ComputeHasValue(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const auto optional, OptionalVariant::Of(c.input(0)));
  c.set_output(0, Tensor::Scalar<bool>(optional->has_value()));
  return OkStatus();
}

Status ComputeGetValue(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const auto optional, OptionalVariant::Of(c.input(0)));
  if (!optional->has_value()) {
    return InvalidArgument("The given optional does not have a value.");
  }
  GK_RETURN_IF_ERROR(CheckElement(SignatureAttrs(c), optional->components()));
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, optional->components()[i].Alias());
  }
  return OkStatus();
}

// --- Gradients: optionals of the components' gradients.

// What has no zeros has false for a gradient, which nobody asks for.
bool HasZeros(DataType type) {
  return IsNumeric(type) || type == DataType::kBool ||
         type == DataType::kVariant;
}

void GetValueGradient(GradContext& g) {
  TensorVector components;
  for (int i = 0; i < g.num_outputs(); ++i) {
    components.push_back(HasZeros(g.y(i).dtype())
                             ? g.dy(i)
                             : ScalarConstant(DataType::kBool, 0));
  }
  g.Set(0, ops::OptionalFromValue(components));
}

void FromValueGradient(GradContext& g) {
  std::vector<DataType> types;
  std::vector<PartialTensorShape> shapes;
  for (int i = 0; i < g.num_inputs(); ++i) {
    const DataType type = g.x(i).dtype();
    types.push_back(HasZeros(type) ? type : DataType::kBool);
    // The gradient of rows in one variant may be rows in several.
    shapes.push_back(IsNumeric(type) ? g.x(i).partial_shape()
                                     : PartialTensorShape());
  }
  const TensorVector components = ops::OptionalGetValue(g.dy(0), types, shapes);
  for (int i = 0; i < g.num_inputs(); ++i) {
    if (IsTrainable(g.x(i).dtype())) g.Set(i, components[i]);
  }
}

const OpRecord kRecords[] = {
    {.name = "OptionalNone",
     .inputs = "",
     .outputs = "optional: variant",
     .attrs = "",
     .traits = kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeNone},
     .doc = "An optional without a value."},

    {.name = "OptionalFromValue",
     .inputs = "components: Toutput_types",
     .outputs = "optional: variant",
     .attrs = "Toutput_types: list(type) >= 1",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFromValue},
     .gradient = FromValueGradient,
     .doc = "An optional of these components."},

    {.name = "OptionalHasValue",
     .inputs = "optional: variant",
     .outputs = "has_value: bool",
     .attrs = "",
     .traits = kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeHasValue},
     .doc = "Does the optional have a value?"},

    {.name = "OptionalGetValue",
     .inputs = "optional: variant",
     .outputs = "components: output_types",
     .attrs = GK_ELEMENT_ATTRS,
     .shape = ElementShapes,
     .kernel = {.compute = ComputeGetValue},
     .gradient = GetValueGradient,
     .doc = "The components of an optional; an error if it has none."},
};

}  // namespace

GK_REGISTER_OPS(data_optional)

}  // namespace gk
