#include "graph/op_def_proto.h"

#include "graph/tensor_proto.h"

namespace gk {
namespace {

std::string TypeText(const AttrDef& attr) {
  const char* type = "";
  switch (attr.type) {
    case AttrType::kInt:
      type = "int";
      break;
    case AttrType::kFloat:
      type = "float";
      break;
    case AttrType::kBool:
      type = "bool";
      break;
    case AttrType::kString:
      type = "string";
      break;
    case AttrType::kType:
      type = "type";
      break;
    case AttrType::kShape:
      type = "shape";
      break;
    case AttrType::kTensor:
      type = "tensor";
      break;
    case AttrType::kFunc:
      type = "func";
      break;
  }
  return attr.is_list ? Format("list({})", type) : type;
}

proto::OpDef::ArgDef ArgToProto(const ArgDef& arg) {
  proto::OpDef::ArgDef m;
  m.name = arg.name;
  m.type = static_cast<proto::DataType>(arg.type);
  m.type_attr = arg.type_attr;
  m.number_attr = arg.number_attr;
  m.type_list_attr = arg.type_list_attr;
  return m;
}

StatusOr<proto::OpDef::AttrDef> AttrDefToProto(const AttrDef& attr) {
  proto::OpDef::AttrDef m;
  m.name = attr.name;
  m.type = TypeText(attr);
  m.has_minimum = attr.has_minimum;
  m.minimum = attr.minimum;
  if (attr.default_value) {
    GK_ASSIGN_OR_RETURN(m.default_value, AttrToProto(*attr.default_value));
  }
  if (!attr.allowed_types.empty()) {
    auto& list = m.allowed_values.mut().mutable_list();
    for (int i = 1; i < kNumDataTypes; ++i) {
      if (attr.allowed_types.Contains(static_cast<DataType>(i))) {
        list.type.push_back(static_cast<proto::DataType>(i));
      }
    }
  }
  if (!attr.allowed_strings.empty()) {
    m.allowed_values.mut().mutable_list().s = attr.allowed_strings;
  }
  return m;
}

}  // namespace

StatusOr<proto::OpDef> OpDefToProto(const OpDef& def) {
  proto::OpDef m;
  m.name = def.name;
  for (const ArgDef& arg : def.inputs) m.input_arg.push_back(ArgToProto(arg));
  for (const ArgDef& arg : def.outputs) {
    m.output_arg.push_back(ArgToProto(arg));
  }
  for (const AttrDef& attr : def.attrs) {
    GK_ASSIGN_OR_RETURN(proto::OpDef::AttrDef a, AttrDefToProto(attr));
    m.attr.push_back(std::move(a));
  }
  m.is_stateful = def.is_stateful;
  m.is_commutative = def.is_commutative;
  m.is_aggregate = def.is_aggregate;
  return m;
}

}  // namespace gk
