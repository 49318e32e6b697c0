#include "runtime/scalar_code.h"

#include <cstring>
#include <iterator>

#include "runtime/error_origin.h"
#include "runtime/loop_poll.h"

namespace gk {
namespace {

void Move(void* to, const void* from, int size) {
  switch (size) {
    case 1:
      std::memcpy(to, from, 1);
      return;
    case 2:
      std::memcpy(to, from, 2);
      return;
    case 4:
      std::memcpy(to, from, 4);
      return;
    case 8:
      std::memcpy(to, from, 8);
      return;
    default:
      std::memcpy(to, from, 16);
  }
}

bool Holds(const void* p) { return *static_cast<const bool*>(p); }

}  // namespace

ScalarRegisters::ScalarRegisters(const ScalarCode& code)
    : cells_(code.registers().size()) {
  for (size_t r = 0; r < cells_.size(); ++r) {
    const ScalarCode::Register& info = code.registers()[r];
    if (info.constant) {
      std::memcpy(cells_[r].bytes, info.constant.raw_data(),
                  DataTypeSize(info.dtype));
    }
  }
  const auto cell = [this](int32_t r) {
    return r < 0 ? nullptr : cells_[r].bytes;
  };
  for (const ScalarOp& op : code.ops()) {
    Bound& b = ops_.emplace_back();
    b.fn = op.fn;
    b.out = cell(op.out);
    for (int k = 0; k < 3; ++k) b.in[k] = cell(op.in[k]);
    b.params = op.params;
    b.kind = op.kind;
    b.size = op.size;
    b.target = op.target;
  }
}

Status ScalarCode::Run(ScalarRegisters& registers, const void* const* in,
                       void* const* out, LoopPoll& poll) const {
  using Kind = ScalarOp::Kind;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const int32_t r = inputs_[i];
    if (r < 0) continue;
    Move(registers.cells_[r].bytes, in[i], DataTypeSize(registers_[r].dtype));
  }
  const ScalarRegisters::Bound* const ops = registers.ops_.data();
  const ScalarRegisters::Bound* now = ops;
  int64_t turns = poll.turns_left();
  // Whether the loop may go on; kept out of the way of those that do.
  Status status;
  const auto ask = [&] {
    status = poll.Ask(functions_[ops_[now - ops].function].name);
    turns = poll.turns_left();
    return status.ok();
  };
  // One jump behind each kind of operation, rather than one for all, lets the
  // processor learn what follows what.
  static const void* const kPlaces[] = {&&call_op,
                                        &&move,
                                        &&jump,
                                        &&jump_if_not,
                                        &&loop_if,
                                        &&loop,
                                        &&choose,
                                        &&end,
                                        &&end,
                                        &&call_jump,
                                        &&call_jump_if_not,
                                        &&call_loop_if};
  static_assert(std::size(kPlaces) ==
                static_cast<size_t>(Kind::kCallLoopIf) + 1);
#define GK_NEXT goto* kPlaces[static_cast<size_t>(now->kind)]
#define GK_CALL_OR_FAIL                                              \
  if (now->fn(now->out, now->in, 1, &now->params) != 0) [[unlikely]] \
  goto failed
#define GK_POLL                            \
  if (--turns <= 0 && !ask()) [[unlikely]] \
  return status
  GK_NEXT;
call_op:
  GK_CALL_OR_FAIL;
  ++now;
  GK_NEXT;
call_jump:
  GK_CALL_OR_FAIL;
  now = ops + now->target;
  GK_NEXT;
call_jump_if_not:
  GK_CALL_OR_FAIL;
  now = Holds(now->out) ? now + 1 : ops + now->target;
  GK_NEXT;
call_loop_if:
  GK_CALL_OR_FAIL;
  GK_POLL;
  now = Holds(now->out) ? ops + now->target : now + 1;
  GK_NEXT;
move:
  Move(now->out, now->in[0], now->size);
  ++now;
  GK_NEXT;
jump:
  now = ops + now->target;
  GK_NEXT;
jump_if_not:
  now = Holds(now->in[0]) ? now + 1 : ops + now->target;
  GK_NEXT;
loop_if:
  GK_POLL;
  now = Holds(now->in[0]) ? ops + now->target : now + 1;
  GK_NEXT;
loop:
  GK_POLL;
  now = ops + now->target;
  GK_NEXT;
choose : {
  const std::vector<int32_t>& targets = ops_[now - ops].targets;
  int32_t index;
  std::memcpy(&index, now->in[0], sizeof(index));
  const int32_t n = targets.size();
  now = ops + targets[index < 0 || index >= n ? n - 1 : index];
  GK_NEXT;
}
end:
#undef GK_NEXT
#undef GK_CALL_OR_FAIL
#undef GK_POLL
  poll.set_turns_left(turns);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const int32_t r = outputs_[i];
    if (r < 0) continue;
    Move(out[i], registers.cells_[r].bytes, DataTypeSize(registers_[r].dtype));
  }
  return OkStatus();
failed:
  poll.set_turns_left(turns);
  const ScalarOp& op = ops_[now - ops];
  const char* text = op.node->op().kernel.tile_error;
  return AtNode(InvalidArgument("{}", text ? text : "Invalid element"),
                *op.node, functions_[op.function].name);
}

std::string ScalarCode::DebugString() const {
  using Kind = ScalarOp::Kind;
  std::string text;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i] >= 0) text += Format("r{} = input {}\n", inputs_[i], i);
  }
  for (size_t r = 0; r < registers_.size(); ++r) {
    if (registers_[r].constant) {
      text += Format("r{} = {}\n", r, registers_[r].constant.DebugString());
    }
  }
  for (size_t i = 0; i < ops_.size(); ++i) {
    const ScalarOp& op = ops_[i];
    text += Format("{}:", i);
    const bool calls = op.fn != nullptr;
    if (calls) {
      text += Format(" r{} = {}", op.out, op.node->type());
      for (int k = 0; k < op.num_inputs; ++k) text += Format(" r{}", op.in[k]);
    }
    const char* stop = calls ? ";" : "";
    const int32_t seen = calls ? op.out : op.in[0];
    switch (op.kind) {
      case Kind::kCall:
      case Kind::kLabel:
        break;
      case Kind::kMove:
        text += Format(" r{} = r{}", op.out, op.in[0]);
        break;
      case Kind::kJump:
      case Kind::kCallJump:
        text += Format("{} go to {}", stop, op.target);
        break;
      case Kind::kJumpIfNot:
      case Kind::kCallJumpIfNot:
        text += Format("{} go to {} unless r{}", stop, op.target, seen);
        break;
      case Kind::kLoopIf:
      case Kind::kCallLoopIf:
        text += Format("{} back to {} if r{}", stop, op.target, seen);
        break;
      case Kind::kLoop:
        text += Format(" back to {}", op.target);
        break;
      case Kind::kCase:
        text += Format(" go by r{} to", op.in[0]);
        for (int32_t t : op.targets) text += Format(" {}", t);
        break;
      case Kind::kEnd:
        text += " end";
        break;
    }
    text += "\n";
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i] >= 0) text += Format("output {} = r{}\n", i, outputs_[i]);
  }
  return text;
}

}  // namespace gk
