#include "saved_model/save_model.h"

#include <utility>

#include "checkpoint/object_graph.h"
#include "framework/long_work.h"
#include "graph/tensor_proto.h"
#include "io/files.h"
#include "io/path.h"
#include "saved_model/debug_nodes.h"
#include "saved_model/meta_graph_file.h"
#include "saved_model/op_namespaces.h"
#include "saved_model/saved_gradients.h"
#include "saved_model/saved_objects.h"
#include "saved_model/serving_graph.h"

namespace gk {
namespace {

// The version whose formats and ops are written.
constexpr char kVersion[] = "2.21.0";

// Gives the graph of a checkpoint all objects of the model, of which it has the
// first, and the serving graph the keys of all values.
void Complete(const SavedObjects& objects,
              const std::vector<WalkedObject>& walked,
              proto::TrackableObjectGraph* graph, ServingOptions* serving) {
  graph->nodes.resize(objects.size());
  for (int i = 0; i < objects.size(); ++i) {
    const proto::SavedObject& object = objects.message(i);
    graph->nodes[i].children = object.children;
    for (const auto& attribute : graph->nodes[i].attributes) {
      const std::string& key = attribute.checkpoint_key;
      if (object.variable.has()) {
        serving->variables.emplace_back(i, key);
      } else if (object.saveable_objects.contains(attribute.name)) {
        ServedValue value{i, attribute.name, {}};
        for (const Trackable::Value& own : walked[i].object->Values()) {
          if (own.name != attribute.name) continue;
          for (const auto& suffix : own.suffixes) {
            value.keys.push_back(key + suffix);
          }
        }
        serving->resources.push_back(std::move(value));
      }
    }
  }
}

Status CopyAssets(const std::string& folder, const SavedObjects& objects) {
  const std::string assets = io::ChildPath(folder, kAssetsFolder);
  GK_RETURN_IF_ERROR(io::MakeDirectories(assets));
  for (const auto& [from, name] : objects.asset_names()) {
    const std::string to = io::ChildPath(assets, name);
    if (to != from) GK_RETURN_IF_ERROR(io::Copy(from, to, true));
  }
  return OkStatus();
}

}  // namespace

Status SaveModel(const ExportedObjectRef& root,
                 std::span<const ExportedSignature> signatures,
                 const std::string& folder, const SaveOptions& options) {
  LongWork work(WorkUnit::kBytes, "Saving", "Saved", folder);
  ServingOptions serving;
  for (const ExportedSignature& signature : signatures) {
    GK_ASSIGN_OR_RETURN(ExportedTrace wrapped, WrapSignature(signature));
    serving.signatures.emplace_back(signature.name, std::move(wrapped));
    for (const auto& [argument, value] : signature.defaults) {
      serving.defaults[signature.name].emplace(argument, value);
    }
  }
  const std::vector<WalkedObject> walked = WalkObjects(root);
  GK_ASSIGN_OR_RETURN(SavedObjects objects, SavedObjects::Of(
                                                walked,
                                                options.variable_devices));
  GK_RETURN_IF_ERROR(objects.AddSignatures(serving.signatures));
  SavedGradients gradients;
  if (options.custom_gradients) {
    GK_RETURN_IF_ERROR(gradients.Trace(&objects));
    serving.named_functions = gradients.owners();
  }
  ObjectSnapshot snapshot = TakeSnapshot(walked);
  Complete(objects, walked, &snapshot.graph, &serving);
  if (options.skip_saver) {
    serving.variables.clear();
    serving.resources.clear();
  }
  proto::MetaGraphDef graph;
  auto& info = graph.meta_info_def.mut();
  info.tags = options.extra_tags;
  info.tags.insert(info.tags.begin(), kServingTag);
  info.tensorflow_version = kVersion;
  info.tensorflow_git_version = options.writer;
  GK_ASSIGN_OR_RETURN(const SavedObjects::Names names,
                      BuildServingGraph(serving, &objects, &graph));
  if (options.namespaces) {
    GK_RETURN_IF_ERROR(
        CheckOpNamespaces(*graph.graph_def, *options.namespaces));
  }
  for (const auto& [function, alias] : options.function_aliases) {
    const auto name = names.find(function);
    // Also of one that is not in the file.
    info.function_aliases[name != names.end() ? name->second
                                              : function->name()] = alias;
  }
  for (const ExportedSignature& signature : signatures) {
    for (const auto& [argument, value] : signature.defaults) {
      GK_ASSIGN_OR_RETURN(
          graph.signature_def[signature.name].defaults[argument],
          TensorToProto(value));
    }
  }
  graph.object_graph_def = objects.Graph(names);
  gradients.Write(names, &graph);
  GK_RETURN_IF_ERROR(
      io::MakeDirectories(io::ChildPath(folder, kVariablesFolder)));
  GK_RETURN_IF_ERROR(CopyAssets(folder, objects));
  GK_RETURN_IF_ERROR(
      WriteSnapshot(snapshot, VariablesPath(folder), options.sharding));
  if (options.strip_debug_nodes) StripDebugNodes(&graph.graph_def.mut());
  if (options.frames) {
    const std::string debug = io::ChildPath(folder, kDebugFolder);
    GK_RETURN_IF_ERROR(io::MakeDirectories(debug));
    GK_RETURN_IF_ERROR(
        io::WriteFile(io::ChildPath(debug, kDebugInfoFile),
                      DebugInfoOf(names, options.frames).Serialize()));
  }
  GK_RETURN_IF_ERROR(WriteMetaGraph(folder, std::move(graph)));
  work.Done();
  return OkStatus();
}

}  // namespace gk
