#include "ops/data/component_message.h"

#include <algorithm>
#include <vector>

#include "framework/variant.h"
#include "graph/tensor_proto.h"
#include "ops/data/ragged_variant.h"
#include "ops/data/sparse_variant.h"
#include "proto/wire.h"

namespace gk {
namespace {

using Messages = std::vector<proto::VariantTensorDataProto>;

constexpr std::string_view kRagged = "RaggedTensorVariant";
constexpr std::string_view kTensor = "tensorflow::Tensor";

StatusOr<Variant> VariantOfMessage(
    const proto::VariantTensorDataProto& message) {
  TensorVector parts;
  for (const proto::TensorProto& part : message.tensors) {
    GK_ASSIGN_OR_RETURN(Tensor t, TensorFromProto(part));
    parts.push_back(std::move(t));
  }
  if (message.type_name == kRagged) return RaggedOfParts(std::move(parts));
  if (message.type_name != kTensor) {
    return Unimplemented("A variant that holds {} cannot be read",
                         message.type_name);
  }
  if (parts.size() != 1) return DataLoss("A variant of a tensor is damaged");
  return VariantOfTensor(std::move(parts[0]));
}

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
    const Variant& v = component.data<Variant>()[i];
    proto::VariantTensorDataProto data;
    TensorVector parts;
    if (PartsOfRagged(v, &parts) != nullptr) {
      data.type_name = kRagged;
    } else if (const Tensor* held = TensorInVariant(v)) {
      data.type_name = kTensor;
      parts = {*held};
    } else {
      return Unimplemented(
          "A variant that holds {} cannot be written to a file",
          v.get() ? v.get()->type_name() : "nothing");
    }
    for (const Tensor& part : parts) {
      GK_ASSIGN_OR_RETURN(proto::TensorProto t, TensorToProto(part));
      data.tensors.push_back(std::move(t));
    }
    message.variant_val.push_back(std::move(data));
  }
  return message;
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
