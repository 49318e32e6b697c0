#include "python/src/graph/session_object.h"

#include <memory>
#include <optional>
#include <vector>

#include "function/device_scope.h"
#include "function/graph_session.h"
#include "profiler/run_trace.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/py_ref.h"
#include "python/src/binding/throw_error.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/graph/operation_type.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/tensor_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

class PyGraphSession {
 public:
  explicit PyGraphSession(nb::handle graph) : object_(nb::borrow(graph)) {
    FuncGraph* const built =
        IsGraph(graph.ptr()) ? GraphOf(graph.ptr())->func : nullptr;
    if (built == nullptr) Throw(TypeError("expected a graph that is built"));
    session_ = std::make_shared<GraphSession>(Ref<FuncGraph>(built));
  }

  nb::object Run(nb::handle feeds, nb::handle values, nb::handle fetches,
                 bool step_stats, bool partition_graphs, int64_t timeout_ms) {
    std::vector<Output> inputs;
    std::vector<ImportedElement> outputs;
    TensorVector given, results;
    for (nb::handle h : feeds) inputs.push_back(EdgeOf(h));
    // Not constants of the graph that may be built here.
    std::optional<OpBuilder::Scope> eager(EagerPlace());
    for (nb::handle h : values) {
      const Output& feed = inputs.at(given.size());
      given.push_back(
          ValueOrThrow(ToTensor(h.ptr(), feed.node->output(feed.index).dtype)));
    }
    eager.reset();
    for (nb::handle h : fetches) {
      const Operation* op = nullptr;
      if (IsTensor(h.ptr())) {
        const Output o = EdgeOf(h);
        outputs.push_back({o.node, o.index});
      } else if (nb::try_cast(h, op) && op != nullptr) {
        outputs.push_back({op->node, -1});
      } else {
        Throw(TypeError("expected a tensor of the graph or an operation"));
      }
    }
    if (!session_) Throw(RuntimeError("Attempted to use a closed Session."));
    // Another thread may close it meanwhile.
    const std::shared_ptr<GraphSession> session = session_;
    const bool traced = step_stats || partition_graphs;
    std::string metadata;
    const RunLimit::Clock::time_point deadline =
        timeout_ms <= 0
            ? RunLimit::kNever
            : RunLimit::Clock::now() + std::chrono::milliseconds(timeout_ms);
    const auto run = [&]() -> Status {
      if (!traced) {
        GK_ASSIGN_OR_RETURN(results,
                            session->Run(inputs, given, outputs, deadline));
        return OkStatus();
      }
      RunTrace trace({step_stats, partition_graphs});
      GK_ASSIGN_OR_RETURN(results,
                          session->Run(inputs, given, outputs, deadline));
      GK_ASSIGN_OR_RETURN(const Ref<ConcreteFunction> part,
                          session->PartOf(inputs, outputs));
      GK_ASSIGN_OR_RETURN(metadata, trace.End(*part->function()));
      return OkStatus();
    };
    Status status;
    {
      const LazyGilRelease quiet(/*now=*/true);
      status = run();
    }
    ThrowIfError(status);
    nb::list list;
    for (Tensor& t : results) {
      list.append(t ? nb::steal(WrapTensor(std::move(t))) : nb::none());
    }
    if (!traced) return list;
    return nb::make_tuple(list, nb::bytes(metadata.data(), metadata.size()));
  }

  void Close() {
    if (session_) session_->Close();
    session_.reset();
  }
  nb::object graph() const { return object_; }

 private:
  static Output EdgeOf(nb::handle tensor) {
    if (!IsSymbolicTensor(tensor.ptr())) {
      Throw(TypeError("expected a tensor of the graph"));
    }
    return Graph::OutputOf(TensorOf(tensor.ptr()));
  }

  const nb::object object_;
  std::shared_ptr<GraphSession> session_;
};

}  // namespace

void AddGraphSession(nb::module_& m) {
  nb::class_<PyGraphSession>(m, "_GraphSession",
                             "Runs parts of a graph with variables of its own.")
      .def(nb::init<nb::handle>(), nb::arg("graph"))
      .def("run", &PyGraphSession::Run, nb::arg("feeds"), nb::arg("values"),
           nb::arg("fetches"), nb::arg("step_stats") = false,
           nb::arg("partition_graphs") = false, nb::arg("timeout_ms") = 0,
           "The values of tensors of the graph, None for operations; with a\n"
           "serialized RunMetadata where that is asked for.")
      .def("close", &PyGraphSession::Close, "Drops the variables' values.")
      .def_prop_ro("graph", &PyGraphSession::graph, "What it runs.");
}

PyObject* EvaluateInSession(PyObject* thing, PyObject* args, PyObject* kwargs) {
  PyObject* const evaluate = package::evaluate_in_session.Get();
  if (evaluate == nullptr) return nullptr;
  const PyRef bound = PyRef::Steal(PyTuple_Pack(1, thing));
  if (!bound) return nullptr;
  const PyRef all = PyRef::Steal(PySequence_Concat(bound.get(), args));
  return all ? PyObject_Call(evaluate, all.get(), kwargs) : nullptr;
}

}  // namespace gk::py
