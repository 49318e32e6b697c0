// graphkiln verify: is everything in a model whole?
#include <map>
#include <set>

#include "checkpoint/bundle_names.h"
#include "checkpoint/object_graph.h"
#include "command_line/commands.h"
#include "command_line/model_facts.h"
#include "graph/function_reader.h"
#include "graph/import_graph_def.h"
#include "graph/tensor_proto.h"
#include "io/files.h"
#include "io/path.h"
#include "kernels/text_hash.h"
#include "saved_model/loaded_model.h"

namespace gk::command {
namespace {

using ObjectKind = proto::SavedObject::KindCase;

struct Finding {
  std::string file, place, problem;  // no problem: what was checked
};

class Verifier {
 public:
  const std::vector<Finding>& findings() const { return findings_; }
  bool all_well() const { return all_well_; }

  void VerifySavedModel(const std::string& folder,
                        const std::optional<Tags>& tags) {
    file_ = MustRead(FindSavedModelFile(folder));
    StatusOr<proto::SavedModel> read = ReadSavedModel(folder);
    if (!read.ok()) return Note(file_, "", read.status());
    if (read->meta_graphs.empty()) {
      return Note(file_, "", DataLoss("it has no graphs"));
    }
    if (file_.ends_with(kSavedModelFile)) VerifyFingerprint(folder);
    std::shared_ptr<BundleReader> values;
    const std::string prefix = VariablesPath(folder);
    const StatusOr<bool> there = io::Exists(BundleIndexName(prefix));
    if (there.ok() && *there) values = VerifyCheckpoint(prefix);
    for (const proto::MetaGraphDef& meta : read->meta_graphs) {
      if (tags && meta.meta_info_def->tags != *tags) continue;
      VerifyGraph(meta);
      VerifySignatures(meta);
      VerifyObjects(meta, values.get());
      VerifyAssets(folder, meta);
    }
  }

  // Null if there is no way in.
  std::shared_ptr<BundleReader> VerifyCheckpoint(const std::string& prefix) {
    // In TensorFlow's first format all is in one file.
    const StatusOr<bool> one_file = io::Exists(prefix);
    const bool first_format = one_file.ok() && *one_file;
    const std::string index = first_format ? prefix : BundleIndexName(prefix);
    StatusOr<std::shared_ptr<BundleReader>> opened = BundleReader::Open(prefix);
    Note(index, "", opened.status());
    if (!opened.ok()) return nullptr;
    const BundleReader& values = **opened;
    int64_t whole = 0;
    bool has_objects = false;
    for (const auto& [name, info] : values.tensors()) {
      const StatusOr<Tensor> value = values.Read(name);
      if (value.ok()) {
        ++whole;
        has_objects |= name == kObjectGraphKey;
        continue;
      }
      const std::string place = "tensor " + Shown(name);
      if (first_format) {
        Note(index, place, value.status());
        continue;
      }
      Note(BundleDataName(prefix, info.shard, values.num_shards()),
           Format("{}, bytes {} to {}", place, info.offset,
                  info.offset + info.size),
           value.status());
    }
    Well(prefix,
         Format("{} with the right checksums", CountText(whole, "tensor")));
    if (!first_format) VerifyEnds(values);
    if (has_objects) {
      try {
        Note(index, kObjectGraphKey, CheckObjectGraph(ObjectGraphOf(values)));
      } catch (const Error& error) {
        Note(index, kObjectGraphKey, error.status());
      }
    }
    return *opened;
  }

  void VerifyGraphFile(const ModelFiles& model) {
    file_ = model.path;
    VerifyGraph(model.meta);
    VerifySignatures(model.meta);
  }

 private:
  void Note(const std::string& file, const std::string& place,
            const Status& status) {
    if (status.ok()) return Well(file, place);
    all_well_ = false;
    findings_.push_back({file, place, status.message()});
  }
  void Well(const std::string& file, const std::string& what) {
    findings_.push_back({file, what, ""});
  }

  // Behind its last tensor a data file has nothing.
  void VerifyEnds(const BundleReader& values) {
    std::map<int, int64_t> ends;
    for (const auto* entries : {&values.tensors(), &values.parts()}) {
      for (const auto& [name, info] : *entries) {
        if (!info.slices.empty() && entries == &values.tensors()) continue;
        ends[info.shard] = std::max(ends[info.shard], info.offset + info.size);
      }
    }
    for (const auto& [shard, end] : ends) {
      const std::string file =
          BundleDataName(values.prefix(), shard, values.num_shards());
      const StatusOr<io::FileStatistics> facts = io::Stat(file);
      if (!facts.ok() || facts->length <= end) continue;  // said before
      Note(file, Format("bytes {} to {}", end, facts->length),
           DataLoss("they belong to no tensor"));
    }
  }

