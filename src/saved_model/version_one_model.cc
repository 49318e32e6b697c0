#include "saved_model/version_one_model.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "framework/op_registry.h"
#include "framework/variable.h"
#include "function/graph_part.h"
#include "graph/edge_name.h"
#include "graph/import_graph_def.h"
#include "graph/tensor_proto.h"
#include "io/path.h"
#include "proto/checkpoint.gk.h"
#include "saved_model/meta_graph_file.h"
#include "saved_model/reference_variables.h"
#include "saved_model/signature_parts.h"
#include "saved_model/trace_messages.h"
#include "saved_model/value_messages.h"

namespace gk {
namespace {

using Value = proto::StructuredValue;

std::string NextContainer() {
  static std::atomic<int64_t> number = 0;
  return Format("saved-model-{}", ++number);
}

// "a" of "a:0".
std::string NodeNameOf(const std::string& name) {
  return name.substr(0, name.find(':'));
}

// Makes resources that are found by name.
bool IsNamed(const OpRecord& record) {
  return record.def->FindAttr("container") != nullptr &&
         record.def->FindAttr("shared_name") != nullptr;
}

proto::SavedObject UserObjectOf(const char* identifier) {
  proto::SavedObject object;
  proto::SavedUserObject& user = object.mutable_user_object();
  user.identifier = identifier;
  user.version.mut().producer = user.version.mut().min_consumer = 1;
  return object;
}

// Functions throw Error.
class VersionOneReader {
 public:
  VersionOneReader(const std::string& folder,
                   const proto::MetaGraphDef& message, bool skip_checkpoint)
      : folder_(folder), message_(message), skip_checkpoint_(skip_checkpoint) {
    made_.container = NextContainer();
  }

  VersionOneModel Read() {
    proto::GraphDef graph = *message_.graph_def;
    UseResourceVariables(&graph);
    std::map<std::string, Tensor> captured;
    TakeVariables(&graph, &captured);
    NameResources(&graph);
    TakeResources(&graph, &captured);
    made_.graph = MakeRef<FuncGraph>("saved_model", OpBuilder::Eager());
    // The order is what the edges say.
    made_.graph->set_automatic_control(false);
    ListInitializers();
    Import(graph, captured);
    AddObjects();
    if (!skip_checkpoint_ && message_.saver_def.has()) Restore();
    return std::move(made_);
  }

 private:
  // Nodes of unknown ops, which may be no part of any signature, are carried.
  void Import(const proto::GraphDef& graph,
              const std::map<std::string, Tensor>& captured) {
    FuncGraph& made = *made_.graph;
    const FuncGraph::Building building(&made);
    ImportGraphDefOptions options;
    options.unknown_ops = UnknownOps::kCarry;
    options.ops = &*message_.meta_info_def->stripped_op_list;
    for (const auto& [edge, handle] : captured) {
      options.input_map[edge] =
          Graph::OutputOf(ValueOrThrow(made.inputs().Capture(handle)));
    }
    made.Adopt(
        ValueOrThrow(ImportGraphDef(graph, made.graph().get(), options)));
  }

  // Programs before 1.9 said which variables are trained by a collection alone.
  std::unordered_set<std::string> TrainableNodes() const {
    int major = 0, minor = 0;
    const std::string& version = message_.meta_info_def->tensorflow_version;
    const bool is_old =
        std::sscanf(version.c_str(), "%d.%d", &major, &minor) == 2 &&
        (major == 0 || (major == 1 && minor < 9));
    std::unordered_set<std::string> trainable;
    for (const char* const key :
         {"trainable_variables", "variables", "local_variables"}) {
      for (const proto::VariableDef& def : Variables(key)) {
        if (is_old || def.trainable) {
          trainable.insert(NodeNameOf(def.variable_name));
        }
      }
      if (is_old) break;
    }
    return trainable;
  }

