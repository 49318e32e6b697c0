#include "saved_model/value_messages.h"

#include <string>
#include <vector>

#include "graph/tensor_proto.h"

namespace gk {

proto::StructuredValue NoneMessage() {
  proto::StructuredValue value;
  value.mutable_none_value();
  return value;
}

proto::StructuredValue TensorSpecMessage(const std::string& name,
                                         DataType dtype,
                                         const PartialTensorShape& shape) {
  proto::StructuredValue value;
  proto::TensorSpecProto& spec = value.mutable_tensor_spec_value();
  spec.name = name;
  spec.dtype = static_cast<proto::DataType>(dtype);
  spec.shape = ShapeToProto(shape);
  return value;
}

namespace {

// As a parameter of Python's could be called.
std::string SpecName(const std::string& path) {
  if (path.empty()) return "unknown";
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  std::string name;
  for (char c : path) {
    if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
    name += is_letter(c) || (c >= '0' && c <= '9') ? c : '_';
  }
  return is_letter(name[0]) ? name : "tensor_" + name;
}

void NameAt(const std::string& path, proto::StructuredValue* value) {
  using Kind = proto::StructuredValue::KindCase;
  const auto below = [&](const std::string& step, auto* part) {
    NameAt(path.empty() ? step : path + "_" + step, part);
  };
  const auto each = [&](std::vector<proto::StructuredValue>* parts) {
    for (size_t i = 0; i < parts->size(); ++i) {
      below(std::to_string(i), &(*parts)[i]);
    }
  };
  switch (value->kind_case) {
    case Kind::kTensorSpecValue: {
      std::string& name = value->mutable_tensor_spec_value().name;
      if (name.empty()) name = SpecName(path);
      return;
    }
    case Kind::kListValue:
      return each(&value->mutable_list_value().values);
    case Kind::kTupleValue:
      return each(&value->mutable_tuple_value().values);
    case Kind::kDictValue:
      for (auto& [key, part] : value->mutable_dict_value().fields) {
        below(key, &part);
      }
      return;
    case Kind::kNamedTupleValue:
      for (auto& pair : value->mutable_named_tuple_value().values) {
        below(pair.key, &pair.value.mut());
      }
      return;
    default:
      return;
  }
}

}  // namespace

void NameTensorSpecs(proto::StructuredValue* value) { NameAt("", value); }

}  // namespace gk
