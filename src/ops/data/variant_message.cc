// Variants in messages.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "data/iterator_state.h"
#include "data/optional.h"
#include "framework/tensor_list.h"
#include "graph/tensor_proto.h"
#include "ops/data/component_message.h"
#include "ops/data/compressed_element.h"
#include "ops/data/ragged_variant.h"
#include "ops/data/sparse_variant.h"
#include "proto/varint.h"
#include "proto/wire.h"

namespace gk {
namespace {

constexpr std::string_view kRagged = "RaggedTensorVariant";
constexpr std::string_view kTensor = "tensorflow::Tensor";
constexpr std::string_view kList = "tensorflow::TensorList";
constexpr std::string_view kOptional = "tensorflow::data::Optional";

Status Damaged(std::string_view what) {
  return DataLoss("A variant of {} is damaged", what);
}

// The metadata says which elements were never set, the type, the limit and the
// shape; the tensors are the others.
Status DescribeList(const TensorList& list, std::string* metadata,
                    TensorVector* parts) {
  std::vector<int64_t> unset;
  for (int64_t i = 0; i < list.size(); ++i) {
    if (list.ShapeOf(i) == nullptr) {
      unset.push_back(i);
      continue;
    }
    GK_ASSIGN_OR_RETURN(Tensor t, list.Get(i));
    parts->push_back(std::move(t));
  }
  proto::AppendVarint(unset.size(), metadata);
  for (const int64_t i : unset)
    proto::AppendVarint(static_cast<uint64_t>(i), metadata);
  proto::AppendVarint(static_cast<uint64_t>(list.element_dtype), metadata);
  proto::AppendVarint(static_cast<uint64_t>(int64_t{list.max_num_elements}),
                      metadata);
  *metadata += ShapeToProto(list.element_shape).Serialize();
  return OkStatus();
}

StatusOr<Variant> ListOf(const std::string& metadata, TensorVector parts) {
  proto::Reader in(metadata);
  uint64_t count = 0, dtype = 0, limit = 0;
  if (!in.Varint(&count) || count > in.left()) return Damaged("a list");
  std::vector<uint64_t> unset(count);
  for (uint64_t& i : unset) {
    if (!in.Varint(&i)) return Damaged("a list");
  }
  if (!in.Varint(&dtype) || !in.Varint(&limit)) return Damaged("a list");
  const auto most = static_cast<int64_t>(limit);
  if (most < -1 || most > std::numeric_limits<int>::max()) {
    return Damaged("a list");
  }
  proto::TensorShapeProto shape_message;
  GK_RETURN_IF_ERROR(
      shape_message.Parse({in.position(), static_cast<size_t>(in.left())}));
  GK_ASSIGN_OR_RETURN(PartialTensorShape shape, ShapeFromProto(shape_message));
  const auto type = static_cast<DataType>(dtype);
  Ref<TensorList> list = MakeRef<TensorList>(type, std::move(shape));
  list->max_num_elements = static_cast<int>(most);
  const size_t size = parts.size() + unset.size();
  GK_RETURN_IF_ERROR(list->Resize(static_cast<int64_t>(size)));
  size_t next_unset = 0, next_part = 0;
  for (size_t i = 0; i < size; ++i) {
    if (next_unset < unset.size() && unset[next_unset] == i) {
      ++next_unset;
      continue;
    }
    if (next_part == parts.size() || parts[next_part].dtype() != type) {
      return Damaged("a list");
    }
    GK_RETURN_IF_ERROR(list->Set(static_cast<int64_t>(i), parts[next_part++]));
  }
  return Variant(std::move(list));
}

}  // namespace

StatusOr<proto::VariantTensorDataProto> MessageOfVariant(const Variant& v) {
  proto::VariantTensorDataProto message;
  TensorVector parts;
  if (PartsOfRagged(v, &parts) != nullptr) {
    message.type_name = kRagged;
  } else if (const Tensor* held = TensorInVariant(v)) {
    message.type_name = kTensor;
    parts = {*held};
  } else if (const auto* list = v.As<TensorList>()) {
    message.type_name = kList;
    GK_RETURN_IF_ERROR(DescribeList(*list, &message.metadata, &parts));
  } else if (const auto* optional = v.As<OptionalVariant>()) {
    message.type_name = kOptional;
    message.metadata = std::string(1, optional->has_value() ? 1 : 0);
    parts = optional->components();
  } else if (const auto* compressed = v.As<CompressedElement>()) {
    message.type_name = CompressedElement::kTypeName;
    message.metadata = compressed->message().Serialize();
  } else if (const auto* state = v.As<IteratorStateVariant>()) {
    message.type_name = IteratorStateVariant::kTypeName;
    message.metadata = state->bytes();
  } else {
    return Unimplemented("A variant that holds {} cannot be written to a file",
                         v.get() ? v.get()->type_name() : "nothing");
  }
  for (const Tensor& part : parts) {
    GK_ASSIGN_OR_RETURN(proto::TensorProto t, MessageOfComponent(part));
    message.tensors.push_back(std::move(t));
  }
  return message;
}

StatusOr<Variant> VariantOfMessage(
    const proto::VariantTensorDataProto& message) {
  TensorVector parts;
  for (const proto::TensorProto& part : message.tensors) {
    GK_ASSIGN_OR_RETURN(Tensor t, ComponentOfMessage(part));
    parts.push_back(std::move(t));
  }
  const std::string& type = message.type_name;
  if (type == kRagged) return RaggedOfParts(std::move(parts));
  if (type == kTensor) {
    if (parts.size() != 1) return Damaged("a tensor");
    return VariantOfTensor(std::move(parts[0]));
  }
  if (type == kList) return ListOf(message.metadata, std::move(parts));
  if (type == kOptional) {
    const bool has_value = message.metadata == std::string(1, 1);
    if (!has_value && message.metadata != std::string(1, 0)) {
      return Damaged("an optional");
    }
    return Variant(has_value ? MakeRef<OptionalVariant>(std::move(parts))
                             : MakeRef<OptionalVariant>());
  }
  if (type == CompressedElement::kTypeName) {
    proto::CompressedElement element;
    GK_RETURN_IF_ERROR(element.Parse(message.metadata));
    return Variant(MakeRef<CompressedElement>(std::move(element)));
  }
  if (type == IteratorStateVariant::kTypeName && parts.empty()) {
    return Variant(MakeRef<IteratorStateVariant>(message.metadata));
  }
  return Unimplemented("A variant that holds {}{} cannot be read", type,
                       parts.empty() ? "" : " of TensorFlow's");
}

}  // namespace gk
