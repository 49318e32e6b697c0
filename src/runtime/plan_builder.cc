#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "runtime/arena_space.h"
#include "runtime/error_origin.h"
#include "runtime/plan.h"
#include "runtime/planned_shape.h"
#include "runtime/purity.h"
#include "runtime/row_access.h"
#include "runtime/scalar_code_builder.h"
#include "runtime/schedule.h"

namespace gk {
namespace {

// Elementwise work up to this many elements is one tile call.
constexpr int64_t kMaxSingleTile = 4096;
// A loop holds on to the old memory of states that are not larger.
constexpr int64_t kMaxSpareBytes = 1 << 20;

// Output 0 is input 0 with some elements changed: where it was, if nobody
// else has that.
bool ChangesInput(const Node& node) {
  return node.type().starts_with("TensorScatter") ||
         node.type() == "TensorStridedSliceUpdate";
}

// Output 0 is input 0 under a known shape: no instruction is needed if that
// lies at a fixed place. So is a stack of one.
bool IsStaticView(const Node& node) {
  const bool stack_of_one = node.type() == "Pack" && node.num_inputs() == 1;
  if (!(node.op().Has(kView) || stack_of_one) || node.num_outputs() != 1 ||
      node.num_inputs() == 0 || HasObjects(node)) {
    return false;
  }
  // What a declared shape says that its operands do not is to be seen when the
  // op runs.
  for (int i = 1; i < node.num_inputs(); ++i) {
    const Output& in = node.input(i);
    if (in.node->type() != "Const" && !in.node->output(in.index).value) {
      return false;
    }
  }
  const Output& in = node.input(0);
  const std::optional<TensorShape> from = PlannedShape(in),
                                   to = PlannedShape(node.output(0).shape,
                                                     node.output(0).dtype);
  return in.node->output(in.index).dtype == node.output(0).dtype && from &&
         to && from->num_elements() == to->num_elements();
}

// How a plan runs a node that calls functions.
Instruction::Kind NestedKind(const Node& node) {
  const auto is_graph = [](const FunctionAttr* f) {
    return f && dynamic_cast<const GraphFunction*>(f->definition.get());
  };
  const AttrMap& attrs = node.attrs();
  if (node.type() == "While" || node.type() == "StatelessWhile") {
    if (is_graph(attrs.Get<FunctionAttr>("cond")) &&
        is_graph(attrs.Get<FunctionAttr>("body"))) {
      return Instruction::Kind::kLoop;
    }
  } else if (node.type() == "If" || node.type() == "StatelessIf") {
    if (is_graph(attrs.Get<FunctionAttr>("then_branch")) &&
        is_graph(attrs.Get<FunctionAttr>("else_branch"))) {
      return Instruction::Kind::kBranch;
    }
  } else if (node.type() == "Case" || node.type() == "StatelessCase") {
    const auto* all = attrs.Get<std::vector<FunctionAttr>>("branches");
    if (all && !all->empty() &&
        std::all_of(all->begin(), all->end(),
                    [&](const FunctionAttr& f) { return is_graph(&f); })) {
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
    plan_->checked = ChecksPlans();
  }

  StatusOr<Ref<Plan>> Build() {
    const FunctionGraph& f = plan_->function;
    GK_ASSIGN_OR_RETURN(units_, MakeSchedule(f, merge_updates_));
    first_slot_.assign(f.graph->num_nodes(), -1);
    CompileScalars();
    FindEscapes();
    FindClusterResults();
    for (const Node* arg : f.arguments) AddArgument(*arg);
    for (const Unit& unit : units_) GK_RETURN_IF_ERROR(AddUnit(unit));
    for (const Output& r : f.results) {
      const SlotId s = SlotOf(r);
      if (s < 0) {
        return Internal("Function {} returns {}:{}, which has no value", f.name,
                        r.node->name(), r.index);
      }
      plan_->results.push_back(s);
    }
    if (loop_body_) {
      FindNextStates();
      FindInvariants();
    }
    FindLifetimes();
    GK_RETURN_IF_ERROR(PlaceArena());
    plan_->profile = PlanProfile::MakeIfWanted(*plan_);
    plan_->watched = plan_->checked || plan_->profile;
    return std::move(plan_);
  }

 private:
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
      Node* const node = unit.nodes[0];
      if (unit.fusable || !node->op().Has(kCallsFunction)) continue;
      ScalarCodeBuilder builder(plan_->function.name, plan_->function.graph);
      if (!builder.AddNode(*node)) continue;
      std::vector<Output> outputs;
      for (int i = 0; i < node->num_outputs(); ++i) {
        const bool wanted = used.count({node->id(), i}) != 0;
        outputs.push_back({wanted ? node : nullptr, i});
      }
      std::unique_ptr<ScalarCode> code = builder.Finish(outputs);
      if (code) compiled_[node->id()] = {std::move(code), builder.inputs()};
    }
  }

