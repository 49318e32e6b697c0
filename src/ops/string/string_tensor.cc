// Tensors as strings: TensorProto messages.
#include "ops/fn/string_tensor.h"

#include "framework/op_registry.h"
#include "graph/tensor_proto.h"
#include "ops/data/component_message.h"

namespace gk {
namespace {

Status ComputeSerialize(KernelContext& c) {
  const Tensor& x = c.input(0);
  GK_ASSIGN_OR_RETURN(proto::TensorProto message, MessageOfComponent(x));
  if (x.dtype() == DataType::kVariant) {
    MoveToContent(&message);
  } else if (x.num_elements() == 1 && x.dtype() != DataType::kString) {
    // TensorFlow writes one number, too, as it lies in memory.
    const auto type = message.dtype;
    message = proto::TensorProto();
    message.dtype = type;
    message.tensor_shape = ShapeToProto(x.shape());
    message.tensor_content.assign(static_cast<const char*>(x.raw_data()),
                                  x.byte_size());
  }
  c.set_output(0, Tensor::Scalar(message.Serialize()));
  return OkStatus();
}

Status ComputeParse(KernelContext& c) {
  const Tensor& serialized = c.input(0);
  if (serialized.rank() != 0) {
    return InvalidArgument(
        "Expected `serialized` to be a scalar, got shape: {}",
        serialized.shape().DebugString());
  }
  proto::TensorProto message;
  if (!message.Parse(serialized.scalar<std::string>()).ok()) {
    return InvalidArgument("Could not parse `serialized` as TensorProto");
  }
  StatusOr<Tensor> parsed = ComponentOfMessage(message);
  if (!parsed.ok()) {
    return InvalidArgument("Cannot parse tensor from proto: {}",
                           parsed.status().message());
  }
  const auto type = c.attr<DataType>("out_type");
  if (parsed->dtype() != type) {
    return InvalidArgument(
        "Type mismatch between parsed tensor ({}) and dtype "
        "({})",
        DataTypeString(parsed->dtype()), DataTypeString(type));
  }
  c.set_output(0, *std::move(parsed));
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "SerializeTensor",
     .inputs = "tensor: T",
     .outputs = "serialized: string",
     .attrs = "T: type",
     .traits = kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeSerialize},
     .python = {.names = "io.serialize_tensor"},
     .doc = "A tensor as a string, a TensorProto message.",
     .example = ">>> s = tf.io.serialize_tensor([1, 2])\n"
                ">>> tf.io.parse_tensor(s, tf.int32).numpy().tolist()\n"
                "[1, 2]"},

    {.name = "ParseTensor",
     .inputs = "serialized: string",
     .outputs = "output: out_type",
     .attrs = "out_type: type",
     .traits = kNoGradient,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = ComputeParse},
     .python = {.names = "io.parse_tensor"},
     .doc = "The tensor that tf.io.serialize_tensor made a string of.\n\n"
            "Raises InvalidArgumentError if it is none, or of another dtype.",
     .example = ">>> s = tf.io.serialize_tensor([\"a\", \"b\"])\n"
                ">>> tf.io.parse_tensor(s, tf.string).numpy().tolist()\n"
                "[b'a', b'b']"},
};

}  // namespace

GK_REGISTER_OPS(string_tensor)

}  // namespace gk
