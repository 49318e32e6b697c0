#include "saved_model/element_spec_message.h"

#include <utility>

#include "graph/tensor_proto.h"
#include "io/files.h"
#include "io/path.h"
#include "saved_model/value_messages.h"

namespace gk {
namespace {

using Value = proto::StructuredValue;
using ValueKind = proto::StructuredValue::KindCase;
using SpecClass = proto::TypeSpecProto_TypeSpecClass;
using StructureKind = Structure::Kind;
using SpecKind = TypeSpec::Kind;

constexpr int kDeepestSpec = 100;

Value ShapeMessage(const PartialTensorShape& shape) {
  Value value;
  value.mutable_tensor_shape_value() = ShapeToProto(shape);
  return value;
}
Value TypeMessage(DataType dtype) {
  Value value;
  value.set_tensor_dtype_value(static_cast<proto::DataType>(dtype));
  return value;
}
Value IntegerMessage(int64_t number) {
  Value value;
  value.set_int64_value(number);
  return value;
}

// ---- Writing ----

class SpecWriter {
 public:
  explicit SpecWriter(const ElementSpec& spec) : spec_(spec) {}

  StatusOr<Value> Write(const Structure& at) {
    Value value;
    const auto child = [&](size_t i) { return Write(*at.children()[i]); };
    switch (at.kind()) {
      case StructureKind::kLeaf:
        return Leaf(spec_.leaves[next_++]);
      case StructureKind::kNone:
        return NoneMessage();
      case StructureKind::kList:
      case StructureKind::kTuple: {
        std::vector<Value>& parts = at.kind() == StructureKind::kList
                                        ? value.mutable_list_value().values
                                        : value.mutable_tuple_value().values;
        for (size_t i = 0; i < at.children().size(); ++i) {
          GK_ASSIGN_OR_RETURN(Value part, child(i));
          parts.push_back(std::move(part));
        }
        return value;
      }
      case StructureKind::kDict: {
        auto& fields = value.mutable_dict_value().fields;
        for (size_t i = 0; i < at.children().size(); ++i) {
          const std::string& key = at.keys()[i].bytes;
          if (!key.starts_with('s')) {
            return Unimplemented(
                "Elements of mappings are saved if keys are texts, not {}",
                at.keys()[i].text);
          }
          GK_ASSIGN_OR_RETURN(fields[key.substr(1)], child(i));
        }
        return value;
      }
      case StructureKind::kNamedTuple: {
        auto& named = value.mutable_named_tuple_value();
        named.name = at.name();
        for (size_t i = 0; i < at.children().size(); ++i) {
          proto::PairValue pair;
          pair.key = at.keys()[i].text;
          GK_ASSIGN_OR_RETURN(Value part, child(i));
          pair.value = std::move(part);
          named.values.push_back(std::move(pair));
        }
        return value;
      }
      default:
        return Unimplemented(
            "Elements of the class {} cannot be saved; map them to tuples or "
            "dictionaries",
            at.name());
    }
  }

 private:
  StatusOr<Value> Leaf(const TypeSpec& spec) {
    switch (spec.kind) {
      case SpecKind::kTensor:
        return TensorSpecMessage(spec.name, spec.dtype, spec.shape);
      case SpecKind::kRagged:
        if (spec.host) break;
        return Composite(
            SpecClass::RAGGED_TENSOR_SPEC, "RaggedTensorSpec",
            {ShapeMessage(spec.shape), TypeMessage(spec.dtype),
             IntegerMessage(spec.ragged_rank), TypeMessage(spec.splits)},
            spec.ragged_rank + 1);
      case SpecKind::kSparse:
        return Composite(SpecClass::SPARSE_TENSOR_SPEC, "SparseTensorSpec",
                         {ShapeMessage(spec.shape), TypeMessage(spec.dtype)},
                         3);
      case SpecKind::kNone:
        return NoneMessage();
      default:
        break;
    }
    return Unimplemented("Elements of {} cannot be saved", spec.Text());
  }
  static Value Composite(SpecClass spec_class, const char* name,
                         std::vector<Value> state, int components) {
    Value value;
    proto::TypeSpecProto& spec = value.mutable_type_spec_value();
    spec.type_spec_class = spec_class;
    spec.type_spec_class_name = name;
    spec.num_flat_components = components;
    Value all;
    all.mutable_tuple_value().values = std::move(state);
    spec.type_state = std::move(all);
    return value;
  }

