#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/checks.h"
#include "base/interrupt.h"
#include "framework/logical_device.h"
#include "runtime/arena_layout.h"
#include "runtime/cluster_draft.h"
#include "runtime/error_origin.h"
#include "runtime/lifetimes.h"
#include "runtime/loop_states.h"
#include "runtime/plan.h"
#include "runtime/plan_slots.h"
#include "runtime/planned_shape.h"
#include "runtime/purity.h"
#include "runtime/row_access.h"
#include "runtime/scalar_code_builder.h"
#include "runtime/schedule.h"

namespace gk {
namespace {

// Elementwise work up to this many elements is one tile call.
constexpr int64_t kMaxSingleTile = 4096;

// How a plan runs a node that calls functions.
Instruction::Kind NestedKind(const Node& node) {
  const AttrMap& attrs = node.attrs();
  if (node.type() == "While" || node.type() == "StatelessWhile") {
    if (GraphOf(attrs.Get<FunctionAttr>("cond")) &&
        GraphOf(attrs.Get<FunctionAttr>("body"))) {
      return Instruction::Kind::kLoop;
    }
  } else if (node.type() == "If" || node.type() == "StatelessIf") {
    if (GraphOf(attrs.Get<FunctionAttr>("then_branch")) &&
        GraphOf(attrs.Get<FunctionAttr>("else_branch"))) {
      return Instruction::Kind::kBranch;
    }
  } else if (node.type() == "Case" || node.type() == "StatelessCase") {
    const auto* all = attrs.Get<std::vector<FunctionAttr>>("branches");
    if (all && !all->empty() &&
        std::all_of(all->begin(), all->end(),
                    [](const FunctionAttr& f) { return GraphOf(&f); })) {
      return Instruction::Kind::kBranch;
    }
  }
  return Instruction::Kind::kKernel;
}

class Builder {
 public:
  Builder(FunctionGraph function, bool merge_updates, bool loop_body)
      : plan_(MakeRef<Plan>()),
        merge_updates_(merge_updates),
        loop_body_(loop_body) {
    plan_->function = std::move(function);
    plan_->checked = ChecksOn();
  }

  StatusOr<Ref<Plan>> Build() {
    const FunctionGraph& f = plan_->function;
    GK_ASSIGN_OR_RETURN(units_, MakeSchedule(f, merge_updates_));
    CompileScalars();
    slots_.emplace(plan_.get(), units_, [this](const Node& node) {
      return IsPure(node) || compiled_.count(node.id()) != 0;
    });
    FindClusterResults();
    for (const Node* arg : f.arguments) {
      plan_->arguments.push_back(slots_->Add(*arg, 0, Home::kArgument));
    }
    for (const Unit& unit : units_) {
      PollInterrupt();
      GK_RETURN_IF_ERROR(AddUnit(unit));
    }
    for (const Output& r : f.results) {
      const SlotId s = slots_->Of(r);
      if (s < 0) {
        return Internal("Function {} returns {}:{}, which has no value", f.name,
                        r.node->name(), r.index);
      }
      plan_->results.push_back(s);
    }
    if (loop_body_) {
      FindNextStates(plan_.get());
      FindInvariants(plan_.get());
    }
    const std::vector<int> last_use = FindLifetimes(plan_.get());
    GK_RETURN_IF_ERROR(PlaceArena(last_use, plan_.get()));
    if (LogsPlacement()) LogNodes();
    plan_->profile = PlanProfile::MakeIfWanted(*plan_);
    plan_->watched = plan_->checked || plan_->profile;
    return std::move(plan_);
  }

 private:
  void LogNodes() const {
    const FunctionGraph& f = plan_->function;
    for (const auto& node : f.graph->nodes()) {
      LogPlacement(node->name(), node->op().name,
                   std::max(0, FindDevice(node->device())));
    }
  }

  static std::pair<int, int> Key(const Output& o) {
    return {o.node->id(), o.index};
  }

  // Control flow that is byte code: a kernel that keeps nothing.
  struct Compiled {
    std::unique_ptr<ScalarCode> code;
    std::vector<Output> inputs;
  };

  void CompileScalars() {
    if (!LowersControlFlow()) return;
    std::set<std::pair<int, int>> used;
    for (const Output& r : plan_->function.results) used.insert(Key(r));
    for (const Unit& unit : units_) {
      for (const Node* node : unit.nodes) {
        for (const Output& in : node->inputs()) used.insert(Key(in));
      }
    }
    for (const Unit& unit : units_) {
      PollInterrupt();
      Node* const node = unit.nodes[0];
      if (unit.fusable || !node->op().Has(kCallsFunction)) continue;
      ScalarCodeBuilder builder(plan_->function.name, plan_->function.graph);
      if (!builder.AddNode(*node)) continue;
      std::vector<Output> outputs;
      bool scalars = true;
      for (int i = 0; i < node->num_outputs(); ++i) {
        // Declared by others than those who know, and relied on.
        scalars &= node->output(i).shape.IsCompatibleWith(TensorShape());
        const bool wanted = used.count({node->id(), i}) != 0;
        outputs.push_back({wanted ? node : nullptr, i});
      }
      if (!scalars) continue;
      std::unique_ptr<ScalarCode> code = builder.Finish(outputs);
      if (code) compiled_[node->id()] = {std::move(code), builder.inputs()};
    }
  }

