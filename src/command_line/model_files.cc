#include "command_line/model_files.h"

#include <utility>

#include "checkpoint/bundle_names.h"
#include "checkpoint/checkpoint_state.h"
#include "checkpoint/object_graph.h"
#include "io/files.h"
#include "io/path.h"
#include "proto/sstable.h"
#include "saved_model/graph_file.h"

namespace gk::command {
namespace {

constexpr std::string_view kIndexEnding = ".index";

bool IsThere(const std::string& path) { return MustRead(io::Exists(path)); }

std::shared_ptr<BundleReader> OpenValues(const std::string& prefix) {
  return MustRead(BundleReader::Open(prefix));
}

ModelFiles ReadSavedModelFiles(const std::string& folder,
                               const std::optional<Tags>& tags) {
  ModelFiles model{folder, ModelKind::kSavedModel, {}, nullptr};
  StatusOr<proto::MetaGraphDef> graph = ReadMetaGraph(folder, tags);
  // That there are several, or none with these tags, is what the user said.
  if (graph.status().code() == Code::kInvalidArgument) {
    Must(Exit::kUsage, graph.status());
  }
  model.meta = MustRead(std::move(graph));
  const std::string prefix = VariablesPath(folder);
  if (IsThere(BundleIndexName(prefix))) model.values = OpenValues(prefix);
  return model;
}

ModelFiles ReadCheckpointFiles(const std::string& prefix) {
  return {prefix, ModelKind::kCheckpoint, {}, OpenValues(prefix)};
}

ModelFiles ReadGraphFiles(const std::string& path) {
  StatusOr<GraphFile> file = ReadGraphFile(path);
  if (file.status().code() == Code::kDataLoss) {
    throw Failure::Make(
        Exit::kDamaged,
        "{}. Models are folders of SavedModels, prefixes of checkpoints, and "
        "files of GraphDefs.",
        file.status().message());
  }
  ModelFiles model{path, ModelKind::kGraph, {}, nullptr};
  GraphFile read = MustRead(std::move(file));
  if (read.is_meta_graph) model.kind = ModelKind::kMetaGraph;
  model.meta = std::move(read.meta);
  return model;
}

}  // namespace

std::string_view KindName(ModelKind kind) {
  constexpr std::string_view kNames[] = {"SavedModel", "checkpoint", "GraphDef",
                                         "MetaGraphDef"};
  return kNames[static_cast<int>(kind)];
}

std::optional<Tags> TagsOf(const Arguments& arguments) {
  if (!arguments.Has("tags")) return std::nullopt;
  Tags tags;
  const std::string text = arguments.Value("tags");
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find(',', start), text.size());
    tags.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return tags;
}

std::string SavedModelFolder(const std::string& path) {
  if (io::IsDirectory(path)) {
    return MustRead(ContainsSavedModel(path)) ? path : "";
  }
  const std::string_view name = io::NameOf(path);
  if (name != kSavedModelFile && name != kSavedModelTextFile) return "";
  const std::string folder(io::FolderOf(path));
  return folder.empty() ? "." : folder;
}

std::string CheckpointPrefix(const std::string& path) {
  if (io::IsDirectory(path)) {
    return MustRead(LatestCheckpoint(path)).value_or("");
  }
  if (!IsThere(path)) return IsThere(BundleIndexName(path)) ? path : "";
  if (path.ends_with(kIndexEnding)) {
    return path.substr(0, path.size() - kIndexEnding.size());
  }
  // Of TensorFlow's first format, which is one file.
  const auto file = MustRead(io::MapFile(path));
  return proto::LooksLikeTable(file->bytes()) ? path : "";
}

ModelFiles ReadModelFiles(const std::string& path,
                          const std::optional<Tags>& tags) {
  if (const std::string folder = SavedModelFolder(path); !folder.empty()) {
    return ReadSavedModelFiles(folder, tags);
  }
  if (io::IsDirectory(path)) {
    if (const std::string prefix = CheckpointPrefix(path); !prefix.empty()) {
      return ReadCheckpointFiles(prefix);
    }
    throw Failure::Make(Exit::kFile,
                        "{} holds no model: it has neither a {} nor a {} file "
                        "that says which checkpoint is the newest.",
                        path, kSavedModelFile, kCheckpointStateFile);
  }
  if (const std::string prefix = CheckpointPrefix(path); !prefix.empty()) {
    return ReadCheckpointFiles(prefix);
  }
  if (IsThere(path)) return ReadGraphFiles(path);
  throw Failure::Make(
      Exit::kFile, "there is neither {} nor a checkpoint of that name.", path);
}

proto::TrackableObjectGraph ObjectGraphOf(const BundleReader& values) {
  proto::TrackableObjectGraph graph;
  const auto found = values.tensors().find(kObjectGraphKey);
  if (found == values.tensors().end()) return graph;
  const Tensor text = MustRead(values.Read(kObjectGraphKey));
  if (text.dtype() != DataType::kString || text.num_elements() != 1) {
    throw Failure::Make(Exit::kDamaged, "{}: {} is no text",
                        BundleIndexName(values.prefix()), kObjectGraphKey);
  }
  if (const Status s = graph.Parse(text.scalar<std::string>()); !s.ok()) {
    throw Failure::Make(Exit::kDamaged, "{}: {}: {}",
                        BundleIndexName(values.prefix()), kObjectGraphKey,
                        s.message());
  }
  return graph;
}

}  // namespace gk::command
