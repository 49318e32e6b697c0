#include "grappler/check_passes.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "grappler/edges.h"
#include "grappler/effect_order.h"
#include "grappler/example_check.h"
#include "ops/control/truth.h"

namespace gk {
namespace {

bool SameNodes(const Node& a, const Node& b) {
  return &a.op() == &b.op() && SameAttrs(a, b);
}

// The function that `node` calls if it is a call, or an If or Case whose
// choice is known; computed apart from how passes do.
const GraphFunction* Called(const Node& node, int first_input) {
  if (first_input == 0) {
    const bool is_call = node.op().control == Control::kCall;
    const auto* f = node.attrs().Get<FunctionAttr>("f");
    return is_call && f ? f->definition.get() : nullptr;
  }
  if (first_input != 1 || node.num_inputs() == 0) return nullptr;
  const Tensor& choice = KnownValue(node.input(0));
  if (!choice) return nullptr;
  if (const auto* branches =
          node.attrs().Get<std::vector<FunctionAttr>>("branches")) {
    if (choice.dtype() != DataType::kInt32 || choice.num_elements() != 1) {
      return nullptr;
    }
    const size_t index = choice.scalar<int32_t>();
    return (index < branches->size() ? (*branches)[index] : branches->back())
        .definition.get();
  }
  const StatusOr<bool> truth = TruthOf(choice);
  if (!truth.ok()) return nullptr;
  const auto* f =
      node.attrs().Get<FunctionAttr>(*truth ? "then_branch" : "else_branch");
  return f ? f->definition.get() : nullptr;
}

// Whether the body may take the node's place; what is known of a choice may
// be known only there.
bool MayCall(const Node& node, const SplicedNode& s) {
  if (const GraphFunction* f = Called(node, s.first_input)) {
    return f == s.body;
  }
  if (s.first_input == 0 || !node.op().Has(kCallsFunction)) return false;
  for (const auto& [name, value] : node.attrs()) {
    if (const auto* f = std::get_if<FunctionAttr>(&value)) {
      if (f->definition.get() == s.body) return true;
    }
    if (const auto* all = std::get_if<std::vector<FunctionAttr>>(&value)) {
      for (const FunctionAttr& f : *all) {
        if (f.definition.get() == s.body) return true;
      }
    }
  }
  return false;
}

class Comparison {
 public:
  Comparison(std::string_view pass, const RewriteGraph& before,
             const RewriteGraph& after)
      : pass_(pass), before_(before), after_(after) {}

  Status Run() {
    GK_RETURN_IF_ERROR(CheckEdges());
    GK_RETURN_IF_ERROR(CheckSplices());
    GK_RETURN_IF_ERROR(CheckInterface());
    GK_ASSIGN_OR_RETURN(EffectOrder old_order,
                        EffectOrder::Of(before_, after_.spliced));
    GK_ASSIGN_OR_RETURN(EffectOrder new_order, EffectOrder::Of(after_));
    if (size_t(old_order.num_spliced()) != after_.spliced.size()) {
      return Broken("", "it spliced a node that was not there");
    }
    old_ = &old_order;
    new_ = &new_order;
    GK_RETURN_IF_ERROR(CheckRoots());
    GK_RETURN_IF_ERROR(CheckNodes());
    return CheckOrder();
  }

 private:
  Status Broken(std::string_view node, std::string_view what) const {
    return Internal("Pass {} broke function {}{}{}: {}", pass_, before_.name,
                    node.empty() ? "" : " at node ", node, what);
  }

  // Edges stay within the graph and make no cycle.
  Status CheckEdges() const {
    const Graph& graph = *after_.graph;
    std::unordered_set<const Node*> all;
    for (const auto& node : graph.nodes()) all.insert(node.get());
    const auto dangles = [&](const Node* n) { return all.count(n) == 0; };
    for (const auto& node : graph.nodes()) {
      for (const Output& in : node->inputs()) {
        if (dangles(in.node) || in.index >= in.node->num_outputs()) {
          return Broken(node->name(), "an input is no edge of the graph");
        }
      }
      const auto& control = node->control_inputs();
      if (std::any_of(control.begin(), control.end(), dangles)) {
        return Broken(node->name(), "a control input is not in the graph");
      }
    }
    for (const Output& r : after_.results) {
      if (dangles(r.node) || r.index >= r.node->num_outputs()) {
        return Broken("", "a result is no edge of the graph");
      }
    }
    for (const Node* n : after_.control_outputs) {
      if (dangles(n)) return Broken("", "a control output is not in the graph");
    }
    for (const Node* n : after_.arguments) {
      if (dangles(n)) return Broken("", "an argument is not in the graph");
    }
    if (const Status s = graph.TopologicalOrder().status(); !s.ok()) {
      return Broken("", Format("{}", s.message()));
    }
    return OkStatus();
  }

