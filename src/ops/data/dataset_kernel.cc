#include "ops/data/dataset_kernel.h"

#include "data/stand_in_resource.h"
#include "framework/op_registry.h"
#include "ops/element_moves.h"

namespace gk {

ElementSignature SignatureAttrs(KernelContext& c, std::string_view types) {
  return {c.attr<std::vector<DataType>>(types),
          c.attr<std::vector<PartialTensorShape>>("output_shapes")};
}

StatusOr<OneInput> ReadOneInput(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Ref<const Dataset> dataset, InputDataset(c));
  return OneInput{c.record().name, SignatureAttrs(c), std::move(dataset)};
}

Status ScalarInput(KernelContext& c, int i, std::string_view name,
                   int64_t* value) {
  if (!c.input(i).shape().IsScalar()) {
    return InvalidArgument("`{}` must be a scalar", name);
  }
  return IntegerValue(c.input(i), name, value);
}

Status ScalarInput(KernelContext& c, int i, std::string_view name,
                   bool* value) {
  if (!c.input(i).shape().IsScalar()) {
    return InvalidArgument("`{}` must be a scalar", name);
  }
  *value = c.input(i).scalar<bool>();
  return OkStatus();
}

int ListLength(KernelContext& c, std::string_view attr) {
  return static_cast<int>(c.attr<std::vector<DataType>>(attr).size());
}

Status CaptureFunction(KernelContext& c, std::string_view attr, int first,
                       int n, size_t arguments, CapturedFunction* function) {
  TensorVector captured;
  for (int i = first; i < first + n; ++i) captured.push_back(c.input(i));
  const bool transforms = c.record().def->FindInput("input_dataset") >= 0;
  *function = CapturedFunction(c.attr<FunctionAttr>(attr), std::move(captured),
                               c.record().name, transforms);
  return function->Check(arguments);
}

Status ElementShapes(InferenceContext& c) {
  const auto shapes = c.attr<std::vector<PartialTensorShape>>("output_shapes");
  for (int i = 0; i < c.num_outputs() && i < int(shapes.size()); ++i) {
    c.set_output(i, shapes[i]);
  }
  return OkStatus();
}

Status SetDataset(KernelContext& c, Ref<const Dataset> dataset) {
  DatasetOrigin origin{&c.record(), c.attrs(), {}};
  for (int i = 0; i < c.num_inputs(); ++i) origin.inputs.push_back(c.input(i));
  dataset->NoteOrigin(std::move(origin));
  GK_ASSIGN_OR_RETURN(Tensor t, Dataset::Wrap(std::move(dataset)));
  c.set_output(0, std::move(t));
  return OkStatus();
}

StatusOr<Tensor> MakeDataset(const OpRecord& op, const AttrMap& attrs,
                             const TensorVector& inputs) {
  std::vector<const Tensor*> given;
  for (const Tensor& t : inputs) given.push_back(&t);
  Tensor made;
  KernelContext c(op, attrs, given, {&made, 1});
  GK_RETURN_IF_ERROR(op.kernel.compute(c));
  return made;
}

StatusOr<Tensor> MakeDataset(std::string_view op, const AttrMap& attrs,
                             const TensorVector& inputs) {
  GK_ASSIGN_OR_RETURN(const OpRecord* record, OpRegistry::Get().LookUp(op));
  return MakeDataset(*record, attrs, inputs);
}

Status SetStandIn(KernelContext& c, std::string_view kind,
                  std::string_view type_name) {
  ResourceHandle handle(MakeRef<StandInResource>(kind, type_name),
                        "dummy_resource", {}, "localhost");
  c.set_output(0, Tensor::Scalar(std::move(handle)));
  return OkStatus();
}

Status CheckSameRows(const TensorVector& batch, std::string_view of_scalar) {
  for (const Tensor& t : batch) {
    if (t.rank() == 0) return InvalidArgument("{}", of_scalar);
    if (t.dim(0) != batch[0].dim(0)) {
      return InvalidArgument(
          "Input element must have the same batch size in each component. "
          "Component 0 had size {} but component {} had size, {}.",
          batch[0].dim(0), &t - batch.data(), t.dim(0));
    }
  }
  return OkStatus();
}

StatusOr<Tensor> Row(const Tensor& component, int64_t i) {
  TensorShape shape = component.shape();
  shape.RemoveDim(0);
  GK_ASSIGN_OR_RETURN(Tensor row, Tensor::Allocate(component.dtype(), shape));
  GK_RETURN_IF_ERROR(CopyRows(component, i, 1, row.raw_data()));
  return row;
}

Status CopyRows(const Tensor& component, int64_t first, int64_t n, void* to) {
  const int64_t rows = component.dim(0);
  const int64_t each = rows == 0 ? 0 : component.num_elements() / rows;
  return VisitMoved(component.dtype(), [&]<class T>(std::type_identity<T>) {
    std::copy_n(static_cast<const T*>(component.raw_data()) + first * each,
                n * each, static_cast<T*>(to));
  });
}

}  // namespace gk
