#include <algorithm>
#include <unordered_map>

#include "framework/graph.h"

namespace gk {
namespace {

void Widen(ResourceUse use, ResourceUse* into) { *into = std::max(*into, use); }

// Which of these are resources.
std::vector<size_t> Resources(size_t n, auto dtype) {
  std::vector<size_t> found;
  for (size_t i = 0; i < n; ++i) {
    if (dtype(i) == DataType::kResource) found.push_back(i);
  }
  return found;
}

void AddCallee(const FunctionAttr& callee, const Node& node,
               FunctionEffects* effects) {
  const GraphFunction* function = callee.definition.get();
  if (function == nullptr) {
    // Nothing is known of it: the worst.
    effects->stateful = effects->must_run = effects->ordered = true;
    for (ResourceUse& use : effects->arguments) use = ResourceUse::kWrite;
    return;
  }
  const FunctionEffects& inner = function->effects();
  effects->stateful |= inner.stateful;
  effects->must_run |= inner.must_run;
  effects->ordered |= inner.ordered;
  // Other inputs may come before, behind or between those that are passed on.
  const std::vector<size_t> given = Resources(
      node.num_inputs(), [&](size_t i) {
        const Output& o = node.input(static_cast<int>(i));
        return o.node->output(o.index).dtype;
      });
  const std::vector<size_t> taken =
      Resources(inner.arguments.size(), [&](size_t i) {
        return function->arguments()[i]->output(0).dtype;
      });
  if (given.size() == taken.size()) {
    for (size_t k = 0; k < given.size(); ++k) {
      Widen(inner.arguments[taken[k]], &effects->arguments[given[k]]);
    }
    return;
  }
  // One of several functions, which get different ones of them.
  for (size_t t : taken) {
    for (size_t g : given) {
      Widen(inner.arguments[t], &effects->arguments[g]);
    }
  }
}

}  // namespace

Output ResourceRoot(Output o) {
  while (o.node->op().Has(kIdentity) && o.node->num_inputs() == 1) {
    o = o.node->input(0);
  }
  return o;
}

FunctionEffects EffectsOf(const Node& node) {
  const OpRecord& op = node.op();
  FunctionEffects effects;
  effects.arguments.resize(node.num_inputs());
  if (op.Has(kCallsFunction)) {
    bool any = false;
    for (const auto& [name, value] : node.attrs()) {
      if (const auto* f = std::get_if<FunctionAttr>(&value)) {
        AddCallee(*f, node, &effects);
        any = true;
      } else if (const auto* list =
                     std::get_if<std::vector<FunctionAttr>>(&value)) {
        for (const FunctionAttr& f : *list) AddCallee(f, node, &effects);
        any = true;
      }
    }
    if (any) {
      for (int i = 0; i < node.num_inputs(); ++i) {
        const Output& o = node.input(i);
        if (o.node->output(o.index).dtype != DataType::kResource) {
          effects.arguments[i] = ResourceUse::kNone;
        }
      }
      // It also runs what stands behind its inputs, whatever that does.
      if (op.Has(kWritesResource)) {
        effects.stateful = effects.must_run = effects.ordered = true;
      }
      return effects;
    }
  }
  const bool random = op.Has(kRandom);
  const bool reads = op.Has(kReadsResource), writes = op.Has(kWritesResource);
  const bool stateful = op.Has(kStateful) || op.def->is_stateful;
  effects.stateful = stateful || random || reads || writes;
  if (!effects.stateful) return effects;
  bool has_resource = false;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Output& o = node.input(i);
    if (o.node->output(o.index).dtype != DataType::kResource) continue;
    has_resource = true;
    effects.arguments[i] = writes || (!reads && !random) ? ResourceUse::kWrite
                                                         : ResourceUse::kRead;
  }
  const bool reads_only = reads && !writes;
  effects.must_run = stateful && !random && !reads_only;
  effects.ordered = effects.must_run && !op.Has(kSourceOp) &&
                    (!has_resource || op.Has(kCallsFunction));
  return effects;
}

GraphFunction::GraphFunction(std::string name, Ref<Graph> graph,
                             std::vector<Node*> arguments,
                             std::vector<Output> results,
                             std::vector<Node*> control_outputs, AttrMap attrs)
    : name_(std::move(name)),
      graph_(std::move(graph)),
      arguments_(std::move(arguments)),
      results_(std::move(results)),
      control_outputs_(std::move(control_outputs)),
      attrs_(std::move(attrs)) {
  std::unordered_map<const Node*, int> argument_of;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    argument_of.emplace(arguments_[i], static_cast<int>(i));
  }
  effects_.arguments.resize(arguments_.size());
  for (const auto& node : graph_->nodes()) {
    const FunctionEffects e = EffectsOf(*node);
    if (!e.stateful || argument_of.count(node.get()) != 0) continue;
    effects_.stateful = true;
    effects_.must_run |= e.must_run;
    effects_.ordered |= e.ordered;
    for (int i = 0; i < node->num_inputs(); ++i) {
      if (e.arguments[i] == ResourceUse::kNone) continue;
      auto it = argument_of.find(ResourceRoot(node->input(i)).node);
      if (it != argument_of.end()) {
        Widen(e.arguments[i], &effects_.arguments[it->second]);
      } else if (e.arguments[i] == ResourceUse::kWrite) {
        effects_.ordered = true;
      }
    }
  }
}

GraphFunction::~GraphFunction() {
  if (Compiled* c = compiled_.load(std::memory_order_acquire)) c->Unref();
  if (RefCounted* g = gradients_.load(std::memory_order_acquire)) g->Unref();
}

std::vector<DataType> GraphFunction::input_types() const {
  std::vector<DataType> types;
  for (const Node* a : arguments_) types.push_back(a->output(0).dtype);
  return types;
}

std::vector<DataType> GraphFunction::output_types() const {
  std::vector<DataType> types;
  for (const Output& r : results_)
    types.push_back(r.node->output(r.index).dtype);
  return types;
}

std::vector<PartialTensorShape> GraphFunction::output_shapes() const {
  std::vector<PartialTensorShape> shapes;
  for (const Output& r : results_) {
    shapes.push_back(r.node->output(r.index).shape);
  }
  return shapes;
}

}  // namespace gk