  // Callers see the same arguments, results of the same types and shapes, and
  // all that must run.
  Status CheckInterface() const {
    if (after_.arguments.size() != before_.arguments.size()) {
      return Broken("",
                    Format("it takes {} arguments instead of {}",
                           after_.arguments.size(), before_.arguments.size()));
    }
    for (size_t i = 0; i < after_.arguments.size(); ++i) {
      const Node& was = *before_.arguments[i];
      const Node& is = *after_.arguments[i];
      if (is.name() != was.name()) {
        return Broken(is.name(),
                      Format("it is argument {} instead of {}", i, was.name()));
      }
      if (is.output(0).dtype != was.output(0).dtype ||
          !is.output(0).shape.IsCompatibleWith(was.output(0).shape)) {
        return Broken(is.name(), "the argument's type or shape changed");
      }
    }
    if (after_.results.size() != before_.results.size()) {
      return Broken("", Format("it has {} results instead of {}",
                               after_.results.size(), before_.results.size()));
    }
    for (size_t i = 0; i < after_.results.size(); ++i) {
      const Output& was = before_.results[i];
      const Output& is = after_.results[i];
      const Node::OutputInfo& old_info = was.node->output(was.index);
      const Node::OutputInfo& info = is.node->output(is.index);
      if (info.dtype != old_info.dtype) {
        return Broken(is.node->name(), Format("result {} is {} instead of {}",
                                              i, DataTypeString(info.dtype),
                                              DataTypeString(old_info.dtype)));
      }
      if (!info.shape.IsCompatibleWith(old_info.shape)) {
        return Broken(
            is.node->name(),
            Format("result {} has shape {} instead of {}", i,
                   info.shape.DebugString(), old_info.shape.DebugString()));
      }
    }
    std::unordered_set<std::string> gone;
    for (const SplicedNode& s : after_.spliced) gone.insert(s.node);
    for (const Node* n : before_.control_outputs) {
      if (gone.count(n->name()) != 0) continue;
      const Node* same = after_.graph->FindNode(n->name());
      const auto& outputs = after_.control_outputs;
      if (same == nullptr ||
          (!HasSideEffect(*same) &&
           std::find(outputs.begin(), outputs.end(), same) == outputs.end())) {
        return Broken(n->name(), "the control output is lost");
      }
    }
    return OkStatus();
  }

  // What the pass says of bodies is true: each copy is what it is a copy of,
  // and the node calls that body.
  Status CheckSplices() const {
    std::unordered_map<std::string, const Node*> spliced;
    for (const auto& node : before_.graph->nodes()) {
      spliced.emplace(node->name(), node.get());
    }
    for (const SplicedNode& s : after_.spliced) {
      if (s.body == nullptr) continue;
      const auto& nodes = s.body->graph().nodes();
      for (size_t i = 0; i < std::min(nodes.size(), s.copies.size()); ++i) {
        spliced.emplace(s.copies[i], nodes[i].get());
      }
    }
    for (const SplicedNode& s : after_.spliced) {
      const auto node = spliced.find(s.node);
      if (node == spliced.end() ||
          (s.body != nullptr && !MayCall(*node->second, s))) {
        return Broken(s.node, "it does not call what took its place");
      }
      if (after_.graph->FindNode(s.node) != nullptr) {
        return Broken(s.node, "it was spliced and is still there");
      }
      if (s.body == nullptr) {
        if (RunsByExample(*node->second)) {
          return Broken(s.node, "the loop is dropped and makes a turn");
        }
        continue;
      }
      const auto& nodes = s.body->graph().nodes();
      if (s.copies.size() != nodes.size()) {
        return Broken(s.node, "the record of its body does not fit");
      }
      for (size_t i = 0; i < nodes.size(); ++i) {
        if (s.copies[i].empty()) continue;
        const Node* copy = after_.graph->FindNode(s.copies[i]);
        if (copy != nullptr && !SameNodes(*copy, *nodes[i])) {
          return Broken(copy->name(),
                        Format("it is no copy of {} of function {}",
                               nodes[i]->name(), s.body->name()));
        }
      }
    }
    return OkStatus();
  }

  // Resources reach results, and the nodes that use them, as they did.
  Status CheckRoots() const {
    for (size_t i = 0; i < before_.results.size(); ++i) {
      const Output& r = before_.results[i];
      if (r.node->output(r.index).dtype != DataType::kResource) continue;
      const std::string was = old_->RootOf(r);
      const std::string is = new_->RootOf(after_.results[i]);
      if (is != was) {
        return Broken(
            after_.results[i].node->name(),
            Format("result {} is the resource {} instead of {}", i, is, was));
      }
    }
    return OkStatus();
  }