  // Hashes that were made as the model was written.
  void VerifyFingerprint(const std::string& folder) {
    const std::string path = io::ChildPath(folder, kFingerprintFile);
    const StatusOr<proto::FingerprintDef> print = ReadFingerprint(folder);
    if (!print.ok()) {
      if (print.status().code() == Code::kNotFound) return;
      return Note(path, "", print.status());
    }
    const auto compare = [&](const std::string& file, uint64_t expected) {
      const auto bytes = io::MapFile(file);
      if (!bytes.ok()) return Note(file, "", bytes.status());
      const uint64_t actual = TextFingerprint((*bytes)->bytes());
      Note(file, "fingerprint",
           actual == expected
               ? OkStatus()
               : DataLoss("its fingerprint is {}, {} says {}: one of the files "
                          "has been changed",
                          actual, kFingerprintFile, expected));
    };
    if (HasChecksumOfFile(*print)) {
      compare(file_, print->saved_model_checksum);
    }
    const std::string index = BundleIndexName(VariablesPath(folder));
    // Models without variables have no index.
    const StatusOr<bool> there = io::Exists(index);
    if (print->checkpoint_hash != 0 || (there.ok() && *there)) {
      compare(index, print->checkpoint_hash);
    }
  }

  // As if it was to run: types, arity, shapes, circles, functions.
  void VerifyGraph(const proto::MetaGraphDef& meta) {
    auto graph = MakeRef<Graph>();
    ImportGraphDefOptions options;
    options.unknown_ops = UnknownOps::kCarry;
    options.ops = &*meta.meta_info_def->stripped_op_list;
    const auto nodes = ImportGraphDef(*meta.graph_def, graph.get(), options);
    Note(file_,
         Format("graph of {}", CountText(meta.graph_def->node.size(), "node")),
         nodes.status());
    FunctionReader functions(*meta.graph_def->library, options.ops);
    const Status indexed = functions.Init();
    if (!indexed.ok()) return Note(file_, "functions", indexed);
    int64_t whole = 0;
    for (const proto::FunctionDef& def : meta.graph_def->library->function) {
      const auto read = functions.Read(def.signature->name);
      if (read.ok()) {
        ++whole;
        CheckCaptures(meta, def.signature->name, (*read)->arguments().size());
        continue;
      }
      Note(file_, "function " + Shown(def.signature->name), read.status());
    }
    Well(file_, CountText(whole, "function"));
  }

  void CheckCaptures(const proto::MetaGraphDef& meta, const std::string& name,
                     size_t arguments) {
    const auto& all = meta.object_graph_def->concrete_functions;
    const auto saved = all.find(name);
    if (saved == all.end()) return;
    const size_t bound = saved->second.bound_inputs.size();
    if (bound <= arguments) return;
    Note(file_, "function " + Shown(name),
         DataLoss("it takes {} tensors and captures {}", arguments, bound));
  }

  void VerifySignatures(const proto::MetaGraphDef& meta) {
    std::set<std::string_view> nodes;
    for (const proto::NodeDef& node : meta.graph_def->node) {
      nodes.insert(node.name);
    }
    for (const auto& [name, signature] : meta.signature_def) {
      Status status;
      for (const auto* side : {&signature.inputs, &signature.outputs}) {
        for (const auto& [key, info] : *side) {
          const std::string_view node =
              std::string_view(info.name).substr(0, info.name.find(':'));
          if (node.empty() || nodes.contains(node)) continue;
          status = DataLoss(
              "'{}' is the tensor '{}', of which the graph has "
              "no node",
              key, info.name);
        }
      }
      Note(file_, "signature " + Shown(name), status);
    }
  }

  void VerifyObjects(const proto::MetaGraphDef& meta,
                     const BundleReader* values) {
    const proto::SavedObjectGraph& graph = *meta.object_graph_def;
    if (graph.nodes.empty()) return;  // TensorFlow 1 writes none
    const Status checked = CheckSavedObjects(graph);
    Note(file_, CountText(graph.nodes.size(), "object"), checked);
    if (!checked.ok()) return;
    std::set<std::string_view> functions;
    for (const auto& f : meta.graph_def->library->function) {
      functions.insert(f.signature->name);
    }
    const auto check = [&](const std::string& name) {
      if (functions.contains(name)) return;
      Note(file_, "objects",
           DataLoss("the function '{}' is missing in the library", name));
    };
    for (const proto::SavedObject& object : graph.nodes) {
      if (object.kind_case == ObjectKind::kFunction) {
        for (const auto& f : object.function->concrete_functions) check(f);
      } else if (object.kind_case == ObjectKind::kBareConcreteFunction) {
        check(object.bare_concrete_function->concrete_function_name);
      }
    }
    VerifyVariables(graph, values);
  }

