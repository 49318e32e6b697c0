// The file of a saved model: which graphs are in a folder, and how one is
// written. Names of the files in the folder.
#ifndef GK_SAVED_MODEL_META_GRAPH_FILE_H_
#define GK_SAVED_MODEL_META_GRAPH_FILE_H_

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "proto/saved_model.gk.h"

namespace gk {

inline constexpr char kSavedModelFile[] = "saved_model.pb";
inline constexpr char kSavedModelTextFile[] = "saved_model.pbtxt";
inline constexpr char kFingerprintFile[] = "fingerprint.pb";
inline constexpr char kVariablesFolder[] = "variables";
inline constexpr char kVariablesFile[] = "variables";
inline constexpr char kAssetsFolder[] = "assets";
inline constexpr char kDebugFolder[] = "debug";
inline constexpr char kDebugInfoFile[] = "saved_model_debug_info.pb";
// What graphs for inference are tagged with.
inline constexpr char kServingTag[] = "serve";

// What runs after loading: a signature, with an output of that name, and
// collections of older models.
inline constexpr char kInitSignature[] = "__saved_model_init_op";
inline constexpr char kMainOps[] = "saved_model_main_op";
inline constexpr char kLegacyMainOps[] = "legacy_init_op";

// Functions of a resource: one that gives its handle, one that fills it.
inline constexpr char kCreateResource[] = "_create_resource";
inline constexpr char kInitializeResource[] = "_initialize";
// What a function that saves a resource gives of each tensor: its name after
// the key, a slice, the tensor.
inline constexpr size_t kPerSavedTensor = 3;

// Is there a file of a saved model in the folder?
StatusOr<bool> ContainsSavedModel(const std::string& folder);

// The file of the model in the folder, the binary one if there are two.
// NotFound ("SavedModel file does not exist at: ...").
StatusOr<std::string> FindSavedModelFile(const std::string& folder);

// The whole file, binary or text. NotFound ("SavedModel file does not exist at:
// ..."); DataLoss naming the file if it is none.
StatusOr<proto::SavedModel> ReadSavedModel(const std::string& folder);

using Tags = std::vector<std::string>;
// The graph with exactly these tags; if they are not given, the only one.
// InvalidArgument that names the tags there are.
StatusOr<proto::MetaGraphDef> ReadMetaGraph(const std::string& folder,
                                            const std::optional<Tags>& tags);

// "FOLDER/variables/variables".
std::string VariablesPath(const std::string& folder);

// Writes a file with this graph alone, then its fingerprint. The file that is
// there stays whole until the new one is.
Status WriteMetaGraph(const std::string& folder, proto::MetaGraphDef graph);

// NotFound where the folder has none.
StatusOr<proto::FingerprintDef> ReadFingerprint(const std::string& folder);
// Is its checksum of the model that of the file's bytes? It is in those that
// are written here; TensorFlow hashes what it has in memory.
bool HasChecksumOfFile(const proto::FingerprintDef& print);

}  // namespace gk

#endif  // GK_SAVED_MODEL_META_GRAPH_FILE_H_
