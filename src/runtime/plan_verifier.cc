#include "runtime/plan_verifier.h"

#include <algorithm>
#include <map>
#include <string>

#include "runtime/feeds.h"
#include "runtime/purity.h"

namespace gk {
namespace {

std::string InstructionText(const Plan& plan, int pc) {
  if (pc < 0) return "";
  const Node& node = *plan.instructions[pc].node;
  return Format(", instruction {} {} {}", pc, node.type(), node.name());
}

bool IsControl(const Instruction& now) {
  return now.kind == Instruction::Kind::kBranch ||
         now.kind == Instruction::Kind::kLoop;
}

}  // namespace

Status PlanViolation(const Plan& plan, std::string_view rule, int instruction,
                     SlotId slot, std::string_view what) {
  std::string where = InstructionText(plan, instruction);
  if (slot >= 0) where += Format(", slot %{}", slot);
  return Internal("The plan of function {} breaks the rule '{}'{}: {}",
                  plan.function.name, rule, where, what);
}

PlanVerifier::PlanVerifier(const Plan& plan) : plan_(plan) {
  const size_t n = plan.slots.size();
  next_of_.assign(n, -1);
  for (const NextState& next : plan.next_states) next_of_[next.to] = next.from;
  FindLifetimes();
}

std::span<const SlotId> PlanVerifier::InputsOf(const Instruction& now) const {
  return {plan_.inputs.data() + now.first_input, size_t(now.num_inputs)};
}

void PlanVerifier::FindLifetimes() {
  const int n = plan_.instructions.size();
  made_by_.assign(plan_.slots.size(), -1);
  last_use_.assign(plan_.slots.size(), -1);
  stays_.assign(plan_.slots.size(), false);
  dies_.resize(n);
  for (int pc = 0; pc < n; ++pc) {
    const Instruction& now = plan_.instructions[pc];
    for (SlotId s : InputsOf(now)) last_use_[plan_.RootOf(s)] = pc;
    for (int k = 0; k < now.num_outputs; ++k) {
      const SlotId s = now.first_output + k;
      made_by_[s] = last_use_[s] = pc;
      stays_[s] = now.once;
    }
    for (int k = 0; k < now.num_updates; ++k) {
      const VariableUpdate& u = plan_.updates[now.first_update + k];
      last_use_[plan_.RootOf(u.handle)] = pc;
      if (u.shared_slot >= 0) last_use_[plan_.RootOf(u.shared_slot)] = pc;
    }
  }
  for (SlotId s : plan_.results) last_use_[plan_.RootOf(s)] = n;
  for (size_t s = 0; s < plan_.slots.size(); ++s) {
    if (stays_[s]) last_use_[s] = n;
    if (plan_.slots[s].home == Home::kConstant) continue;
    if (plan_.RootOf(s) == SlotId(s) && last_use_[s] >= 0 && last_use_[s] < n) {
      dies_[last_use_[s]].push_back(s);
    }
  }
}

bool PlanVerifier::SamePlace(SlotId a, SlotId b) const {
  const SlotInfo &x = plan_.slots[a], &y = plan_.slots[b];
  return x.offset == y.offset && x.num_bytes() == y.num_bytes();
}

bool PlanVerifier::MayWriteOver(const Instruction& now, SlotId from,
                                int k) const {
  const SlotId to = now.first_output + k;
  if (!SamePlace(from, to) || DataTypeSize(plan_.slots[from].dtype) !=
                                  DataTypeSize(plan_.slots[to].dtype)) {
    return false;
  }
  if (now.kind == Instruction::Kind::kTile) return true;
  if (now.kind != Instruction::Kind::kCluster) return false;
  const std::span<const SlotId> in = InputsOf(now);
  for (size_t j = 0; j < in.size(); ++j) {
    if (plan_.RootOf(in[j]) == from &&
        !plan_.clusters[now.cluster].MayWriteOver(j, k)) {
      return false;
    }
  }
  return true;
}

Status PlanVerifier::Verify() const {
  GK_RETURN_IF_ERROR(VerifyOrder());
  GK_RETURN_IF_ERROR(VerifyOnce());
  GK_RETURN_IF_ERROR(VerifyPlaces());
  for (size_t pc = 0; pc < plan_.instructions.size(); ++pc) {
    GK_RETURN_IF_ERROR(VerifyForwards(pc));
    GK_RETURN_IF_ERROR(VerifyTaken(pc));
    GK_RETURN_IF_ERROR(VerifyUpdates(pc));
    GK_RETURN_IF_ERROR(VerifyFeeds(pc));
  }
  GK_RETURN_IF_ERROR(VerifyKept());
  GK_RETURN_IF_ERROR(VerifyReleases());
  return VerifyNextStates();
}

// Values are made by one instruction, before all that read them.
Status PlanVerifier::VerifyOrder() const {
  const auto fail = [&](int pc, SlotId s, std::string_view what) {
    return PlanViolation(plan_, "order", pc, s, what);
  };
  std::vector<bool> made(plan_.slots.size());
  for (size_t s = 0; s < made.size(); ++s) {
    made[s] = plan_.slots[s].home == Home::kConstant;
  }
  for (SlotId s : plan_.arguments) made[s] = true;
  for (size_t pc = 0; pc < plan_.instructions.size(); ++pc) {
    const Instruction& now = plan_.instructions[pc];
    for (SlotId s : InputsOf(now)) {
      if (!made[plan_.RootOf(s)]) return fail(pc, s, "is read, not made yet");
    }
    for (int k = 0; k < now.num_outputs; ++k) {
      const SlotId s = now.first_output + k;
      if (made[s]) return fail(pc, s, "is made twice");
      made[s] = true;
    }
  }
  for (SlotId s : plan_.results) {
    if (!made[plan_.RootOf(s)])
      return fail(-1, s, "is returned, but nobody makes it");
    if (plan_.slots[s].home == Home::kArena) {
      return fail(-1, s, "is returned, but lies in the arena");
    }
  }
  return OkStatus();
}

// No two values lie at one place at the same time. What is computed once is
// there in all turns, and so before the instruction that makes it.
Status PlanVerifier::VerifyPlaces() const {
  std::map<int64_t, SlotId> live;  // by offset; apart from each other
  const auto end_of = [&](SlotId s) {
    return plan_.slots[s].offset + plan_.slots[s].num_bytes();
  };
  // The first one that shares bytes with `s`.
  const auto overlap = [&](SlotId s) {
    auto it = live.lower_bound(plan_.slots[s].offset);
    if (it != live.begin() &&
        end_of(std::prev(it)->second) > plan_.slots[s].offset) {
      --it;
    }
    return it != live.end() && it->first < end_of(s) ? it : live.end();
  };
  const auto place = [&](int pc, SlotId s, int k) -> Status {
    const SlotInfo& slot = plan_.slots[s];
    if (slot.num_bytes() == 0) return OkStatus();
    if (slot.offset < 0 || slot.offset % int64_t{kAlignment} != 0 ||
        end_of(s) > plan_.arena_bytes) {
      return PlanViolation(plan_, "place", pc, s,
                           "it has no place in the arena");
    }
    for (auto it = overlap(s); it != live.end(); it = overlap(s)) {
      const SlotId other = it->second;
      if (stays_[s] || stays_[other] || last_use_[other] != pc ||
          !MayWriteOver(plan_.instructions[pc], other, k)) {
        return PlanViolation(
            plan_, "place", pc, s,
            Format("it lies where slot %{} is, which is needed until "
                   "instruction {}{}",
                   other, last_use_[other],
                   stays_[other] ? " of every turn" : ""));
      }
      live.erase(it);
    }
    live.emplace(slot.offset, s);
    return OkStatus();
  };
  const auto for_outputs = [&](size_t pc, bool staying) -> Status {
    const Instruction& now = plan_.instructions[pc];
    for (int k = 0; k < now.num_outputs; ++k) {
      const SlotId s = now.first_output + k;
      if (plan_.slots[s].home != Home::kArena || stays_[s] != staying) continue;
      GK_RETURN_IF_ERROR(place(pc, s, k));
    }
    return OkStatus();
  };
  for (size_t pc = 0; pc < plan_.instructions.size(); ++pc) {
    GK_RETURN_IF_ERROR(for_outputs(pc, true));
  }
  for (size_t pc = 0; pc < plan_.instructions.size(); ++pc) {
    GK_RETURN_IF_ERROR(for_outputs(pc, false));
    for (SlotId s : dies_[pc]) {
      const auto it = live.find(plan_.slots[s].offset);
      if (it != live.end() && it->second == s) live.erase(it);
    }
  }
  return OkStatus();
}

// Memory is offered only to the one that reads it last, under one name.
Status PlanVerifier::VerifyForwards(int pc) const {
  const Instruction& now = plan_.instructions[pc];
  const std::span<const SlotId> in = InputsOf(now);
  for (size_t k = 0; k < 64; ++k) {
    if ((now.may_forward >> k & 1) == 0) continue;
    const auto fail = [&](std::string_view what) {
      return PlanViolation(plan_, "forward", pc, k < in.size() ? in[k] : -1,
                           what);
    };
    if (k >= in.size()) return fail("there is no such input");
    const Home home = plan_.slots[in[k]].home;
    if (home != Home::kOwn && home != Home::kArgument) {
      return fail("its memory is not the run's to give");
    }
    if (last_use_[in[k]] != pc) {
      return fail(
          Format("it is needed until instruction {}", last_use_[in[k]]));
    }
    if (std::count(in.begin(), in.end(), in[k]) != 1) {
      return fail("the instruction reads it twice");
    }
    for (int u = 0; u < now.num_updates; ++u) {
      if (plan_.updates[now.first_update + u].shared_slot == in[k] ||
          plan_.updates[now.first_update + u].handle == in[k]) {
        return fail("an update needs it as well");
      }
    }
  }
  return OkStatus();
}

// A result is written over what dies there, element by element.
Status PlanVerifier::VerifyTaken(int pc) const {
  const Instruction& now = plan_.instructions[pc];
  if (now.take_from < 0 && now.take_to < 0) return OkStatus();
  const auto fail = [&](std::string_view what) {
    return PlanViolation(plan_, "take", pc, now.take_from, what);
  };
  const std::span<const SlotId> in = InputsOf(now);
  const auto at = std::find(in.begin(), in.end(), now.take_from);
  const int j = at - in.begin(), k = now.take_to - now.first_output;
  if (at == in.end() || k < 0 || k >= now.num_outputs) {
    return fail("it is no input, or goes to no output");
  }
  if (j >= 64 || (now.may_forward >> j & 1) == 0) {
    return fail("its memory is not offered");
  }
  if (now.num_updates > 0) return fail("the instruction updates variables");
  const SlotInfo &from = plan_.slots[now.take_from],
                 &to = plan_.slots[now.take_to];
  if (!from.is_static || !to.is_static || to.home != Home::kOwn ||
      from.dtype != to.dtype || !(from.shape == to.shape)) {
    return fail("the result is of another type or shape");
  }
  const bool element_by_element =
      now.kind == Instruction::Kind::kTile ||
      (now.kind == Instruction::Kind::kCluster &&
       plan_.clusters[now.cluster].MayWriteOver(j, k));
  if (!element_by_element) return fail("it is read after it is written over");
  return OkStatus();
}

// What works on parts of a result needs no other part, and leaves alone what
// the others are made of.
Status PlanVerifier::VerifyFeeds(int pc) const {
  const Instruction& now = plan_.instructions[pc];
  if (!now.feeds_next) return OkStatus();
  const char* why = WhyNotFed(plan_, pc);
  if (why == nullptr) return OkStatus();
  return PlanViolation(plan_, "parts", pc, now.first_output, why);
}

// Each value of its own is let go exactly once, by the last that reads it.
Status PlanVerifier::VerifyReleases() const {
  const int n = plan_.instructions.size();
  std::vector<bool> released(plan_.slots.size());
  for (const KeptRead& k : plan_.kept_reads) released[k.value] = true;
  for (int pc = 0; pc < n; ++pc) {
    const Instruction& now = plan_.instructions[pc];
    for (int k = 0; k < now.num_releases; ++k) {
      const SlotId s = plan_.releases[now.first_release + k];
      const Home home = plan_.slots[s].home;
      const auto fail = [&](std::string_view what) {
        return PlanViolation(plan_, "release", pc, s, what);
      };
      if (home != Home::kOwn && home != Home::kArgument) {
        return fail("its memory is not the run's to let go");
      }
      if (last_use_[s] > pc) {
        return fail(Format("it is needed until instruction {}", last_use_[s]));
      }
      if (released[s]) return fail("it is let go twice");
      released[s] = true;
    }
  }
  for (size_t s = 0; s < plan_.slots.size(); ++s) {
    if (plan_.slots[s].home == Home::kOwn && last_use_[s] < n && !released[s]) {
      return PlanViolation(plan_, "release", last_use_[s], s,
                           "nobody lets it go");
    }
  }
  return OkStatus();
}

// A value that is kept is that of the handle which the instruction reads, and
// that nobody else is given.
Status PlanVerifier::VerifyKept() const {
  std::vector<bool> known(plan_.kept_reads.size());
  for (size_t pc = 0; pc < plan_.instructions.size(); ++pc) {
    const Instruction& now = plan_.instructions[pc];
    if (now.kind != Instruction::Kind::kRead) continue;
    const auto fail = [&](SlotId s, std::string_view what) {
      return PlanViolation(plan_, "kept", pc, s, what);
    };
    if (now.kept < 0 || now.kept >= static_cast<int>(known.size()) ||
        known[now.kept]) {
      return fail(-1, "no read of its own is known for it");
    }
    known[now.kept] = true;
    const KeptRead& read = plan_.kept_reads[now.kept];
    if (!now.node->op().Has(kReadsVariable) || now.num_inputs != 1 ||
        now.num_outputs != 1) {
      return fail(-1, "it does not read a variable");
    }
    if (plan_.inputs[now.first_input] != read.handle || read.argument < 0 ||
        read.argument >= static_cast<int>(plan_.arguments.size()) ||
        plan_.arguments[read.argument] != read.handle) {
      return fail(read.handle, "it is not the handle of what is kept");
    }
    if (now.first_output != read.value ||
        plan_.slots[read.value].home != Home::kOwn) {
      return fail(read.value, "it is not the value that is kept");
    }
    if (last_use_[read.value] >= static_cast<int>(plan_.instructions.size())) {
      return fail(read.value, "it leaves the run");
    }
  }
  if (std::count(known.begin(), known.end(), false) > 0) {
    return PlanViolation(plan_, "kept", -1, -1, "nothing reads it");
  }
  return OkStatus();
}

// What is computed once has no effect and depends on nothing that a turn
// changes.
Status PlanVerifier::VerifyOnce() const {
  std::vector<bool> same(plan_.slots.size()), leaves(plan_.slots.size());
  for (size_t s = 0; s < same.size(); ++s) {
    same[s] = plan_.slots[s].home == Home::kConstant;
  }
  for (size_t k = 0; k < plan_.results.size(); ++k) {
    leaves[plan_.RootOf(plan_.results[k])] = true;
    if (k < plan_.arguments.size() && plan_.results[k] == plan_.arguments[k]) {
      same[plan_.results[k]] = true;
    }
  }
  for (size_t pc = 0; pc < plan_.instructions.size(); ++pc) {
    const Instruction& now = plan_.instructions[pc];
    if (!now.once) continue;
    const auto fail = [&](SlotId s, std::string_view what) {
      return PlanViolation(plan_, "once", pc, s, what);
    };
    if (now.num_updates > 0) return fail(-1, "it updates variables");
    const bool pure = now.kind == Instruction::Kind::kKernel
                          ? IsPure(*now.node) && !now.node->op().Has(kRandom)
                          : !IsControl(now) || (!HasObjects(*now.node) &&
                                                !EffectsOf(*now.node).stateful);
    if (!pure) return fail(-1, "it may do something else in another turn");
    for (SlotId s : InputsOf(now)) {
      if (!same[plan_.RootOf(s)])
        return fail(s, "a turn may change what it reads");
    }
    for (int k = 0; k < now.num_outputs; ++k) {
      const SlotId s = now.first_output + k;
      if (leaves[s]) return fail(s, "it leaves the turn");
      same[s] = true;
    }
  }
  return OkStatus();
}

// The next turn's states are those of their type and shape; what moves is
// needed by nobody after it.
Status PlanVerifier::VerifyNextStates() const {
  std::vector<bool> moved(plan_.slots.size());
  for (const NextState& next : plan_.next_states) {
    const auto fail = [&](std::string_view what) {
      return PlanViolation(plan_, "state", -1, next.from, what);
    };
    const SlotInfo &from = plan_.slots[next.from], &to = plan_.slots[next.to];
    if (to.home != Home::kArgument || from.dtype != to.dtype ||
        !from.is_static || !to.is_static || !(from.shape == to.shape)) {
      return fail(Format("it does not fit the state %{}", next.to));
    }
    if (moved[next.from]) return fail("it was moved into another state before");
    moved[next.from] = next.moves;
    if (next.moves && from.home != Home::kOwn) {
      return fail("it moves, but is not the run's own");
    }
    if (next.spares && (!next.moves || IsObjectType(from.dtype))) {
      return fail("the old state's memory cannot take it");
    }
  }
  if (!plan_.is_closed) {
    if (plan_.next_states.empty()) return OkStatus();
    return PlanViolation(plan_, "state", -1, plan_.next_states[0].from,
                         "only closed bodies have next states");
  }
  for (size_t k = 0; k < plan_.arguments.size(); ++k) {
    const SlotId to = plan_.arguments[k], from = plan_.results[k];
    if (from != to && next_of_[to] != from) {
      return PlanViolation(plan_, "state", -1, to,
                           Format("it does not become slot %{}", from));
    }
  }
  return OkStatus();
}

// An update writes over the variable's value only where all that read it in
// the cluster have done so.
Status PlanVerifier::VerifyUpdates(int pc) const {
  const Instruction& now = plan_.instructions[pc];
  for (int k = 0; k < now.num_updates; ++k) {
    const VariableUpdate& u = plan_.updates[now.first_update + k];
    const auto fail = [&](std::string_view what) {
      return PlanViolation(plan_, "update", pc, u.handle, what);
    };
    if ((u.result >= 0) + (u.shared_slot >= 0) + (u.same_as >= 0) != 1) {
      return fail("the new value has no place, or several");
    }
    if (u.same_as >= k) return fail("the new value is a later update's");
    if (u.shared_slot >= 0) {
      const SlotInfo& slot = plan_.slots[u.shared_slot];
      if (slot.home == Home::kArena || slot.dtype != u.dtype ||
          !slot.is_static || !(slot.shape == u.shape)) {
        return fail(Format("it cannot share slot %{}", u.shared_slot));
      }
    }
    if (!u.in_place) continue;
    const Cluster& cluster = plan_.clusters[now.cluster];
    if (u.result < 0) return fail("nothing is written in its place");
    for (int input : {u.own_input, u.snapshot_input}) {
      if (input >= 0 && !cluster.MayWriteOver(input, u.result)) {
        return fail("the old value is read after it is written over");
      }
    }
  }
  return OkStatus();
}

}  // namespace gk
