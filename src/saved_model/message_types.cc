#include "saved_model/message_types.h"

#include <set>
#include <utility>

#include "graph/tensor_proto.h"

namespace gk {
namespace {

using Value = proto::StructuredValue;
using ValueKind = proto::StructuredValue::KindCase;
using SpecClass = proto::TypeSpecProto_TypeSpecClass;
using TypeKind = TraceType::Kind;
using StructureKind = Structure::Kind;

constexpr int kMaxDepth = 100;

Status TooDeep() { return DataLoss("A structure is nested too deeply"); }

const std::vector<Value>& PartsOf(const Value& value) {
  return value.tuple_value.has() ? value.tuple_value->values
                                 : value.list_value->values;
}

class TypeReader {
 public:
  explicit TypeReader(const std::vector<ArgumentSpec>& arguments)
      : arguments_(arguments) {}
  bool AtEnd() const { return next_ == arguments_.size(); }

  StatusOr<TraceTypeRef> Read(const Value& value, int depth) {
    if (depth > kMaxDepth) return TooDeep();
    switch (value.kind_case) {
      case ValueKind::kTensorSpecValue:
      case ValueKind::kBoundedTensorSpecValue:
        return NextTensor();
      case ValueKind::kTypeSpecValue:
        return Composite(*value.type_spec_value);
      case ValueKind::kListValue:
      case ValueKind::kTupleValue: {
        std::vector<TraceTypeRef> parts;
        for (const Value& part : PartsOf(value)) {
          GK_RETURN_IF_ERROR(Add(part, depth, &parts));
        }
        const bool list = value.kind_case == ValueKind::kListValue;
        return TraceType::Sequence(list ? TypeKind::kList : TypeKind::kTuple,
                                   std::move(parts));
      }
      case ValueKind::kDictValue: {
        std::vector<std::string> keys, texts;
        std::vector<TraceTypeRef> parts;
        for (const auto& [key, part] : value.dict_value->fields) {
          keys.push_back("s" + key);
          texts.push_back("'" + key + "'");
          GK_RETURN_IF_ERROR(Add(part, depth, &parts));
        }
        return TraceType::Dict(std::move(keys), std::move(texts), 0,
                               std::move(parts), nullptr);
      }
      case ValueKind::kNamedTupleValue: {
        std::vector<std::string> keys;
        std::vector<TraceTypeRef> parts;
        for (const proto::PairValue& pair : value.named_tuple_value->values) {
          keys.push_back(pair.key);
          GK_RETURN_IF_ERROR(Add(*pair.value, depth, &parts));
        }
        return TraceType::Record(TypeKind::kAttrs,
                                 value.named_tuple_value->name, 0,
                                 std::move(keys), std::move(parts), nullptr);
      }
      default:
        return TypeOfPlainValue(value);
    }
  }

 private:
  Status Add(const Value& part, int depth, std::vector<TraceTypeRef>* parts) {
    GK_ASSIGN_OR_RETURN(TraceTypeRef type, Read(part, depth + 1));
    parts->push_back(std::move(type));
    return OkStatus();
  }
  StatusOr<const ArgumentSpec*> Next() {
    if (AtEnd()) return DataLoss("It takes fewer tensors than the file says");
    return &arguments_[next_++];
  }
  StatusOr<TraceTypeRef> NextTensor() {
    GK_ASSIGN_OR_RETURN(const ArgumentSpec* a, Next());
    return TraceType::Tensor(a->dtype, a->shape);
  }
  StatusOr<TraceTypeRef> Composite(const proto::TypeSpecProto& spec) {
    if (spec.type_spec_class == SpecClass::VARIABLE_SPEC) {
      return Variable(PartsOf(*spec.type_state));
    }
    std::vector<std::string> keys;
    std::vector<TraceTypeRef> parts;
    for (int i = 0; i < spec.num_flat_components; ++i) {
      keys.push_back(Format("{}", i));
      GK_ASSIGN_OR_RETURN(TraceTypeRef part, NextTensor());
      parts.push_back(std::move(part));
    }
    return TraceType::Record(TypeKind::kAttrs, spec.type_spec_class_name, 0,
                             std::move(keys), std::move(parts), nullptr);
  }
  // State: shape, type, is it trainable, its number among those of the call.
  StatusOr<TraceTypeRef> Variable(const std::vector<Value>& state) {
    if (state.size() < 2) return DataLoss("A variable's spec is damaged");
    GK_ASSIGN_OR_RETURN(const PartialTensorShape shape,
                        ShapeFromProto(*state[0].tensor_shape_value));
    const int number = static_cast<int>(state[1].tensor_dtype_value);
    if (!DataTypeIsValid(number)) {
      return DataLoss("A variable has the invalid type {}", number);
    }
    const bool trainable = state.size() > 2 && state[2].bool_value;
    const bool has_alias =
        state.size() > 3 && state[3].kind_case == ValueKind::kInt64Value;
    // Those without a number are all different.
    const int alias = has_alias ? static_cast<int>(state[3].int64_value)
                                : -1 - static_cast<int>(next_);
    if (aliases_.insert(alias).second) GK_RETURN_IF_ERROR(Next().status());
    return TraceType::Variable(static_cast<DataType>(number), shape, trainable,
                               alias);
  }

