#include "control_flow.h"

#include <memory>
#include <optional>

#include "bound_values.h"
#include "func_graph_object.h"
#include "function/branch_builder.h"
#include "function/while_builder.h"
#include "text_caster.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

TensorVector Tensors(nb::handle list) {
  TensorVector tensors;
  for (nb::handle t : list) tensors.push_back(AsTensor(t));
  return tensors;
}
nb::object Wrapped(std::span<const Tensor> tensors) {
  return Owned(WrapTensors(tensors));
}
nb::object Wrapped(FuncGraph* graph) {
  return Owned(WrapGraph(graph->graph().get()));
}

// What is made inside belongs to a part of a node.
class PyPartScope {
 public:
  PyPartScope(nb::handle graph, std::string scope) : scope_(std::move(scope)) {
    if (!IsGraph(graph.ptr()) || GraphOf(graph.ptr())->func == nullptr) {
      Throw(TypeError("not a FuncGraph under construction"));
    }
    part_ = Ref<FuncGraph>(GraphOf(graph.ptr())->func);
  }
  PyPartScope(const PyPartScope&) = delete;
  void Enter() {
    Guarded([&] {
      entered_.push_back(std::make_unique<PartScope>(part_.get(), scope_));
    });
  }
  void Exit() {
    if (!entered_.empty()) entered_.pop_back();
  }

 private:
  Ref<FuncGraph> part_;
  std::string scope_;
  std::vector<std::unique_ptr<PartScope>> entered_;
};

// A builder as a context: its end leaves the scope of the node also if no node
// was made.
class PyBranchBuilder {
 public:
  PyBranchBuilder(bool is_if, std::string name)
      : kind_(is_if ? BranchKind::kIf : BranchKind::kCase),
        name_(std::move(name)) {}
  PyBranchBuilder(const PyBranchBuilder&) = delete;
  void Enter() {
    Guarded([&] { made_ = std::make_unique<BranchBuilder>(kind_, name_); });
  }
  void Exit() { made_ = nullptr; }
  std::string scope() const { return Get().scope(); }
  nb::object Add(const std::string& suffix) {
    return Wrapped(Guarded([&] { return Get().Add(suffix); }));
  }
  nb::object Finish(nb::handle selector, nb::handle results) {
    std::vector<TensorVector> all;
    for (nb::handle r : results) all.push_back(Tensors(r));
    const Tensor chosen = AsTensor(selector);
    return Wrapped(Guarded([&] { return Get().Finish(chosen, all); }));
  }

 private:
  BranchBuilder& Get() const {
    if (!made_) Throw(RuntimeError("not entered"));
    return *made_;
  }

  BranchKind kind_;
  std::string name_;
  std::unique_ptr<BranchBuilder> made_;
};

class PyWhileBuilder {
 public:
  PyWhileBuilder(std::string name, nb::handle maximum_iterations)
      : name_(std::move(name)) {
    if (!maximum_iterations.is_none()) limit_ = AsTensor(maximum_iterations);
  }
  PyWhileBuilder(const PyWhileBuilder&) = delete;
  void Enter() {
    Guarded([&] { made_ = std::make_unique<WhileBuilder>(name_, limit_); });
  }
  void Exit() { made_ = nullptr; }
  std::string scope() const { return Get().scope(); }