  // Walks the objects beside the checkpoint's, as loading does.
  void VerifyVariables(const proto::SavedObjectGraph& graph,
                       const BundleReader* values) {
    proto::TrackableObjectGraph keys;
    if (values != nullptr) {
      try {
        keys = ObjectGraphOf(*values);
      } catch (const Error&) {
        return;  // said before
      }
      if (!CheckObjectGraph(keys).ok()) return;
    }
    std::vector<std::pair<int, int>> open;
    std::set<int> seen{0};
    if (!keys.nodes.empty()) open.emplace_back(0, 0);
    std::set<int> with_value;
    for (size_t i = 0; i < open.size(); ++i) {
      const auto [object, node] = open[i];
      VerifyVariable(graph.nodes[object], keys.nodes[node], *values);
      if (!keys.nodes[node].attributes.empty()) with_value.insert(object);
      for (const auto& child : graph.nodes[object].children) {
        for (const auto& other : keys.nodes[node].children) {
          if (other.local_name == child.local_name &&
              seen.insert(child.node_id).second) {
            open.emplace_back(child.node_id, other.node_id);
          }
        }
      }
    }
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      if (graph.nodes[i].kind_case != ObjectKind::kVariable ||
          with_value.contains(i)) {
        continue;
      }
      Note(file_, "variable " + Shown(graph.nodes[i].variable->name),
           DataLoss("it has no value in the checkpoint"));
    }
  }

  void VerifyVariable(const proto::SavedObject& object,
                      const proto::TrackableObjectGraph::TrackableObject& node,
                      const BundleReader& values) {
    if (object.kind_case != ObjectKind::kVariable) return;
    const proto::SavedVariable& variable = *object.variable;
    for (const auto& attribute : node.attributes) {
      const auto found = values.tensors().find(attribute.checkpoint_key);
      const std::string place = "variable " + Shown(variable.name);
      if (found == values.tensors().end()) {
        Note(file_, place,
             DataLoss("its value '{}' is missing in the checkpoint",
                      attribute.checkpoint_key));
        continue;
      }
      const StatusOr<PartialTensorShape> shape =
          ShapeFromProto(*variable.shape);
      if (!shape.ok()) {
        Note(file_, place, shape.status());
        continue;
      }
      const BundleReader::TensorInfo& info = found->second;
      if (static_cast<int>(info.dtype) != static_cast<int>(variable.dtype) ||
          !shape->IsCompatibleWith(info.shape)) {
        Note(file_, place,
             DataLoss("it is of type {} and shape {}, its value in the "
                      "checkpoint is {} {}",
                      static_cast<int>(variable.dtype), shape->PythonString(),
                      DataTypeName(info.dtype), info.shape.DebugString()));
      }
    }
  }

  void VerifyAssets(const std::string& folder,
                    const proto::MetaGraphDef& meta) {
    for (const proto::AssetFileDef& asset : meta.asset_file_def) {
      const std::string path =
          io::ChildPath(io::ChildPath(folder, kAssetsFolder), asset.filename);
      Note(path, "asset", io::Stat(path).status());
    }
  }

  std::string file_;  // of the graph
  std::vector<Finding> findings_;
  bool all_well_ = true;
};

std::string FindingsText(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& f : findings) {
    text += Format("{}  {}{}", f.problem.empty() ? "ok     " : "DAMAGED",
                   Shown(f.file), f.place.empty() ? "" : ": " + f.place);
    // Most messages name the file or begin a sentence of their own.
    if (!f.problem.empty()) text += "\n           " + Shown(f.problem);
    text += "\n";
  }
  return text;
}

Json FindingsJson(const std::vector<Finding>& findings, bool all_well) {
  Json::List list;
  for (const Finding& f : findings) {
    list.push_back(
        Json::Members{{"file", f.file},
                      {"place", f.place},
                      {"ok", f.problem.empty()},
                      {"problem", f.problem.empty() ? Json() : f.problem}});
  }
  return Json::Members{{"ok", all_well}, {"findings", list}};
}

Exit Verify(const Arguments& arguments, const Console& console) {
  const std::string path = arguments.words()[0];
  Verifier verifier;
  if (const std::string folder = SavedModelFolder(path); !folder.empty()) {
    verifier.VerifySavedModel(folder, TagsOf(arguments));
  } else if (const std::string prefix = CheckpointPrefix(path);
             !prefix.empty()) {
    verifier.VerifyCheckpoint(prefix);
  } else {
    verifier.VerifyGraphFile(ReadModelFiles(path, TagsOf(arguments)));
  }
  console.Print(
      arguments.Value("format", "text") == "json"
          ? FindingsJson(verifier.findings(), verifier.all_well()).Text()
          : FindingsText(verifier.findings()));
  return verifier.all_well() ? Exit::kDone : Exit::kDiffers;
}

constexpr Option kVerifyOptions[] = {
    {"format", "text|json", "how to show what was found"},
    kTagsOption,
};
constexpr Example kVerifyExamples[] = {
    {"verify model", "all files of a SavedModel"},
    {"verify training/ckpt-12 || echo damaged", "a checkpoint, in a script"},
    {"verify model --format json | jq '.findings[] | select(.ok | not)'",
     "what is damaged, for programs"},
};

}  // namespace

const Command kVerifyCommand = {
    "verify",
    "MODEL",
    1,
    1,
    "Checks every checksum, tensor, function and object of a model.",
    "Reads each tensor and compares its checksum, compares the fingerprints "
    "that\n"
    "were written with a SavedModel, and checks the graph and its functions as "
    "if\n"
    "they were to run, without running anything. Prints a line for each part,\n"
    "with file and place of what is damaged. Exit status 1 if anything is.",
    kVerifyOptions,
    kVerifyExamples,
    Verify};

}  // namespace gk::command
