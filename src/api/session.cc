// gk::Session.
#include "graphkiln/session.h"

#include <mutex>

#include "api/graph_rep.h"
#include "function/graph_session.h"
#include "profiler/run_trace.h"

namespace gk::api {

struct Session::Rep {
  explicit Rep(const Graph& of)
      : graph(of), session(std::make_shared<GraphSession>(of.rep().graph)) {}

  const Graph graph;
  std::mutex mutex;
  std::shared_ptr<GraphSession> session;  // null once closed
};

Session::Session(const Graph& graph) {
  Guarded([&] { rep_ = std::make_shared<Rep>(graph); });
}

std::vector<Tensor> Session::run(
    const std::vector<Tensor>& fetches,
    const std::vector<std::pair<Tensor, Tensor>>& feeds,
    const std::vector<Operation>& runs) const {
  return run(fetches, feeds, runs, {}, nullptr);
}

std::vector<Tensor> Session::run(
    const std::vector<Tensor>& fetches,
    const std::vector<std::pair<Tensor, Tensor>>& feeds,
    const std::vector<Operation>& runs, const SessionRunOptions& options,
    std::string* run_metadata) const {
  return Guarded([&] {
    std::shared_ptr<GraphSession> session;
    {
      const std::lock_guard lock(rep_->mutex);
      session = rep_->session;
    }
    if (session == nullptr) {
      throw ::gk::Error(InvalidArgument("Attempted to use a closed Session."));
    }
    const FuncGraph* const graph = rep_->graph.rep().graph.get();
    std::vector<Output> inputs;
    std::vector<ImportedElement> outputs;
    TensorVector values;
    for (const auto& [tensor, value] : feeds) {
      inputs.push_back(EdgeIn(*graph, tensor));
      values.push_back(Inner(value));
    }
    for (const Tensor& t : fetches) {
      const Output o = EdgeIn(*graph, t);
      outputs.push_back({o.node, o.index});
    }
    for (Node* node : NodesOf(runs, graph)) outputs.push_back({node, -1});
    const auto ran = [&] {
      return ValueOrThrow(
          session->Run(inputs, values, outputs,
                       options.deadline.value_or(RunLimit::kNever)));
    };
    TensorVector made;
    if (run_metadata == nullptr) {
      made = ran();
    } else {
      RunTrace trace({options.trace, options.output_partition_graphs});
      made = ran();
      const Ref<::gk::ConcreteFunction> part =
          ValueOrThrow(session->PartOf(inputs, outputs));
      *run_metadata = ValueOrThrow(trace.End(*part->function()));
    }
    std::vector<Tensor> results;
    for (size_t i = 0; i < fetches.size(); ++i) {
      results.push_back(Outer(std::move(made[i])));
    }
    return results;
  });
}

void Session::close() const {
  Guarded([&] {
    std::shared_ptr<GraphSession> session;
    {
      const std::lock_guard lock(rep_->mutex);
      session.swap(rep_->session);
    }
    if (session != nullptr) session->Close();
  });
}

Graph Session::graph() const { return rep_->graph; }

}  // namespace gk::api