  // Variables stand in no node: they are captured, each once for all nodes that
  // name it. {edge: handle}.
  void TakeVariables(proto::GraphDef* graph,
                     std::map<std::string, Tensor>* captured) {
    const std::unordered_set<std::string> trainable = TrainableNodes();
    std::unordered_map<std::string, Tensor> handles;
    std::unordered_set<std::string> taken;
    for (const proto::NodeDef& node : graph->node) {
      if (!MakesVariable(node)) continue;
      const auto attr = [&](const char* name) -> const proto::AttrValue& {
        static const proto::AttrValue none;
        const auto found = node.attr.find(name);
        return found == node.attr.end() ? none : found->second;
      };
      const int dtype = static_cast<int>(attr("dtype").type);
      if (!DataTypeIsValid(dtype)) {
        throw Error(DataLoss("Variable '{}' has the invalid type {}", node.name,
                             dtype));
      }
      const std::string& shared = attr("shared_name").s;
      Tensor& handle = handles[attr("container").s + ";" +
                               (shared.empty() ? node.name : shared)];
      if (!handle) {
        handle = NewVariableHandle(
            node.name, static_cast<DataType>(dtype),
            ValueOrThrow(ShapeFromProto(*attr("shape").shape)),
            trainable.contains(node.name));
      }
      captured->emplace(node.name + ":0", handle);
      taken.insert(node.name);
      by_node_[node.name] = handle;
      if (!message_.collection_def.contains("variables")) {
        variables_.push_back(handle);
      }
    }
    std::unordered_set<std::string> listed;
    for (const char* const key : {"variables", "local_variables"}) {
      for (const proto::VariableDef& def : Variables(key)) {
        const std::string name = NodeNameOf(def.variable_name);
        const auto handle = by_node_.find(name);
        if (handle != by_node_.end() && listed.insert(name).second &&
            message_.collection_def.contains("variables")) {
          variables_.push_back(handle->second);
        }
      }
    }
    Erase(taken, graph);
  }

  // Resources are those of this model, in all parts of its graph.
  void NameResources(proto::GraphDef* graph) const {
    for (proto::NodeDef& node : graph->node) {
      const OpRecord* record = OpRegistry::Get().Find(node.op);
      if (record == nullptr || !IsNamed(*record)) continue;
      if (node.attr["container"].s.empty()) {
        node.attr["container"].set_s(made_.container);
      }
      if (node.attr["shared_name"].s.empty()) {
        node.attr["shared_name"].set_s("own/" + node.name);
      }
    }
  }

  // Tables, queues and the like stand in no node either: they are objects,
  // which a model that is saved again makes anew for all of its functions.
  void TakeResources(proto::GraphDef* graph,
                     std::map<std::string, Tensor>* captured) {
    std::unordered_map<std::string, Tensor> handles;
    std::unordered_set<std::string> taken;
    for (const proto::NodeDef& node : graph->node) {
      const OpRecord* record = OpRegistry::Get().Find(node.op);
      if (record == nullptr || !IsNamed(*record) ||
          !record->def->inputs.empty() || record->def->outputs.size() != 1 ||
          record->def->outputs[0].type != DataType::kResource) {
        continue;
      }
      Tensor& handle = handles[node.attr.at("container").s + ";" +
                               node.attr.at("shared_name").s];
      if (!handle) handle = AddResource(node);
      captured->emplace(node.name + ":0", handle);
      taken.insert(node.name);
    }
    Erase(taken, graph);
  }
  Tensor AddResource(proto::NodeDef node) {
    std::erase_if(node.input, [](const auto& i) { return i.starts_with('^'); });
    node.attr.erase("_class");
    proto::GraphDef one;
    const std::string name = node.name;
    one.node.push_back(std::move(node));
    if (message_.graph_def->versions.has()) {
      one.versions.mut() = *message_.graph_def->versions;
    }
    const auto graph = MakeRef<FuncGraph>("create", OpBuilder::Eager());
    Resource& made = resources_.emplace_back();
    {
      const FuncGraph::Building building(graph.get());
      graph->Adopt(ValueOrThrow(ImportGraphDef(one, graph->graph().get(), {})));
      Node* const only = graph->graph()->FindNode(name);
      if (only == nullptr || only->num_outputs() != 1) {
        throw Error(DataLoss("'{}' of the graph makes no resource", name));
      }
      const Tensor handle = graph->graph()->TensorOf({only, 0});
      made.create =
          ValueOrThrow(ConcreteFunction::FromFuncGraph(*graph, {{handle}}));
    }
    TensorVector handles;
    ThrowIfError(made.create->Call({}, &handles));
    return made.handle = handles.at(0);
  }
  static void Erase(const std::unordered_set<std::string>& taken,
                    proto::GraphDef* graph) {
    std::erase_if(graph->node, [&](const proto::NodeDef& node) {
      return taken.contains(node.name);
    });
    for (proto::NodeDef& node : graph->node) {
      std::erase_if(node.input, [&](const std::string& input) {
        return input.starts_with('^') && taken.contains(input.substr(1));
      });
    }
  }

