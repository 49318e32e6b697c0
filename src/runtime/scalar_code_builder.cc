#include "runtime/scalar_code_builder.h"

#include <algorithm>

#include "framework/op_registry.h"
#include "runtime/cluster.h"
#include "runtime/compiled_function.h"
#include "runtime/schedule.h"

namespace gk {
namespace {

using Kind = ScalarOp::Kind;

bool IsScalar(const PartialTensorShape& shape) {
  return shape.IsFullyDefined() && shape.rank() == 0;
}

bool CallsFunctions(const RewriteGraph& f) {
  return std::any_of(
      f.graph->nodes().begin(), f.graph->nodes().end(),
      [](const auto& node) { return node->op().Has(kCallsFunction); });
}

// The argument that result `k` is, untouched; -1 if it is something else.
int ArgumentOfResult(const RewriteGraph& f, size_t k) {
  Output o = f.results[k];
  while (o.node->op().Has(kView) && o.node->num_inputs() > 0 &&
         IsScalar(o.node->output(0).shape)) {
    o = o.node->input(0);
  }
  for (size_t i = 0; i < f.arguments.size(); ++i) {
    if (o == Output{f.arguments[i], 0}) return i;
  }
  return -1;
}

}  // namespace

bool FitsRegister(DataType dtype) {
  return !IsObjectType(dtype) && DataTypeSize(dtype) > 0 &&
         DataTypeSize(dtype) <= 16;
}

ScalarCodeBuilder::ScalarCodeBuilder(const std::string& function,
                                     Ref<Graph> graph) {
  functions_.push_back({function, std::move(graph)});
  blocks_.push_back(&body_);
}

int32_t ScalarCodeBuilder::NewRegister(DataType dtype, int depth) {
  draft_.registers.push_back({dtype, Tensor()});
  depth_of_.push_back(depth);
  return draft_.registers.size() - 1;
}

int32_t ScalarCodeBuilder::Constant(const Tensor& value) {
  const int32_t r = NewRegister(value.dtype(), 0);
  draft_.registers[r].constant = value;
  return r;
}

void ScalarCodeBuilder::Emit(Kind kind, int32_t in, int32_t target) {
  ScalarOp& op = block().emplace_back();
  op.kind = kind;
  op.in[0] = in;
  op.target = target;
  op.function = functions_.size() - 1;
  ++num_ops_;
}

void ScalarCodeBuilder::EmitMove(int32_t to, int32_t from) {
  if (to == from) return;
  Emit(Kind::kMove, from, -1);
  block().back().out = to;
  block().back().size = DataTypeSize(draft_.registers[to].dtype);
}

// In front of the outermost loop that changes none of the operands.
int32_t ScalarCodeBuilder::EmitCall(const TileKernel& tile,
                                    std::span<const int32_t> in,
                                    const Node& node, int32_t function) {
  ScalarOp op;
  op.fn = tile.fn;
  op.node = &node;
  if (tile.prepare) tile.prepare(node.attrs(), &op.params);
  op.function = function;
  op.can_fail = node.op().kernel.tile_error != nullptr;
  op.num_inputs = in.size();
  int home = op.can_fail ? depth() : 0;
  // Unused operands repeat the first, which is always readable.
  for (size_t k = 0; k < 3; ++k) {
    op.in[k] = in[k < in.size() ? k : 0];
    home = std::max(home, depth_of_[op.in[k]]);
  }
  op.out = NewRegister(tile.out, home);
  const int32_t out = op.out;
  blocks_[home]->push_back(std::move(op));
  ++num_ops_;
  return out;
}

std::optional<int32_t> ScalarCodeBuilder::ValueOf(const Output& o,
                                                  Scope* scope) {
  const auto [it, is_new] = scope->values.try_emplace({o.node, o.index}, -1);
  if (!is_new) return it->second < 0 ? std::nullopt : std::optional(it->second);
  const Node::OutputInfo& info = o.node->output(o.index);
  if (scope != &outer_ || !takes_inputs_ || !FitsRegister(info.dtype) ||
      !IsScalar(info.shape)) {
    return std::nullopt;
  }
  if (o.node->op().Has(kConstant)) {
    if (!Add(*o.node, scope) || it->second < 0) return std::nullopt;
    return it->second;
  }
  it->second = NewRegister(info.dtype, 0);
  draft_.inputs.push_back(it->second);
  input_values_.push_back(o);
  return it->second;
}

std::optional<int32_t> ScalarCodeBuilder::TruthOf(int32_t r, const Node& node,
                                                  const Scope& scope) {
  const DataType dtype = draft_.registers[r].dtype;
  if (dtype == DataType::kBool) return r;
  if (IsComplex(dtype)) return std::nullopt;
  const TileKernel* tile =
      OpRegistry::Get().The(kInequality).kernel.tile(dtype, AttrMap());
  StatusOr<Tensor> zero = Tensor::Zeros(dtype, TensorShape());
  if (!tile || !zero.ok()) return std::nullopt;
  const int32_t in[] = {r, Constant(*zero)};
  return EmitCall(*tile, in, node, scope.function);
}

bool ScalarCodeBuilder::Add(const Node& node, Scope* scope) {
  if (num_ops_ > kMaxOps) return false;
  if (node.op().Has(kConstant)) {
    const Tensor* value = node.attrs().Get<Tensor>("value");
    if (value && *value && !value->is_symbolic() && value->shape().IsScalar() &&
        FitsRegister(value->dtype())) {
      scope->values[{&node, 0}] = Constant(*value);
    }
    return true;  // the new shape of a view has no register
  }
  if (EffectsOf(node).must_run) return false;
  if (node.num_outputs() == 0) return true;  // only orders others
  if (node.op().Has(kCallsFunction)) {
    switch (node.op().control) {
      case Control::kWhile:
        return AddWhile(node, scope);
      case Control::kIf:
      case Control::kCase:
        return AddBranches(node, scope);
      default:
        return false;
    }
  }
  const Node::OutputInfo& out = node.output(0);
  if (node.num_outputs() != 1 || node.num_inputs() == 0 ||
      !IsScalar(out.shape) || !FitsRegister(out.dtype)) {
    return false;
  }
  if (node.op().Has(kView)) {
    const std::optional<int32_t> from = ValueOf(node.input(0), scope);
    if (!from || draft_.registers[*from].dtype != out.dtype) return false;
    scope->values[{&node, 0}] = *from;
    return true;
  }
  const TileKernel* tile = FusableTile(node);
  if (!tile) return false;
  int32_t in[3];
  for (int k = 0; k < node.num_inputs(); ++k) {
    const std::optional<int32_t> r = ValueOf(node.input(k), scope);
    if (!r) return false;
    in[k] = *r;
  }
  scope->values[{&node, 0}] =
      EmitCall(*tile, {in, size_t(node.num_inputs())}, node, scope->function);
  return true;
}

// Functions that call themselves, and calls too deep, are left to plans.
bool ScalarCodeBuilder::IsInProgress(const GraphFunction* function) const {
  return calls_.size() >= kMaxDepth ||
         std::find(calls_.begin(), calls_.end(), function) != calls_.end();
}

bool ScalarCodeBuilder::Call(const FunctionAttr* callee,
                             std::span<const int32_t> arguments,
                             Registers* results) {
  const GraphFunction* function = GraphOf(callee);
  if (!function || IsInProgress(function)) return false;
  StatusOr<CompiledFunction*> compiled = CompiledFunction::Of(*function);
  if (!compiled.ok()) return false;
  const std::vector<PartialTensorShape> scalars(arguments.size(),
                                                TensorShape());
  StatusOr<RewriteGraph> f = (*compiled)->GraphFor(scalars);
  if (!f.ok()) return false;
  calls_.push_back(function);
  const bool done = CallGraph(*f, arguments, results);
  calls_.pop_back();
  return done;
}

bool ScalarCodeBuilder::CallGraph(const RewriteGraph& f,
                                  std::span<const int32_t> arguments,
                                  Registers* results) {
  if (f.arguments.size() != arguments.size()) return false;
  Scope scope;
  scope.function = functions_.size();
  functions_.push_back({f.name, f.graph});
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Node::OutputInfo& info = f.arguments[i]->output(0);
    if (arguments[i] < 0) continue;
    if (info.dtype != draft_.registers[arguments[i]].dtype) return false;
    scope.values[{f.arguments[i], 0}] = arguments[i];
  }
  StatusOr<std::vector<Unit>> units = MakeSchedule(f, /*merge_updates=*/false);
  if (!units.ok()) return false;
  std::vector<bool> is_argument(f.graph->num_nodes());
  for (const Node* a : f.arguments) is_argument[a->id()] = true;
  // What is only returned is computed last: then it often goes straight to
  // where the loop keeps it.
  std::vector<bool> used(f.graph->num_nodes());
  for (const Unit& unit : *units) {
    for (const Node* node : unit.nodes) {
      for (const Output& in : node->inputs()) used[in.node->id()] = true;
    }
  }
  std::vector<const Node*> last;
  for (const Unit& unit : *units) {
    for (const Node* node : unit.nodes) {
      if (is_argument[node->id()]) continue;
      if (!used[node->id()] && !node->op().Has(kCallsFunction) &&
          !node->op().kernel.tile_error) {
        last.push_back(node);
      } else if (!Add(*node, &scope)) {
        return false;
      }
    }
  }
  for (const Node* node : last) {
    if (!Add(*node, &scope)) return false;
  }
  for (const Output& r : f.results) {
    const std::optional<int32_t> value = ValueOf(r, &scope);
    if (!value) return false;
    results->push_back(*value);
  }
  return true;
}

