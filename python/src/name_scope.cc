#include "name_scope.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "base/per_thread.h"
#include "eager/absent_device.h"
#include "errors.h"
#include "framework/logical_device.h"
#include "tensor_type.h"
#include "text_caster.h"

namespace nb = nanobind;

namespace gk::py {

OpScope::OpScope(std::string_view name, bool own)
    : graph_(FuncGraph::Current()) {
  if (graph_ == nullptr) return;
  StatusOr<std::string> scope = graph_->PushNameScope(name);
  if (scope.ok()) {
    name_ = *std::move(scope);
    if (own) graph_->MarkOpScope();
  } else {
    status_ = scope.status();
    graph_ = nullptr;
  }
}
OpScope::~OpScope() {
  if (graph_ != nullptr) graph_->PopNameScope();
}

namespace {

[[noreturn]] void Throw(const Status& status) {
  Raise(status);
  throw nb::python_error();
}

// Scopes of eager code, which only variables' names show.
std::vector<std::string>& EagerScopes() {
  struct Scopes {
    std::vector<std::string> names{""};
  };
  return PerThread<Scopes, Scopes>::Get().names;
}

// A scope changes what its thread does, and so must end there: a generator that
// yields within one may be resumed by another thread.
Status LeftElsewhere(std::string_view scope) {
  return RuntimeError(
      "A {} was left on another thread than the one that entered it", scope);
}

std::string CurrentScope() {
  FuncGraph* graph = FuncGraph::Current();
  return graph ? graph->name_scope() : EagerScopes().back();
}

// tf.name_scope: everything made inside has its name below `name`.
class NameScope {
 public:
  explicit NameScope(std::string name) : name_(std::move(name)) {}
  const std::string& name() const { return name_; }

  std::string Enter() {
    Ref<FuncGraph> graph(FuncGraph::Current());
    std::string full;
    if (graph) {
      StatusOr<std::string> scope = graph->PushNameScope(name_);
      if (!scope.ok()) Throw(scope.status());
      full = *std::move(scope);
    } else if (!name_.empty()) {
      full = name_.back() == '/' ? name_ : EagerScopes().back() + name_ + "/";
      EagerScopes().push_back(full);
    } else {
      EagerScopes().push_back("");
    }
    entered_.push_back(std::move(graph));
    return full;
  }
  void Exit() {
    if (entered_.empty()) return;
    Ref<FuncGraph> graph = std::move(entered_.back());
    entered_.pop_back();
    if (graph) {
      graph->PopNameScope();
    } else if (EagerScopes().size() > 1) {
      EagerScopes().pop_back();
    }
  }

 private:
  std::string name_;
  std::vector<Ref<FuncGraph>> entered_;
};

// The graph that the innermost init_scope of this thread left; null if it was
// left to eager code.
Ref<FuncGraph>& LeftGraph() {
  struct Left {
    Ref<FuncGraph> graph;
  };
  return PerThread<Left, Left>::Get().graph;
}

// What runs ops outside of all graphs: the eager context, or what refuses them
// in scopes of devices that are not there. Null stands for the former.
OpBuilder*& PlaceOfScope() {
  thread_local OpBuilder* place = nullptr;
  return place;
}
OpBuilder* EagerPlace() {
  return PlaceOfScope() ? PlaceOfScope() : OpBuilder::Eager();
}

// An eager scope of tf.device: everything in it runs, or fails.
class EagerDeviceScope {
 public:
  EagerDeviceScope() = default;
  EagerDeviceScope(std::string op_error, std::string value_error)
      : absent_(std::make_unique<AbsentDevice>(std::move(op_error),
                                               std::move(value_error))) {}
  EagerDeviceScope(const EagerDeviceScope&) = delete;
  // Without an exit: after an interrupt, by whoever collects it. What another
  // thread has stays.
  ~EagerDeviceScope() {
    if (IsHere()) {
      Exit();
      return;
    }
    (void)scope_.release();
    (void)absent_.release();
  }

  void Enter() {
    if (scope_) return;
    before_ = std::exchange(PlaceOfScope(), absent_.get());
    scope_ = std::make_unique<OpBuilder::Scope>(EagerPlace());
    thread_ = std::this_thread::get_id();
  }
  void Exit() {
    if (!scope_) return;
    if (!IsHere()) Throw(LeftElsewhere("tf.device"));
    scope_.reset();
    PlaceOfScope() = before_;
  }

 private:
  bool IsHere() const {
    return !scope_ || thread_ == std::this_thread::get_id();
  }

