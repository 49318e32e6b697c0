#include "graph/op_def_proto.h"

#include <utility>

#include "framework/unregistered_op.h"
#include "graph/attr_from_proto.h"
#include "graph/tensor_proto.h"

namespace gk {
namespace {

constexpr std::pair<AttrType, std::string_view> kTypeNames[] = {
    {AttrType::kInt, "int"},       {AttrType::kFloat, "float"},
    {AttrType::kBool, "bool"},     {AttrType::kString, "string"},
    {AttrType::kType, "type"},     {AttrType::kShape, "shape"},
    {AttrType::kTensor, "tensor"}, {AttrType::kFunc, "func"}};

std::string TypeText(const AttrDef& attr) {
  for (const auto& [type, name] : kTypeNames) {
    if (type != attr.type) continue;
    return attr.is_list ? Format("list({})", name) : std::string(name);
  }
  return {};
}

Status ReadType(std::string_view text, AttrDef* attr) {
  attr->is_list = text.starts_with("list(") && text.ends_with(')');
  const std::string_view one =
      attr->is_list ? text.substr(5, text.size() - 6) : text;
  for (const auto& [type, name] : kTypeNames) {
    if (name != one) continue;
    attr->type = type;
    return OkStatus();
  }
  return InvalidArgument("Attribute '{}' has the unknown type '{}'", attr->name,
                         text);
}

StatusOr<std::vector<ArgDef>> ArgsFromProto(
    const std::vector<proto::OpDef::ArgDef>& messages) {
  std::vector<ArgDef> args;
  for (const proto::OpDef::ArgDef& m : messages) {
    ArgDef& arg = args.emplace_back();
    arg.name = m.name;
    arg.type_attr = m.type_attr;
    arg.number_attr = m.number_attr;
    arg.type_list_attr = m.type_list_attr;
    const int type = static_cast<int>(m.type);
    if (DataTypeIsValid(type)) {
      arg.type = static_cast<DataType>(type);
    } else if (type != 0) {
      return InvalidArgument("Argument '{}' has the invalid type {}", m.name,
                             type);
    }
  }
  return args;
}

StatusOr<AttrDef> AttrDefFromProto(const proto::OpDef::AttrDef& m) {
  AttrDef attr;
  attr.name = m.name;
  GK_RETURN_IF_ERROR(ReadType(m.type, &attr));
  attr.has_minimum = m.has_minimum;
  attr.minimum = m.minimum;
  const auto none = proto::AttrValue::ValueCase::kNone;
  if (m.default_value->value_case != none && attr.type != AttrType::kFunc) {
    GK_ASSIGN_OR_RETURN(attr.default_value,
                        AttrFromProto(*m.default_value, &attr, nullptr));
  }
  for (proto::DataType t : m.allowed_values->list->type) {
    if (!DataTypeIsValid(static_cast<int>(t))) continue;
    attr.allowed_types =
        attr.allowed_types | DataTypeSet(static_cast<DataType>(t));
  }
  attr.allowed_strings = m.allowed_values->list->s;
  return attr;
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
    // As TensorFlow writes it: element by element.
    if (const auto* tensor = std::get_if<Tensor>(&*attr.default_value)) {
      proto::TensorProto& message = m.default_value.mut().mutable_tensor();
      message.tensor_content.clear();
      WriteValues(*tensor, &message);
    }
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

StatusOr<proto::OpDef> OpDefOf(const Node& node) {
  if (node.op().Has(kUnregistered)) {
    const proto::OpDef& def = UnregisteredOp::Of(node.op()).facts().op_def;
    if (!def.name.empty()) return def;
  }
  return OpDefToProto(*node.op().def);
}

StatusOr<OpDef> OpDefFromProto(const proto::OpDef& message) {
  OpDef def;
  def.name = message.name;
  GK_ASSIGN_OR_RETURN(def.inputs, ArgsFromProto(message.input_arg));
  GK_ASSIGN_OR_RETURN(def.outputs, ArgsFromProto(message.output_arg));
  for (const proto::OpDef::AttrDef& m : message.attr) {
    GK_ASSIGN_OR_RETURN(AttrDef attr, AttrDefFromProto(m));
    def.attrs.push_back(std::move(attr));
  }
  def.is_stateful = message.is_stateful;
  def.is_commutative = message.is_commutative;
  def.is_aggregate = message.is_aggregate;
  return def;
}

}  // namespace gk