  const std::vector<ArgumentSpec>& arguments_;
  size_t next_ = 0;
  std::set<int> aliases_;
};

class StructureReader {
 public:
  explicit StructureReader(int num_results) : left_(num_results) {}
  bool AtEnd() const { return left_ == 0; }

  StatusOr<StructureRef> Read(const Value& value, int depth) {
    if (depth > kMaxDepth) return TooDeep();
    std::vector<StructureRef> children;
    const auto add = [&](const Value& part) -> Status {
      GK_ASSIGN_OR_RETURN(StructureRef child, Read(part, depth + 1));
      children.push_back(std::move(child));
      return OkStatus();
    };
    Structure::Facts facts;
    switch (value.kind_case) {
      case ValueKind::kTensorSpecValue:
      case ValueKind::kBoundedTensorSpecValue:
        return Leaf();
      case ValueKind::kTypeSpecValue: {
        facts.kind = StructureKind::kAttrs;
        facts.name = value.type_spec_value->type_spec_class_name;
        const int n = value.type_spec_value->num_flat_components;
        for (int i = 0; i < n; ++i) {
          facts.keys.push_back({Format("s{}", i), Format("{}", i)});
          GK_ASSIGN_OR_RETURN(StructureRef leaf, Leaf());
          children.push_back(std::move(leaf));
        }
        break;
      }
      case ValueKind::kListValue:
      case ValueKind::kTupleValue: {
        for (const Value& part : PartsOf(value)) GK_RETURN_IF_ERROR(add(part));
        const bool list = value.kind_case == ValueKind::kListValue;
        facts.kind = list ? StructureKind::kList : StructureKind::kTuple;
        break;
      }
      case ValueKind::kDictValue:
        facts.kind = StructureKind::kDict;
        for (const auto& [key, part] : value.dict_value->fields) {
          facts.keys.push_back({"s" + key, "'" + key + "'"});
          GK_RETURN_IF_ERROR(add(part));
        }
        break;
      case ValueKind::kNamedTupleValue:
        facts.kind = StructureKind::kAttrs;
        facts.name = value.named_tuple_value->name;
        for (const proto::PairValue& pair : value.named_tuple_value->values) {
          facts.keys.push_back({"s" + pair.key, pair.key});
          GK_RETURN_IF_ERROR(add(*pair.value));
        }
        break;
      default:
        return Structure::None();
    }
    return Structure::Of(std::move(facts), std::move(children));
  }

 private:
  StatusOr<StructureRef> Leaf() {
    if (left_ == 0)
      return DataLoss("It gives fewer tensors than the file says");
    --left_;
    return Structure::Leaf();
  }

