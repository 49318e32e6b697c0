// GraphDefs: import, run, differentiate.
#include <algorithm>
#include <cstring>
#include <string>

#include "driver/fuzz_target.h"
#include "driver/mutate_bytes.h"
#include "framework/op_registry.h"
#include "graphs/mutate_graph.h"
#include "graphs/run_graph.h"

using gk::fuzz::Random;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool started = [] {
    gk::fuzz::StartRuntime();
    return true;
  }();
  (void)started;
  gk::proto::GraphDef message;
  if (message.Parse({reinterpret_cast<const char*>(data), size}).ok()) {
    gk::fuzz::RunGraphDef(message);
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  gk::RegisterAllOps();
  Random random(seed);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  gk::proto::GraphDef message;
  if (!message.Parse(bytes).ok()) {
    gk::fuzz::MutateBytes(random, bytes, max_size, &bytes);
  } else {
    gk::fuzz::MutateGraph(random, &message);
    std::string changed = message.Serialize();
    if (changed.size() <= max_size) bytes = std::move(changed);
  }
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
