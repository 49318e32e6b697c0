#include "function/trace_cache.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/hash.h"
#include "function/trace_latch.h"

namespace gk {

size_t HashWords(std::span<const uint64_t> words) {
  size_t h = words.size();
  for (uint64_t w : words) h = HashCombine(h, w);
  return h;
}

KnownCall::KnownCall(std::vector<uint64_t> words, Ref<Trace> trace)
    : words_(std::move(words)),
      hash_(HashWords(words_)),
      trace_(std::move(trace)) {}

namespace {

bool SameWords(const KnownCall& call, std::span<const uint64_t> words) {
  return call.words().size() == words.size() &&
         std::memcmp(call.words().data(), words.data(), words.size_bytes()) ==
             0;
}

}  // namespace

// Keeps what is read from being freed meanwhile.
class TraceCache::Reading {
 public:
  explicit Reading(std::atomic<uint64_t>* readers)
      : readers_(readers),
        time_(readers->fetch_add(kOneLookUp + 1, std::memory_order_seq_cst) /
              kOneLookUp) {}
  ~Reading() { readers_->fetch_sub(1, std::memory_order_release); }
  // How many look-ups there were before.
  uint64_t time() const { return time_; }

 private:
  std::atomic<uint64_t>* readers_;
  uint64_t time_;
};

struct TraceCache::Garbage {
  std::vector<Ref<Trace>> traces;
  std::unordered_multimap<size_t, Ref<Trace>> by_hash;
  KnownCall* calls = nullptr;
  TraceHistory* evicted_from = nullptr;  // it notes that the traces went
  ~Garbage() {
    for (const Ref<Trace>& t : traces) {
      if (evicted_from == nullptr) break;
      evicted_from->NoteEviction(t->number_, !t->type().IsAlive());
    }
    while (calls != nullptr) {
      std::exchange(calls, calls->next_retired_)->Unref();
    }
  }
};

// No reader is inside any more.
TraceCache::~TraceCache() { Clear(); }

Ref<KnownCall> TraceCache::FindCall(std::span<const uint64_t> words) const {
  Reading reading(&readers_);
  const auto found = [&](KnownCall* call) {
    if (max_traces_.load(std::memory_order_relaxed) != 0) {
      call->trace_->last_used_.store(reading.time() + 1,
                                     std::memory_order_relaxed);
    }
    return Ref<KnownCall>(call);
  };
  KnownCall* last = last_.load(std::memory_order_seq_cst);
  if (last != nullptr && SameWords(*last, words) &&
      !last->retired_.load(std::memory_order_relaxed) && last->IsCurrent()) {
    return found(last);
  }
  const Table* table = table_.load(std::memory_order_seq_cst);
  if (table != nullptr) {
    const size_t hash = HashWords(words);
    for (size_t i = hash & table->mask;; i = (i + 1) & table->mask) {
      KnownCall* call = table->slots[i].load(std::memory_order_seq_cst);
      if (call == nullptr) break;
      if (call->hash() == hash && SameWords(*call, words)) {
        if (!call->IsCurrent()) break;
        // Only a hint: the slot of the table keeps it alive.
        const_cast<std::atomic<KnownCall*>&>(last_).store(
            call, std::memory_order_seq_cst);
        return found(call);
      }
    }
  }
  unknown_calls_.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

// Called with the lock held, after what is retired was taken out of sight.
void TraceCache::FreeRetired(Garbage* garbage) noexcept {
  // A reader's hint may have brought back one that is retired.
  KnownCall* last = last_.load(std::memory_order_seq_cst);
  if (last != nullptr && last->retired_.load(std::memory_order_relaxed)) {
    last_.store(nullptr, std::memory_order_seq_cst);
  }
  if ((readers_.load(std::memory_order_seq_cst) & kReaderBits) != 0) return;
  while (KnownCall* const call = retired_calls_) {
    retired_calls_ = call->next_retired_;
    call->next_retired_ = std::exchange(garbage->calls, call);
  }
  while (Table* const table = retired_tables_) {
    retired_tables_ = table->next_retired;
    delete table;
  }
}

void TraceCache::RetireCall(KnownCall* call) noexcept {
  call->retired_.store(true, std::memory_order_seq_cst);
  call->next_retired_ = std::exchange(retired_calls_, call);
}

void TraceCache::RetireTable(Table* table) noexcept {
  if (table != nullptr) {
    table->next_retired = std::exchange(retired_tables_, table);
  }
}

void TraceCache::InsertCall(Table* table, KnownCall* call) {
  size_t i = call->hash() & table->mask;
  while (table->slots[i].load(std::memory_order_relaxed)) {
    i = (i + 1) & table->mask;
  }
  table->slots[i].store(call, std::memory_order_seq_cst);
}

// A new table of these calls, with room for one more.
std::unique_ptr<TraceCache::Table> TraceCache::MakeTable(
    std::span<KnownCall* const> calls) {
  auto table = std::make_unique<Table>();
  size_t size = 4;
  while (size < 4 * (calls.size() + 1)) size *= 2;
  table->mask = size - 1;
  table->slots = std::make_unique<std::atomic<KnownCall*>[]>(size);
  for (KnownCall* c : calls) InsertCall(table.get(), c);
  return table;
}

void TraceCache::SetTable(std::unique_ptr<Table> table,
                          size_t num_calls) noexcept {
  RetireTable(table_.exchange(table.release(), std::memory_order_seq_cst));
  num_calls_ = num_calls;
}

void TraceCache::Remember(Ref<KnownCall> call) {
  Garbage garbage;
  std::lock_guard lock(mutex_);
  // Its trace was dropped between the look-up and now.
  if (!call->trace_->cached_) return;
  Table* table = table_.load(std::memory_order_relaxed);
  const size_t capacity = table ? table->mask + 1 : 0;
  std::vector<KnownCall*> known;
  bool replaced = false;
  for (size_t i = 0; i < capacity && !replaced; ++i) {
    KnownCall* c = table->slots[i].load(std::memory_order_relaxed);
    if (c == nullptr) continue;
    if (c->hash() == call->hash() && SameWords(*c, call->words())) {
      table->slots[i].store(call.get(), std::memory_order_seq_cst);
      RetireCall(c);
      replaced = true;
    } else {
      known.push_back(c);
    }
  }
  if (!replaced) {
    const bool full = num_calls_ >= kMaxCalls;
    if (full) {
      SetTable(MakeTable({}), 0);
      for (KnownCall* c : known) RetireCall(c);
    } else if (2 * (num_calls_ + 1) > capacity) {
      SetTable(MakeTable(known), known.size());
    }
    InsertCall(table_.load(std::memory_order_relaxed), call.get());
    ++num_calls_;
  }
  last_.store(call.Release(), std::memory_order_seq_cst);
  FreeRetired(&garbage);
}

Ref<Trace> TraceCache::FindExact(const FunctionType& request,
                                 size_t hash) const {
  // Host code compares outside of the lock.
  std::vector<Ref<Trace>> same;
  {
    std::lock_guard lock(mutex_);
    auto [it, end] = by_hash_.equal_range(hash);
    for (; it != end; ++it) same.push_back(it->second);
  }
  for (Ref<Trace>& t : same) {
    if (t->type().Equals(request)) return t;
  }
  return nullptr;
}

Ref<FunctionType> TraceCache::Told(const Ref<FunctionType>& type,
                                   std::span<const Tensor> variables) const {
  std::vector<int> numbers = captured_.NumbersOf(variables);
  if (numbers == type->captured()) return type;
  return type->WithCaptured(std::move(numbers));
}

Ref<Trace> TraceCache::Find(const Ref<FunctionType>& request,
                            std::span<const Tensor> variables) {
  Ref<Trace> found = FindUncounted(*Told(request, variables));
  if (found) CountHit(found.get());
  return found;
}

void TraceCache::CountHit(Trace* trace) {
  found_by_type_.fetch_add(1, std::memory_order_relaxed);
  Touch(trace);
}

void TraceCache::Touch(Trace* trace) {
  // A look-up that is none by words, for the time it gives.
  unknown_calls_.fetch_add(1, std::memory_order_relaxed);
  trace->last_used_.store(
      readers_.fetch_add(kOneLookUp, std::memory_order_relaxed) / kOneLookUp +
          1,
      std::memory_order_relaxed);
}

Ref<Trace> TraceCache::FindUncounted(const FunctionType& request) const {
  if (Ref<Trace> exact = FindExact(request, request.hash())) return exact;
  Ref<Trace> best;
  for (Ref<Trace>& t : traces()) {
    if (!request.IsSubtypeOf(t->type())) continue;
    if (!best || (t->type().IsSubtypeOf(best->type()) &&
                  !t->type().Equals(best->type()))) {
      best = std::move(t);
    }
  }
  return best;
}

Ref<FunctionType> TraceCache::TypeToTrace(Ref<FunctionType> request,
                                          bool reduce_retracing) const {
  if (!reduce_retracing) return request;
  for (const Ref<Trace>& t : traces()) {
    Ref<FunctionType> common = request->CommonSupertype(t->type());
    if (common) request = std::move(common);
  }
  return request;
}

StatusOr<Ref<Trace>> TraceCache::FindOrTrace(
    const Ref<FunctionType>& asked, bool reduce_retracing, bool alone,
    TraceFn trace, std::span<const Tensor> variables) {
  for (;;) {
    const Ref<FunctionType> request = Told(asked, variables);
    if (Ref<Trace> found = Find(request, variables)) return found;
    Ref<FunctionType> type = TypeToTrace(request, reduce_retracing);
    TraceLatch latch(this, type, alone);
    GK_RETURN_IF_ERROR(latch.status());
    if (latch.waited()) continue;  // somebody may have made it
    // Or between the look-up and the latch.
    if (Ref<Trace> found = Find(request, variables)) return found;
    misses_.fetch_add(1, std::memory_order_relaxed);
    const auto start = std::chrono::steady_clock::now();
    StatusOr<Ref<Trace>> made = trace(type);
    if (!made.ok()) return made.status();
    if (!variables.empty()) {
      captured_.Add((*made)->captured);
      (*made)->type_ = Told(type, variables);
    }
    const std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    std::vector<TraceHistory::Known> known;
    for (const Ref<Trace>& t : traces()) {
      known.push_back({t->number_, t->type_ref()});
    }
    (*made)->number_ =
        history_.Note(*request, (*made)->type(), known, (*made)->site,
                      seconds.count(), (*made)->frozen);
    return Add(*std::move(made));
  }
}

Ref<Trace> TraceCache::Add(Ref<Trace> trace) {
  const size_t hash = trace->type().hash();
  if (Ref<Trace> known = FindExact(trace->type(), hash)) return known;
  Touch(trace.get());
  {
    Garbage garbage;
    std::lock_guard lock(mutex_);
    const auto entry = by_hash_.emplace(hash, trace);
    try {
      traces_.push_back(trace);
    } catch (...) {
      by_hash_.erase(entry);
      throw;
    }
    trace->cached_ = true;
    EvictLocked(trace.get(), &garbage);
  }
  DropDead(trace.get());
  return trace;
}

// Traces of objects that are gone serve no call any more.
void TraceCache::DropDead(const Trace* keep) {
  std::vector<const Trace*> dead;
  // Their words may be of the host language: without the lock.
  const std::vector<Ref<Trace>> all = traces();
  for (const Ref<Trace>& t : all) {
    if (t.get() != keep && !t->type().IsAlive()) dead.push_back(t.get());
  }
  if (dead.empty()) return;
  Garbage garbage;
  std::lock_guard lock(mutex_);
  DropLocked(dead, &garbage);
}

// Over the limit, the traces used longest ago go, `keep` never.
void TraceCache::EvictLocked(const Trace* keep, Garbage* garbage) {
  const size_t limit = max_traces_.load(std::memory_order_relaxed);
  if (limit == 0 || traces_.size() <= limit) return;
  std::vector<std::pair<uint64_t, const Trace*>> by_use;
  for (const Ref<Trace>& t : traces_) {
    if (t.get() != keep) {
      by_use.emplace_back(t->last_used_.load(std::memory_order_relaxed),
                          t.get());
    }
  }
  const size_t excess = std::min(traces_.size() - limit, by_use.size());
  std::stable_sort(
      by_use.begin(), by_use.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Trace*> drop;
  for (size_t i = 0; i < excess; ++i) drop.push_back(by_use[i].second);
  DropLocked(drop, garbage);
}

void TraceCache::DropLocked(const std::vector<const Trace*>& drop,
                            Garbage* garbage) {
  const auto dropped = [&](const Trace* t) {
    return std::find(drop.begin(), drop.end(), t) != drop.end();
  };
  std::vector<KnownCall*> kept, gone;
  const Table* table = table_.load(std::memory_order_relaxed);
  for (size_t i = 0; table != nullptr && i <= table->mask; ++i) {
    KnownCall* c = table->slots[i].load(std::memory_order_relaxed);
    if (c == nullptr) continue;
    (dropped(c->trace_.get()) ? gone : kept).push_back(c);
  }
  garbage->traces.reserve(drop.size());
  if (!gone.empty()) {
    SetTable(MakeTable(kept), kept.size());
    last_.store(nullptr, std::memory_order_seq_cst);
    for (KnownCall* c : gone) RetireCall(c);
  }
  std::erase_if(by_hash_,
                [&](const auto& entry) { return dropped(entry.second.get()); });
  for (auto it = traces_.begin(); it != traces_.end();) {
    if (!dropped(it->get())) {
      ++it;
      continue;
    }
    (*it)->cached_ = false;
    garbage->evicted_from = &history_;
    ++evictions_;
    garbage->traces.push_back(std::move(*it));
    it = traces_.erase(it);
  }
  FreeRetired(garbage);
}

bool TraceCache::Drop(const Trace* trace) {
  Garbage garbage;
  std::lock_guard lock(mutex_);
  const size_t before = traces_.size();
  DropLocked({trace}, &garbage);
  return traces_.size() != before;
}

void TraceCache::SetMaxTraces(size_t n) {
  Garbage garbage;
  std::lock_guard lock(mutex_);
  max_traces_.store(n, std::memory_order_relaxed);
  EvictLocked(nullptr, &garbage);
}

TraceCacheInfo TraceCache::info() const {
  std::lock_guard lock(mutex_);
  TraceCacheInfo info;
  info.hits = static_cast<int64_t>(readers_.load(std::memory_order_relaxed) /
                                   kOneLookUp) -
              unknown_calls_.load(std::memory_order_relaxed) +
              found_by_type_.load(std::memory_order_relaxed) - hits_before_;
  info.misses = misses_.load(std::memory_order_relaxed);
  info.evictions = evictions_;
  info.max_traces = max_traces_.load(std::memory_order_relaxed);
  info.size = traces_.size();
  return info;
}

std::vector<Ref<Trace>> TraceCache::traces() const {
  std::lock_guard lock(mutex_);
  return traces_;
}

size_t TraceCache::size() const {
  std::lock_guard lock(mutex_);
  return traces_.size();
}

void TraceCache::Clear() noexcept {
  const int64_t hits = info().hits;
  Garbage garbage;
  {
    std::lock_guard lock(mutex_);
    Table* const table = table_.exchange(nullptr, std::memory_order_seq_cst);
    last_.store(nullptr, std::memory_order_seq_cst);
    for (size_t i = 0; table != nullptr && i <= table->mask; ++i) {
      KnownCall* const c = table->slots[i].load(std::memory_order_relaxed);
      if (c != nullptr) RetireCall(c);
    }
    RetireTable(table);
    num_calls_ = 0;
    for (const Ref<Trace>& t : traces_) t->cached_ = false;
    garbage.traces.swap(traces_);
    garbage.by_hash.swap(by_hash_);
    FreeRetired(&garbage);
    hits_before_ += hits;
    misses_.store(0, std::memory_order_relaxed);
    evictions_ = 0;
  }
  history_.Clear();
  captured_.Clear();
}

}  // namespace gk
