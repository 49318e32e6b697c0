#include "python/src/graph/session_object.h"

#include <memory>
#include <string>
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
    const std::vector<Output> inputs = EdgesOf(feeds);
    const TensorVector given = ValuesOf(inputs, values);
    const std::vector<ImportedElement> outputs = ElementsOf(fetches);
    TensorVector results;
    // Another thread may close it meanwhile.
    const std::shared_ptr<GraphSession> session = Open();
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
    const nb::list list = Listed(std::move(results));
    if (!traced) return list;
    return nb::make_tuple(list, nb::bytes(metadata.data(), metadata.size()));
  }

  std::string SetUpPartialRun(nb::handle feeds, nb::handle fetches) {
    return ValueOrThrow(
        Open()->SetUpPartialRun(EdgesOf(feeds), ElementsOf(fetches)));
  }
  nb::list StepOfPartialRun(const std::string& handle, nb::handle feeds,
                            nb::handle values, nb::handle fetches) {
    const std::vector<Output> inputs = EdgesOf(feeds);
    const TensorVector given = ValuesOf(inputs, values);
    const std::vector<ImportedElement> outputs = ElementsOf(fetches);
    const std::shared_ptr<GraphSession> session = Open();
    StatusOr<TensorVector> results = [&] {
      const LazyGilRelease quiet(/*now=*/true);
      return session->StepOfPartialRun(handle, inputs, given, outputs);
    }();
    return Listed(ValueOrThrow(std::move(results)));
  }

  nb::object KeptTensor(const std::string& handle) {
    Tensor t = ValueOrThrow(ValueOrThrow(Open()->tensors())->Find(handle));
    return nb::steal(WrapTensor(std::move(t)));
  }
  // Once it is closed there are none.
  void DeleteTensor(const std::string& handle) {
    if (!session_) return;
    ThrowIfError(ValueOrThrow(session_->tensors())->Delete(handle));
  }

  void Close() {
    if (session_) session_->Close();
    session_.reset();
  }
  nb::object graph() const { return object_; }

 private:
  std::shared_ptr<GraphSession> Open() const {
    if (!session_) Throw(RuntimeError("Attempted to use a closed Session."));
    return session_;
  }
  static nb::list Listed(TensorVector values) {
    nb::list list;
    for (Tensor& t : values) {
      list.append(t ? nb::steal(WrapTensor(std::move(t))) : nb::none());
    }
    return list;
  }
  static std::vector<Output> EdgesOf(nb::handle feeds) {
    std::vector<Output> edges;
    for (nb::handle h : feeds) edges.push_back(EdgeOf(h));
    return edges;
  }
  static TensorVector ValuesOf(const std::vector<Output>& feeds,
                               nb::handle values) {
    // Not constants of the graph that may be built here.
    const OpBuilder::Scope eager(EagerPlace());
    TensorVector given;
    for (nb::handle h : values) {
      const Output& feed = feeds.at(given.size());
      given.push_back(
          ValueOrThrow(ToTensor(h.ptr(), feed.node->output(feed.index).dtype)));
    }
    return given;
  }
  static std::vector<ImportedElement> ElementsOf(nb::handle fetches) {
    std::vector<ImportedElement> elements;
    for (nb::handle h : fetches) {
      const Operation* op = nullptr;
      if (IsTensor(h.ptr())) {
        const Output o = EdgeOf(h);
        elements.push_back({o.node, o.index});
      } else if (nb::try_cast(h, op) && op != nullptr) {
        elements.push_back({op->node, -1});
      } else {
        Throw(TypeError("expected a tensor of the graph or an operation"));
      }
    }
    return elements;
  }
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
      .def("partial_run_setup", &PyGraphSession::SetUpPartialRun,
           nb::arg("feeds"), nb::arg("fetches"),
           "The handle of a run in steps, which may feed and fetch these.")
      .def("partial_run", &PyGraphSession::StepOfPartialRun, nb::arg("handle"),
           nb::arg("feeds"), nb::arg("values"), nb::arg("fetches"),
           "The values of tensors of the graph, None for operations.")
      .def("kept_tensor", &PyGraphSession::KeptTensor, nb::arg("handle"),
           "The tensor that runs keep by this handle.")
      .def("delete_tensor", &PyGraphSession::DeleteTensor, nb::arg("handle"),
           "Drops the tensor that runs keep by this handle.")
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
