#include "runtime/iteration_hooks.h"

#include <unordered_map>
#include <unordered_set>

#include "data/run_hooks.h"
#include "graph/graph.h"
#include "grappler/function_graph.h"
#include "runtime/error_origin.h"
#include "runtime/loop_poll.h"

namespace gk {
namespace {

ErrorSite TakeSite() {
  if (LastErrorOrigin().node.empty()) return nullptr;
  auto site = std::make_shared<const ErrorOrigin>(LastErrorOrigin());
  ClearErrorOrigin();
  return site;
}

void PutSite(const ErrorSite& site) {
  SetErrorOrigin(*static_cast<const ErrorOrigin*>(site.get()));
}

Status Poll() {
  static constinit thread_local LoopPoll loop(nullptr);
  return loop.Turn("of an iteration");
}

// Copies of a function that calls itself, before the function itself.
constexpr int kMaxDepth = 32;

// Every definition in a process with this runtime is a graph.
const GraphFunction& GraphOf(const FunctionDefinition& definition) {
  return static_cast<const GraphFunction&>(definition);
}

// Calls visit(attr) for the functions that an attribute names.
template <class Attr, class Visit>
void ForFunctions(Attr& value, Visit visit) {
  if (auto* f = std::get_if<FunctionAttr>(&value)) {
    visit(*f);
  } else if (auto* list = std::get_if<std::vector<FunctionAttr>>(&value)) {
    for (auto& f : *list) visit(f);
  }
}

// Copies of functions whose random streams begin anew. A function has one,
// wherever it is called from: its places share their streams.
class FreshCopies {
 public:
  // Does it draw random numbers that seeds determine, itself or in a function
  // that it calls?
  bool DrawsFromSeeds(const GraphFunction& f) {
    std::unordered_set<const GraphFunction*> seen{&f};
    std::vector<const GraphFunction*> todo{&f};
    while (!todo.empty()) {
      const GraphFunction& now = *todo.back();
      todo.pop_back();
      for (const auto& node : now.graph().nodes()) {
        if (IsSeeded(*node)) return true;
        for (const auto& [name, value] : node->attrs()) {
          ForFunctions(value, [&](const FunctionAttr& callee) {
            const GraphFunction* inner = &GraphOf(*callee.definition);
            if (seen.insert(inner).second) todo.push_back(inner);
          });
        }
      }
    }
    return false;
  }

  // Places in streams belong to plans, and plans to functions: another
  // function with a graph of its own, which calls others of their own.
  Ref<FunctionDefinition> Of(const GraphFunction& f, int depth) {
    if (const auto made = copies_.find(&f); made != copies_.end()) {
      return made->second;
    }
    FunctionGraph copy = FunctionGraph::CloneOf(f);
    for (const auto& node : copy.graph->nodes()) {
      const AttrMap attrs = node->attrs();
      for (const auto& [name, value] : attrs) {
        AttrValue own = value;
        ForFunctions(own, [&](FunctionAttr& callee) {
          const GraphFunction& inner = GraphOf(*callee.definition);
          if (depth < kMaxDepth && DrawsFromSeeds(inner)) {
            callee.definition = Of(inner, depth + 1);
            node->mutable_attrs().Set(name, own);
          }
        });
      }
    }
    Ref<FunctionDefinition> made = MakeRef<GraphFunction>(
        f.name(), copy.graph, std::move(copy.arguments),
        std::move(copy.results), std::move(copy.control_outputs), f.attrs());
    copies_.emplace(&f, made);
    return made;
  }

 private:
  static bool IsSeeded(const Node& node) {
    if (!node.op().Has(kRandom)) return false;
    for (const char* name : {"seed", "seed2"}) {
      const auto* seed = node.attrs().Get<int64_t>(name);
      if (seed != nullptr && *seed != 0) return true;
    }
    return false;
  }

  std::unordered_map<const GraphFunction*, Ref<FunctionDefinition>> copies_;
};

Ref<FunctionDefinition> Fresh(const FunctionDefinition& definition) {
  const GraphFunction& f = GraphOf(definition);
  FreshCopies copies;
  return copies.DrawsFromSeeds(f) ? copies.Of(f, 0) : nullptr;
}

}  // namespace

void InstallIterationHooks() {
  SetRunHooks({.take_site = TakeSite,
               .put_site = PutSite,
               .poll = Poll,
               .fresh = Fresh});
}

}  // namespace gk
