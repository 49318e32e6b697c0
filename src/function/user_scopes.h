// Scopes that programs enter: of names, and init_scope. Both hold in graphs
// and eagerly, where variables' names show the former. A scope is left on the
// thread that entered it.
#ifndef GK_FUNCTION_USER_SCOPES_H_
#define GK_FUNCTION_USER_SCOPES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "function/func_graph.h"

namespace gk {

// Everything made inside has its name below `name`; one that ends in '/' is
// the whole scope, an empty one leaves all scopes. May be entered repeatedly.
class UserNameScope {
 public:
  // Of names in `graph`; null: where it is entered.
  explicit UserNameScope(std::string name, Ref<FuncGraph> graph = {})
      : name_(std::move(name)), graph_(std::move(graph)) {}
  const std::string& name() const { return name_; }

  // "outer/name/"; ValueError if the name cannot be one.
  StatusOr<std::string> Enter();
  void Exit();

 private:
  std::string name_;
  Ref<FuncGraph> graph_;
  std::vector<Ref<FuncGraph>> entered_;
};
// The same, for as long as it lives; throws Error.
class WithinScope {
 public:
  explicit WithinScope(std::string name)
      : scope_(std::move(name)), full_name_(ValueOrThrow(scope_.Enter())) {}
  ~WithinScope() { scope_.Exit(); }
  WithinScope(const WithinScope&) = delete;

  const UserNameScope& scope() const { return scope_; }
  const std::string& full_name() const { return full_name_; }

 private:
  UserNameScope scope_;
  const std::string full_name_;
};
// "outer/inner/".
std::string CurrentNameScope();

// Out of the graphs of functions, into the graph that was made for its own
// sake around them or to eager code; unseen by tapes. Names begin as they did
// in the graph that is left, and nothing waits for what others waited for
// there.
class InitScope {
 public:
  InitScope() : InitScope(/*is_eager_mode=*/false) {}
  InitScope(const InitScope&) = delete;
  // Leaves what was not left, unless another thread entered it.
  ~InitScope();

  void Enter();
  // Undoes the last Enter; RuntimeError on another thread.
  Status Exit();

 protected:
  explicit InitScope(bool is_eager_mode) : is_eager_mode_(is_eager_mode) {}

 private:
  struct Entered {
    std::unique_ptr<OpBuilder::Scope> scope;
    Ref<FuncGraph> left_before;
    int device_before;
    std::thread::id thread = std::this_thread::get_id();
    std::unique_ptr<WithinScope> names = {};  // of the graph that was left
    Ref<FuncGraph> waits_for_none = {};

    bool IsHere() const { return thread == std::this_thread::get_id(); }
  };
  const bool is_eager_mode_;
  std::vector<Entered> entered_;
};

// Out of all graphs; tapes go on, and names are those of eager code.
class EagerMode : public InitScope {
 public:
  EagerMode() : InitScope(/*is_eager_mode=*/true) {}
};

// Is a function being traced here, even if an InitScope left its graph?
bool InsideFunction();

// While a model is saved: functions are traced anew for it, once, so that their
// traces have what they see of the program then.
class SavingScope {
 public:
  ~SavingScope();

  void Enter();
  // Of the thread that entered it.
  void Exit();

 private:
  bool entered_ = false;
};

// What tells calls of functions apart besides their arguments: the graph made
// for its own sake that they are in, what their ops are colocated with, and
// whether a model is saved. 0 outside of all that.
uint64_t TracePlace();

// The graph that is built here, or that an InitScope left for eager code; null
// if there is none.
FuncGraph* GraphAround();
// Is `graph`, null for eager code, the graph around, or are functions traced
// here that are in it? No others are around a graph made for its own sake.
bool IsAround(const FuncGraph* graph);

}  // namespace gk

#endif  // GK_FUNCTION_USER_SCOPES_H_