  std::vector<proto::VariableDef> Variables(const char* collection) const {
    std::vector<proto::VariableDef> all;
    const auto found = message_.collection_def.find(collection);
    if (found == message_.collection_def.end()) return all;
    for (const std::string& bytes : found->second.bytes_list->value) {
      ThrowIfError(all.emplace_back().Parse(bytes));
    }
    return all;
  }

  // What a program runs after loading: what the model says, else what fills
  // local variables and tables.
  void ListInitializers() {
    const auto signature = message_.signature_def.find(kInitSignature);
    if (signature != message_.signature_def.end()) {
      for (const auto& [key, info] : signature->second.outputs) {
        initializers_.push_back(NodeNameOf(info.name));
      }
    }
    for (const char* name : {kMainOps, kLegacyMainOps, "table_initializer"}) {
      const auto found = message_.collection_def.find(name);
      if (found == message_.collection_def.end() || !initializers_.empty()) {
        continue;
      }
      for (const std::string& op : found->second.node_list->value) {
        initializers_.push_back(NodeNameOf(op));
      }
    }
    if (signature != message_.signature_def.end()) return;
    if (message_.collection_def.contains(kMainOps)) return;
    for (const proto::VariableDef& def : Variables("local_variables")) {
      initializers_.push_back(NodeNameOf(def.initializer_name));
    }
  }

  std::vector<proto::AssetFileDef> Assets() const {
    if (!message_.asset_file_def.empty()) return message_.asset_file_def;
    std::vector<proto::AssetFileDef> all;
    const auto found = message_.collection_def.find("saved_model_assets");
    if (found == message_.collection_def.end()) return all;
    for (const proto::Any& any : found->second.any_list->value) {
      ThrowIfError(all.emplace_back().Parse(any.value));
    }
    return all;
  }

  // --- Parts of the graph.

  // Of "x" the node, of "x:1" an output of it.
  ImportedElement ElementOf(const std::string& name) const {
    EdgeName edge;
    const bool is_node = name.find(':') == name.npos;
    Node* const found =
        edge.Parse(name, false)
            ? made_.graph->graph()->FindNode(std::string(edge.node))
            : nullptr;
    if (found == nullptr || (!is_node && edge.index >= found->num_outputs())) {
      throw Error(DataLoss("The graph has no '{}'", name));
    }
    return {found, is_node ? -1 : static_cast<int>(edge.index)};
  }
  Output EdgeOf(const std::string& name) const {
    const ImportedElement e = ElementOf(name);
    if (e.node->num_outputs() == 0) {
      throw Error(DataLoss("'{}' of the graph is no tensor", name));
    }
    return {e.node, std::max(e.index, 0)};
  }
  Ref<ConcreteFunction> PartOf(const std::string& name,
                               std::vector<Output> feeds,
                               std::vector<ImportedElement> fetches) const {
    const GraphPart part = ValueOrThrow(GraphPart::Between(
        made_.graph.get(), std::move(feeds), std::move(fetches)));
    return ValueOrThrow(part.ToFunction(name));
  }

  void Restore() const {
    const proto::SaverDef& saver = *message_.saver_def;
    if (saver.restore_op_name.empty()) return;
    const Ref<ConcreteFunction> restore =
        PartOf("restore", {EdgeOf(saver.filename_tensor_name)},
               {{ElementOf(saver.restore_op_name).node, -1}});
    TensorVector none;
    ThrowIfError(restore->Call(
        {{Tensor::Scalar<std::string>(VariablesPath(folder_))}}, &none));
  }

  // --- Objects.

  int Add(proto::SavedObject object, Tensor value = {}) {
    made_.objects.nodes.push_back(std::move(object));
    made_.values.push_back(std::move(value));
    return static_cast<int>(made_.values.size()) - 1;
  }
  void AddChild(int parent, const std::string& name, int child) {
    auto& reference = made_.objects.nodes[parent].children.emplace_back();
    reference.local_name = name;
    reference.node_id = child;
  }
  int AddTo(int parent, const std::string& name, proto::SavedObject object,
            Tensor value = {}) {
    const int child = Add(std::move(object), std::move(value));
    AddChild(parent, name, child);
    return child;
  }

