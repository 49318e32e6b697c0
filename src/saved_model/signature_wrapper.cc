#include "saved_model/signature_wrapper.h"

#include <utility>
#include <vector>

#include "framework/graph.h"
#include "function/argument_names.h"
#include "graph/tensor_proto.h"
#include "saved_model/value_messages.h"

namespace gk {
namespace {

constexpr char kPredict[] = "tensorflow/serving/predict";

using Value = proto::StructuredValue;
using ValueKind = proto::StructuredValue::KindCase;

// The results by key, in the order in which the function gives them.
using NamedValues = std::vector<std::pair<std::string, Value>>;
StatusOr<NamedValues> NamedOutputs(const ExportedSignature& signature) {
  const Value& outputs = signature.trace.outputs;
  NamedValues named;
  const auto add = [&](const std::vector<Value>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      named.emplace_back(Format("output_{}", i), values[i]);
    }
  };
  switch (outputs.kind_case) {
    case ValueKind::kDictValue:
      for (const auto& [key, value] : outputs.dict_value->fields) {
        named.emplace_back(key, value);
      }
      break;
    case ValueKind::kListValue:
      add(outputs.list_value->values);
      break;
    case ValueKind::kTupleValue:
      add(outputs.tuple_value->values);
      break;
    case ValueKind::kNamedTupleValue:
      for (const proto::PairValue& pair : outputs.named_tuple_value->values) {
        named.emplace_back(pair.key, *pair.value);
      }
      break;
    default:
      add({outputs});
  }
  for (const auto& [key, value] : named) {
    if (value.kind_case == ValueKind::kTensorSpecValue ||
        value.kind_case == ValueKind::kTypeSpecValue) {
      continue;
    }
    return ValueError(
        "Got a non-Tensor value for key '{}' in the output of the function {} "
        "used to generate the SavedModel signature '{}'. Outputs for functions "
        "used as signatures must be a single Tensor, a sequence of Tensors, "
        "or a dictionary from string to Tensor.",
        key, signature.trace.function->name(), signature.name);
  }
  return named;
}

int NumTensors(const Value& value) {
  return value.kind_case == ValueKind::kTypeSpecValue
             ? value.type_spec_value->num_flat_components
             : 1;
}

proto::TensorInfo InfoOf(const Tensor& t) {
  proto::TensorInfo info;
  const Output o = Graph::OutputOf(t);
  info.set_name(Format("{}:{}", o.node->name(), o.index));
  info.dtype = static_cast<proto::DataType>(t.dtype());
  info.tensor_shape = ShapeToProto(t.partial_shape());
  return info;
}

}  // namespace

StatusOr<ExportedTrace> WrapSignature(const ExportedSignature& signature) {
  const ConcreteFunction& inner = *signature.trace.function;
  GK_ASSIGN_OR_RETURN(const NamedValues named, NamedOutputs(signature));
  const auto graph = MakeRef<FuncGraph>("signature_wrapper_" +
                                        PlainFunctionName(inner.name()));
  ExportedTrace wrapped;
  auto& by_name =
      wrapped.inputs.mutable_tuple_value().values;  // (args, kwargs)
  by_name.resize(2);
  by_name[0].mutable_tuple_value();
  auto& arguments = by_name[1].mutable_dict_value().fields;
  std::map<std::string, size_t> place_of;
  const std::vector<std::string> names = FlatNames(inner);
  TensorVector inputs, outputs;
  for (size_t i = 0; i < inner.arguments().size(); ++i) {
    const ArgumentSpec& spec = inner.arguments()[i];
    const std::string& name = names[i];
    if (spec.dtype == DataType::kResource) {
      return ValueError(
          "The SavedModel signature '{}' must take tensors; '{}' is a "
          "variable.",
          signature.name, name);
    }
    arguments[name] = TensorSpecMessage(name, spec.dtype, spec.shape);
    place_of[name] = i;
  }
  // By name, as mappings are flattened.
  inputs.resize(place_of.size());
  for (const auto& [name, i] : place_of) {
    const ArgumentSpec& spec = inner.arguments()[i];
    GK_ASSIGN_OR_RETURN(inputs[i], graph->inputs().AddArgument(
                                       name, spec.dtype, spec.shape, name));
  }
  const FuncGraph::Building building(graph.get());
  GK_RETURN_IF_ERROR(inner.Call(inputs, &outputs));
  // By key, as mappings are flattened: "output_10" is before "output_2".
  std::map<std::string, TensorVector> parts;
  auto& results = wrapped.outputs.mutable_dict_value().fields;
  size_t next = 0;
  for (const auto& [key, value] : named) {
    TensorVector& own = parts[key];
    for (int k = 0; k < NumTensors(value); ++k) {
      if (next == outputs.size()) {
        return Internal("{} gives fewer tensors than it says", inner.name());
      }
      own.push_back(outputs[next++]);
    }
    results[key] =
        value.kind_case == ValueKind::kTensorSpecValue
            ? TensorSpecMessage(key, own[0].dtype(), own[0].partial_shape())
            : value;
  }
  TensorVector sorted;
  for (const auto& [key, own] : parts) {
    sorted.insert(sorted.end(), own.begin(), own.end());
  }
  GK_ASSIGN_OR_RETURN(wrapped.function,
                      ConcreteFunction::FromFuncGraph(*graph, sorted));
  return wrapped;
}

proto::SignatureDef SignatureOf(const ExportedTrace& wrapped,
                                std::span<const Tensor> inputs,
                                std::span<const Tensor> outputs) {
  proto::SignatureDef def;
  def.method_name = kPredict;
  const std::vector<std::string> names = FlatNames(*wrapped.function);
  for (size_t i = 0; i < inputs.size(); ++i) {
    def.inputs[names[i]] = InfoOf(inputs[i]);
  }
  size_t next = 0;
  for (const auto& [key, value] : wrapped.outputs.dict_value->fields) {
    if (value.kind_case == ValueKind::kTensorSpecValue) {
      def.outputs[key] = InfoOf(outputs[next++]);
      continue;
    }
    auto& composite = def.outputs[key].mutable_composite_tensor();
    composite.type_spec = *value.type_spec_value;
    for (int k = 0; k < NumTensors(value); ++k) {
      composite.components.push_back(InfoOf(outputs[next++]));
    }
  }
  return def;
}

}  // namespace gk