bool ScalarCodeBuilder::AddBranches(const Node& node, Scope* scope) {
  std::vector<const FunctionAttr*> branches;
  if (node.op().control == Control::kIf) {
    branches = {node.attrs().Get<FunctionAttr>("then_branch"),
                node.attrs().Get<FunctionAttr>("else_branch")};
  } else if (const auto* listed =
                 node.attrs().Get<std::vector<FunctionAttr>>("branches")) {
    for (const FunctionAttr& f : *listed) branches.push_back(&f);
  }
  if (branches.empty()) return false;
  std::optional<int32_t> choice = ValueOf(node.input(0), scope);
  if (!choice) return false;
  if (node.op().control == Control::kIf)
    choice = TruthOf(*choice, node, *scope);
  if (!choice) return false;
  Registers arguments;
  for (int i = 1; i < node.num_inputs(); ++i) {
    const std::optional<int32_t> r = ValueOf(node.input(i), scope);
    if (!r) return false;
    arguments.push_back(*r);
  }
  if (IsConstant(*choice)) {
    const void* value = draft_.registers[*choice].constant.raw_data();
    size_t taken;
    if (node.op().control == Control::kIf) {
      taken = *static_cast<const bool*>(value) ? 0 : 1;
    } else {
      const int32_t index = *static_cast<const int32_t*>(value);
      const int32_t last = branches.size() - 1;
      taken = index < 0 || index > last ? last : index;
    }
    Registers only;
    if (!Call(branches[taken], arguments, &only) ||
        only.size() != size_t(node.num_outputs())) {
      return false;
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      scope->values[{&node, i}] = only[i];
    }
    return true;
  }
  // Each branch by itself; only then is it known what differs.
  Block* const outside = blocks_.back();
  std::vector<Block> code(branches.size());
  std::vector<Registers> results(branches.size());
  for (size_t b = 0; b < branches.size(); ++b) {
    blocks_.back() = &code[b];
    const bool fits = Call(branches[b], arguments, &results[b]);
    blocks_.back() = outside;
    if (!fits || results[b].size() != size_t(node.num_outputs())) return false;
  }
  Registers common;
  for (int i = 0; i < node.num_outputs(); ++i) {
    const DataType dtype = node.output(i).dtype;
    bool same = true;
    for (const Registers& r : results) {
      if (draft_.registers[r[i]].dtype != dtype) return false;
      same &= r[i] == results[0][i];
    }
    common.push_back(same ? results[0][i] : NewRegister(dtype, depth()));
    scope->values[{&node, i}] = common.back();
  }
  const int32_t end = NewLabel();
  std::vector<int32_t> begin;
  for (size_t b = 0; b < branches.size(); ++b) begin.push_back(NewLabel());
  if (node.op().control == Control::kIf) {
    Emit(Kind::kJumpIfNot, *choice, begin[1]);
  } else {
    Emit(Kind::kCase, *choice, -1);
    block().back().targets = begin;
  }
  for (size_t b = 0; b < branches.size(); ++b) {
    Emit(Kind::kLabel, -1, begin[b]);
    for (ScalarOp& op : code[b]) block().push_back(std::move(op));
    for (size_t i = 0; i < common.size(); ++i) {
      EmitMove(common[i], results[b][i]);
    }
    if (b + 1 < branches.size()) Emit(Kind::kJump, -1, end);
  }
  Emit(Kind::kLabel, -1, end);
  return true;
}

