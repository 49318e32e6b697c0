#include "function/user_scopes.h"

#include "base/hash.h"
#include "base/per_thread.h"
#include "framework/logical_device.h"
#include "function/device_scope.h"
#include "function/user_graph.h"

namespace gk {
namespace {

constexpr uint64_t kSaving = 0x5a7e;

// Scopes of eager code.
std::vector<std::string>& EagerScopes() {
  struct Scopes {
    std::vector<std::string> names{""};
  };
  return PerThread<Scopes, Scopes>::Get().names;
}

struct OfThread {
  // The graph that the innermost InitScope left; null if it was left to eager
  // code.
  Ref<FuncGraph> left;
  int saving = 0;  // SavingScopes that are entered
};
OfThread& Here() { return PerThread<OfThread, OfThread>::Get(); }

Ref<FuncGraph>& LeftGraph() { return Here().left; }

}  // namespace

StatusOr<std::string> UserNameScope::Enter() {
  Ref<FuncGraph> graph = graph_ ? graph_ : Ref(FuncGraph::Current());
  std::string full;
  if (graph) {
    GK_ASSIGN_OR_RETURN(full, graph->scopes().PushName(name_));
  } else {
    if (!name_.empty()) {
      full = name_.back() == '/' ? name_ : EagerScopes().back() + name_ + "/";
    }
    EagerScopes().push_back(full);
  }
  entered_.push_back(std::move(graph));
  return full;
}

void UserNameScope::Exit() {
  if (entered_.empty()) return;
  Ref<FuncGraph> graph = std::move(entered_.back());
  entered_.pop_back();
  if (graph) {
    graph->scopes().PopName();
  } else if (EagerScopes().size() > 1) {
    EagerScopes().pop_back();
  }
}

std::string CurrentNameScope() {
  FuncGraph* graph = FuncGraph::Current();
  return graph ? graph->scopes().name() : EagerScopes().back();
}

InitScope::~InitScope() {
  while (!entered_.empty()) {
    if (entered_.back().IsHere()) {
      (void)Exit();
    } else {
      (void)entered_.back().scope.release();
      (void)entered_.back().names.release();
      entered_.pop_back();
    }
  }
}

void InitScope::Enter() {
  Ref<FuncGraph> left(FuncGraph::Current());
  FuncGraph* outer = left.get();
  while (outer != nullptr && (is_eager_mode_ || outer->is_function())) {
    outer = outer->outer();
  }
  OpBuilder* place = outer ? static_cast<OpBuilder*>(outer) : EagerPlace();
  // What may lack memory comes before anything has changed.
  ObserverList& observers = CurrentObservers();
  Ref<FuncGraph>& left_graph = LeftGraph();
  std::string names = left ? CurrentNameScope() : std::string();
  entered_.push_back(
      {std::make_unique<OpBuilder::Scope>(place), left_graph, CurrentDevice()});
  if (left && MindsDevices()) {
    const int device = FindDevice(left->scopes().device());
    if (device >= 0) SetCurrentDevice(device);
  }
  if (left && outer != left.get() && !is_eager_mode_) {
    entered_.back().names = std::make_unique<WithinScope>(std::move(names));
  }
  if (left) left_graph = std::move(left);
  if (is_eager_mode_) return;
  ++observers.paused;
  if (outer != nullptr) {
    outer->scopes().PushControlInputs(std::nullopt);
    entered_.back().waits_for_none = Ref(outer);
  }
}

Status InitScope::Exit() {
  if (entered_.empty()) return OkStatus();
  if (!entered_.back().IsHere()) return LeftElsewhere("tf.init_scope");
  if (!is_eager_mode_) --CurrentObservers().paused;
  if (FuncGraph* const graph = entered_.back().waits_for_none.get()) {
    graph->scopes().PopControlInputs();
  }
  entered_.back().names.reset();
  SetCurrentDevice(entered_.back().device_before);
  LeftGraph() = std::move(entered_.back().left_before);
  entered_.pop_back();
  return OkStatus();
}

FuncGraph* GraphAround() {
  if (FuncGraph* graph = FuncGraph::Current()) return graph;
  FuncGraph* const left = LeftGraph().get();
  return left != nullptr && !left->finished() ? left : nullptr;
}

SavingScope::~SavingScope() { Exit(); }
void SavingScope::Enter() {
  if (!std::exchange(entered_, true)) ++Here().saving;
}
void SavingScope::Exit() {
  if (std::exchange(entered_, false)) --Here().saving;
}

uint64_t TracePlace() {
  const FuncGraph* const here = FuncGraph::Current();
  const FuncGraph* outer = here;
  while (outer != nullptr && outer->is_function()) outer = outer->outer();
  const uint64_t place =
      outer == nullptr ? 0
                       : HashCombine(outer->user_number(),
                                     here->scopes().ColocationHash());
  return Here().saving == 0 ? place : HashCombine(place, kSaving);
}

bool InsideFunction() {
  const FuncGraph* graph = GraphAround();
  return graph != nullptr && graph->is_function();
}

bool IsAround(const FuncGraph* graph) {
  const FuncGraph* left = LeftGraph().get();
  const FuncGraph* at = GraphAround();
  while (at != graph && at != nullptr && at->is_function()) {
    if (at == left) left = nullptr;
    at = at->outer();
    // A function that is traced below an InitScope.
    if (at == nullptr) at = std::exchange(left, nullptr);
  }
  return at == graph;
}

}  // namespace gk