  bool KeepsNothing(const Node& node) const {
    return IsPure(node) || compiled_.count(node.id()) != 0;
  }

  // Values that may be held by somebody after the run.
  void FindEscapes() {
    for (const Output& r : plan_->function.results) escapes_[Key(r)] = true;
    for (int u = units_.size() - 1; u >= 0; --u) {
      const std::vector<Node*>& nodes = units_[u].nodes;
      for (int k = nodes.size() - 1; k >= 0; --k) {
        const Node& node = *nodes[k];
        const bool holds =
            IsStaticView(node) ? escapes_.count({node.id(), 0})
                               : !KeepsNothing(node);
        for (int i = 0; i < node.num_inputs(); ++i) {
          // Other inputs of a view (its new shape) are only read.
          if (holds && !(i > 0 && IsStaticView(node))) {
            escapes_[Key(node.input(i))] = true;
          }
        }
      }
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

  SlotId SlotOf(const Output& o) const {
    const SlotId first = first_slot_[o.node->id()];
    return first < 0 ? -1 : first + o.index;
  }

  SlotId AddSlot(const Node& node, int index, Home home) {
    const Node::OutputInfo& info = node.output(index);
    SlotInfo slot;
    slot.dtype = info.dtype;
    slot.home = home;
    if (const auto shape = PlannedShape(info.shape, info.dtype)) {
      slot.is_static = true;
      slot.shape = *shape;
    }
    const SlotId id = plan_->slots.size();
    root_.push_back(id);
    plan_->slots.push_back(std::move(slot));
    plan_->constants.emplace_back();
    if (index == 0) first_slot_[node.id()] = id;
    return id;
  }

  void AddArgument(const Node& node) {
    plan_->arguments.push_back(AddSlot(node, 0, Home::kArgument));
  }

  // kArena if the value's place can be fixed ahead.
  void SettleHome(const Node& node, int index, SlotId id) {
    SlotInfo& slot = plan_->slots[id];
    if (slot.is_static && !IsObjectType(slot.dtype) && KeepsNothing(node) &&
        DataTypeSize(slot.dtype) > 0 && slot.num_bytes() <= kMaxPlaceBytes &&
        !escapes_.count({node.id(), index}) && !ChangesInput(node)) {
      slot.home = Home::kArena;
    }
  }

  Status AddUnit(const Unit& unit) {
    if (unit.fusable) {
      const Node& only = *unit.nodes[0];
      if (unit.nodes.size() == 1 && TryTile(only)) return OkStatus();
      if (TryScalars(unit)) return OkStatus();
      AddCluster(unit);
      return OkStatus();
    }
    const Node& node = *unit.nodes[0];
    if (first_slot_[node.id()] >= 0) return OkStatus();  // an argument
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
    const SlotId id = AddSlot(node, 0, Home::kConstant);
    plan_->constants[id] = *value;
    plan_->slots[id].is_static = true;
    plan_->slots[id].shape = value->shape();
    return OkStatus();
  }

  bool TryView(const Node& node) {
    if (!IsStaticView(node)) return false;
    const SlotId from = SlotOf(node.input(0));
    const Home home = plan_->slots[from].home;
    if (!plan_->slots[from].is_static) return false;
    if (home == Home::kConstant) {
      const SlotId id = AddSlot(node, 0, home);
      plan_->constants[id] =
          plan_->constants[from].WithShape(plan_->slots[id].shape);
      return true;
    }
    if (escapes_.count({node.id(), 0})) return false;
    if (home != Home::kArena) return TryCopy(node);
    const SlotId id = AddSlot(node, 0, home);
    root_[id] = plan_->slots[id].view_of = root_[from];
    return true;
  }

  // The view of a small value that lies anywhere, as indices mostly are.
  bool TryCopy(const Node& node) {
    constexpr int64_t kMaxBytes = 64;
    const SlotInfo& from = plan_->slots[SlotOf(node.input(0))];
    if (IsObjectType(from.dtype) || from.num_bytes() == 0 ||
        from.num_bytes() > kMaxBytes) {
      return false;
    }
    Instruction i;
    i.kind = Instruction::Kind::kTile;
    i.node = &node;
    i.tile = [](void* out, const void* const* in, int64_t n,
                const void*) {
      std::memcpy(out, in[0], n);
      return 0;
    };
    i.num_elements = from.num_bytes();
    AddInputs(&i, node.inputs().first(1));
    for (int k = 1; k < 3; ++k) {
      plan_->inputs.push_back(plan_->inputs[i.first_input]);
    }
    i.first_output = AddSlot(node, 0, Home::kArena);
    i.num_outputs = 1;
    plan_->instructions.push_back(i);
    return true;
  }

  void AddInputs(Instruction* instruction, std::span<const Output> inputs) {
    instruction->first_input = plan_->inputs.size();
    instruction->num_inputs = inputs.size();
    for (const Output& in : inputs) plan_->inputs.push_back(SlotOf(in));
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
    AddInputs(&i, node.inputs());
    // Tile kernels take three operands; unused ones repeat the first.
    for (int k = node.num_inputs(); k < 3; ++k) {
      plan_->inputs.push_back(plan_->inputs[i.first_input]);
    }
    i.first_output = AddSlot(node, 0, Home::kOwn);
    i.num_outputs = 1;
    SettleHome(node, 0, i.first_output);
    i.needs_output = plan_->slots[i.first_output].home == Home::kOwn;
    return true;
  }

  // A cluster being put together.
  struct Draft {
    // What the cluster's writes leave in a variable.
    struct Written {
      int value = -1;
      int own_input = -1;
      const Node* last = nullptr;
    };
    Cluster cluster;
    Instruction instruction;
    std::map<std::pair<int, int>, int> value_of;
    std::vector<Output> inputs;                // the handle for an own value
    std::map<int, Written> variables;  // by the handle's node id
    std::map<int, SlotId> slot_of;             // by value
    bool can_fail = false;
  };

  static bool IsWrite(const Node& node) { return node.num_outputs() == 0; }
  static Node* HandleOf(const Node& node) {
    return ResourceRoot(node.input(0)).node;
  }
  static DataType WrittenType(const Node& write) {
    const Output& value = write.input(1);
    return value.node->output(value.index).dtype;
  }

  void AddCluster(const Unit& unit) {
    Draft d;
    const Node& first = *unit.nodes[0];
    const Output domain_of =
        IsWrite(first) ? first.input(1) : Output{unit.nodes[0], 0};
    const TensorShape domain =
        *domain_of.node->output(domain_of.index).shape.AsTensorShape();
    AddClusterInputs(unit, domain, &d);
    for (const Node* node : unit.nodes) AddStep(*node, &d);
    Instruction& i = d.instruction;
    i.kind = Instruction::Kind::kCluster;
    i.node = &first;
    i.first_output = plan_->slots.size();
    for (const Node* node : unit.nodes) {
      if (!IsWrite(*node) && used_outside_[node->id()]) AddResult(*node, &d);
    }
    AddUpdates(domain, &d);
    if (plan_->checked) {
      plan_->plain_clusters.push_back(d.cluster);
      plan_->plain_clusters.back().FinishPlainly(domain);
    }
    d.cluster.Finish(domain);
    for (size_t u = i.first_update; u < plan_->updates.size(); ++u) {
      SettleInPlace(d, &plan_->updates[u]);
    }
    AddInputs(&i, d.inputs);
    i.cluster = plan_->clusters.size();
    plan_->clusters.push_back(std::move(d.cluster));
    plan_->instructions.push_back(i);
  }

  void AddClusterInputs(const Unit& unit, const TensorShape& domain,
                        Draft* d) {
    std::map<int, bool> inside;
    for (const Node* node : unit.nodes) inside[node->id()] = true;
    for (const Node* node : unit.nodes) {
      for (const Output& in : node->inputs()) {
        const Node::OutputInfo& info = in.node->output(in.index);
        if (inside.count(in.node->id()) || d->value_of.count(Key(in)) ||
            info.dtype == DataType::kResource) {
          continue;
        }
        d->value_of[Key(in)] =
            d->cluster.AddInput(info.dtype, *info.shape.AsTensorShape());
        d->inputs.push_back(in);
      }
      // The first write of a variable may need what is in it.
      if (!IsWrite(*node) || d->variables.count(HandleOf(*node)->id())) continue;
      Draft::Written& w = d->variables[HandleOf(*node)->id()];
      if (node->type() == "AssignVariableOp") continue;
      w.value = w.own_input = d->cluster.AddInput(WrittenType(*node), domain);
      d->inputs.push_back({HandleOf(*node), 0});
    }
  }

  void AddStep(const Node& node, Draft* d) {
    int operands[3];
    if (const TileKernel* tile = FusableTile(node)) {
      for (int k = 0; k < node.num_inputs(); ++k) {
        operands[k] = d->value_of[Key(node.input(k))];
      }
      d->value_of[{node.id(), 0}] = d->cluster.AddStep(
          *tile, {operands, size_t(node.num_inputs())}, &node);
      d->can_fail |= node.op().kernel.tile_error != nullptr;
      return;
    }
    Draft::Written& w = d->variables[HandleOf(node)->id()];
    if (!IsWrite(node)) {  // reads what was written
      d->value_of[{node.id(), 0}] = w.value;
      return;
    }
    w.last = &node;
    operands[0] = w.value;
    operands[1] = d->value_of[Key(node.input(1))];
    if (node.type() == "AssignVariableOp") {
      w.value = operands[1];
      return;
    }
    const VariableWrite write = node.type() == "AssignAddVariableOp"
                                    ? VariableWrite::kAdd
                                    : VariableWrite::kSubtract;
    w.value = d->cluster.AddStep(*TileOfWrite(write, WrittenType(node)),
                                 {operands, 2}, &node);
  }

  // A value for other instructions. Reads may name what has a slot already.
  void AddResult(const Node& node, Draft* d) {
    const int value = d->value_of[{node.id(), 0}];
    if (value < d->cluster.num_inputs()) {
      first_slot_[node.id()] = SlotOf(d->inputs[value]);
      return;
    }
    if (const auto it = d->slot_of.find(value); it != d->slot_of.end()) {
      first_slot_[node.id()] = it->second;
      return;
    }
    d->cluster.AddResult(value);
    const SlotId id = AddSlot(node, 0, Home::kOwn);
    SettleHome(node, 0, id);
    if (plan_->slots[id].home == Home::kOwn) d->instruction.needs_output = true;
    ++d->instruction.num_outputs;
    d->slot_of[value] = id;
  }

  // What goes into variables: a place of its own, unless the value lies
  // somewhere already, where it may be shared.
  void AddUpdates(const TensorShape& domain, Draft* d) {
    d->instruction.first_update = plan_->updates.size();
    std::map<int, int> update_of;  // by value
    for (const auto& [handle, w] : d->variables) {
      VariableUpdate u;
      u.handle = first_slot_[handle];
      u.own_input = w.own_input;
      u.dtype = WrittenType(*w.last);
      u.shape = domain;
      u.node = w.last;
      const auto slot = d->slot_of.find(w.value);
      const auto [same, is_new] =
          update_of.try_emplace(w.value, d->instruction.num_updates);
      if (w.value < d->cluster.num_inputs()) {
        u.shared_slot = SlotOf(d->inputs[w.value]);
      } else if (slot != d->slot_of.end()) {
        u.shared_slot = slot->second;
      } else if (!is_new) {
        u.same_as = same->second;
      } else {
        u.result = d->cluster.AddResult(w.value);
      }
      plan_->updates.push_back(std::move(u));
      ++d->instruction.num_updates;
    }
  }

  // Whether the variable's memory may take the result while the cluster
  // still reads it.
  static void SettleInPlace(const Draft& d, VariableUpdate* u) {
    if (u->result < 0) return;
    u->in_place = !d.can_fail && (u->own_input < 0 ||
                                  d.cluster.MayWriteOver(u->own_input,
                                                         u->result));
    for (size_t k = 0; k < d.inputs.size(); ++k) {
      const Node& from = *d.inputs[k].node;
      if (from.type() != "ReadVariableOp" ||
          HandleOf(from) != HandleOf(*u->node)) {
        continue;
      }
      u->snapshot_input = k;
      u->in_place &= d.cluster.MayWriteOver(k, u->result);
    }
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
      const SlotId id = AddSlot(*o.node, 0, Home::kOwn);
      SettleHome(*o.node, 0, id);
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
    AddInputs(&i, inputs);
    i.first_output = plan_->slots.size();
    return i;
  }

  bool TryCode(const Node& node) {
    const auto it = compiled_.find(node.id());
    if (it == compiled_.end()) return false;
    Instruction& i = AddCode(node, std::move(it->second.code),
                             it->second.inputs);
    i.num_outputs = node.num_outputs();
    for (int k = 0; k < node.num_outputs(); ++k) {
      const SlotId id = AddSlot(node, k, Home::kOwn);
      plan_->slots[id].is_static = true;
      plan_->slots[id].shape = TensorShape();
      SettleHome(node, k, id);
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
    AddInputs(&i, node.inputs());
    i.first_output = AddSlot(node, 0, Home::kOwn);
    i.num_outputs = 1;
    SettleHome(node, 0, i.first_output);
    i.needs_output = plan_->slots[i.first_output].home == Home::kOwn;
    return true;
  }

  Status AddKernel(const Node& node) {
    if (node.op().Has(kSourceOp) && node.num_outputs() == 0) {
      return OkStatus();  // only orders others
    }
    if (!node.op().kernel.compute) {
      if (node.op().Has(kSourceOp)) {
        return InvalidArgument(
            "You must feed a value for placeholder tensor '{}' with dtype {}",
            node.name(),
            node.num_outputs() ? DataTypeString(node.output(0).dtype) : "?");
      }
      return Unimplemented(
          "Op type {} has no kernel, needed by {{{{node {}}}}}", node.type(),
          node.name());
    }
    Instruction& i = plan_->instructions.emplace_back();
    i.node = &node;
    i.compute = node.op().kernel.compute;
    if (LowersControlFlow()) i.kind = NestedKind(node);
    AddInputs(&i, node.inputs());
    i.first_output = plan_->slots.size();
    i.num_outputs = node.num_outputs();
    for (int k = 0; k < node.num_outputs(); ++k) {
      SettleHome(node, k, AddSlot(node, k, Home::kOwn));
    }
    return OkStatus();
  }

  // Every result is of the type and shape that the argument of its number is.
  bool IsClosed() const {
    if (plan_->results.size() != plan_->arguments.size()) return false;
    for (size_t i = 0; i < plan_->results.size(); ++i) {
      const SlotInfo& in = plan_->slots[plan_->arguments[i]];
      const SlotInfo& out = plan_->slots[plan_->results[i]];
      if (!in.is_static || !out.is_static || in.dtype != out.dtype ||
          !(in.shape == out.shape)) {
        return false;
      }
    }
    return plan_->updates.empty();
  }

  void FindNextStates() {
    plan_->is_closed = IsClosed();
    if (!plan_->is_closed) return;
    std::vector<bool> later(plan_->slots.size());
    for (size_t i = plan_->results.size(); i-- > 0;) {
      NextState next{plan_->results[i], plan_->arguments[i]};
      if (next.from == next.to) continue;
      const SlotInfo& slot = plan_->slots[next.from];
      next.moves = slot.home == Home::kOwn && !later[next.from];
      // Large ones are worth more to others meanwhile.
      next.spares = next.moves && !IsObjectType(slot.dtype) &&
                    slot.num_bytes() <= kMaxSpareBytes;
      later[next.from] = true;
      plan_->next_states.push_back(next);
    }
    // Copies are made before what they copy is moved.
    std::reverse(plan_->next_states.begin(), plan_->next_states.end());
  }

  // What is the same in every turn: states that come out as they went in,
  // and what is computed from nothing else.
  void FindInvariants() {
    std::vector<bool> same(plan_->slots.size());
    for (size_t s = 0; s < same.size(); ++s) {
      same[s] = plan_->slots[s].home == Home::kConstant;
    }
    for (size_t k = 0; k < plan_->results.size(); ++k) {
      if (k < plan_->arguments.size() &&
          plan_->results[k] == plan_->arguments[k]) {
        same[plan_->results[k]] = true;
      }
    }
    std::vector<bool> leaves(plan_->slots.size());
    for (SlotId s : plan_->results) leaves[root_[s]] = true;
    for (Instruction& now : plan_->instructions) {
      bool once = now.num_updates == 0;
      if (now.kind == Instruction::Kind::kKernel) {
        once &= IsPure(*now.node) && !now.node->op().Has(kRandom);
      }
      if (now.kind == Instruction::Kind::kBranch ||
          now.kind == Instruction::Kind::kLoop) {
        once &= !HasObjects(*now.node) && !EffectsOf(*now.node).stateful;
      }
      for (int k = 0; k < now.num_inputs; ++k) {
        once &= same[root_[plan_->inputs[now.first_input + k]]];
      }
      for (int k = 0; k < now.num_outputs; ++k) {
        once &= !leaves[now.first_output + k];
      }
      now.once = once;
      for (int k = 0; once && k < now.num_outputs; ++k) {
        same[now.first_output + k] = true;
      }
    }
  }

  // No result can lie where an input does, other than by take_from: it would
  // be held twice, and those that change it later would have to copy it.
  bool SharesNothing(const Instruction& now) const {
    if (now.kind != Instruction::Kind::kKernel) {
      return now.kind != Instruction::Kind::kBranch &&
             now.kind != Instruction::Kind::kLoop;
    }
    for (int k = 0; k < now.num_outputs; ++k) {
      const Home home = plan_->slots[now.first_output + k].home;
      if (home != Home::kArena) return false;
    }
    return true;
  }

  // A variable that the instruction updates, or a value that it puts in one.
  bool UpdateNeeds(const Instruction& now, SlotId s) const {
    for (int k = 0; k < now.num_updates; ++k) {
      const VariableUpdate& u = plan_->updates[now.first_update + k];
      if (u.handle == s || u.shared_slot == s) return true;
    }
    return false;
  }

  // Who reads a value last, who may write over it.
  void FindLifetimes() {
    std::vector<Instruction>& code = plan_->instructions;
    const int n = code.size();
    last_use_.assign(plan_->slots.size(), -1);
    made_by_.assign(plan_->slots.size(), -1);
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < code[i].num_outputs; ++k) {
        made_by_[code[i].first_output + k] = i;
        last_use_[code[i].first_output + k] = i;
      }
      for (int k = 0; k < code[i].num_inputs; ++k) {
        last_use_[root_[plan_->inputs[code[i].first_input + k]]] = i;
      }
      for (int k = 0; k < code[i].num_updates; ++k) {
        const VariableUpdate& u = plan_->updates[code[i].first_update + k];
        last_use_[u.handle] = i;
        if (u.shared_slot >= 0) last_use_[root_[u.shared_slot]] = i;
      }
    }
    for (SlotId s : plan_->results) last_use_[root_[s]] = n;
    std::vector<bool> stays(plan_->slots.size());
    for (const NextState& next : plan_->next_states) {
      stays[next.to] = next.spares;
    }
    for (const Instruction& now : code) {
      for (int k = 0; now.once && k < now.num_outputs; ++k) {
        last_use_[now.first_output + k] = n;
      }
    }
    for (int i = 0; i < n; ++i) {
      Instruction& now = code[i];
      now.first_release = plan_->releases.size();
      const SlotId* in = plan_->inputs.data() + now.first_input;
      for (int k = 0; k < now.num_inputs; ++k) {
        const Home home = plan_->slots[in[k]].home;
        if ((home != Home::kOwn && home != Home::kArgument) ||
            last_use_[in[k]] != i) {
          continue;
        }
        const int uses = std::count(in, in + now.num_inputs, in[k]);
        if (uses == 1 && k < 64 && !UpdateNeeds(now, in[k])) {
          now.may_forward |= uint64_t{1} << k;
        }
        if (stays[in[k]] && SharesNothing(now)) continue;
        if (std::find(in, in + k, in[k]) == in + k) {
          plan_->releases.push_back(in[k]);
        }
      }
      for (int k = 0; k < now.num_outputs; ++k) {
        const SlotId s = now.first_output + k;
        if (plan_->slots[s].home == Home::kOwn && last_use_[s] == i) {
          plan_->releases.push_back(s);
        }
      }
      now.num_releases = plan_->releases.size() - now.first_release;
      FindTaken(&now);
    }
  }

  // A value of its own that may be written over what dies there: sums that
  // go round a loop stay where they are.
  void FindTaken(Instruction* now) const {
    const bool is_cluster = now->kind == Instruction::Kind::kCluster;
    if (!now->needs_output || now->num_updates > 0 || now->once ||
        (!is_cluster && now->kind != Instruction::Kind::kTile)) {
      return;
    }
    for (int k = 0; k < now->num_outputs; ++k) {
      const SlotId to = now->first_output + k;
      const SlotInfo& out = plan_->slots[to];
      if (out.home != Home::kOwn) continue;
      for (int j = 0; j < std::min(now->num_inputs, 64); ++j) {
        const SlotId from = plan_->inputs[now->first_input + j];
        const SlotInfo& in = plan_->slots[from];
        if (((now->may_forward >> j) & 1) == 0 || !in.is_static ||
            in.dtype != out.dtype || !(in.shape == out.shape) ||
            (is_cluster &&
             !plan_->clusters[now->cluster].MayWriteOver(j, k))) {
          continue;
        }
        now->take_from = from;
        now->take_to = to;
        return;
      }
    }
  }

  // An arena slot that result `k` of instruction `i` may be written over: it
  // is read for the last time there and is as large.
  SlotId DyingInput(const Instruction& now, size_t i, int k) const {
    if (now.kind != Instruction::Kind::kTile &&
        now.kind != Instruction::Kind::kCluster) {
      return -1;
    }
    const SlotId result = now.first_output + k;
    const SlotId* in = plan_->inputs.data() + now.first_input;
    for (int j = 0; j < now.num_inputs; ++j) {
      const SlotId from = root_[in[j]];
      if (plan_->slots[in[j]].home != Home::kArena ||
          last_use_[from] != static_cast<int>(i) || IsTaken(from, now, k) ||
          plan_->slots[from].num_bytes() != plan_->slots[result].num_bytes() ||
          DataTypeSize(plan_->slots[from].dtype) !=
              DataTypeSize(plan_->slots[result].dtype)) {
        continue;
      }
      // Every name under which the instruction reads it must allow that.
      bool may = true;
      for (int other = 0; other < now.num_inputs && may; ++other) {
        if (root_[in[other]] != from) continue;
        may = now.kind == Instruction::Kind::kTile ||
              plan_->clusters[now.cluster].MayWriteOver(other, k);
      }
      if (may) return from;
    }
    return -1;
  }

  // Whether an earlier result of the instruction lies there.
  bool IsTaken(SlotId from, const Instruction& now, int k) const {
    for (int r = 0; r < k; ++r) {
      const SlotInfo& slot = plan_->slots[now.first_output + r];
      if (slot.home == Home::kArena &&
          slot.offset == plan_->slots[from].offset && slot.num_bytes() > 0) {
        return true;
      }
    }
    return false;
  }

  // Places by lifetime, in instruction order. What is computed once has a
  // place of its own: it must be there in later turns, before the instruction
  // that made it.
  Status PlaceArena() {
    ArenaSpace space;
    for (const Instruction& now : plan_->instructions) {
      for (int k = 0; now.once && k < now.num_outputs; ++k) {
        GK_RETURN_IF_ERROR(Place(now.first_output + k, &space));
      }
    }
    std::vector<std::vector<SlotId>> dies(plan_->instructions.size() + 1);
    for (size_t i = 0; i < plan_->instructions.size(); ++i) {
      const Instruction& now = plan_->instructions[i];
      for (int k = 0; !now.once && k < now.num_outputs; ++k) {
        const SlotId s = now.first_output + k;
        SlotInfo& slot = plan_->slots[s];
        if (slot.home != Home::kArena) continue;
        if (slot.num_bytes() > 0) dies[last_use_[s]].push_back(s);
        if (const SlotId over = DyingInput(now, i, k); over >= 0) {
          slot.offset = plan_->slots[over].offset;
          std::erase(dies[i], over);
          continue;
        }
        GK_RETURN_IF_ERROR(Place(s, &space));
      }
      for (SlotId s : dies[i]) {
        space.Give(plan_->slots[s].offset, plan_->slots[s].num_bytes());
      }
    }
    plan_->arena_bytes = space.bytes();
    for (SlotInfo& slot : plan_->slots) {
      if (slot.view_of >= 0) slot.offset = plan_->slots[slot.view_of].offset;
    }
    return OkStatus();
  }

  Status Place(SlotId s, ArenaSpace* space) {
    SlotInfo& slot = plan_->slots[s];
    if (slot.home != Home::kArena) return OkStatus();
    slot.offset = slot.num_bytes() > 0 ? space->Take(slot.num_bytes()) : 0;
    if (slot.offset >= 0) return OkStatus();
    return ResourceExhausted(
        "OOM when allocating tensor with shape{} and type {} on CPU",
        slot.shape.DebugString(), DataTypeString(slot.dtype));
  }

  Ref<Plan> plan_;
  const bool merge_updates_, loop_body_;
  std::vector<Unit> units_;
  std::map<int, Compiled> compiled_;  // by node id
  std::map<std::pair<int, int>, bool> escapes_;
  std::vector<bool> used_outside_;  // by node id
  std::vector<SlotId> first_slot_;  // by node id
  std::vector<SlotId> root_;        // the slot whose place a view shares
  std::vector<int> last_use_, made_by_;
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