// All at once, as a permutation of registers may be wanted.
void ScalarCodeBuilder::AddMoves(std::span<const int32_t> to,
                                 const Registers& from) {
  Registers source = from;
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] < 0 || source[i] == to[i] ||
        std::find(to.begin(), to.end(), source[i]) == to.end()) {
      continue;
    }
    const int32_t kept =
        NewRegister(draft_.registers[source[i]].dtype, depth());
    EmitMove(kept, source[i]);
    source[i] = kept;
  }
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] >= 0) EmitMove(to[i], source[i]);
  }
}

bool ScalarCodeBuilder::AddWhile(const Node& node, Scope* scope) {
  const FunctionAttr* condition = node.attrs().Get<FunctionAttr>("cond");
  const FunctionAttr* body = node.attrs().Get<FunctionAttr>("body");
  const GraphFunction *test = GraphOf(condition), *step = GraphOf(body);
  if (!test || !step || IsInProgress(test) || IsInProgress(step)) return false;
  const size_t n = node.num_inputs();
  if (size_t(node.num_outputs()) != n) return false;
  Registers entering, state, target;
  for (size_t i = 0; i < n; ++i) {
    const std::optional<int32_t> r = ValueOf(node.input(i), scope);
    if (!r || draft_.registers[*r].dtype != node.output(i).dtype) return false;
    entering.push_back(*r);
  }
  StatusOr<CompiledFunction*> compiled = CompiledFunction::Of(*step);
  StatusOr<CompiledFunction*> compiled_test = CompiledFunction::Of(*test);
  if (!compiled.ok() || !compiled_test.ok()) return false;
  const std::vector<PartialTensorShape> scalars(n, TensorShape());
  StatusOr<RewriteGraph> f = (*compiled)->GraphFor(scalars);
  StatusOr<RewriteGraph> c = (*compiled_test)->GraphFor(scalars);
  if (!f.ok() || !c.ok() || f->results.size() != n || c->results.size() != 1 ||
      f->arguments.size() != n) {
    return false;
  }
  for (size_t i = 0; i < n; ++i) {
    const int32_t r = entering[i];
    const bool kept = ArgumentOfResult(*f, i) == static_cast<int>(i);
    state.push_back(kept ? r
                         : NewRegister(draft_.registers[r].dtype, depth() + 1));
    target.push_back(kept ? -1 : state.back());
  }
  // The loop's own code; what no turn changes goes in front of it.
  Block loop;
  blocks_.push_back(&loop);
  const auto give_up = [this] {
    blocks_.pop_back();
    return false;
  };
  const int32_t top = NewLabel(), end = NewLabel();
  const auto add_test = [&]() -> std::optional<int32_t> {
    Registers result;
    calls_.push_back(test);
    const bool fits = CallGraph(*c, state, &result);
    calls_.pop_back();
    if (!fits) return std::nullopt;
    return TruthOf(result[0], node, *scope);
  };
  // Short tests stand at both ends: one jump less a turn.
  const bool twice = !CallsFunctions(*c);
  if (!twice) Emit(Kind::kLabel, -1, top);
  std::optional<int32_t> more = add_test();
  if (!more) return give_up();
  Emit(Kind::kJumpIfNot, *more, end);
  if (twice) Emit(Kind::kLabel, -1, top);
  Registers next;
  const int32_t function = functions_.size();
  calls_.push_back(step);
  const bool fits = CallGraph(*f, state, &next);
  calls_.pop_back();
  if (!fits) return give_up();
  for (size_t i = 0; i < n; ++i) {
    if (draft_.registers[next[i]].dtype != node.output(i).dtype) {
      return give_up();
    }
  }
  AddMoves(target, next);
  if (twice) {
    more = add_test();
    if (!more) return give_up();
    Emit(Kind::kLoopIf, *more, top);
  } else {
    Emit(Kind::kLoop, -1, top);
  }
  block().back().function = function;
  Emit(Kind::kLabel, -1, end);
  blocks_.pop_back();
  for (size_t i = 0; i < n; ++i) {
    if (target[i] < 0) continue;
    depth_of_[state[i]] = depth();
    EmitMove(state[i], entering[i]);
  }
  for (ScalarOp& op : loop) block().push_back(std::move(op));
  for (size_t i = 0; i < n; ++i) {
    scope->values[{&node, static_cast<int>(i)}] = state[i];
  }
  return true;
}

