#include "runtime/iteration_hooks.h"

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

constexpr int kMaxDepth = 32;  // of functions that call functions

// Calls visit(attr) for the functions that a node names.
template <class Visit>
void ForFunctions(const Node& node, Visit visit) {
  for (const auto& [name, value] : node.attrs()) {
    if (const auto* f = std::get_if<FunctionAttr>(&value)) {
      visit(*f);
    } else if (const auto* list =
                   std::get_if<std::vector<FunctionAttr>>(&value)) {
      for (const FunctionAttr& f : *list) visit(f);
    }
  }
}

// Does it draw random numbers that seeds determine, itself or in a function
// that it calls?
bool DrawsFromSeeds(const GraphFunction& f, int depth) {
  bool draws = false;
  for (const auto& node : f.graph().nodes()) {
    if (node->op().Has(kRandom)) {
      const auto* seed = node->attrs().Get<int64_t>("seed");
      const auto* seed2 = node->attrs().Get<int64_t>("seed2");
      draws |= (seed && *seed != 0) || (seed2 && *seed2 != 0);
    }
    ForFunctions(*node, [&](const FunctionAttr& callee) {
      const auto* inner =
          dynamic_cast<const GraphFunction*>(callee.definition.get());
      if (inner && depth < kMaxDepth) {
        draws = draws || DrawsFromSeeds(*inner, depth + 1);
      }
    });
    if (draws) return true;
  }
  return false;
}

Ref<GraphFunction> CopyOf(const GraphFunction& f, int depth);

FunctionAttr CopyOf(const FunctionAttr& callee, int depth) {
  const auto* f = dynamic_cast<const GraphFunction*>(callee.definition.get());
  if (f == nullptr || depth >= kMaxDepth || !DrawsFromSeeds(*f, 0)) {
    return callee;
  }
  FunctionAttr copy = callee;
  copy.definition = CopyOf(*f, depth + 1);
  return copy;
}

// Places in streams belong to plans, and plans to functions: another function
// with a graph of its own, which calls others of their own.
Ref<GraphFunction> CopyOf(const GraphFunction& f, int depth) {
  FunctionGraph copy = FunctionGraph::CloneOf(f);
  for (const auto& node : copy.graph->nodes()) {
    AttrMap attrs;
    for (const auto& [name, value] : node->attrs()) {
      if (const auto* one = std::get_if<FunctionAttr>(&value)) {
        attrs.Set(name, CopyOf(*one, depth));
      } else if (const auto* list =
                     std::get_if<std::vector<FunctionAttr>>(&value)) {
        std::vector<FunctionAttr> copies;
        for (const FunctionAttr& g : *list) copies.push_back(CopyOf(g, depth));
        attrs.Set(name, std::move(copies));
      }
    }
    for (const auto& [name, value] : attrs) {
      node->mutable_attrs().Set(name, value);
    }
  }
  return MakeRef<GraphFunction>(f.name(), copy.graph, std::move(copy.arguments),
                                std::move(copy.results),
                                std::move(copy.control_outputs), f.attrs());
}

Ref<FunctionDefinition> Fresh(const FunctionDefinition& definition) {
  // Every definition in a process with this runtime is a graph.
  const auto& f = static_cast<const GraphFunction&>(definition);
  if (!DrawsFromSeeds(f, 0)) return nullptr;
  return CopyOf(f, 0);
}

}  // namespace

void InstallIterationHooks() {
  SetRunHooks({.take_site = TakeSite,
               .put_site = PutSite,
               .poll = Poll,
               .fresh = Fresh});
}

}  // namespace gk