  // What a unit's nodes make for others.
  void FindClusterResults() {
    std::vector<int> unit_of(plan_->function.graph->num_nodes(), -1);
    for (size_t u = 0; u < units_.size(); ++u) {
      for (const Node* node : units_[u].nodes) unit_of[node->id()] = u;
    }
    used_outside_.assign(plan_->function.graph->num_nodes(), false);
    for (const Output& r : plan_->function.results) {
      used_outside_[r.node->id()] = true;
    }
    for (size_t u = 0; u < units_.size(); ++u) {
      for (const Node* node : units_[u].nodes) {
        for (const Output& in : node->inputs()) {
          if (unit_of[in.node->id()] != static_cast<int>(u)) {
            used_outside_[in.node->id()] = true;
          }
        }
      }
    }
  }

  Status AddUnit(const Unit& unit) {
    if (unit.fusable) {
      const Node& only = *unit.nodes[0];
      if (unit.nodes.size() == 1 && TryTile(only)) return OkStatus();
      if (TryScalars(unit)) return OkStatus();
      AddCluster(unit, used_outside_, &*slots_, plan_.get());
      return OkStatus();
    }
    const Node& node = *unit.nodes[0];
    if (slots_->Of({unit.nodes[0], 0}) >= 0) {
      return OkStatus();  // an argument
    }
    if (node.type() == "Const") return AddConstant(node);
    if (TryView(node)) return OkStatus();
    if (TryCode(node)) return OkStatus();
    if (TryRow(node)) return OkStatus();
    return AddKernel(node);
  }

  Status AddConstant(const Node& node) {
    const Tensor* value = node.attrs().Get<Tensor>("value");
    if (!value || !*value || value->is_symbolic()) {
      return Internal("Const node {} has no value", node.name());
    }
    const Node::OutputInfo& info = node.output(0);
    if (value->dtype() != info.dtype ||
        !info.shape.IsCompatibleWith(value->shape())) {
      return AtNode(
          InvalidArgument("The value of Const is {} {}, but {} {} is declared",
                          DataTypeString(value->dtype()),
                          value->shape().DebugString(),
                          DataTypeString(info.dtype), info.shape.DebugString()),
          node, plan_->function.name);
    }
    const SlotId id = slots_->Add(node, 0, Home::kConstant);
    plan_->constants[id] = *value;
    plan_->slots[id].is_static = true;
    plan_->slots[id].shape = value->shape();
    return OkStatus();
  }

  bool TryView(const Node& node) {
    if (!IsStaticView(node)) return false;
    const SlotId from = slots_->Of(node.input(0));
    const Home home = plan_->slots[from].home;
    if (home == Home::kConstant) {
      const SlotId id = slots_->Add(node, 0, home);
      plan_->constants[id] =
          plan_->constants[from].WithShape(plan_->slots[id].shape);
      return true;
    }
    if (slots_->Escapes(node, 0)) return false;
    if (home != Home::kArena) return TryCopy(node);
    const SlotId id = slots_->Add(node, 0, home);
    plan_->slots[id].view_of = plan_->RootOf(from);
    return true;
  }

  // The view of a small value that lies anywhere, as indices mostly are.
  bool TryCopy(const Node& node) {
    constexpr int64_t kMaxBytes = 64;
    const SlotInfo& from = plan_->slots[slots_->Of(node.input(0))];
    if (from.num_bytes() == 0 || from.num_bytes() > kMaxBytes) return false;
    Instruction i;
    i.kind = Instruction::Kind::kTile;
    i.node = &node;
    i.tile = [](void* out, const void* const* in, int64_t n, const void*) {
      std::memcpy(out, in[0], n);
      return 0;
    };
    i.num_elements = from.num_bytes();
    slots_->AddInputs(&i, node.inputs().first(1));
    for (int k = 1; k < 3; ++k) {
      plan_->inputs.push_back(plan_->inputs[i.first_input]);
    }
    i.first_output = slots_->Add(node, 0, Home::kArena);
    i.num_outputs = 1;
    plan_->instructions.push_back(i);
    return true;
  }

