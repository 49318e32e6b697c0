#include "function/trace_function.h"

#include <utility>

#include "framework/long_work.h"
#include "function/function_attributes.h"
#include "function/trace_writes.h"

namespace gk {
namespace {

Status CallBody(FuncGraph* graph, const FunctionTrace& trace, TracedBody* body,
                TensorVector* results) {
  const FuncGraph::Building building(graph);
  graph->set_signature({trace.type, nullptr});
  GK_RETURN_IF_ERROR(
      MakeArguments(*trace.type, trace.variables, body->arguments()));
  const TraceWrites writes;
  GK_RETURN_IF_ERROR(body->Call());
  GK_RETURN_IF_ERROR(body->CheckArguments());
  const auto add = [&](const Tensor& result) -> Status {
    GK_ASSIGN_OR_RETURN(Tensor returned, graph->MarkReturned(result));
    results->push_back(std::move(returned));
    return OkStatus();
  };
  GK_ASSIGN_OR_RETURN(StructureRef structure, body->Results(add));
  graph->set_signature({trace.type, std::move(structure)});
  return writes.Check();
}

}  // namespace

StatusOr<Ref<ConcreteFunction>> TraceFunction(FuncGraph* graph,
                                              const FunctionTrace& trace,
                                              TracedBody* body) {
  LongWork work(WorkUnit::kNodes, "Tracing", "Traced", trace.name);
  BeginTrace(graph, trace.attributes);
  TensorVector results;
  GK_RETURN_IF_ERROR(CallBody(graph, trace, body, &results));
  const Status alone = CheckStandsAlone(*graph, trace.name, trace.attributes);
  if (!alone.ok()) return body->NotAlone(alone);
  auto made =
      ConcreteFunction::FromFuncGraph(*graph, results, trace.attributes);
  work.Done();
  return made;
}

}  // namespace gk
