#include "data/fresh_function.h"

#include <unordered_map>
#include <unordered_set>

namespace gk {
namespace {

// Copies of a function that calls itself, before the function itself.
constexpr int kMaxCalls = 32;

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
            const GraphFunction* inner = callee.definition.get();
            if (seen.insert(inner).second) todo.push_back(inner);
          });
        }
      }
    }
    return false;
  }

  // Places in streams belong to plans, and plans to functions: another
  // function with a graph of its own, which calls others of their own.
  Ref<GraphFunction> Of(const GraphFunction& f, int depth) {
    if (const auto made = copies_.find(&f); made != copies_.end()) {
      return made->second;
    }
    std::vector<Node*> map;
    Ref<Graph> copy = f.graph().Clone(&map);
    for (const auto& node : copy->nodes()) {
      const AttrMap attrs = node->attrs();
      for (const auto& [name, value] : attrs) {
        AttrValue own = value;
        ForFunctions(own, [&](FunctionAttr& callee) {
          const GraphFunction& inner = *callee.definition;
          if (depth < kMaxCalls && DrawsFromSeeds(inner)) {
            callee.definition = Of(inner, depth + 1);
            node->mutable_attrs().Set(name, own);
          }
        });
      }
    }
    std::vector<Node*> arguments, control_outputs;
    std::vector<Output> results;
    for (const Node* n : f.arguments()) arguments.push_back(map[n->id()]);
    for (const Output& o : f.results()) {
      results.push_back({map[o.node->id()], o.index});
    }
    for (const Node* n : f.control_outputs()) {
      control_outputs.push_back(map[n->id()]);
    }
    auto made = MakeRef<GraphFunction>(f.name(), std::move(copy),
                                       std::move(arguments), std::move(results),
                                       std::move(control_outputs), f.attrs());
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

  std::unordered_map<const GraphFunction*, Ref<GraphFunction>> copies_;
};

}  // namespace

Ref<GraphFunction> FreshFunction(const Ref<GraphFunction>& function) {
  FreshCopies copies;
  return copies.DrawsFromSeeds(*function) ? copies.Of(*function, 0) : function;
}

}  // namespace gk
