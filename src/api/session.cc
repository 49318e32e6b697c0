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

  const FuncGraph* inner() const { return graph.rep().graph.get(); }
  std::shared_ptr<GraphSession> Open() {
    const std::lock_guard lock(mutex);
    if (session != nullptr) return session;
    throw ::gk::Error(InvalidArgument("Attempted to use a closed Session."));
  }
  std::pair<std::vector<Output>, TensorVector> Fed(
      const std::vector<std::pair<Tensor, Tensor>>& feeds) const {
    std::pair<std::vector<Output>, TensorVector> fed;
    for (const auto& [tensor, value] : feeds) {
      fed.first.push_back(EdgeIn(*inner(), tensor));
      fed.second.push_back(Inner(value));
    }
    return fed;
  }
  std::vector<ImportedElement> Fetched(
      const std::vector<Tensor>& fetches,
      const std::vector<Operation>& runs) const {
    std::vector<ImportedElement> elements;
    for (const Tensor& t : fetches) {
      const Output o = EdgeIn(*inner(), t);
      elements.push_back({o.node, o.index});
    }
    for (Node* node : NodesOf(runs, inner())) elements.push_back({node, -1});
    return elements;
  }
};

namespace {

std::vector<Tensor> OuterFirst(TensorVector values, size_t count) {
  std::vector<Tensor> results;
  for (size_t i = 0; i < count; ++i) {
    results.push_back(Outer(std::move(values[i])));
  }
  return results;
}

}  // namespace

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
    const std::shared_ptr<GraphSession> session = rep_->Open();
    const auto [inputs, values] = rep_->Fed(feeds);
    const std::vector<ImportedElement> outputs = rep_->Fetched(fetches, runs);
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
    return OuterFirst(std::move(made), fetches.size());
  });
}

std::string Session::partial_run_setup(
    const std::vector<Tensor>& fetches, const std::vector<Tensor>& feeds,
    const std::vector<Operation>& runs) const {
  return Guarded([&] {
    const std::shared_ptr<GraphSession> session = rep_->Open();
    std::vector<Output> inputs;
    for (const Tensor& t : feeds) inputs.push_back(EdgeIn(*rep_->inner(), t));
    return ValueOrThrow(
        session->SetUpPartialRun(inputs, rep_->Fetched(fetches, runs)));
  });
}

std::vector<Tensor> Session::partial_run(
    const std::string& handle, const std::vector<Tensor>& fetches,
    const std::vector<std::pair<Tensor, Tensor>>& feeds) const {
  return Guarded([&] {
    const std::shared_ptr<GraphSession> session = rep_->Open();
    const auto [inputs, values] = rep_->Fed(feeds);
    return OuterFirst(ValueOrThrow(session->StepOfPartialRun(
                          handle, inputs, values, rep_->Fetched(fetches, {}))),
                      fetches.size());
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
