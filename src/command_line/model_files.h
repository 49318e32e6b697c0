// What a path on the command line names: a saved model, a checkpoint or a
// graph; read as messages, without making anything of it.
#ifndef GK_COMMAND_LINE_MODEL_FILES_H_
#define GK_COMMAND_LINE_MODEL_FILES_H_

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "checkpoint/bundle_reader.h"
#include "command_line/arguments.h"
#include "saved_model/meta_graph_file.h"

namespace gk::command {

enum class ModelKind { kSavedModel, kCheckpoint, kGraph, kMetaGraph };
// "SavedModel", "checkpoint", ...
std::string_view KindName(ModelKind kind);

struct ModelFiles {
  std::string path;  // of a checkpoint its prefix
  ModelKind kind = ModelKind::kGraph;
  // Of a graph only graph_def; nothing of a checkpoint.
  proto::MetaGraphDef meta;
  // The values of a saved model's or checkpoint's variables, if it has any.
  std::shared_ptr<BundleReader> values;
};

// "--tags serve,train": which graph of a saved model.
inline constexpr Option kTagsOption = {
    "tags", "TAGS",
    "tags of the graph to take, with commas between them; needed where a\n"
    "SavedModel has several"};
std::optional<Tags> TagsOf(const Arguments& arguments);

// A folder with a saved model or checkpoints (the newest is taken), a
// checkpoint's prefix or index, a GraphDef or MetaGraphDef. Throws Failure,
// naming the file.
ModelFiles ReadModelFiles(const std::string& path,
                          const std::optional<Tags>& tags);

// The prefix of the checkpoint that the path names (a folder: the newest one);
// empty if it names none. Throws Failure.
std::string CheckpointPrefix(const std::string& path);

// The folder of the saved model that the path, or the path of its file, names;
// empty if it names none. Throws Failure.
std::string SavedModelFolder(const std::string& path);

// The object graph in a checkpoint: which variable has which key. Empty where
// there is none.
proto::TrackableObjectGraph ObjectGraphOf(const BundleReader& values);

}  // namespace gk::command

#endif  // GK_COMMAND_LINE_MODEL_FILES_H_
