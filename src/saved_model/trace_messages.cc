#include "saved_model/trace_messages.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "graph/tensor_proto.h"
#include "saved_model/value_messages.h"

namespace gk {
namespace {

using Value = proto::StructuredValue;
using SpecClass = proto::TypeSpecProto_TypeSpecClass;
using TypeKind = TraceType::Kind;
using StructureKind = Structure::Kind;

Value ShapeValue(const PartialTensorShape& shape) {
  Value v;
  v.mutable_tensor_shape_value() = ShapeToProto(shape);
  return v;
}
Value DtypeValue(DataType dtype) {
  Value v;
  v.set_tensor_dtype_value(static_cast<proto::DataType>(dtype));
  return v;
}
Value TypeSpecValue(SpecClass cls, const char* name, std::vector<Value> state,
                    int components) {
  Value v;
  proto::TypeSpecProto& spec = v.mutable_type_spec_value();
  spec.type_spec_class = cls;
  spec.type_spec_class_name = name;
  spec.type_state.mut().mutable_tuple_value().values = std::move(state);
  spec.num_flat_components = components;
  return v;
}

// A tensor of a composite.
struct Part {
  DataType dtype;
  PartialTensorShape shape;
};

// None unless the parts are those of such a composite.
Value RaggedSpec(const Part& flat, const std::vector<Part>& splits) {
  PartialTensorShape shape;
  if (flat.shape.rank() >= 1) {
    std::vector<int64_t> dims(1 + splits.size(), -1);
    const PartialTensorShape& outer = splits[0].shape;
    if (outer.rank() == 1 && outer.dims()[0] > 0) dims[0] = outer.dims()[0] - 1;
    dims.insert(dims.end(), flat.shape.dims().begin() + 1,
                flat.shape.dims().end());
    shape = PartialTensorShape(std::span<const int64_t>(dims));
  }
  Value rank;
  rank.set_int64_value(static_cast<int64_t>(splits.size()));
  return TypeSpecValue(SpecClass::RAGGED_TENSOR_SPEC, "RaggedTensorSpec",
                       {ShapeValue(shape), DtypeValue(flat.dtype), rank,
                        DtypeValue(splits[0].dtype)},
                       static_cast<int>(1 + splits.size()));
}
Value SparseSpec(const Part& values, const Part& dense_shape) {
  PartialTensorShape shape;
  const PartialTensorShape& length = dense_shape.shape;
  if (length.rank() == 1 && length.dims()[0] >= 0) {
    const std::vector<int64_t> dims(length.dims()[0], -1);
    shape = PartialTensorShape(std::span<const int64_t>(dims));
  }
  return TypeSpecValue(SpecClass::SPARSE_TENSOR_SPEC, "SparseTensorSpec",
                       {ShapeValue(shape), DtypeValue(values.dtype)}, 3);
}

// A container of parts with names: of a struct without any, a tuple.
Value RecordValue(const std::string& name, const std::vector<std::string>& keys,
                  std::vector<Value> parts) {
  Value v;
  if (name.empty()) {
    v.mutable_tuple_value().values = std::move(parts);
    return v;
  }
  proto::NamedTupleValue& record = v.mutable_named_tuple_value();
  const size_t colon = name.rfind(':');
  record.name = colon == name.npos ? name : name.substr(colon + 1);
  for (size_t i = 0; i < parts.size(); ++i) {
    proto::PairValue& pair = record.values.emplace_back();
    pair.key = keys[i];
    pair.value = std::move(parts[i]);
  }
  return v;
}

class ArgumentWriter {
 public:
  explicit ArgumentWriter(const ConcreteFunction& function)
      : function_(function) {}

  StatusOr<Value> Write(const std::string& parameter, const TraceType& type) {
    switch (type.kind()) {
      case TypeKind::kTensor: {
        GK_ASSIGN_OR_RETURN(const ArgumentSpec* next, Next());
        return TensorSpecMessage(next->name, type.dtype(), type.shape());
      }
      case TypeKind::kVariable: {
        if (aliases_.insert(type.alias()).second) {
          GK_RETURN_IF_ERROR(Next().status());
        }
        Value trainable, alias;
        trainable.set_bool_value(type.trainable());
        alias.set_int64_value(type.alias());
        return TypeSpecValue(SpecClass::VARIABLE_SPEC, "VariableSpec",
                             {ShapeValue(type.shape()),
                              DtypeValue(type.dtype()), trainable, alias},
                             1);
      }
      case TypeKind::kLiteral:
        return Literal(parameter, type);
      case TypeKind::kList:
      case TypeKind::kTuple: {
        GK_ASSIGN_OR_RETURN(std::vector<Value> parts, Parts(parameter, type));
        Value v;
        if (type.kind() == TypeKind::kList) {
          v.mutable_list_value().values = std::move(parts);
        } else {
          v.mutable_tuple_value().values = std::move(parts);
        }
        return v;
      }
      case TypeKind::kNamedTuple:
      case TypeKind::kAttrs:
        return Record(parameter, type);
      case TypeKind::kDict: {
        Value v;
        auto& fields = v.mutable_dict_value().fields;
        for (const size_t i : type.FlatteningOrder()) {
          const std::string& key = type.keys()[i];
          if (!key.starts_with('s')) return Lasts(parameter, type);
          GK_ASSIGN_OR_RETURN(fields[key.substr(1)],
                              Write(parameter, *type.children()[i]));
        }
        return v;
      }
      default:
        return Lasts(parameter, type);
    }
  }

