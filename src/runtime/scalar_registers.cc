#include "runtime/scalar_registers.h"

#include <algorithm>
#include <numeric>

namespace gk {
namespace {

using Kind = ScalarOp::Kind;

// Code with more live bits than this is not worth the time to join moves.
constexpr size_t kMaxBits = size_t{1} << 24;

bool IsJump(Kind k) {
  return k == Kind::kJump || k == Kind::kJumpIfNot || k == Kind::kLoopIf ||
         k == Kind::kLoop || k == Kind::kCase;
}
// Control goes on with the next operation.
bool FallsThrough(Kind k) {
  return k != Kind::kJump && k != Kind::kLoop && k != Kind::kCase &&
         k != Kind::kEnd;
}

std::vector<int> PlacesOfLabels(const std::vector<ScalarOp>& ops) {
  std::vector<int> place;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].kind != Kind::kLabel) continue;
    const size_t label = ops[i].target;
    if (place.size() <= label) place.resize(label + 1, -1);
    place[label] = i;
  }
  return place;
}

// Which registers are needed after each operation.
class Liveness {
 public:
  explicit Liveness(const ScalarDraft& d)
      : n_(d.ops.size()), words_((d.registers.size() + 63) / 64) {
    after_.assign((n_ + 1) * words_, 0);  // the last row: before the first
    const std::vector<int> place = PlacesOfLabels(d.ops);
    std::vector<uint64_t> before(n_ * words_);
    std::vector<uint64_t> row(words_);
    for (bool changed = true; changed;) {
      changed = false;
      for (int i = n_ - 1; i >= 0; --i) {
        const ScalarOp& op = d.ops[i];
        uint64_t* const after = after_.data() + i * words_;
        const auto flows_to = [&](int next) {
          for (size_t w = 0; w < words_; ++w) {
            after[w] |= before[next * words_ + w];
          }
        };
        if (FallsThrough(op.kind)) flows_to(i + 1);
        if (op.kind == Kind::kCase) {
          for (int32_t label : op.targets) flows_to(place[label]);
        } else if (IsJump(op.kind)) {
          flows_to(place[op.target]);
        }
        if (op.kind == Kind::kEnd) {
          for (int32_t r : d.outputs) {
            if (r >= 0) after[r / 64] |= Bit(r);
          }
        }
        std::copy_n(after, words_, row.data());
        if (op.out >= 0) row[op.out / 64] &= ~Bit(op.out);
        for (int32_t r : op.in) {
          if (r >= 0) row[r / 64] |= Bit(r);
        }
        uint64_t* const mine = before.data() + i * words_;
        if (!std::equal(row.begin(), row.end(), mine)) {
          std::copy(row.begin(), row.end(), mine);
          changed = true;
        }
      }
    }
    std::copy_n(before.data(), words_, after_.data() + n_ * words_);
  }

  bool After(size_t i, int32_t r) const {
    return (after_[i * words_ + r / 64] & Bit(r)) != 0;
  }
  bool AtStart(int32_t r) const { return After(n_, r); }
  // `from` is now another name of `to`.
  void Merge(int32_t from, int32_t to) {
    for (size_t i = 0; i <= n_; ++i) {
      if (After(i, from)) after_[i * words_ + to / 64] |= Bit(to);
    }
  }

 private:
  static uint64_t Bit(int32_t r) { return uint64_t{1} << (r % 64); }

  size_t n_, words_;
  std::vector<uint64_t> after_;
};

// Whether one register can do for both ends of a move.
bool MayJoin(const ScalarDraft& d, const Liveness& live, int32_t a, int32_t b) {
  for (size_t i = 0; i < d.ops.size(); ++i) {
    const ScalarOp& op = d.ops[i];
    if (op.out != a && op.out != b) continue;
    const int32_t other = op.out == a ? b : a;
    const bool is_move = op.kind == Kind::kMove && op.in[0] == other;
    if (!is_move && live.After(i, other)) return false;
  }
  // Inputs are written before the first operation.
  const auto is_input = [&](int32_t r) {
    return std::find(d.inputs.begin(), d.inputs.end(), r) != d.inputs.end();
  };
  return !((is_input(a) && live.AtStart(b)) ||
           (is_input(b) && live.AtStart(a)));
}

}  // namespace

void RemoveDeadOps(ScalarDraft* draft) {
  std::vector<ScalarOp>& ops = draft->ops;
  std::vector<bool> read(draft->registers.size());
  for (int32_t r : draft->outputs) {
    if (r >= 0) read[r] = true;
  }
  const auto needed = [&](const ScalarOp& op) {
    const bool only_computes = op.kind == Kind::kCall || op.kind == Kind::kMove;
    return !only_computes || op.can_fail || read[op.out];
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = ops.size() - 1; i >= 0; --i) {
      if (!needed(ops[i])) continue;
      for (int32_t r : ops[i].in) {
        if (r < 0 || read[r]) continue;
        read[r] = changed = true;
      }
    }
  }
  std::erase_if(ops, [&](const ScalarOp& op) { return !needed(op); });
}

void JoinRegisters(ScalarDraft* draft) {
  std::vector<ScalarOp>& ops = draft->ops;
  if (ops.size() * draft->registers.size() > kMaxBits) return;
  Liveness live(*draft);
  for (size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].kind != Kind::kMove || ops[i].in[0] == ops[i].out) continue;
    const int32_t from = ops[i].in[0], to = ops[i].out;
    if (draft->registers[from].constant || draft->registers[to].constant ||
        !MayJoin(*draft, live, from, to)) {
      continue;
    }
    live.Merge(from, to);
    for (ScalarOp& op : ops) {
      if (op.out == from) op.out = to;
      for (int32_t& r : op.in) r = r == from ? to : r;
    }
    for (int32_t& r : draft->inputs) r = r == from ? to : r;
    for (int32_t& r : draft->outputs) r = r == from ? to : r;
  }
  std::erase_if(ops, [](const ScalarOp& op) {
    return op.kind == Kind::kMove && op.in[0] == op.out;
  });
}

void JoinJumps(ScalarDraft* draft) {
  std::vector<ScalarOp> joined;
  for (ScalarOp& op : draft->ops) {
    if (!joined.empty() && joined.back().kind == Kind::kCall) {
      ScalarOp& call = joined.back();
      const bool sees = op.in[0] == call.out;
      const Kind kind = op.kind == Kind::kJump        ? Kind::kCallJump
                        : !sees                       ? Kind::kCall
                        : op.kind == Kind::kJumpIfNot ? Kind::kCallJumpIfNot
                        : op.kind == Kind::kLoopIf && !call.can_fail
                            ? Kind::kCallLoopIf
                            : Kind::kCall;
      if (kind != Kind::kCall) {
        call.kind = kind;
        call.target = op.target;
        if (kind == Kind::kCallLoopIf) call.function = op.function;
        continue;
      }
    }
    joined.push_back(std::move(op));
  }
  draft->ops = std::move(joined);
}

void ResolveLabels(ScalarDraft* draft) {
  std::vector<int> place;
  int next = 0;
  for (const ScalarOp& op : draft->ops) {
    if (op.kind != Kind::kLabel) {
      ++next;
      continue;
    }
    const size_t label = op.target;
    if (place.size() <= label) place.resize(label + 1, -1);
    place[label] = next;
  }
  std::erase_if(draft->ops,
                [](const ScalarOp& op) { return op.kind == Kind::kLabel; });
  for (ScalarOp& op : draft->ops) {
    if (op.target >= 0) op.target = place[op.target];
    for (int32_t& t : op.targets) t = place[t];
  }
}

}  // namespace gk
