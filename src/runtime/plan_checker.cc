#include "runtime/plan_checker.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/hash.h"
#include "framework/same_numbers.h"
#include "framework/tensor_list.h"
#include "framework/variant.h"
#include "runtime/frame.h"
#include "runtime/purity.h"

namespace gk {
namespace {

// In memory that nobody needs: NaN in every float type, far out of range as
// an index.
constexpr uint16_t kPoison = 0xFFF5;

void Poison(void* to, int64_t bytes) {
  char* p = static_cast<char*>(to);
  for (int64_t i = 0; i + 1 < bytes; i += 2) {
    std::memcpy(p + i, &kPoison, sizeof(kPoison));
  }
  if (bytes % 2 != 0) std::memcpy(p + bytes - 1, &kPoison, 1);
}

// The first byte that is not as Poison() left it; -1 if all are. `p` is where
// an even number of bytes of it began.
int64_t FirstChanged(const void* from, int64_t bytes) {
  const char* p = static_cast<const char*>(from);
  const char* pattern = reinterpret_cast<const char*>(&kPoison);
  const auto at = [&](int64_t i) { return p[i] == pattern[i % 2]; };
  if (bytes == 0 || (at(0) && (bytes < 2 || at(1)) &&
                     (bytes < 3 || std::memcmp(p, p + 2, bytes - 2) == 0))) {
    return -1;
  }
  int64_t i = 0;
  while (at(i)) ++i;
  return i;
}

// Memory that only this tensor has: to be filled when it is let go.
void PoisonIfOwned(const Tensor& t) {
  if (!t || t.is_symbolic() || IsObjectType(t.dtype()) || !t.IsExclusive()) {
    return;
  }
  Poison(t.raw_data(), t.byte_size());
}

uint64_t HashBytes(const void* from, int64_t bytes) {
  constexpr int64_t kStep = 32;
  const char* p = static_cast<const char*>(from);
  uint64_t lanes[4] = {1, 2, 3, 4};
  int64_t i = 0;
  for (; i + kStep <= bytes; i += kStep) {
    uint64_t words[4];
    std::memcpy(words, p + i, kStep);
    for (int k = 0; k < 4; ++k) {
      lanes[k] = (lanes[k] ^ words[k]) * 0x9e3779b97f4a7c15u;
      lanes[k] ^= lanes[k] >> 29;
    }
  }
  uint64_t tail[4] = {};
  if (i < bytes) std::memcpy(tail, p + i, bytes - i);
  uint64_t hash = bytes;
  for (int k = 0; k < 4; ++k) {
    hash = HashCombine(hash, HashCombine(lanes[k], tail[k]));
  }
  return hash;
}

uint64_t HashTensor(const Tensor& t) {
  uint64_t hash = t.num_elements();
  switch (t.dtype()) {
    case DataType::kString:
      for (const std::string& s : t.flat<std::string>()) {
        hash = HashCombine(hash, HashBytes(s.data(), s.size()));
      }
      return hash;
    case DataType::kResource:
      for (const ResourceHandle& r : t.flat<ResourceHandle>()) {
        hash = HashCombine(hash, reinterpret_cast<uintptr_t>(r.resource()));
      }
      return hash;
    case DataType::kVariant:
      for (const Variant& v : t.flat<Variant>()) {
        hash = HashCombine(hash, reinterpret_cast<uintptr_t>(v.get()));
        if (const auto* list = v.As<TensorList>()) {
          hash = HashCombine(hash, list->size());
        }
      }
      return hash;
    default:
      return HashBytes(t.raw_data(), t.byte_size());
  }
}

// What a branch leaves undefined: its memory holds anything.
bool IsUndefined(const Instruction& now) {
  return now.kind == Instruction::Kind::kKernel &&
         now.node->op().Has(kUndefined);
}

void PoisonResult(const Tensor& t) {
  if (t && !IsObjectType(t.dtype())) Poison(t.raw_data(), t.byte_size());
}

std::string MakerText(int producer) {
  return producer < 0 ? std::string("was there before the first instruction")
                      : Format("instruction {} wrote", producer);
}

}  // namespace

PlanChecker::PlanChecker(const Plan& plan, Frame& frame)
    : plan_(plan), frame_(frame), verifier_(plan), values_(plan.slots.size()) {
  for (size_t s = 0; s < plan.slots.size(); ++s) {
    const SlotInfo& slot = plan.slots[s];
    if (slot.home == Home::kArena && slot.view_of < 0 && slot.num_bytes() > 0) {
      places_.push_back(s);
    }
  }
  std::sort(places_.begin(), places_.end(), [&](SlotId a, SlotId b) {
    return plan.slots[a].offset < plan.slots[b].offset;
  });
}

PlanChecker::~PlanChecker() = default;

Status PlanChecker::Fail(std::string_view rule, int pc, SlotId s,
                         std::string_view what) const {
  return PlanViolation(plan_, rule, pc, s, what);
}

uint64_t PlanChecker::HashOf(SlotId s) const {
  if (plan_.slots[s].home == Home::kArena) {
    return HashBytes(frame_.data[s], plan_.slots[s].num_bytes());
  }
  return HashTensor(frame_.slots[s]);
}

void PlanChecker::SetLive(SlotId s, int producer) {
  values_[s] = {true, HashOf(s), producer};
}

// Whether a result of the instruction lies where `s` does.
bool PlanChecker::OverlapsOutput(const Instruction& now, SlotId s) const {
  const SlotInfo& a = plan_.slots[s];
  for (int k = 0; k < now.num_outputs; ++k) {
    const SlotInfo& b = plan_.slots[now.first_output + k];
    if (b.home == Home::kArena && a.offset < b.offset + b.num_bytes() &&
        b.offset < a.offset + a.num_bytes()) {
      return true;
    }
  }
  return false;
}

Status PlanChecker::Begin(Turn turn) {
  if (!knows_constants_) {
    if (!plan_.proven.load(std::memory_order_relaxed)) {
      GK_RETURN_IF_ERROR(verifier_.Verify());
      plan_.proven.store(true, std::memory_order_relaxed);
    }
    for (size_t s = 0; s < values_.size(); ++s) {
      if (plan_.slots[s].home == Home::kConstant) SetLive(s, -1);
    }
    knows_constants_ = true;
  }
  // Of a run that ended before it could be compared.
  if (has_shadow_) ForgetShadow(plan_.instructions[shadow_of_]);
  const std::vector<Value> before = values_;
  for (size_t s = 0; s < values_.size(); ++s) {
    const bool stays = plan_.slots[s].home == Home::kConstant ||
                       (turn == Turn::kLater && verifier_.StaysForTurns(s));
    values_[s].live &= stays;
  }
  GK_RETURN_IF_ERROR(BeginArguments(turn, before));
  for (const NextState& next : plan_.next_states) {
    PoisonIfOwned(frame_.planned[next.from]);
  }
  PoisonUnused();
  return OkStatus();
}

// Arguments fit the plan; those of a later turn are what the one before gave.
Status PlanChecker::BeginArguments(Turn turn,
                                   const std::vector<Value>& before) {
  for (size_t i = 0; i < plan_.arguments.size(); ++i) {
    const SlotId s = plan_.arguments[i];
    const SlotInfo& slot = plan_.slots[s];
    const Tensor& t = frame_.slots[s];
    if (!t || frame_.data[s] != t.raw_data()) {
      return Fail("argument", -1, s, "it is not in place");
    }
    if (t.dtype() != slot.dtype ||
        (slot.is_static && !(t.shape() == slot.shape))) {
      return Fail("argument", -1, s,
                  Format("{} is not what was planned", t.DebugString(0)));
    }
    SetLive(s, -1);
    if (turn != Turn::kLater) continue;
    const SlotId from = verifier_.NextStateOf(s);
    const bool unchanged = i < plan_.results.size() && plan_.results[i] == s;
    if (from < 0 && !unchanged) continue;
    if (before[from < 0 ? s : from].hash != values_[s].hash) {
      return Fail("state", -1, s,
                  unchanged ? "no turn was to change it, but it has changed"
                            : "it is not what the turn before gave back");
    }
  }
  return OkStatus();
}

// The slot holds the value that was made for it.
Status PlanChecker::CheckRead(int pc, SlotId s) const {
  const SlotId root = plan_.RootOf(s);
  const Value& value = values_[root];
  if (!value.live) {
    return Fail("lifetime", pc, s,
                "it is read, but holds nothing at this time");
  }
  const Tensor& t = frame_.slots[s];
  if (!t) return Fail("release", pc, s, "it is read, but was let go before");
  if (t.raw_data() != frame_.data[s]) {
    return Fail("read", pc, s, "its elements are not where they were planned");
  }
  if (HashOf(s) != value.hash) {
    return Fail(
        "read", pc, s,
        Format("it no longer holds what {}", MakerText(value.producer)));
  }
  return OkStatus();
}

// Memory of the arena that holds no value is as it was left.
Status PlanChecker::CheckUnused(int pc) const {
  const auto check = [&](int64_t begin, int64_t end) -> Status {
    if (begin >= end) return OkStatus();
    const int64_t first = FirstChanged(frame_.arena() + begin, end - begin);
    if (first < 0) return OkStatus();
    return Fail("guard", pc, -1,
                Format("byte {} of the arena of {} was written to, where no "
                       "value lies",
                       begin + first, frame_.arena_bytes()));
  };
  const int64_t guard = frame_.guard_bytes();
  int64_t at = -guard;
  for (SlotId s : places_) {
    if (!values_[s].live) continue;
    const SlotInfo& slot = plan_.slots[s];
    // An odd size is followed by the second half of a word.
    GK_RETURN_IF_ERROR(check(at + (at & 1), slot.offset));
    at = std::max(at, slot.offset + slot.num_bytes());
  }
  return check(at + (at & 1), frame_.arena_bytes() + guard);
}

void PlanChecker::PoisonUnused() {
  const int64_t guard = frame_.guard_bytes();
  int64_t at = -guard;
  const auto poison = [&](int64_t end) {
    at += at & 1;
    if (at < end) Poison(frame_.arena() + at, end - at);
  };
  for (SlotId s : places_) {
    if (!values_[s].live) continue;
    const SlotInfo& slot = plan_.slots[s];
    poison(slot.offset);
    at = std::max(at, slot.offset + slot.num_bytes());
  }
  poison(frame_.arena_bytes() + guard);
}

Status PlanChecker::Before(int pc, RunFn run) {
  const Instruction& now = plan_.instructions[pc];
  reads_.clear();
  for (int k = 0; k < now.num_inputs; ++k) {
    const SlotId s = plan_.inputs[now.first_input + k];
    GK_RETURN_IF_ERROR(CheckRead(pc, s));
    const bool offered = k < 64 && (now.may_forward >> k & 1) != 0;
    reads_.push_back(
        {s, offered && frame_.slots[s].IsExclusive(), frame_.data[s]});
  }
  for (int k = 0; k < now.num_updates; ++k) {
    GK_RETURN_IF_ERROR(
        CheckRead(pc, plan_.updates[now.first_update + k].handle));
  }
  for (int k = 0; k < now.num_outputs; ++k) {
    const SlotId s = now.first_output + k;
    if (plan_.slots[s].home == Home::kOwn && frame_.slots[s] &&
        now.kind != Instruction::Kind::kRead) {
      return Fail("release", pc, s, "an earlier value was never let go");
    }
  }
  return NeedsShadow(now) ? RunApart(pc, run) : OkStatus();
}

Status PlanChecker::After(int pc) {
  const Instruction& now = plan_.instructions[pc];
  GK_RETURN_IF_ERROR(CheckInputsStay(pc));
  for (int k = 0; k < now.num_outputs; ++k) {
    GK_RETURN_IF_ERROR(CheckMade(pc, now.first_output + k));
  }
  if (has_shadow_) {
    const char* rule = now.kind == Instruction::Kind::kCluster ? "fusion"
                       : now.kind == Instruction::Kind::kCode  ? "code"
                                                               : "in place";
    GK_RETURN_IF_ERROR(CompareShadow(pc, rule));
  }
  for (SlotId s : verifier_.DyingAt(pc)) {
    const SlotInfo& slot = plan_.slots[s];
    values_[s].live = false;
    if (slot.home == Home::kArena && !OverlapsOutput(now, s)) {
      Poison(frame_.data[s], slot.num_bytes());
    }
  }
  // A result that nobody reads may lie where an input was.
  for (int k = 0; k < now.num_outputs; ++k) {
    const SlotId s = now.first_output + k;
    if (plan_.slots[s].home == Home::kArena && !values_[s].live) {
      Poison(frame_.data[s], plan_.slots[s].num_bytes());
    }
  }
  for (int k = 0; k < now.num_releases; ++k) {
    PoisonIfOwned(frame_.slots[plan_.releases[now.first_release + k]]);
  }
  return OkStatus();
}

// A result lies where it was planned, and nobody holds on to the arena.
Status PlanChecker::CheckMade(int pc, SlotId s) {
  const SlotInfo& slot = plan_.slots[s];
  const Tensor& t = frame_.slots[s];
  if (!t) return Fail("made", pc, s, "it was not made");
  if (IsUndefined(plan_.instructions[pc])) PoisonResult(t);
  if (t.raw_data() != frame_.data[s]) {
    return Fail("made", pc, s, "its elements are not where they were planned");
  }
  if (t.dtype() != slot.dtype ||
      (slot.is_static && !(t.shape() == slot.shape))) {
    return Fail("made", pc, s,
                Format("{} is not what was planned", t.DebugString(0)));
  }
  if (slot.home == Home::kArena) {
    // The frame has it twice.
    if (t.impl()->RefCount() != 2 || !t.Is(frame_.planned[s])) {
      return Fail("escape", pc, s, "somebody holds on to memory of the arena");
    }
  } else if (frame_.InArena(t.raw_data()) && t.byte_size() > 0) {
    return Fail("escape", pc, s, "it lies in the arena and may outlive it");
  }
  SetLive(s, pc);
  return OkStatus();
}

// What an instruction was to read only is as it was before.
Status PlanChecker::CheckInputsStay(int pc) const {
  const Instruction& now = plan_.instructions[pc];
  for (const Read& read : reads_) {
    const SlotId s = read.slot;
    const Tensor& t = frame_.slots[s];
    // Moved: into a result, a variable or a function that is called.
    if (!t || t.raw_data() != read.data) continue;
    const Value& value = values_[plan_.RootOf(s)];
    if (read.may_change || HashOf(s) == value.hash) continue;
    if (plan_.slots[s].home == Home::kArena && OverlapsOutput(now, s)) continue;
    return Fail("in place", pc, s,
                "it was written over, while others may read it");
  }
  return OkStatus();
}

Status PlanChecker::End() {
  for (SlotId s : plan_.results) GK_RETURN_IF_ERROR(CheckRead(-1, s));
  for (const NextState& next : plan_.next_states) {
    GK_RETURN_IF_ERROR(CheckRead(-1, next.from));
  }
  std::vector<bool> stays(plan_.slots.size());
  for (SlotId s : plan_.results) stays[s] = true;
  for (const KeptRead& k : plan_.kept_reads) stays[k.value] = true;
  for (size_t s = 0; s < plan_.slots.size(); ++s) {
    if (plan_.slots[s].home == Home::kOwn && frame_.slots[s] && !stays[s] &&
        !verifier_.StaysForTurns(s)) {
      return Fail("release", -1, s, "it was never let go");
    }
  }
  return CheckUnused(-1);
}

Status PlanChecker::Again(int pc, RunFn run) {
  const Instruction& now = plan_.instructions[pc];
  for (int k = 0; k < now.num_inputs; ++k) {
    GK_RETURN_IF_ERROR(CheckRead(pc, plan_.inputs[now.first_input + k]));
  }
  for (int k = 0; k < now.num_outputs; ++k) {
    GK_RETURN_IF_ERROR(CheckRead(pc, now.first_output + k));
  }
  GK_RETURN_IF_ERROR(RunApart(pc, run));
  return has_shadow_ ? CompareShadow(pc, "once") : OkStatus();
}

// Whether the instruction does something that a plain one would not.
bool PlanChecker::NeedsShadow(const Instruction& now) const {
  switch (now.kind) {
    case Instruction::Kind::kCluster:
      return now.num_updates == 0;
    case Instruction::Kind::kCode:
      return true;
    case Instruction::Kind::kKernel:
      return now.may_forward != 0 && IsPure(*now.node) &&
             !now.node->op().Has(kRandom);
    case Instruction::Kind::kTile:
      break;
    default:
      return false;  // what is called is checked by itself
  }
  bool in_place = now.take_from >= 0;
  for (int k = 0; k < now.num_inputs; ++k) {
    const SlotId s = plan_.inputs[now.first_input + k];
    in_place |= plan_.slots[s].home == Home::kArena && OverlapsOutput(now, s);
  }
  return in_place;
}

// Computes the results in another frame, in memory that nothing else uses.
Status PlanChecker::RunApart(int pc, RunFn run) {
  const Instruction& now = plan_.instructions[pc];
  if (!shadow_) {
    GK_ASSIGN_OR_RETURN(shadow_, Frame::Make(plan_));
  }
  Instruction apart = now;
  apart.may_forward = 0;
  apart.take_from = apart.take_to = -1;
  const auto for_inputs = [&](auto visit) {
    for (int k = 0; k < now.num_inputs; ++k) {
      visit(plan_.inputs[now.first_input + k]);
    }
  };
  for_inputs([&](SlotId s) {
    shadow_->slots[s] = frame_.slots[s];
    shadow_->data[s] = frame_.data[s];
  });
  for (int k = 0; k < now.num_outputs; ++k) {
    const SlotId s = now.first_output + k;
    if (plan_.slots[s].home == Home::kArena) {
      Poison(shadow_->data[s], plan_.slots[s].num_bytes());
    }
  }
  const auto give_back = [&] {
    for_inputs([&](SlotId s) {
      if (plan_.slots[s].home == Home::kConstant) return;
      shadow_->slots[s] = shadow_->planned[s];
      if (plan_.slots[s].home == Home::kArena) {
        shadow_->data[s] = shadow_->planned[s].raw_data();
      }
    });
  };
  Status status;
  try {
    status = now.kind == Instruction::Kind::kCluster ? RunPlainly(now)
                                                     : run(*shadow_, apart);
  } catch (...) {
    // An interrupt: the next run finds nothing of this one.
    give_back();
    ForgetShadow(now);
    throw;
  }
  give_back();
  has_shadow_ = status.ok();
  shadow_of_ = pc;
  if (status.ok()) {
    if (IsUndefined(now)) PoisonResult(shadow_->slots[now.first_output]);
    return OkStatus();
  }
  ForgetShadow(now);
  // The run itself fails like this, or was ended from outside; but it may
  // have memory left, and knows which of several steps to blame.
  const bool by_itself = now.kind == Instruction::Kind::kCluster ||
                         status.code() == Code::kResourceExhausted;
  return by_itself ? OkStatus() : status;
}

Status PlanChecker::RunPlainly(const Instruction& now) {
  for (int k = 0; k < now.num_outputs; ++k) {
    const SlotId s = now.first_output + k;
    const SlotInfo& slot = plan_.slots[s];
    if (slot.home != Home::kOwn) continue;
    GK_ASSIGN_OR_RETURN(shadow_->slots[s],
                        Tensor::Allocate(slot.dtype, slot.shape));
    shadow_->data[s] = shadow_->slots[s].raw_data();
  }
  std::vector<const void*> in;
  for (int k = 0; k < now.num_inputs; ++k) {
    in.push_back(shadow_->data[plan_.inputs[now.first_input + k]]);
  }
  const Cluster& plain = plan_.plain_clusters[now.cluster];
  const int failed =
      plain.Run(in.data(), shadow_->data.data() + now.first_output);
  return failed < 0 ? OkStatus() : InvalidArgument("Invalid element");
}

Status PlanChecker::CompareShadow(int pc, std::string_view rule) {
  const Instruction& now = plan_.instructions[pc];
  Status status;
  for (int k = 0; k < now.num_outputs && status.ok(); ++k) {
    const SlotId s = now.first_output + k;
    const Tensor &have = frame_.slots[s], &want = shadow_->slots[s];
    if (have.dtype() != want.dtype() || !(have.shape() == want.shape()) ||
        !SameNumbers(want.dtype(), have.raw_data(), want.raw_data(),
                     want.num_elements())) {
      status = Fail(rule, pc, s,
                    Format("{} is not what the same computation gives apart "
                           "from all else, {}",
                           have.DebugString(), want.DebugString()));
    }
  }
  ForgetShadow(now);
  return status;
}

void PlanChecker::ForgetShadow(const Instruction& now) {
  has_shadow_ = false;
  for (int k = 0; k < now.num_outputs; ++k) {
    const SlotId s = now.first_output + k;
    shadow_->slots[s] = shadow_->planned[s];
  }
  // Byte code and what is called start anew each time.
  if (now.kind != Instruction::Kind::kKernel) {
    shadow_->states[&now - plan_.instructions.data()].reset();
  }
}

Status PlanChecker::BeforeUpdates(const Instruction& now,
                                  std::span<const void* const> in) {
  const Cluster& plain = plan_.plain_clusters[now.cluster];
  expected_.clear();
  std::vector<void*> out;
  for (int r = 0; r < plain.num_results(); ++r) {
    GK_ASSIGN_OR_RETURN(Tensor t,
                        Tensor::Allocate(plain.result_type(r),
                                         TensorShape({plain.num_elements()})));
    out.push_back(t.raw_data());
    expected_.push_back(std::move(t));
  }
  // A step that fails does so in the run itself.
  if (plain.Run(in.data(), out.data()) >= 0) expected_.clear();
  return OkStatus();
}

Status PlanChecker::AfterUpdates(const Instruction& now,
                                 std::span<void* const> out) const {
  for (size_t r = 0; r < expected_.size(); ++r) {
    const Tensor& want = expected_[r];
    if (!SameNumbers(want.dtype(), out[r], want.raw_data(),
                     want.num_elements())) {
      return Fail("update", &now - plan_.instructions.data(), -1,
                  Format("result {} is not what the same computation gives "
                         "apart from all else",
                         r));
    }
  }
  return OkStatus();
}

}  // namespace gk
