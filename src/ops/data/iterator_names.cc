// Iterators by texts, which reach graphs as any text does: the serialized
// tensorflow.ResourceHandleProto of their handles.
#include "data/iterator_resource.h"
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"
#include "proto/tensor.gk.h"

namespace gk {
namespace {

Status ComputeText(KernelContext& c) {
  GK_RETURN_IF_ERROR(IteratorResource::Of(c.input(0)).status());
  const auto& handle = c.input(0).scalar<ResourceHandle>();
  proto::ResourceHandleProto message;
  message.device = "/job:localhost/replica:0/task:0/device:CPU:0";
  message.container = handle.container();
  message.name = handle.name();
  message.maybe_type_name = MangledName(handle.resource()->type_name());
  c.set_output(0, Tensor::Scalar(message.Serialize()));
  return OkStatus();
}

Status ComputeOfText(KernelContext& c) {
  const Tensor& text = c.input(0);
  if (text.shape().rank() != 0) {
    return InvalidArgument("string_handle must be a scalar, but has shape {}",
                           text.shape().DebugString());
  }
  proto::ResourceHandleProto message;
  if (!message.Parse(text.scalar<std::string>()).ok()) {
    return InvalidArgument(
        "string_handle does not hold the handle of a resource: it must be "
        "what IteratorToStringHandle gives");
  }
  GK_ASSIGN_OR_RETURN(
      Ref<Resource> found,
      ResourceManager::Get().Find(message.container, message.name,
                                  message.maybe_type_name));
  const auto* iterator = DownCast<IteratorResource>(found.get());
  if (iterator == nullptr) {
    return InvalidArgument("string_handle is of a {}, not of an iterator",
                           found->type_name());
  }
  // Who names no types takes any.
  const ElementSignature wanted = SignatureAttrs(c);
  if (!wanted.types.empty()) {
    GK_RETURN_IF_ERROR(CheckSignature(wanted, iterator->signature()));
  }
  c.set_output(0, Tensor::Scalar(ResourceHandle(std::move(found), message.name,
                                                {}, message.container)));
  return OkStatus();
}

constexpr char kTextDoc[] =
    "The iterator whose handle IteratorToStringHandle made a text. It must be "
    "one that has a name, as those of IteratorV2 do: NotFound for one that "
    "only handles know.";

const OpRecord kRecords[] = {
    {.name = "IteratorToStringHandle",
     .inputs = "resource_handle: resource",
     .outputs = "string_handle: string",
     .attrs = "",
     .traits = kStateful | kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeText},
     .doc = "The handle of an iterator as a text."},

    {.name = "IteratorFromStringHandle",
     .inputs = "string_handle: string",
     .outputs = "resource_handle: resource",
     .attrs = "output_types: list(type) >= 0 = []; "
              "output_shapes: list(shape) >= 0 = []",
     .traits = kStateful | kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeOfText},
     .doc = kTextDoc},

    {.name = "IteratorFromStringHandleV2",
     .inputs = "string_handle: string",
     .outputs = "resource_handle: resource",
     .attrs = "output_types: list(type) >= 0 = []; "
              "output_shapes: list(shape) >= 0 = []",
     .traits = kStateful | kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeOfText},
     .doc = kTextDoc},
};

}  // namespace

GK_REGISTER_OPS(iterator_names)

}  // namespace gk
