#include "function/plan_text.h"

#include <algorithm>
#include <vector>

#include "grappler/rewrite_graph.h"
#include "runtime/compiled_function.h"

namespace gk {
namespace {

// Functions in the order in which they are met.
class Functions {
 public:
  explicit Functions(const GraphFunction& first) { found_.push_back(&first); }

  // The next one, or null.
  const GraphFunction* Next() {
    return next_ < found_.size() ? found_[next_++] : nullptr;
  }
  void AddCalledBy(const Graph& graph) {
    for (const auto& node : graph.nodes()) {
      for (const auto& [name, value] : node->attrs()) {
        if (const auto* f = std::get_if<FunctionAttr>(&value)) Add(f);
        if (const auto* all = std::get_if<std::vector<FunctionAttr>>(&value)) {
          for (const FunctionAttr& f : *all) Add(&f);
        }
      }
    }
  }

 private:
  void Add(const FunctionAttr* f) {
    const GraphFunction* function = GraphOf(f);
    if (function != nullptr && std::ranges::find(found_, function) ==
                                   found_.end()) {
      found_.push_back(function);
    }
  }

  std::vector<const GraphFunction*> found_;
  size_t next_ = 0;
};

void AddIndented(std::string_view text, std::string* out) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    *out += Format("  {}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

StatusOr<std::string> OptimizedText(const GraphFunction& function) {
  std::string out;
  Functions functions(function);
  while (const GraphFunction* f = functions.Next()) {
    GK_ASSIGN_OR_RETURN(CompiledFunction* const compiled,
                        CompiledFunction::Of(*f));
    const Graph& graph = *compiled->graph().graph;
    out += f->name() + "\n";
    for (const auto& node : graph.nodes()) AddIndented(NodeText(*node), &out);
    functions.AddCalledBy(graph);
  }
  return out;
}

StatusOr<std::string> PlanText(const GraphFunction& function) {
  std::string out;
  Functions functions(function);
  while (const GraphFunction* f = functions.Next()) {
    GK_ASSIGN_OR_RETURN(CompiledFunction* const compiled,
                        CompiledFunction::Of(*f));
    GK_ASSIGN_OR_RETURN(const Ref<Plan> plan, compiled->DeclaredPlan());
    out += Format("{}: arena of {} bytes\n", f->name(), plan->arena_bytes);
    AddIndented(plan->DebugString(), &out);
    functions.AddCalledBy(*plan->function.graph);
  }
  return out;
}

}  // namespace gk
