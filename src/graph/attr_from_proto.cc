#include "graph/attr_from_proto.h"

#include "graph/tensor_proto.h"

namespace gk {
namespace {

using ValueCase = proto::AttrValue::ValueCase;

StatusOr<DataType> TypeFromProto(proto::DataType type) {
  const int number = static_cast<int>(type);
  if (!DataTypeIsValid(number)) {
    return InvalidArgument("invalid data type {}", number);
  }
  return static_cast<DataType>(number);
}

StatusOr<FunctionAttr> FunctionFromProto(const proto::NameAttrList& message,
                                         const FindFunction& find,
                                         ImportBudget* budget) {
  if (!find) return InvalidArgument("no function may be named here");
  FunctionAttr f;
  f.name = message.name;
  GK_ASSIGN_OR_RETURN(f.definition, find(message.name));
  if (!message.attr.empty()) {
    auto attrs = std::make_shared<AttrMap>();
    for (const auto& [name, value] : message.attr) {
      GK_ASSIGN_OR_RETURN(AttrValue v,
                          AttrFromProto(value, nullptr, find, budget));
      attrs->Set(name, std::move(v));
    }
    f.attrs = std::move(attrs);
  }
  return f;
}

AttrValue EmptyList(const AttrDef* def) {
  switch (def == nullptr ? AttrType::kInt : def->type) {
    case AttrType::kInt:
      return std::vector<int64_t>();
    case AttrType::kFloat:
      return std::vector<float>();
    case AttrType::kBool:
      return std::vector<bool>();
    case AttrType::kString:
      return std::vector<std::string>();
    case AttrType::kType:
      return std::vector<DataType>();
    case AttrType::kShape:
      return std::vector<PartialTensorShape>();
    case AttrType::kTensor:
      return std::vector<Tensor>();
    case AttrType::kFunc:
      return std::vector<FunctionAttr>();
  }
  return std::vector<int64_t>();
}

StatusOr<AttrValue> ListFromProto(const proto::AttrValue::ListValue& m,
                                  const AttrDef* def, const FindFunction& find,
                                  ImportBudget* budget) {
  const int kinds = !m.s.empty() + !m.i.empty() + !m.f.empty() + !m.b.empty() +
                    !m.type.empty() + !m.shape.empty() + !m.tensor.empty() +
                    !m.func.empty();
  if (kinds == 0) return EmptyList(def);
  if (kinds > 1) return InvalidArgument("a list of several kinds of values");
  if (!m.s.empty()) return AttrValue(m.s);
  if (!m.i.empty()) return AttrValue(m.i);
  if (!m.f.empty()) return AttrValue(m.f);
  if (!m.b.empty()) return AttrValue(m.b);
  if (!m.type.empty()) {
    std::vector<DataType> types;
    for (proto::DataType t : m.type) {
      GK_ASSIGN_OR_RETURN(DataType type, TypeFromProto(t));
      types.push_back(type);
    }
    return AttrValue(std::move(types));
  }
  if (!m.shape.empty()) {
    std::vector<PartialTensorShape> shapes;
    for (const auto& s : m.shape) {
      GK_ASSIGN_OR_RETURN(PartialTensorShape shape, ShapeFromProto(s));
      shapes.push_back(std::move(shape));
    }
    return AttrValue(std::move(shapes));
  }
  if (!m.tensor.empty()) {
    std::vector<Tensor> tensors;
    for (const auto& t : m.tensor) {
      GK_ASSIGN_OR_RETURN(Tensor tensor, TensorFromProto(t, budget));
      tensors.push_back(std::move(tensor));
    }
    return AttrValue(std::move(tensors));
  }
  std::vector<FunctionAttr> functions;
  for (const auto& f : m.func) {
    GK_ASSIGN_OR_RETURN(FunctionAttr function,
                        FunctionFromProto(f, find, budget));
    functions.push_back(std::move(function));
  }
  return AttrValue(std::move(functions));
}

}  // namespace

StatusOr<AttrValue> AttrFromProto(const proto::AttrValue& message,
                                  const AttrDef* def, const FindFunction& find,
                                  ImportBudget* budget) {
  switch (message.value_case) {
    case ValueCase::kList:
      return ListFromProto(*message.list, def, find, budget);
    case ValueCase::kS:
      return AttrValue(message.s);
    case ValueCase::kI:
      return AttrValue(message.i);
    case ValueCase::kF:
      return AttrValue(message.f);
    case ValueCase::kB:
      return AttrValue(message.b);
    case ValueCase::kType: {
      GK_ASSIGN_OR_RETURN(DataType type, TypeFromProto(message.type));
      return AttrValue(type);
    }
    case ValueCase::kShape: {
      GK_ASSIGN_OR_RETURN(PartialTensorShape s, ShapeFromProto(*message.shape));
      return AttrValue(std::move(s));
    }
    case ValueCase::kTensor: {
      GK_ASSIGN_OR_RETURN(Tensor t, TensorFromProto(*message.tensor, budget));
      return AttrValue(std::move(t));
    }
    case ValueCase::kFunc: {
      GK_ASSIGN_OR_RETURN(FunctionAttr f,
                          FunctionFromProto(*message.func, find, budget));
      return AttrValue(std::move(f));
    }
    case ValueCase::kPlaceholder:
      return InvalidArgument("a placeholder '{}' instead of a value",
                             message.placeholder);
    case ValueCase::kNone:
      break;
  }
  return InvalidArgument("no value");
}

bool IsZeroAttr(const proto::AttrValue& m) {
  switch (m.value_case) {
    case ValueCase::kNone:
      return true;
    case ValueCase::kS:
      return m.s.empty();
    case ValueCase::kI:
      return m.i == 0;
    case ValueCase::kF:
      return m.f == 0;
    case ValueCase::kB:
      return !m.b;
    case ValueCase::kList:
      return m.list->Serialize().empty();
    default:
      return false;
  }
}

void ForEachFunctionName(const proto::AttrValue& message,
                         const std::function<void(const std::string&)>& fn) {
  auto visit = [&](const proto::NameAttrList& f) {
    fn(f.name);
    for (const auto& [name, value] : f.attr) ForEachFunctionName(value, fn);
  };
  if (message.value_case == ValueCase::kFunc) visit(*message.func);
  if (message.value_case == ValueCase::kList) {
    for (const proto::NameAttrList& f : message.list->func) visit(f);
  }
}

}  // namespace gk
