#include "ops/data/component_message.h"

#include <algorithm>
#include <vector>

#include "framework/variant.h"
#include "graph/tensor_proto.h"
#include "proto/varint.h"
#include "proto/wire.h"

namespace gk {
namespace {

using Messages = std::vector<proto::VariantTensorDataProto>;

// TensorFlow's content of a tensor of variants: the sizes of all messages, and
// then these.
Status ReadContent(std::string_view content, int64_t count,
                   std::vector<proto::VariantTensorDataProto>* messages) {
  std::vector<uint64_t> sizes;
  proto::Reader reader(content);
  proto::Writer before;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t size;
    if (!reader.Varint(&size)) {
      return DataLoss("A tensor of variants is damaged");
    }
    sizes.push_back(size);
    before.Varint(size);
  }
  content.remove_prefix(std::min(before.size(), content.size()));
  for (const uint64_t size : sizes) {
    if (size > content.size()) {
      return DataLoss("A tensor of variants is damaged");
    }
    proto::VariantTensorDataProto message;
    GK_RETURN_IF_ERROR(message.Parse(content.substr(0, size)));
    messages->push_back(std::move(message));
    content.remove_prefix(size);
  }
  return OkStatus();
}

}  // namespace

StatusOr<proto::TensorProto> MessageOfComponent(const Tensor& component) {
  if (component.dtype() != DataType::kVariant) return TensorToProto(component);
  proto::TensorProto message;
  message.dtype = static_cast<proto::DataType>(DataType::kVariant);
  message.tensor_shape = ShapeToProto(component.shape());
  for (int64_t i = 0; i < component.num_elements(); ++i) {
    GK_ASSIGN_OR_RETURN(proto::VariantTensorDataProto data,
                        MessageOfVariant(component.data<Variant>()[i]));
    message.variant_val.push_back(std::move(data));
  }
  return message;
}

void MoveToContent(proto::TensorProto* message) {
  std::string sizes, bytes;
  for (const proto::VariantTensorDataProto& data : message->variant_val) {
    const std::string one = data.Serialize();
    proto::AppendVarint(one.size(), &sizes);
    bytes += one;
  }
  message->variant_val.clear();
  message->tensor_content = sizes + bytes;
}

StatusOr<Tensor> ComponentOfMessage(const proto::TensorProto& message) {
  if (static_cast<DataType>(message.dtype) != DataType::kVariant) {
    return TensorFromProto(message);
  }
  GK_ASSIGN_OR_RETURN(const PartialTensorShape known,
                      ShapeFromProto(*message.tensor_shape));
  GK_ASSIGN_OR_RETURN(const TensorShape shape, known.AsTensorShape());
  const auto read = [&]() -> StatusOr<Messages> {
    Messages messages = message.variant_val;
    if (!message.tensor_content.empty()) {
      const std::string_view content = message.tensor_content;
      // Each takes a byte at least.
      const int64_t count =
          std::min(shape.num_elements(), static_cast<int64_t>(content.size()));
      GK_RETURN_IF_ERROR(ReadContent(content, count, &messages));
    }
    return messages;
  };
  GK_ASSIGN_OR_RETURN(const Messages messages, read());
  if (shape.num_elements() != static_cast<int64_t>(messages.size())) {
    return DataLoss("A tensor of variants has {} of them, but shape {}",
                    messages.size(), known.DebugString());
  }
  GK_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(DataType::kVariant, shape));
  Variant* to = t.data<Variant>();
  for (const proto::VariantTensorDataProto& data : messages) {
    GK_ASSIGN_OR_RETURN(*to++, VariantOfMessage(data));
  }
  return t;
}

}  // namespace gk