  // Nodes that must run are there, once, and do what they did.
  Status CheckNodes() const {
    for (const EffectOrder::Vertex& v : old_->vertices()) {
      if (v.node == nullptr) continue;
      const int found = new_->Find(v.name);
      if (found < 0) {
        const bool dropped =
            std::any_of(after_.spliced.begin(), after_.spliced.end(),
                        [&](const SplicedNode& s) { return s.node == v.name; });
        if (v.effects.must_run && !dropped) {
          return Broken(v.name, "it must run and is gone");
        }
        continue;
      }
      const EffectOrder::Vertex& same = new_->vertices()[found];
      if (!SameNodes(*same.node, *v.node)) {
        return Broken(v.name, "its op or attributes changed");
      }
      if (same.node->num_inputs() != v.node->num_inputs()) {
        return Broken(v.name,
                      Format("it has {} inputs instead of {}",
                             same.node->num_inputs(), v.node->num_inputs()));
      }
      for (int i = 0; i < v.node->num_inputs(); ++i) {
        const Output& was = v.node->input(i);
        const Output& is = same.node->input(i);
        if (was.node->output(was.index).dtype !=
            is.node->output(is.index).dtype) {
          return Broken(v.name, Format("input {} has another type", i));
        }
      }
      for (size_t i = 0; i < v.resources.size(); ++i) {
        if (v.resources[i] != same.resources[i]) {
          return Broken(v.name,
                        Format("input {} is the resource {} instead of {}", i,
                               same.resources[i], v.resources[i]));
        }
      }
    }
    for (const EffectOrder::Vertex& v : new_->vertices()) {
      if (v.keeps_place && old_->Find(v.name) < 0) {
        return Broken(v.name, "nothing of this effect was there before");
      }
    }
    return OkStatus();
  }

  Status CheckOrder() const {
    // Only what is in both graphs, and shows or is waited for.
    std::vector<int> both;
    const auto& old_vertices = old_->vertices();
    std::vector<int> new_of(old_vertices.size(), -1);
    std::vector<int> column(old_vertices.size(), -1);
    for (size_t v = 0; v < old_vertices.size(); ++v) {
      if (old_vertices[v].node == nullptr) continue;
      new_of[v] = new_->Find(old_vertices[v].name);
    }
    std::vector<int> old_columns, new_columns;
    const auto need = [&](int v) {
      if (column[v] >= 0 || new_of[v] < 0) return;
      column[v] = static_cast<int>(old_columns.size());
      old_columns.push_back(v);
      new_columns.push_back(new_of[v]);
    };
    for (size_t v = 0; v < old_vertices.size(); ++v) {
      if (!old_vertices[v].keeps_place || new_of[v] < 0) continue;
      both.push_back(int(v));
      need(int(v));
    }
    for (const EffectOrder::Wait& wait : old_->waits()) {
      if (wait.before.first == wait.before.last) need(wait.before.first);
    }
    const EffectOrder::Reach was = old_->ReachOf(old_columns);
    const EffectOrder::Reach is = new_->ReachOf(new_columns);
    for (int late : both) {
      for (int early : both) {
        if (!was.Before(column[early], late) ||
            is.Before(column[early], new_of[late])) {
          continue;
        }
        if (!OrderShows(old_vertices[early], old_vertices[late])) continue;
        return Broken(
            old_vertices[late].name,
            Format("it does not wait for {}", old_vertices[early].name));
      }
    }
    for (const EffectOrder::Wait& wait : old_->waits()) {
      GK_RETURN_IF_ERROR(CheckWait(wait, new_of, column, is));
    }
    return OkStatus();
  }

  Status CheckWait(const EffectOrder::Wait& wait,
                   const std::vector<int>& new_of,
                   const std::vector<int>& column,
                   const EffectOrder::Reach& is) const {
    const auto& vertices = old_->vertices();
    const bool one = wait.before.first == wait.before.last;
    const bool one_waits = wait.after.first == wait.after.last;
    for (int late = wait.after.first; late <= wait.after.last; ++late) {
      if (new_of[late] < 0 || !(one_waits || vertices[late].keeps_place)) {
        continue;
      }
      for (int early = wait.before.first; early <= wait.before.last; ++early) {
        const EffectOrder::Vertex& v = vertices[early];
        if (v.node == nullptr || !(one || v.keeps_place)) continue;
        if (new_of[early] < 0 || !is.Before(column[early], new_of[late])) {
          return Broken(vertices[late].name,
                        Format("it waited for {}", v.name));
        }
      }
    }
    return OkStatus();
  }

  const std::string_view pass_;
  const RewriteGraph& before_;
  const RewriteGraph& after_;
  const EffectOrder* old_ = nullptr;
  const EffectOrder* new_ = nullptr;
};

}  // namespace

PassCheck::PassCheck(std::string_view pass, RewriteGraph* function)
    : pass_(pass) {
  function->spliced.clear();
  before_ = function->Clone();
}

Status PassCheck::Verify(const RewriteGraph& after) const {
  return Comparison(pass_, before_, after).Run();
}

}  // namespace gk
