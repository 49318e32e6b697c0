#include "saved_model/meta_graph_file.h"

#include <algorithm>
#include <set>
#include <utility>

#include "io/files.h"
#include "io/path.h"
#include "kernels/text_hash.h"
#include "proto/text_reader.h"

namespace gk {
namespace {

// Readers take messages of up to so many bytes.
constexpr size_t kMaxMessage = (size_t{1} << 31) - 1;
// Of the fingerprint's format.
constexpr int kFingerprintProducer = 4;

std::string TagsText(const std::vector<std::string>& tags) {
  std::string text;
  for (const std::string& tag : tags) {
    text += (text.empty() ? "'" : ", '") + tag + "'";
  }
  return "[" + text + "]";
}

std::set<std::string> AsSet(const std::vector<std::string>& tags) {
  return {tags.begin(), tags.end()};
}

// Which one of the graphs; InvalidArgument if there is none such.
StatusOr<size_t> IndexOf(const proto::SavedModel& model,
                         const std::string& folder,
                         const std::optional<Tags>& tags) {
  const auto& graphs = model.meta_graphs;
  if (graphs.empty()) {
    return InvalidArgument("The SavedModel at {} has no graphs.", folder);
  }
  if (!tags && graphs.size() == 1) return size_t{0};
  std::string available;
  for (size_t i = 0; i < graphs.size(); ++i) {
    const std::vector<std::string>& own = graphs[i].meta_info_def->tags;
    if (tags && AsSet(own) == AsSet(*tags)) return i;
    available += (available.empty() ? "" : ", ") + TagsText(own);
  }
  if (!tags) {
    return InvalidArgument(
        "The SavedModel at {} has {} MetaGraphs with the tags {}: pass the "
        "`tags` of one of them.",
        folder, graphs.size(), available);
  }
  if (graphs.size() == 1) {
    return InvalidArgument(
        "Got an incompatible argument to `tags`: {}. The SavedModel at {} has "
        "one MetaGraph with tags {}. You may omit the argument, pass 'None', "
        "or pass matching tags.",
        TagsText(*tags), folder, available);
  }
  return InvalidArgument(
      "MetaGraphDef associated with tags {} could not be found in SavedModel, "
      "with available tags '{}'.",
      TagsText(*tags), available);
}

uint64_t HashOfFile(const std::string& path) {
  const StatusOr<std::unique_ptr<io::MappedFile>> file = io::MapFile(path);
  return file.ok() ? TextFingerprint((*file)->bytes()) : 0;
}

// 32 digits that are those of the content.
std::string DigitsOf(uint64_t high, uint64_t low) {
  std::string digits;
  for (const uint64_t half : {high, low}) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      digits += "0123456789abcdef"[(half >> shift) & 15];
    }
  }
  return digits;
}

std::string UuidOf(const proto::FingerprintDef& print) {
  return DigitsOf(
      print.saved_model_checksum,
      JoinFingerprints(print.saved_model_checksum, print.checkpoint_hash));
}

proto::FingerprintDef FingerprintOf(const std::string& folder,
                                    const std::string& file,
                                    const proto::MetaGraphDef& graph) {
  proto::FingerprintDef print;
  print.saved_model_checksum = TextFingerprint(file);
  print.graph_def_program_hash = TextFingerprint(graph.graph_def->Serialize());
  std::string signatures;
  for (const auto& [name, signature] : graph.signature_def) {
    signatures += name + signature.Serialize();
  }
  print.signature_def_hash = TextFingerprint(signatures);
  print.saved_object_graph_hash =
      TextFingerprint(graph.object_graph_def->Serialize());
  print.checkpoint_hash = HashOfFile(VariablesPath(folder) + ".index");
  print.version.mut().producer = kFingerprintProducer;
  print.uuid = UuidOf(print);
  return print;
}

}  // namespace

StatusOr<bool> ContainsSavedModel(const std::string& folder) {
  for (const char* name : {kSavedModelFile, kSavedModelTextFile}) {
    GK_ASSIGN_OR_RETURN(const bool there,
                        io::Exists(io::ChildPath(folder, name)));
    if (there) return true;
  }
  return false;
}

StatusOr<std::string> FindSavedModelFile(const std::string& folder) {
  for (const char* name : {kSavedModelFile, kSavedModelTextFile}) {
    std::string path = io::ChildPath(folder, name);
    GK_ASSIGN_OR_RETURN(const bool there, io::Exists(path));
    if (there) return path;
  }
  return NotFound("SavedModel file does not exist at: {}",
                  io::ChildPath(folder, Format("{{{}|{}}}", kSavedModelTextFile,
                                               kSavedModelFile)));
}

StatusOr<proto::SavedModel> ReadSavedModel(const std::string& folder) {
  GK_ASSIGN_OR_RETURN(const std::string path, FindSavedModelFile(folder));
  GK_ASSIGN_OR_RETURN(const std::unique_ptr<io::MappedFile> file,
                      io::MapFile(path));
  proto::SavedModel model;
  const Status parsed = path.ends_with(kSavedModelTextFile)
                            ? proto::ParseText(file->bytes(), &model)
                            : model.Parse(file->bytes());
  if (!parsed.ok()) {
    return DataLoss("Cannot parse file {}: {}", path, parsed.message());
  }
  return model;
}

StatusOr<proto::MetaGraphDef> ReadMetaGraph(const std::string& folder,
                                            const std::optional<Tags>& tags) {
  GK_ASSIGN_OR_RETURN(proto::SavedModel model, ReadSavedModel(folder));
  GK_ASSIGN_OR_RETURN(const size_t i, IndexOf(model, folder, tags));
  return std::move(model.meta_graphs[i]);
}

std::string VariablesPath(const std::string& folder) {
  return io::ChildPath(io::ChildPath(folder, kVariablesFolder), kVariablesFile);
}

Status WriteMetaGraph(const std::string& folder, proto::MetaGraphDef graph) {
  proto::SavedModel model;
  model.saved_model_schema_version = 1;
  model.meta_graphs.push_back(std::move(graph));
  const std::string file = model.Serialize();
  if (file.size() > kMaxMessage) {
    return InvalidArgument(
        "{}: the graph with its constants takes {} bytes, more than the {} "
        "that a {} can have. Large values that functions capture belong into "
        "variables, which are in files of their own.",
        folder, file.size(), kMaxMessage, kSavedModelFile);
  }
  const proto::FingerprintDef print =
      FingerprintOf(folder, file, model.meta_graphs[0]);
  GK_RETURN_IF_ERROR(
      io::WriteFile(io::ChildPath(folder, kSavedModelFile), file));
  return io::WriteFile(io::ChildPath(folder, kFingerprintFile),
                       print.Serialize());
}

StatusOr<proto::FingerprintDef> ReadFingerprint(const std::string& folder) {
  const std::string path = io::ChildPath(folder, kFingerprintFile);
  GK_ASSIGN_OR_RETURN(const std::string file, io::ReadFile(path));
  proto::FingerprintDef print;
  const Status parsed = print.Parse(file);
  if (!parsed.ok()) {
    return DataLoss("Cannot parse file {}: {}", path, parsed.message());
  }
  return print;
}

bool HasChecksumOfFile(const proto::FingerprintDef& print) {
  return print.uuid == UuidOf(print);
}

}  // namespace gk