  std::thread::id thread_;                // where it was entered
  std::unique_ptr<AbsentDevice> absent_;  // null if all can run
  std::unique_ptr<OpBuilder::Scope> scope_;
  OpBuilder* before_ = nullptr;
};

// tf.init_scope: out of the graphs of functions, unseen by tapes.
class InitScope {
 public:
  InitScope() = default;
  InitScope(const InitScope&) = delete;
  ~InitScope() {
    while (!entered_.empty()) {
      if (entered_.back().IsHere()) {
        Exit();
      } else {
        (void)entered_.back().scope.release();
        entered_.pop_back();
      }
    }
  }

  void Enter() {
    Ref<FuncGraph> left(FuncGraph::Current());
    // A graph made for its own sake is where things get initialised.
    FuncGraph* outer = left.get();
    while (outer != nullptr && outer->is_function()) outer = outer->outer();
    OpBuilder* place = outer ? static_cast<OpBuilder*>(outer) : EagerPlace();
    // What may lack memory comes before anything has changed.
    ObserverList& observers = CurrentObservers();
    Ref<FuncGraph>& left_graph = LeftGraph();
    entered_.push_back({std::make_unique<OpBuilder::Scope>(place), left_graph,
                        CurrentDevice()});
    if (left && MindsDevices()) {
      const int device = FindDevice(left->device());
      if (device >= 0) SetCurrentDevice(device);
    }
    if (left) left_graph = std::move(left);
    ++observers.paused;
  }
  void Exit() {
    if (entered_.empty()) return;
    if (!entered_.back().IsHere()) Throw(LeftElsewhere("tf.init_scope"));
    --CurrentObservers().paused;
    SetCurrentDevice(entered_.back().device_before);
    LeftGraph() = std::move(entered_.back().left_before);
    entered_.pop_back();
  }

 private:
  struct Entered {
    std::unique_ptr<OpBuilder::Scope> scope;
    Ref<FuncGraph> left_before;
    int device_before;
    std::thread::id thread = std::this_thread::get_id();

    bool IsHere() const { return thread == std::this_thread::get_id(); }
  };
  std::vector<Entered> entered_;
};

// Is a function being traced here, even if init_scope left its graph?
bool InsideFunction() {
  if (FuncGraph* graph = FuncGraph::Current()) return graph->is_function();
  return LeftGraph() && LeftGraph()->is_function() && !LeftGraph()->finished();
}

}  // namespace

void AddScopes(nb::module_& m) {
  nb::class_<NameScope>(m, "name_scope",
                        "Names made inside begin with this scope's name.")
      .def(
          "__init__",
          [](NameScope* self, nb::object name) {
            if (!nb::isinstance<nb::str>(name)) {
              Throw(ValueError("name for name_scope must be a string."));
            }
            new (self) NameScope(nb::cast<std::string>(name));
          },
          nb::arg("name").none())
      .def_prop_ro("name", &NameScope::name, "The name given.")
      .def("__enter__", &NameScope::Enter)
      .def("__exit__", [](NameScope& self, nb::args) { self.Exit(); });
  nb::class_<InitScope>(m, "init_scope",
                        "Lifts what is made inside out of all graphs.")
      .def(nb::init<>())
      .def("__enter__", &InitScope::Enter)
      .def("__exit__", [](InitScope& self, nb::args) { self.Exit(); });
  nb::class_<EagerDeviceScope>(m, "EagerDeviceScope",
                               "Where eager ops run, or why they cannot.")
      .def(nb::init<>())
      .def(nb::init<std::string, std::string>(), nb::arg("op_error"),
           nb::arg("value_error"))
      .def("enter", &EagerDeviceScope::Enter)
      .def("exit", &EagerDeviceScope::Exit);
  m.def("soft_placement", &SoftPlacement,
        "May ops run elsewhere if their device is not there?");
  m.def("set_soft_placement", &SetSoftPlacement, nb::arg("soft"),
        "Whether ops may run elsewhere if their device is not there.");
  m.def(
      "set_num_logical_devices",
      [](int count) {
        const Status status = SetNumLogicalDevices(count);
        if (!status.ok()) Throw(status);
      },
      nb::arg("count"), "How many parts of the CPU can be named.");
  m.def(
      "set_current_device",
      [](int device) {
        const int before = CurrentDevice();
        SetCurrentDevice(std::clamp(device, 0, NumLogicalDevices() - 1));
        return before;
      },
      nb::arg("device"),
      "Where this thread makes tensors from now on; returns where it did.");
  m.def(
      "is_on_current_device",
      [](nb::handle tensor) {
        return !IsEagerTensor(tensor.ptr()) ||
               DeviceOf(TensorOf(tensor.ptr())) == CurrentDevice();
      },
      nb::arg("tensor"), "Is it where this thread makes tensors?");
  m.def("inside_function", &InsideFunction, "Is a function being traced here?");
  m.def("current_scope", &CurrentScope,
        "The full name of the current name scope.");
}

}  // namespace gk::py