  void AddObjects() {
    const int root = Add(UserObjectOf("_generic_user_object"));
    const int variables =
        AddTo(root, "variables", UserObjectOf("trackable_list_wrapper"));
    for (const Tensor& handle : variables_) AddVariable(variables, handle);
    const int paths =
        AddTo(root, "asset_paths", UserObjectOf("trackable_list_wrapper"));
    std::vector<Output> feeds;
    TensorVector assets;
    for (const proto::AssetFileDef& file : Assets()) {
      const std::string folder = io::ChildPath(folder_, kAssetsFolder);
      assets.push_back(
          Tensor::Scalar<std::string>(io::ChildPath(folder, file.filename)));
      feeds.push_back(EdgeOf(file.tensor_info->name));
      proto::SavedObject asset;
      asset.mutable_asset().asset_file_def_index =
          static_cast<int>(assets.size()) - 1;
      AddTo(paths, Format("{}", assets.size() - 1), std::move(asset),
            assets.back());
    }
    const int resources =
        AddTo(root, "_resources", UserObjectOf("trackable_list_wrapper"));
    for (size_t i = 0; i < resources_.size(); ++i) {
      proto::SavedObject resource;
      resource.mutable_resource();
      const int object = AddTo(resources, Format("{}", i), std::move(resource),
                               resources_[i].handle);
      AddMethod(object, kCreateResource, std::move(resources_[i].create),
                SpecOfType(proto::DataType::DT_RESOURCE));
    }
    AddInitializer(root, std::move(feeds), assets);
    const int signatures =
        AddTo(root, "signatures", UserObjectOf("signature_map"));
    for (const auto& [name, def] : message_.signature_def) {
      if (name != kInitSignature) AddSignature(signatures, name, def);
    }
  }

  void AddVariable(int list, const Tensor& handle) {
    const VariableResource& v = *ValueOrThrow(VariableOf(handle));
    proto::SavedObject object;
    proto::SavedVariable& variable = object.mutable_variable();
    variable.dtype = static_cast<proto::DataType>(v.dtype());
    variable.shape = ShapeToProto(v.shape());
    variable.trainable = v.trainable();
    variable.name = v.name();
    const size_t n = made_.objects.nodes[list].children.size();
    AddTo(list, Format("{}", n), std::move(object), handle);
  }

  // Knows the function, how it is called and what it gives.
  const std::string& AddFunction(Ref<ConcreteFunction> function, Value inputs,
                                 Value outputs) {
    const std::string& name = function->name();
    proto::SavedConcreteFunction& saved =
        made_.objects.concrete_functions[name];
    saved.canonicalized_input_signature = std::move(inputs);
    saved.output_signature = std::move(outputs);
    made_.functions[name] = std::move(function);
    return made_.objects.concrete_functions.find(name)->first;
  }
  static Value NoArguments() {
    Value inputs;
    auto& both = inputs.mutable_tuple_value().values;
    both.resize(2);
    both[0].mutable_tuple_value();
    both[1].mutable_dict_value();
    return inputs;
  }
  static Value SpecOfType(proto::DataType dtype) {
    proto::TensorInfo scalar;
    scalar.dtype = dtype;
    return OutputSpec("", scalar, 1);
  }
  void AddMethod(int object, const char* name, Ref<ConcreteFunction> function,
                 Value outputs) {
    proto::SavedObject method;
    method.mutable_function().function_spec = SpecOfParameters({});
    method.mutable_function().concrete_functions.push_back(
        AddFunction(std::move(function), NoArguments(), std::move(outputs)));
    AddTo(object, name, std::move(method));
  }

