#include "command_line/model_facts.h"

#include <algorithm>
#include <map>

#include "checkpoint/object_graph.h"
#include "framework/op_registry.h"
#include "graph/tensor_proto.h"
#include "io/files.h"
#include "io/path.h"

namespace gk::command {
namespace {

std::string TypeText(proto::DataType type) {
  const int number = static_cast<int>(type);
  if (number == 0) return "-";  // of a node without results
  return DataTypeIsValid(number)
             ? std::string(DataTypeName(static_cast<DataType>(number)))
             : Format("type {}", number);
}

std::string PartialShapeText(const proto::TensorShapeProto& shape) {
  const StatusOr<PartialTensorShape> read = ShapeFromProto(shape);
  return read.ok() ? read->PythonString() : "<invalid>";
}

void AddTensor(const std::string& name, const proto::TensorInfo& info,
               std::vector<TensorFacts>* tensors) {
  using Encoding = proto::TensorInfo::EncodingCase;
  const auto add = [&](const std::string& of, const std::string& tensor) {
    tensors->push_back({of, TypeText(info.dtype),
                        PartialShapeText(*info.tensor_shape), tensor});
  };
  if (info.encoding_case == Encoding::kCompositeTensor) {
    const auto& components = info.composite_tensor->components;
    for (size_t i = 0; i < components.size(); ++i) {
      // Within one there are no others.
      const proto::TensorInfo& part = components[i];
      tensors->push_back({Format("{}.{}", name, i), TypeText(part.dtype),
                          PartialShapeText(*part.tensor_shape), part.name});
    }
  } else if (info.encoding_case == Encoding::kCooSparse) {
    add(name + ".values", info.coo_sparse->values_tensor_name);
    add(name + ".indices", info.coo_sparse->indices_tensor_name);
    add(name + ".dense_shape", info.coo_sparse->dense_shape_tensor_name);
  } else {
    add(name, info.name);
  }
}

void AddSignatures(const proto::MetaGraphDef& meta, ModelFacts* facts) {
  for (const auto& [name, signature] : meta.signature_def) {
    SignatureFacts own{name, signature.method_name, {}, {}};
    for (const auto& [input, info] : signature.inputs) {
      AddTensor(input, info, &own.inputs);
    }
    for (const auto& [output, info] : signature.outputs) {
      AddTensor(output, info, &own.outputs);
    }
    facts->signatures.push_back(std::move(own));
  }
}

void AddVariables(const BundleReader& values, ModelFacts* facts) {
  std::map<std::string, std::string> names;  // by key
  for (const auto& object : ObjectGraphOf(values).nodes) {
    for (const auto& attribute : object.attributes) {
      names[attribute.checkpoint_key] = attribute.full_name;
    }
  }
  for (const auto& [key, info] : values.tensors()) {
    if (key == kObjectGraphKey) continue;
    const auto named = names.find(key);
    const bool has_name = named != names.end() && !named->second.empty();
    int64_t bytes = info.size;
    for (const TensorSlice& slice : info.slices) {
      const auto part = values.parts().find(slice.Key(key));
      if (part != values.parts().end()) bytes += part->second.size;
    }
    facts->variables.push_back({has_name ? named->second : key, key,
                                std::string(DataTypeName(info.dtype)),
                                PartialTensorShape(info.shape).PythonString(),
                                info.shape.num_elements(), bytes});
    if (bytes == 0) {  // in the first format they stand in messages
      bytes = info.shape.num_elements() * DataTypeSize(info.dtype);
      facts->variables.back().bytes = bytes;
    }
    facts->variable_bytes += bytes;
  }
}

void AddGraph(const proto::GraphDef& graph, ModelFacts* facts) {
  std::map<std::string, int64_t> counts;
  for (const proto::NodeDef& node : graph.node) ++counts[node.op];
  facts->nodes += graph.node.size();
  for (const proto::FunctionDef& function : graph.library->function) {
    for (const proto::NodeDef& node : function.node_def) ++counts[node.op];
    facts->nodes += function.node_def.size();
    facts->functions.push_back(
        {function.signature->name,
         static_cast<int>(function.signature->input_arg.size()),
         static_cast<int>(function.signature->output_arg.size()),
         static_cast<int>(function.node_def.size())});
  }
  // Nodes may call a function by its name.
  for (const FunctionFacts& function : facts->functions) {
    counts.erase(function.name);
  }
  for (const auto& [name, count] : counts) {
    facts->ops.push_back(
        {name, count, OpRegistry::Get().Find(name) != nullptr});
  }
  std::ranges::stable_sort(facts->ops, std::greater(), &OpFacts::count);
}

void AddAssets(const ModelFiles& model, ModelFacts* facts) {
  for (const proto::AssetFileDef& asset : model.meta.asset_file_def) {
    AssetFacts own{asset.filename, asset.tensor_info->name, -1};
    const std::string folder = io::ChildPath(model.path, kAssetsFolder);
    const auto stat = io::Stat(io::ChildPath(folder, asset.filename));
    if (stat.ok()) {
      own.bytes = stat->length;
      facts->asset_bytes += stat->length;
    }
    facts->assets.push_back(std::move(own));
  }
}

// ---- as text ----

void AddTensorRows(std::string_view way,
                   const std::vector<TensorFacts>& tensors, TextTable* table) {
  for (const TensorFacts& t : tensors) {
    table->Add(
        {std::string(way), Shown(t.name), t.dtype, t.shape, Shown(t.tensor)});
  }
}

std::string SignaturesText(const ModelFacts& facts) {
  std::string text;
  for (const SignatureFacts& signature : facts.signatures) {
    text += Format("\nSignature {}", Shown(signature.name));
    if (!signature.method.empty()) {
      text += Format("  ({})", Shown(signature.method));
    }
    text += "\n";
    TextTable table("  ", "lllll");
    AddTensorRows("in", signature.inputs, &table);
    AddTensorRows("out", signature.outputs, &table);
    text += table.Text();
  }
  return text;
}

std::string VariablesText(const ModelFacts& facts) {
  if (facts.variables.empty()) return "";
  int64_t elements = 0;
  TextTable table("  ", "lllrl");
  for (const VariableFacts& v : facts.variables) {
    table.Add({Shown(v.name), v.dtype, v.shape, SizeText(v.bytes),
               v.key == v.name ? "" : Shown(v.key)});
    elements += v.elements;
  }
  return Format("\n{}, {}, {}\n", CountText(facts.variables.size(), "variable"),
                CountText(elements, "element"),
                SizeText(facts.variable_bytes)) +
         table.Text();
}

std::string FunctionsText(const ModelFacts& facts) {
  if (facts.functions.empty()) return "";
  TextTable table("  ", "lrrr");
  table.Add({"", "arguments", "results", "nodes"});
  for (const FunctionFacts& f : facts.functions) {
    table.Add({Shown(f.name), std::to_string(f.arguments),
               std::to_string(f.results), std::to_string(f.nodes)});
  }
  return Format("\n{}\n", CountText(facts.functions.size(), "function")) +
         table.Text();
}

std::string AssetsText(const ModelFacts& facts) {
  if (facts.assets.empty()) return "";
  TextTable table("  ", "lr");
  for (const AssetFacts& a : facts.assets) {
    table.Add({Shown(a.file), a.bytes < 0 ? "missing" : SizeText(a.bytes)});
  }
  return Format("\n{}\n", CountText(facts.assets.size(), "asset")) +
         table.Text();
}

std::string OpsText(const ModelFacts& facts) {
  if (facts.ops.empty()) return "";
  TextTable table("  ", "rll");
  int64_t unknown = 0;
  for (const OpFacts& op : facts.ops) {
    unknown += !op.known;
    table.Add({std::to_string(op.count), Shown(op.name),
               op.known ? "" : "unknown here"});
  }
  return Format("\n{} in {}{}\n",
                CountText(facts.ops.size(), "kind") + " of op",
                CountText(facts.nodes, "node"),
                unknown == 0 ? std::string()
                             : Format(", {} unknown here", unknown)) +
         table.Text();
}

// ---- as JSON ----

Json TensorsJson(const std::vector<TensorFacts>& tensors) {
  Json::List list;
  for (const TensorFacts& t : tensors) {
    list.push_back(Json::Members{{"name", t.name},
                                 {"dtype", t.dtype},
                                 {"shape", t.shape},
                                 {"tensor", t.tensor}});
  }
  return list;
}

}  // namespace

ModelFacts FactsOf(const ModelFiles& model) {
  ModelFacts facts;
  facts.path = model.path;
  facts.kind = KindName(model.kind);
  facts.writer = model.meta.meta_info_def->tensorflow_version;
  facts.tags = model.meta.meta_info_def->tags;
  AddSignatures(model.meta, &facts);
  if (model.values != nullptr) AddVariables(*model.values, &facts);
  AddGraph(*model.meta.graph_def, &facts);
  AddAssets(model, &facts);
  if (model.kind != ModelKind::kCheckpoint) {
    const std::string file = model.kind == ModelKind::kSavedModel
                                 ? MustRead(FindSavedModelFile(model.path))
                                 : model.path;
    facts.graph_bytes = MustRead(io::Stat(file)).length;
  }
  return facts;
}

std::string FactsText(const ModelFacts& facts) {
  std::string text = Format("{} {}\n", facts.kind, facts.path);
  TextTable head("  ", "ll");
  if (!facts.writer.empty()) {
    head.Add({"written for", "TensorFlow " + Shown(facts.writer)});
  }
  if (!facts.tags.empty()) {
    head.Add({"tags", Shown(JoinText(facts.tags, ", "))});
  }
  const int64_t all =
      facts.graph_bytes + facts.variable_bytes + facts.asset_bytes;
  head.Add({"size",
            Format("{} (graph {}, variables {}, assets {})", SizeText(all),
                   SizeText(facts.graph_bytes), SizeText(facts.variable_bytes),
                   SizeText(facts.asset_bytes))});
  return text + head.Text() + SignaturesText(facts) + VariablesText(facts) +
         FunctionsText(facts) + AssetsText(facts) + OpsText(facts);
}

Json FactsJson(const ModelFacts& facts) {
  Json::List tags, signatures, variables, functions, assets, ops;
  for (const std::string& tag : facts.tags) tags.push_back(tag);
  for (const SignatureFacts& s : facts.signatures) {
    signatures.push_back(Json::Members{{"name", s.name},
                                       {"method", s.method},
                                       {"inputs", TensorsJson(s.inputs)},
                                       {"outputs", TensorsJson(s.outputs)}});
  }
  for (const VariableFacts& v : facts.variables) {
    variables.push_back(Json::Members{{"name", v.name},
                                      {"key", v.key},
                                      {"dtype", v.dtype},
                                      {"shape", v.shape},
                                      {"bytes", v.bytes}});
  }
  for (const FunctionFacts& f : facts.functions) {
    functions.push_back(Json::Members{{"name", f.name},
                                      {"arguments", f.arguments},
                                      {"results", f.results},
                                      {"nodes", f.nodes}});
  }
  for (const AssetFacts& a : facts.assets) {
    assets.push_back(
        Json::Members{{"file", a.file},
                      {"tensor", a.tensor},
                      {"bytes", a.bytes < 0 ? Json() : Json(a.bytes)}});
  }
  for (const OpFacts& op : facts.ops) {
    ops.push_back(Json::Members{
        {"name", op.name}, {"count", op.count}, {"known", op.known}});
  }
  return Json::Members{{"path", facts.path},
                       {"kind", facts.kind},
                       {"tensorflow_version", facts.writer},
                       {"tags", tags},
                       {"graph_bytes", facts.graph_bytes},
                       {"variable_bytes", facts.variable_bytes},
                       {"asset_bytes", facts.asset_bytes},
                       {"signatures", signatures},
                       {"variables", variables},
                       {"functions", functions},
                       {"assets", assets},
                       {"ops", ops}};
}

}  // namespace gk::command
