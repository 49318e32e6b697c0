#include "function/trace_writes.h"

#include <utility>
#include <vector>

#include "base/format.h"
#include "base/per_thread.h"
#include "function/func_graph.h"

namespace gk {
namespace {

using Writes = std::vector<std::shared_ptr<UnusedWrite>>;

std::vector<Writes>& WritesOfTraces() {
  return PerThread<std::vector<Writes>, UnusedWrite>::Get();
}

}  // namespace

std::string LostWrite(std::string_view write) {
  return Format(
      "The result of TensorArray.{} was never used, so what it wrote is lost. "
      "Keep the array it returns: `ta = ta.{}(...)`.",
      write, write.substr(0, write.find(' ')));
}

TraceWrites::TraceWrites() { WritesOfTraces().emplace_back(); }
TraceWrites::~TraceWrites() { WritesOfTraces().pop_back(); }

bool TraceWrites::AreWatched() {
  return FuncGraph::Current() != nullptr && !WritesOfTraces().empty();
}

std::shared_ptr<UnusedWrite> TraceWrites::Add(std::string text) {
  Writes& writes = WritesOfTraces().back();
  writes.push_back(std::make_shared<UnusedWrite>(UnusedWrite{std::move(text)}));
  return writes.back();
}

Status TraceWrites::Check() const {
  for (const auto& write : WritesOfTraces().back()) {
    if (!write->used) return ValueError("{}", LostWrite(write->text));
  }
  return OkStatus();
}

}  // namespace gk