  bool TryTile(const Node& node) {
    if (!FusableTile(node)) return false;
    const std::optional<TensorShape> domain =
        PlannedShape(node.output(0).shape, node.output(0).dtype);
    if (domain->num_elements() > kMaxSingleTile) return false;
    for (const Output& in : node.inputs()) {
      if (in.node->output(in.index).shape.num_elements() !=
          domain->num_elements()) {
        return false;
      }
    }
    Instruction& i = plan_->instructions.emplace_back();
    i.kind = Instruction::Kind::kTile;
    i.node = &node;
    const TileKernel* kernel = FusableTile(node);
    i.tile = kernel->fn;
    if (kernel->prepare) kernel->prepare(node.attrs(), &i.tile_params);
    i.num_elements = domain->num_elements();
    slots_->AddInputs(&i, node.inputs());
    // Tile kernels take three operands; unused ones repeat the first.
    for (int k = node.num_inputs(); k < 3; ++k) {
      plan_->inputs.push_back(plan_->inputs[i.first_input]);
    }
    i.first_output = slots_->Add(node, 0);
    i.num_outputs = 1;
    i.needs_output = plan_->slots[i.first_output].home == Home::kOwn;
    return true;
  }

  // A few scalars: nothing to cut into tiles.
  bool TryScalars(const Unit& unit) {
    constexpr size_t kMaxNodes = 16;
    if (!LowersControlFlow() || unit.nodes.size() > kMaxNodes) return false;
    ScalarCodeBuilder builder(plan_->function.name, plan_->function.graph);
    std::vector<Output> outputs;
    for (Node* node : unit.nodes) {
      if (!FusableTile(*node) || node->output(0).shape.rank() != 0 ||
          !builder.AddNode(*node)) {
        return false;
      }
      if (used_outside_[node->id()]) outputs.push_back({node, 0});
    }
    std::unique_ptr<ScalarCode> code = builder.Finish(outputs);
    if (!code) return false;
    Instruction& i = AddCode(*unit.nodes[0], std::move(code), builder.inputs());
    for (const Output& o : outputs) {
      const SlotId id = slots_->Add(*o.node, 0);
      i.needs_output |= plan_->slots[id].home == Home::kOwn;
      ++i.num_outputs;
    }
    return true;
  }

  Instruction& AddCode(const Node& node, std::unique_ptr<ScalarCode> code,
                       const std::vector<Output>& inputs) {
    Instruction& i = plan_->instructions.emplace_back();
    i.kind = Instruction::Kind::kCode;
    i.node = &node;
    i.code = plan_->codes.size();
    plan_->codes.push_back(std::move(code));
    slots_->AddInputs(&i, inputs);
    i.first_output = plan_->slots.size();
    return i;
  }

  bool TryCode(const Node& node) {
    const auto it = compiled_.find(node.id());
    if (it == compiled_.end()) return false;
    Instruction& i =
        AddCode(node, std::move(it->second.code), it->second.inputs);
    i.num_outputs = node.num_outputs();
    for (int k = 0; k < node.num_outputs(); ++k) {
      const SlotId id = slots_->AddScalar(node, k);
      i.needs_output |= plan_->slots[id].home == Home::kOwn;
    }
    return true;
  }

  bool TryRow(const Node& node) {
    const std::optional<RowAccess> row = RowAccessOf(node);
    if (!row) return false;
    Instruction& i = plan_->instructions.emplace_back();
    i.kind = Instruction::Kind::kTile;
    i.node = &node;
    i.tile = row->tile;
    i.tile_params = row->params;
    i.num_elements = row->num_bytes;
    i.compute = node.op().kernel.compute;  // has the error
    slots_->AddInputs(&i, node.inputs());
    i.first_output = slots_->Add(node, 0);
    i.num_outputs = 1;
    i.needs_output = plan_->slots[i.first_output].home == Home::kOwn;
    return true;
  }

  Status AddKernel(const Node& node) {
    if (node.op().Has(kSourceOp) && node.num_outputs() == 0) {
      return OkStatus();  // only orders others
    }
    if (!node.op().kernel.compute) {
      return Internal("Op type {} has no kernel", node.type());
    }
    Instruction& i = plan_->instructions.emplace_back();
    i.node = &node;
    i.compute = node.op().kernel.compute;
    if (LowersControlFlow()) i.kind = NestedKind(node);
    slots_->AddInputs(&i, node.inputs());
    i.first_output = plan_->slots.size();
    i.num_outputs = node.num_outputs();
    for (int k = 0; k < node.num_outputs(); ++k) slots_->Add(node, k);
    return OkStatus();
  }

  Ref<Plan> plan_;
  const bool merge_updates_, loop_body_;
  std::vector<Unit> units_;
  std::map<int, Compiled> compiled_;  // by node id
  std::vector<bool> used_outside_;    // by node id
  std::optional<PlanSlots> slots_;
};

}  // namespace

StatusOr<Ref<Plan>> Plan::Make(FunctionGraph function, bool merge_updates) {
  GK_ASSIGN_OR_RETURN(
      Ref<Plan> plan,
      Builder(std::move(function), merge_updates, /*loop_body=*/false).Build());
  plan->MakeSharedStates();
  return plan;
}

StatusOr<Ref<Plan>> Plan::MakeLoopBody(FunctionGraph function) {
  GK_ASSIGN_OR_RETURN(Ref<Plan> plan,
                      Builder(std::move(function), /*merge_updates=*/true,
                              /*loop_body=*/true)
                          .Build());
  plan->MakeSharedStates();
  return plan;
}

}  // namespace gk
