#include "python/src/control_flow/unused_writes.h"

#include <utility>
#include <vector>

#include "base/per_thread.h"
#include "function/func_graph.h"
#include "function/tensor_array.h"
#include "python/src/binding/throw_status.h"
#include "python/src/graph/source_location.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

using Writes = std::vector<std::shared_ptr<UnusedWrite>>;

// Those of each function that this thread is in the middle of tracing.
std::vector<Writes>& WritesOfTraces() {
  return PerThread<std::vector<Writes>, UnusedWrite>::Get();
}

class WritesOfTrace {
 public:
  void Enter() { WritesOfTraces().emplace_back(); }
  void Exit(const nb::args& error) {
    const Writes writes = std::move(WritesOfTraces().back());
    WritesOfTraces().pop_back();
    if (!nb::object(error[0]).is_none()) return;
    for (const auto& write : writes) {
      if (!write->used) Throw(ValueError("{}", LostWrite(write->text)));
    }
  }
};

}  // namespace

std::shared_ptr<UnusedWrite> NewWrite(const char* method) {
  const CallSite site = CallSiteNow();
  return std::make_shared<UnusedWrite>(UnusedWrite{
      site.file.empty() ? method
                        : Format("{} at {}:{}", method, site.file, site.line)});
}

std::shared_ptr<UnusedWrite> NewWriteOfTrace(const char* method) {
  if (FuncGraph::Current() == nullptr || WritesOfTraces().empty()) return {};
  WritesOfTraces().back().push_back(NewWrite(method));
  return WritesOfTraces().back().back();
}

void AddUnusedWrites(nb::module_& m) {
  nb::class_<WritesOfTrace>(m, "_WritesOfTrace",
                            "The writes to TensorArrays of a traced function; "
                            "at its end it is an error if the result of one "
                            "was not used.")
      .def(nb::init<>())
      .def("__enter__", &WritesOfTrace::Enter)
      .def("__exit__", &WritesOfTrace::Exit);
}

}  // namespace gk::py