  int left_;
};

}  // namespace

bool IsNone(const Value& message) {
  return message.kind_case == ValueKind::kNone ||
         message.kind_case == ValueKind::kNoneValue;
}

TraceTypeRef TypeOfPlainValue(const Value& value) {
  const auto number = [](char kind, const auto& v, std::string text) {
    return TraceType::Literal(
        kind + std::string(reinterpret_cast<const char*>(&v), sizeof v),
        std::move(text), nullptr);
  };
  switch (value.kind_case) {
    case ValueKind::kBoolValue:
      return number('b', value.bool_value, value.bool_value ? "True" : "False");
    case ValueKind::kInt64Value:
      return number('i', value.int64_value, Format("{}", value.int64_value));
    case ValueKind::kFloat64Value:
      return number('d', value.float64_value,
                    Format("{}", value.float64_value));
    case ValueKind::kStringValue:
      return TraceType::Literal("s" + value.string_value,
                                "'" + value.string_value + "'", nullptr);
    default:
      return TraceType::Literal("N", "None", nullptr);
  }
}

StatusOr<Ref<FunctionType>> TypeOfMessage(
    const std::vector<ArgumentSpec>& arguments, const Value& message,
    const std::vector<std::string>& names) {
  std::vector<FunctionParameter> parameters;
  if (IsNone(message)) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      const ArgumentSpec& a = arguments[i];
      parameters.push_back({i < names.size() ? names[i] : a.name,
                            ParameterKind::kPositionalOrKeyword, false,
                            TraceType::Tensor(a.dtype, a.shape)});
    }
    return MakeRef<FunctionType>(std::move(parameters));
  }
  TypeReader reader(arguments);
  const std::vector<Value>& both = message.tuple_value->values;
  if (both.size() != 2) return DataLoss("It has no signature in the file");
  const std::vector<Value>& by_position = PartsOf(both[0]);
  for (size_t i = 0; i < by_position.size(); ++i) {
    GK_ASSIGN_OR_RETURN(TraceTypeRef type, reader.Read(by_position[i], 0));
    parameters.push_back({i < names.size() ? names[i] : Format("args_{}", i),
                          ParameterKind::kPositionalOrKeyword, false,
                          std::move(type)});
  }
  for (const auto& [name, value] : both[1].dict_value->fields) {
    GK_ASSIGN_OR_RETURN(TraceTypeRef type, reader.Read(value, 0));
    parameters.push_back(
        {name, ParameterKind::kKeywordOnly, false, std::move(type)});
  }
  if (!reader.AtEnd()) {
    return DataLoss("It takes more tensors than the file says");
  }
  return MakeRef<FunctionType>(std::move(parameters));
}

StatusOr<StructureRef> StructureOfMessage(const Value& message,
                                          int num_results) {
  StructureReader reader(num_results);
  GK_ASSIGN_OR_RETURN(StructureRef made, reader.Read(message, 0));
  if (reader.AtEnd()) return made;
  return DataLoss("It gives more tensors than the file says");
}

SavedParameters ParametersOf(const proto::FunctionSpec& spec) {
  SavedParameters made;
  for (const auto& pair : spec.fullargspec->named_tuple_value->values) {
    if (pair.key == "args") {
      for (const Value& name : PartsOf(*pair.value)) {
        made.names.push_back(name.string_value);
      }
    } else if (pair.key == "defaults") {
      made.defaults = PartsOf(*pair.value);
    } else if (pair.key == "kwonlyargs") {
      for (const Value& name : PartsOf(*pair.value)) {
        made.keyword_names.push_back(name.string_value);
      }
    } else if (pair.key == "kwonlydefaults") {
      made.keyword_defaults = pair.value->dict_value->fields;
    } else if (pair.key == "varargs") {
      made.varargs = pair.value->string_value;
    } else if (pair.key == "varkw") {
      made.varkw = pair.value->string_value;
    }
  }
  if (spec.is_method && !made.names.empty() && made.names[0] == "self") {
    made.names.erase(made.names.begin());
  }
  if (made.defaults.size() > made.names.size()) made.defaults.clear();
  return made;
}

const Value* SavedParameters::DefaultOf(const std::string& name,
                                        int position) const {
  const auto named = keyword_defaults.find(name);
  if (named != keyword_defaults.end()) return &named->second;
  const int first = static_cast<int>(names.size() - defaults.size());
  const int n = static_cast<int>(names.size());
  return position >= first && position < n ? &defaults[position - first]
                                           : nullptr;
}

}  // namespace gk