  const ElementSpec& spec_;
  size_t next_ = 0;
};

// ---- Reading ----

StatusOr<DataType> ReadType(proto::DataType type) {
  const int number = static_cast<int>(type);
  if (DataTypeIsValid(number)) return static_cast<DataType>(number);
  return DataLoss("The spec of elements names the invalid type {}", number);
}

class SpecReader {
 public:
  StatusOr<StructureRef> Read(const Value& value, int depth) {
    if (depth > kDeepestSpec) {
      return DataLoss("The spec of elements is nested too deeply");
    }
    std::vector<StructureRef> children;
    const auto add = [&](const Value& part) -> Status {
      GK_ASSIGN_OR_RETURN(StructureRef child, Read(part, depth + 1));
      children.push_back(std::move(child));
      return OkStatus();
    };
    Structure::Facts facts;
    switch (value.kind_case) {
      case ValueKind::kTensorSpecValue: {
        const proto::TensorSpecProto& spec = *value.tensor_spec_value;
        GK_ASSIGN_OR_RETURN(PartialTensorShape shape,
                            ShapeFromProto(*spec.shape));
        GK_ASSIGN_OR_RETURN(const DataType type, ReadType(spec.dtype));
        return Leaf(TypeSpec::Tensor(type, std::move(shape), spec.name));
      }
      case ValueKind::kTypeSpecValue:
        return Composite(*value.type_spec_value);
      case ValueKind::kListValue:
        facts.kind = StructureKind::kList;
        for (const Value& part : value.list_value->values) {
          GK_RETURN_IF_ERROR(add(part));
        }
        break;
      case ValueKind::kTupleValue:
        facts.kind = StructureKind::kTuple;
        for (const Value& part : value.tuple_value->values) {
          GK_RETURN_IF_ERROR(add(part));
        }
        break;
      case ValueKind::kDictValue:
        facts.kind = StructureKind::kDict;
        for (const auto& [key, part] : value.dict_value->fields) {
          facts.keys.push_back({"s" + key, "'" + key + "'"});
          GK_RETURN_IF_ERROR(add(part));
        }
        break;
      case ValueKind::kNoneValue:
        return Leaf({SpecKind::kNone});
      case ValueKind::kNamedTupleValue:
        return Unimplemented(
            "The elements are of the class {}, a named tuple, which a file "
            "cannot make: give element_spec",
            value.named_tuple_value->name);
      default:
        return DataLoss("The spec of elements holds what is no spec");
    }
    return Structure::Of(std::move(facts), std::move(children));
  }
  std::vector<TypeSpec> TakeLeaves() { return std::move(leaves_); }

 private:
  StructureRef Leaf(TypeSpec spec) {
    leaves_.push_back(std::move(spec));
    return Structure::Leaf();
  }
  StatusOr<StructureRef> Composite(const proto::TypeSpecProto& spec) {
    const std::vector<Value>& state = spec.type_state->tuple_value->values;
    const bool ragged = spec.type_spec_class == SpecClass::RAGGED_TENSOR_SPEC;
    if (!ragged && spec.type_spec_class != SpecClass::SPARSE_TENSOR_SPEC) {
      return Unimplemented("Elements of {} cannot be read",
                           spec.type_spec_class_name);
    }
    if (state.size() < (ragged ? 4 : 2)) {
      return DataLoss("The spec of elements is damaged");
    }
    GK_ASSIGN_OR_RETURN(PartialTensorShape shape,
                        ShapeFromProto(*state[0].tensor_shape_value));
    GK_ASSIGN_OR_RETURN(const DataType type,
                        ReadType(state[1].tensor_dtype_value));
    if (!ragged) return Leaf(TypeSpec::Sparse(type, std::move(shape)));
    GK_ASSIGN_OR_RETURN(const DataType splits,
                        ReadType(state[3].tensor_dtype_value));
    const int64_t rank = state[2].int64_value;
    if ((splits != DataType::kInt32 && splits != DataType::kInt64) ||
        rank < 0 || (!shape.unknown_rank() && rank >= shape.rank())) {
      return DataLoss("The spec of elements is damaged");
    }
    return Leaf(TypeSpec::Ragged(type, std::move(shape), rank, splits));
  }

  std::vector<TypeSpec> leaves_;
};

std::string SpecFile(const std::string& folder) {
  return io::ChildPath(folder, "dataset_spec.pb");
}

}  // namespace

StatusOr<Value> MessageOfElements(const ElementSpec& spec) {
  return SpecWriter(spec).Write(*spec.structure);
}

StatusOr<ElementSpec> ElementsOfMessage(const Value& message) {
  SpecReader reader;
  GK_ASSIGN_OR_RETURN(StructureRef structure, reader.Read(message, 0));
  return ElementSpec{std::move(structure), reader.TakeLeaves()};
}

Status WriteElementSpec(const std::string& folder, const ElementSpec& spec) {
  GK_ASSIGN_OR_RETURN(const Value message, MessageOfElements(spec));
  GK_RETURN_IF_ERROR(io::MakeDirectories(folder));
  return io::WriteFile(SpecFile(folder), message.Serialize());
}

StatusOr<ElementSpec> ReadElementSpec(const std::string& folder) {
  GK_ASSIGN_OR_RETURN(const std::string bytes, io::ReadFile(SpecFile(folder)));
  Value message;
  if (!message.Parse(bytes).ok()) {
    return DataLoss("{} is no spec of elements", SpecFile(folder));
  }
  return ElementsOfMessage(message);
}

}  // namespace gk