 private:
  StatusOr<const ArgumentSpec*> Next() {
    if (next_ == function_.arguments().size()) {
      return Internal("{} takes fewer tensors than its type", function_.name());
    }
    return &function_.arguments()[next_++];
  }
  Status Lasts(const std::string& parameter, const TraceType& type) const {
    return TypeError(
        "{} cannot be saved: its argument '{}' is {}, which has no lasting "
        "form. Functions that are saved take tensors, composites of them, "
        "numbers, texts, and containers of these.",
        function_.name(), parameter, type.Text());
  }
  StatusOr<Value> Literal(const std::string& parameter, const TraceType& type) {
    const std::string& key = type.key();
    Value v;
    if (key.starts_with('s')) {
      v.set_string_value(key.substr(1));
      return v;
    }
    if (key.size() == 2 && key[0] == 'b') {
      v.set_bool_value(key[1] != 0);
      return v;
    }
    if (key.size() != 1 + sizeof(int64_t)) return Lasts(parameter, type);
    int64_t whole = 0;
    double real = 0;
    std::memcpy(&whole, key.data() + 1, sizeof whole);
    std::memcpy(&real, key.data() + 1, sizeof real);
    switch (key[0]) {
      case 'i':
      case 'u':
      case 'e':
        v.set_int64_value(whole);
        return v;
      case 'f':
      case 'd':
        v.set_float64_value(real);
        return v;
      default:
        return Lasts(parameter, type);
    }
  }
  StatusOr<std::vector<Value>> Parts(const std::string& parameter,
                                     const TraceType& type) {
    std::vector<Value> parts;
    for (const TraceTypeRef& child : type.children()) {
      GK_ASSIGN_OR_RETURN(Value part, Write(parameter, *child));
      parts.push_back(std::move(part));
    }
    return parts;
  }
  StatusOr<Value> Record(const std::string& parameter, const TraceType& type) {
    const auto& parts = type.children();
    const auto part = [](const TraceType& t) {
      return Part{t.dtype(), t.shape()};
    };
    const auto is_tensor = [](const TraceTypeRef& t) {
      return t->kind() == TypeKind::kTensor;
    };
    if (type.name() == "SparseTensor" && parts.size() == 3 &&
        std::ranges::all_of(parts, is_tensor)) {
      for (int i = 0; i < 3; ++i) GK_RETURN_IF_ERROR(Next().status());
      return SparseSpec(part(*parts[1]), part(*parts[2]));
    }
    if (type.name() == "RaggedTensor" && parts.size() == 3 &&
        is_tensor(parts[0]) && !parts[1]->children().empty() &&
        std::ranges::all_of(parts[1]->children(), is_tensor) &&
        std::ranges::all_of(parts[2]->children(), [](const TraceTypeRef& t) {
          return t->children().empty() && !t->is_number();
        })) {
      std::vector<Part> splits;
      GK_RETURN_IF_ERROR(Next().status());
      for (const TraceTypeRef& split : parts[1]->children()) {
        GK_RETURN_IF_ERROR(Next().status());
        splits.push_back(part(*split));
      }
      return RaggedSpec(part(*parts[0]), splits);
    }
    GK_ASSIGN_OR_RETURN(std::vector<Value> values, Parts(parameter, type));
    return RecordValue(type.name(), type.keys(), std::move(values));
  }

  const ConcreteFunction& function_;
  size_t next_ = 0;
  std::set<int> aliases_;
};

class ResultWriter {
 public:
  explicit ResultWriter(const ConcreteFunction& function)
      : function_(function) {}