bool ScalarCodeBuilder::AddNode(const Node& node) {
  takes_inputs_ = true;
  return Add(node, &outer_);
}

bool ScalarCodeBuilder::AddFunction(const RewriteGraph& function) {
  Registers arguments;
  for (const Node* a : function.arguments) {
    const Node::OutputInfo& info = a->output(0);
    const bool fits = IsScalar(info.shape) && FitsRegister(info.dtype);
    arguments.push_back(fits ? NewRegister(info.dtype, 0) : -1);
    draft_.inputs.push_back(arguments.back());
  }
  return CallGraph(function, arguments, &results_);
}

std::unique_ptr<ScalarCode> ScalarCodeBuilder::Finish(
    std::span<const Output> outputs) {
  draft_.outputs = results_;
  for (const Output& o : outputs) {
    if (o.node == nullptr) {
      draft_.outputs.push_back(-1);
      continue;
    }
    const auto it = outer_.values.find({o.node, o.index});
    if (it == outer_.values.end() || it->second < 0) return nullptr;
    draft_.outputs.push_back(it->second);
  }
  draft_.ops = std::move(body_);
  draft_.ops.emplace_back().kind = Kind::kEnd;
  RemoveDeadOps(&draft_);
  std::vector<bool> read(draft_.registers.size());
  for (int32_t r : draft_.outputs) {
    if (r >= 0) read[r] = true;
  }
  for (const ScalarOp& op : draft_.ops) {
    for (int32_t r : op.in) {
      if (r >= 0) read[r] = true;
    }
  }
  for (int32_t& r : draft_.inputs) {
    if (r >= 0 && !read[r]) r = -1;
  }
  JoinRegisters(&draft_);
  JoinJumps(&draft_);
  ResolveLabels(&draft_);
  std::unique_ptr<ScalarCode> code(new ScalarCode);
  code->ops_ = std::move(draft_.ops);
  code->registers_ = std::move(draft_.registers);
  code->inputs_ = std::move(draft_.inputs);
  code->outputs_ = std::move(draft_.outputs);
  code->functions_ = std::move(functions_);
  return code;
}

}  // namespace gk