  // A resource, as those are filled when a model is loaded; it is none itself.
  void AddInitializer(int root, std::vector<Output> feeds,
                      const TensorVector& assets) {
    if (initializers_.empty()) return;
    std::vector<ImportedElement> fetches;
    for (const std::string& op : initializers_) {
      fetches.push_back({ElementOf(op).node, -1});
    }
    const Ref<ConcreteFunction> part =
        PartOf("initialize", std::move(feeds), std::move(fetches));
    // The paths are captured.
    std::vector<FunctionCapture> captures;
    for (size_t i = 0; i < assets.size(); ++i) {
      captures.push_back(
          {assets[i], nullptr, part->function()->arguments()[i]});
    }
    captures.insert(captures.end(), part->captures().begin(),
                    part->captures().end());
    auto initialize = MakeRef<ConcreteFunction>(
        part->function(), std::vector<ArgumentSpec>(), std::move(captures));
    const Tensor one = Tensor::Scalar<float>(1);
    const auto graph = MakeRef<FuncGraph>("create", OpBuilder::Eager());
    Ref<ConcreteFunction> create;
    {
      const FuncGraph::Building building(graph.get());
      const Tensor made = ValueOrThrow(graph->Constant(one, "one"));
      create = ValueOrThrow(ConcreteFunction::FromFuncGraph(*graph, {{made}}));
    }
    proto::SavedObject resource;
    resource.mutable_resource();
    const int object = AddTo(root, "initializer", std::move(resource), one);
    AddMethod(object, kCreateResource, std::move(create),
              SpecOfType(proto::DataType::DT_FLOAT));
    Value nothing;
    nothing.mutable_none_value();
    AddMethod(object, kInitializeResource, std::move(initialize),
              std::move(nothing));
  }

  void AddSignature(int map, const std::string& name,
                    const proto::SignatureDef& def) {
    std::vector<SignaturePart> parts;
    for (const auto& [key, info] : def.inputs) {
      for (SignaturePart& part : PartsOfInfo(key, info))
        parts.push_back(std::move(part));
    }
    std::ranges::sort(parts, {}, &SignaturePart::key);
    std::vector<Output> feeds;
    Value inputs = NoArguments();
    auto& by_name = inputs.mutable_tuple_value().values[1];
    for (const SignaturePart& part : parts) {
      feeds.push_back(EdgeOf(part.tensor));
      Value spec = part.spec;
      if (spec.kind_case == Value::KindCase::kNone) {
        const Node::OutputInfo& info =
            feeds.back().node->output(feeds.back().index);
        spec = TensorSpecMessage(part.key, info.dtype, info.shape);
      }
      by_name.mutable_dict_value().fields[part.key] = std::move(spec);
    }
    std::vector<ImportedElement> fetches;
    Value outputs;
    outputs.mutable_dict_value();
    for (const auto& [key, info] : def.outputs) {
      const std::vector<SignaturePart> own = PartsOfInfo(key, info);
      for (const SignaturePart& part : own) {
        const Output o = EdgeOf(part.tensor);
        fetches.push_back({o.node, o.index});
      }
      outputs.mutable_dict_value().fields[key] =
          OutputSpec(key, info, own.size());
    }
    Ref<ConcreteFunction> part;
    try {
      part = PartOf("signature_wrapper_" + name, std::move(feeds),
                    std::move(fetches));
    } catch (const Error& error) {
      throw Error(error.status().Prepend(
          Format("A SavedModel signature needs an input for each placeholder "
                 "the signature's outputs use. An output for signature '{}' "
                 "depends on a placeholder which is not an input (i.e. the "
                 "placeholder is not fed a value).\n\n",
                 name)));
    }
    std::vector<ArgumentSpec> arguments = part->arguments();
    for (size_t i = 0; i < parts.size(); ++i) arguments[i].name = parts[i].key;
    auto function = MakeRef<ConcreteFunction>(
        part->function(), std::move(arguments),
        std::vector<FunctionCapture>(part->captures()));
    proto::SavedObject object;
    proto::SavedBareConcreteFunction& bare =
        object.mutable_bare_concrete_function();
    for (const SignaturePart& p : parts)
      bare.argument_keywords.push_back(p.key);
    // Without names they are in the order of these.
    bare.allowed_positional_arguments = static_cast<int>(parts.size());
    bare.concrete_function_name =
        AddFunction(std::move(function), std::move(inputs), std::move(outputs));
    AddTo(map, name, std::move(object));
  }

  const std::string& folder_;
  const proto::MetaGraphDef& message_;
  const bool skip_checkpoint_;
  VersionOneModel made_;
  TensorVector variables_;  // handles, as they are listed
  std::unordered_map<std::string, Tensor> by_node_;
  std::vector<std::string> initializers_;  // nodes
  struct Resource {
    Tensor handle;
    Ref<ConcreteFunction> create;
  };
  std::vector<Resource> resources_;
};

}  // namespace

StatusOr<VersionOneModel> ReadVersionOne(const std::string& folder,
                                         const proto::MetaGraphDef& message,
                                         bool skip_checkpoint) {
  try {
    return VersionOneReader(folder, message, skip_checkpoint).Read();
  } catch (const Error& error) {
    return error.status();
  }
}

}  // namespace gk
