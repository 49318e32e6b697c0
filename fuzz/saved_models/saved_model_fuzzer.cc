// Saved models: a folder is written, its model loaded, all functions called and
// differentiated.
//
// An input is the three files of a model, each behind its length in four bytes:
// saved_model.pb, the index and the data of its variables.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "driver/fuzz_target.h"
#include "driver/mutate_bytes.h"
#include "framework/op_registry.h"
#include "graphs/mutate_graph.h"
#include "graphs/run_graph.h"
#include "saved_model/loaded_model.h"

namespace gk::fuzz {
namespace {

using Files = std::array<std::string, 3>;
constexpr std::array<const char*, 3> kNames = {
    "saved_model.pb", "variables/variables.index",
    "variables/variables.data-00000-of-00001"};

Files FilesOf(std::string_view input) {
  Files files;
  for (std::string& file : files) {
    uint32_t length = 0;
    if (input.size() < sizeof(length)) break;
    std::memcpy(&length, input.data(), sizeof(length));
    input.remove_prefix(sizeof(length));
    file = input.substr(0, length);
    input.remove_prefix(file.size());
  }
  return files;
}

std::string InputOf(const Files& files) {
  std::string input;
  for (const std::string& file : files) {
    const auto length = static_cast<uint32_t>(file.size());
    input.append(reinterpret_cast<const char*>(&length), sizeof(length));
    input += file;
  }
  return input;
}

// Of this process, gone with it.
const std::string& Folder() {
  struct Made {
    Made() {
      std::string shared = "/dev/shm";
      if (::access(shared.c_str(), W_OK) != 0) shared = "/tmp";
      name = shared + "/gk-fuzz-" + std::to_string(::getpid());
      std::filesystem::create_directories(name + "/variables");
    }
    ~Made() {
      std::error_code ignored;
      std::filesystem::remove_all(name, ignored);
    }
    std::string name;
  };
  static const Made made;
  return made.name;
}

void RunModel(const Files& files) {
  for (size_t i = 0; i < files.size(); ++i) {
    std::ofstream out(Folder() + "/" + kNames[i],
                      std::ios::binary | std::ios::trunc);
    out.write(files[i].data(), static_cast<std::streamsize>(files[i].size()));
  }
  for (const bool whole : {true, false}) {
    LoadOptions options;
    options.skip_checkpoint = !whole;
    const auto model = LoadedModel::Load(Folder(), {}, options);
    CheckNotInternal(model.status());
    if (!model.ok()) continue;
    const auto& functions =
        (*model)->meta_graph().object_graph_def->concrete_functions;
    for (const auto& [name, saved] : functions) {
      Guarded([&] {
        const auto function = (*model)->Function(name);
        CheckNotInternal(function.status());
        if (function.ok()) RunFunction(**function);
      });
    }
    return;
  }
}

// A number of an object, an odd one now and then.
void ChangeNumber(Random& random, size_t size, int* number) {
  *number = static_cast<int>(OneIn(random, 4) ? OddInteger(random)
                                              : Below(random, size + 1));
}

template <class Map>
typename Map::iterator Some(Random& random, Map& map) {
  auto at = map.begin();
  std::advance(at, Below(random, map.size()));
  return at;
}

void MutateObjects(Random& random, proto::SavedObjectGraph* graph) {
  if (graph->nodes.empty()) return;
  const size_t n = graph->nodes.size();
  proto::SavedObject& object = graph->nodes[Below(random, n)];
  switch (Below(random, 9)) {
    case 0:
      if (!object.children.empty()) {
        auto& child = object.children[Below(random, object.children.size())];
        ChangeNumber(random, n, &child.node_id);
      }
      break;
    case 1: {
      proto::SavedObject& other = graph->nodes[Below(random, n)];
      if (&other != &object) std::swap(object, other);
      break;
    }
    case 2:
      object = graph->nodes[Below(random, n)];
      break;
    case 3:
      if (object.variable.has()) {
        auto& variable = object.mutable_variable();
        variable.dtype = static_cast<proto::DataType>(OddInteger(random));
      }
      break;
    case 4:
      if (object.captured_tensor.has()) {
        auto& captured = object.mutable_captured_tensor();
        MutateBytes(random, captured.concrete_function, 64, &captured.name);
      }
      break;
    case 5:
      if (!object.slot_variables.empty()) {
        auto& slot = object.slot_variables[0];
        ChangeNumber(random, n, &slot.slot_variable_node_id);
      }
      break;
    case 6:
      graph->nodes.erase(graph->nodes.begin() +
                         static_cast<int64_t>(Below(random, n)));
      break;
    default:
      if (!graph->concrete_functions.empty()) {
        auto& one = Some(random, graph->concrete_functions)->second;
        auto& other = Some(random, graph->concrete_functions)->second;
        if (OneIn(random, 3)) {
          one.output_signature = other.output_signature;
        } else if (!one.bound_inputs.empty()) {
          ChangeNumber(
              random, n,
              &one.bound_inputs[Below(random, one.bound_inputs.size())]);
        } else {
          one.bound_inputs = other.bound_inputs;
        }
      }
  }
}

void MutateModel(Random& random, std::string* bytes) {
  proto::SavedModel model;
  if (!model.Parse(*bytes).ok() || model.meta_graphs.empty()) {
    MutateBytes(random, *bytes, bytes->size() + 64, bytes);
    return;
  }
  proto::MetaGraphDef& graph = model.meta_graphs[0];
  auto& library = graph.graph_def.mut().library.mut();
  if (OneIn(random, 8) && !library.registered_gradients.empty()) {
    auto& gradients = library.registered_gradients;
    auto& gradient = gradients[Below(random, gradients.size())];
    if (!library.function.empty()) {
      const auto& other =
          library.function[Below(random, library.function.size())];
      gradient.gradient_func = other.signature->name;
    }
  } else if (OneIn(random, 2)) {
    MutateObjects(random, &graph.object_graph_def.mut());
  } else {
    MutateGraph(random, &graph.graph_def.mut());
  }
  *bytes = model.Serialize();
}

}  // namespace
}  // namespace gk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool started = [] {
    gk::fuzz::StartRuntime();
    return true;
  }();
  (void)started;
  gk::fuzz::RunModel(
      gk::fuzz::FilesOf({reinterpret_cast<const char*>(data), size}));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  gk::RegisterAllOps();
  gk::fuzz::Random random(seed);
  const std::string_view old(reinterpret_cast<const char*>(data), size);
  gk::fuzz::Files files = gk::fuzz::FilesOf(old);
  std::string* const part = &files[gk::fuzz::Below(random, files.size())];
  if (part != &files[0] && gk::fuzz::OneIn(random, 2)) {
    gk::fuzz::MutateBytes(random, *part, part->size() + 64, part);
  } else if (gk::fuzz::OneIn(random, 8)) {
    gk::fuzz::MutateBytes(random, files[0], files[0].size() + 64, &files[0]);
  } else {
    gk::fuzz::MutateModel(random, &files[0]);
  }
  const std::string changed = gk::fuzz::InputOf(files);
  if (changed.size() > max_size) return size;
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}
