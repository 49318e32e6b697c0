// FunctionDefs: libraries of functions, each read, called and differentiated.
#include <algorithm>
#include <cstring>
#include <string>

#include "driver/fuzz_target.h"
#include "driver/mutate_bytes.h"
#include "framework/op_registry.h"
#include "graph/graph_def.h"
#include "graph/import_graph_def.h"
#include "graphs/mutate_graph.h"
#include "graphs/run_graph.h"

namespace gk::fuzz {
namespace {

// Calls of all functions, with placeholders for what they take.
proto::GraphDef CallEach(const proto::FunctionDefLibrary& library) {
  proto::GraphDef graph;
  int k = 0;
  for (const proto::FunctionDef& f : library.function) {
    proto::NodeDef call;
    call.name = "call" + std::to_string(k);
    call.op = f.signature->name;
    int i = 0;
    for (const auto& arg : f.signature->input_arg) {
      proto::NodeDef placeholder;
      placeholder.name = "arg" + std::to_string(k) + "_" + std::to_string(i++);
      placeholder.op = "Placeholder";
      placeholder.attr["dtype"].set_type(arg.type);
      call.input.push_back(placeholder.name);
      graph.node.push_back(std::move(placeholder));
    }
    graph.node.push_back(std::move(call));
    ++k;
  }
  graph.library = library;
  return graph;
}

void RunLibrary(const proto::FunctionDefLibrary& library) {
  FunctionReader reader(library);
  const Status indexed = reader.Init();
  CheckNotInternal(indexed);
  if (!indexed.ok()) return;
  for (const proto::FunctionDef& f : library.function) {
    StatusOr<Ref<GraphFunction>> read = reader.Read(f.signature->name);
    CheckNotInternal(read.status());
    // What was read can be written.
    if (read.ok()) CheckNotInternal(FunctionToFunctionDef(**read).status());
  }
  RunGraphDef(CallEach(library));
}

}  // namespace
}  // namespace gk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool started = [] {
    gk::fuzz::StartRuntime();
    return true;
  }();
  (void)started;
  gk::proto::FunctionDefLibrary library;
  if (library.Parse({reinterpret_cast<const char*>(data), size}).ok()) {
    gk::fuzz::RunLibrary(library);
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  gk::RegisterAllOps();
  gk::fuzz::Random random(seed);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  gk::proto::GraphDef graph;
  if (graph.library.mut().Parse(bytes).ok()) {
    gk::fuzz::MutateGraph(random, &graph);
    std::string changed = graph.library->Serialize();
    if (changed.size() <= max_size) bytes = std::move(changed);
  } else {
    gk::fuzz::MutateBytes(random, bytes, max_size, &bytes);
  }
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