  void Carry(nb::handle initial, nb::handle shapes) {
    std::vector<PartialTensorShape> all;
    for (nb::handle s : shapes) all.push_back(Shape(s));
    Guarded([&] { Get().Carry(Tensors(initial), std::move(all)); });
  }
  nb::object Begin(bool body) {
    return Wrapped(Guarded([&] { return Get().Begin(Part(body)); }));
  }
  nb::object Variables(bool body) const {
    return Wrapped(Guarded([&] { return Get().variables(Part(body)); }));
  }
  nb::object Counter(bool body) const {
    return Owned(
        WrapTensor(Guarded([&] { return Get().counter(Part(body)); })));
  }
  nb::object AddLate(nb::handle like, nb::handle shape) {
    const Tensor t = AsTensor(like);
    const PartialTensorShape s = Shape(shape);
    return Owned(WrapTensor(Guarded([&] {
      return Get().AddLate(t.dtype(), s, HandleDataOf(t));
    })));
  }
  void StartLate(nb::handle initial) {
    Guarded([&] { Get().StartLate(Tensors(initial)); });
  }
  // (index, "dtype" or "shape") or None
  nb::object FindDisagreement(nb::handle after) const {
    const auto found = Get().FindDisagreement(Tensors(after));
    if (!found) return nb::none();
    return nb::make_tuple(
        found->variable,
        found->change == WhileBuilder::Change::kDtype ? "dtype" : "shape");
  }
  void EndCondition(nb::handle truth) {
    Guarded([&] { Get().EndCondition(AsTensor(truth)); });
  }
  void EndBody(nb::handle after) {
    Guarded([&] { Get().EndBody(Tensors(after)); });
  }
  nb::object Finish(int64_t parallel_iterations) {
    return Wrapped(
        Guarded([&] { return Get().Finish(parallel_iterations); }));
  }

 private:
  static WhileBuilder::Part Part(bool body) {
    return body ? WhileBuilder::kBody : WhileBuilder::kCondition;
  }
  WhileBuilder& Get() const {
    if (!made_) Throw(RuntimeError("not entered"));
    return *made_;
  }

  std::string name_;
  Tensor limit_;
  std::unique_ptr<WhileBuilder> made_;
};

template <class T>
nb::class_<T> Context(nb::module_& m, const char* name, const char* doc) {
  nb::class_<T> type(m, name, doc);
  type.def(
          "__enter__",
          [](T& self) -> T& {
            self.Enter();
            return self;
          },
          nb::rv_policy::reference)
      .def("__exit__", [](T& self, nb::args) { self.Exit(); });
  return type;
}

}  // namespace

void AddControlFlow(nb::module_& m) {
  m.def(
      "_check_branch_index",
      [](nb::handle index) {
        const Status status = CheckBranchIndex(AsTensor(index));
        if (!status.ok()) Throw(status);
      },
      "TypeError or ValueError unless a tensor may choose a branch.");
  Context<PyPartScope>(m, "_PartScope",
                       "_PartScope(graph, scope): what is made inside belongs "
                       "to the part of a node.")
      .def(nb::init<nb::handle, std::string>());
  Context<PyBranchBuilder>(m, "_BranchBuilder",
                           "_BranchBuilder(is_if, name): an If or a Case of "
                           "branches that are traced one by one.")
      .def(nb::init<bool, std::string>())
      .def_prop_ro("scope", &PyBranchBuilder::scope)
      .def("add", &PyBranchBuilder::Add,
           "add(suffix): the graph of a new branch.")
      .def("finish", &PyBranchBuilder::Finish,
           "finish(selector, results of the branches): those of the node.");
  Context<PyWhileBuilder>(m, "_WhileBuilder",
                          "_WhileBuilder(name, limit or None): a While of two "
                          "parts; `body` says which one is meant.")
      .def(nb::init<std::string, nb::handle>(), nb::arg("name"),
           nb::arg("maximum_iterations").none())
      .def_prop_ro("scope", &PyWhileBuilder::scope)
      .def("carry", &PyWhileBuilder::Carry)
      .def("begin", &PyWhileBuilder::Begin)
      .def("variables", &PyWhileBuilder::Variables)
      .def("counter", &PyWhileBuilder::Counter)
      .def("add_late", &PyWhileBuilder::AddLate,
           "add_late(like, shape): a variable that the body needs.")
      .def("start_late", &PyWhileBuilder::StartLate)
      .def("find_disagreement", &PyWhileBuilder::FindDisagreement,
           "The first variable that an iteration changes, and in what.")
      .def("end_condition", &PyWhileBuilder::EndCondition)
      .def("end_body", &PyWhileBuilder::EndBody)
      .def("finish", &PyWhileBuilder::Finish,
           "finish(parallel_iterations): the number of iterations, then the "
           "variables.");
}

}  // namespace gk::py