  StatusOr<Value> Write(const Structure& output) {
    const auto& children = output.children();
    switch (output.kind()) {
      case StructureKind::kNone:
        return NoneMessage();
      case StructureKind::kLeaf: {
        const auto& results = function_.function()->results();
        if (next_ == results.size()) {
          return Internal("{} gives fewer tensors than it says",
                          function_.name());
        }
        const Part part = PartAt(next_++);
        return TensorSpecMessage("", part.dtype, part.shape);
      }
      case StructureKind::kAttrs:
      case StructureKind::kNamedTuple: {
        const size_t first = next_;
        std::vector<Value> parts;
        GK_RETURN_IF_ERROR(WriteParts(output, &parts));
        if (output.name() == "SparseTensor" && next_ == first + 3) {
          return SparseSpec(PartAt(first + 1), PartAt(first + 2));
        }
        if (output.name() == "RaggedTensor" && children.size() == 3 &&
            children[1]->num_leaves() > 0 && children[2]->num_leaves() == 0) {
          std::vector<Part> splits;
          for (size_t i = first + 1; i < next_; ++i) {
            splits.push_back(PartAt(i));
          }
          return RaggedSpec(PartAt(first), splits);
        }
        std::vector<std::string> keys;
        for (const Structure::Key& key : output.keys()) {
          keys.push_back(key.text);
        }
        return RecordValue(output.name(), keys, std::move(parts));
      }
      case StructureKind::kDict: {
        Value v;
        auto& fields = v.mutable_dict_value().fields;
        for (size_t i = 0; i < children.size(); ++i) {
          GK_ASSIGN_OR_RETURN(Value part, Write(*children[i]));
          fields[output.ChildName(i)] = std::move(part);
        }
        return v;
      }
      case StructureKind::kList:
      case StructureKind::kTuple:
      case StructureKind::kSequence: {
        Value v;
        GK_RETURN_IF_ERROR(
            WriteParts(output, output.kind() == StructureKind::kTuple
                                   ? &v.mutable_tuple_value().values
                                   : &v.mutable_list_value().values));
        return v;
      }
      default:
        return TypeError(
            "{} cannot be saved: it gives {}, which has no lasting form.",
            function_.name(), output.Text());
    }
  }

 private:
  Part PartAt(size_t i) const {
    const Output& r = function_.function()->results()[i];
    const Node::OutputInfo& info = r.node->output(r.index);
    return {info.dtype, info.shape};
  }
  Status WriteParts(const Structure& output, std::vector<Value>* parts) {
    for (const StructureRef& child : output.children()) {
      GK_ASSIGN_OR_RETURN(Value part, Write(*child));
      parts->push_back(std::move(part));
    }
    return OkStatus();
  }

  const ConcreteFunction& function_;
  size_t next_ = 0;
};

}  // namespace

StatusOr<Value> MessageOfArguments(const ConcreteFunction& function,
                                   const FunctionType& type) {
  ArgumentWriter writer(function);
  Value message;
  auto& both = message.mutable_tuple_value().values;
  both.resize(2);
  auto& by_position = both[0].mutable_tuple_value().values;
  auto& by_name = both[1].mutable_dict_value().fields;
  for (const FunctionParameter& p : type.parameters()) {
    if (p.type == nullptr) {
      return TypeError("{} cannot be saved: its argument '{}' has no type",
                       function.name(), p.name);
    }
    GK_ASSIGN_OR_RETURN(Value value, writer.Write(p.name, *p.type));
    if (p.kind == ParameterKind::kKeywordOnly) {
      by_name[p.name] = std::move(value);
    } else {
      by_position.push_back(std::move(value));
    }
  }
  return message;
}

StatusOr<Value> MessageOfResults(const ConcreteFunction& function,
                                 const Structure& output) {
  return ResultWriter(function).Write(output);
}

proto::FunctionSpec SpecOfParameters(const std::vector<std::string>& names) {
  proto::FunctionSpec spec;
  Value& whole = spec.fullargspec.mut();
  proto::NamedTupleValue& fields = whole.mutable_named_tuple_value();
  fields.name = "FullArgSpec";
  const auto add = [&](const char* key, Value value) {
    proto::PairValue& pair = fields.values.emplace_back();
    pair.key = key;
    pair.value = std::move(value);
  };
  Value args, none_only, annotations;
  args.mutable_list_value();
  for (const std::string& name : names) {
    args.mutable_list_value().values.emplace_back().set_string_value(name);
  }
  none_only.mutable_list_value();
  annotations.mutable_dict_value();
  add("args", std::move(args));
  add("varargs", NoneMessage());
  add("varkw", NoneMessage());
  add("defaults", NoneMessage());
  add("kwonlyargs", std::move(none_only));
  add("kwonlydefaults", NoneMessage());
  add("annotations", std::move(annotations));
  spec.input_signature = NoneMessage();
  return spec;
}

}  // namespace gk
