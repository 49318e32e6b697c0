#include "function/trace_cache.h"

#include <algorithm>
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

// Keeps what is read from being freed meanwhile.
class Reading {
 public:
  explicit Reading(std::atomic<int>* readers) : readers_(readers) {
    readers_->fetch_add(1, std::memory_order_seq_cst);
  }
  ~Reading() { readers_->fetch_sub(1, std::memory_order_release); }

 private:
  std::atomic<int>* readers_;
};

}  // namespace

TraceCache::~TraceCache() { Clear(); }

Ref<KnownCall> TraceCache::FindCall(std::span<const uint64_t> words) const {
  Reading reading(&readers_);
  KnownCall* last = last_.load(std::memory_order_seq_cst);
  if (last != nullptr && SameWords(*last, words) && last->IsCurrent()) {
    return Ref<KnownCall>(last);
  }
  const Table* table = table_.load(std::memory_order_seq_cst);
  if (table == nullptr) return nullptr;
  const size_t hash = HashWords(words);
  for (size_t i = hash & table->mask;; i = (i + 1) & table->mask) {
    KnownCall* call = table->slots[i].load(std::memory_order_seq_cst);
    if (call == nullptr) return nullptr;
    if (call->hash() == hash && SameWords(*call, words)) {
      if (!call->IsCurrent()) return nullptr;
      // Only a hint: the slot of the table keeps it alive.
      const_cast<std::atomic<KnownCall*>&>(last_).store(
          call, std::memory_order_seq_cst);
      return Ref<KnownCall>(call);
    }
  }
}

void TraceCache::Retire(Table* table) {
  if (table != nullptr) retired_tables_.push_back(table);
}

// Called with the lock held, after what is retired was taken out of sight.
void TraceCache::FreeRetired() {
  if (readers_.load(std::memory_order_seq_cst) != 0) return;
  for (Table* t : retired_tables_) delete t;
  retired_tables_.clear();
}

void TraceCache::Remember(Ref<KnownCall> call) {
  // Host objects are dropped after the lock.
  std::vector<KnownCall*> drop;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    Table* old = table_.load(std::memory_order_relaxed);
    const size_t capacity = old ? old->mask + 1 : 0;
    std::vector<KnownCall*> kept;
    bool replaced = false;
    for (size_t i = 0; i < capacity; ++i) {
      KnownCall* c = old->slots[i].load(std::memory_order_relaxed);
      if (c == nullptr) continue;
      if (c->hash() == call->hash() && SameWords(*c, call->words())) {
        // A reader's hint may write this one into last_ at any time before
        // it leaves, so it is taken out of sight again below.
        old->slots[i].store(call.get(), std::memory_order_seq_cst);
        retired_calls_.push_back(c);
        replaced = true;
        break;
      }
      kept.push_back(c);
    }
    if (!replaced) {
      if (num_calls_ >= kMaxCalls) {
        retired_calls_.insert(retired_calls_.end(), kept.begin(), kept.end());
        kept.clear();
        num_calls_ = 0;
      }
      if (2 * (num_calls_ + 1) > capacity || kept.size() != num_calls_ ||
          (kept.empty() && capacity > 0)) {
        auto* table = new Table();
        size_t size = 4;
        while (size < 4 * (kept.size() + 1)) size *= 2;
        table->mask = size - 1;
        table->slots = std::make_unique<std::atomic<KnownCall*>[]>(size);
        for (KnownCall* c : kept) {
          size_t i = c->hash() & table->mask;
          while (table->slots[i].load(std::memory_order_relaxed)) {
            i = (i + 1) & table->mask;
          }
          table->slots[i].store(c, std::memory_order_relaxed);
        }
        Retire(old);
        table_.store(table, std::memory_order_seq_cst);
        old = table;
      }
      size_t i = call->hash() & old->mask;
      while (old->slots[i].load(std::memory_order_relaxed)) {
        i = (i + 1) & old->mask;
      }
      old->slots[i].store(call.get(), std::memory_order_seq_cst);
      ++num_calls_;
    }
    last_.store(call.Release(), std::memory_order_seq_cst);
    if (readers_.load(std::memory_order_seq_cst) == 0) {
      drop.swap(retired_calls_);
    }
    FreeRetired();
  }
  for (KnownCall* c : drop) c->Unref();
}

Ref<Trace> TraceCache::FindExact(const FunctionType& request,
                                 size_t hash) const {
  // Host code compares outside of the lock.
  std::vector<Ref<Trace>> same;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto [it, end] = by_hash_.equal_range(hash);
    for (; it != end; ++it) same.push_back(it->second);
  }
  for (Ref<Trace>& t : same) {
    if (t->type().Equals(request)) return t;
  }
  return nullptr;
}

Ref<Trace> TraceCache::Find(const FunctionType& request) const {
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

StatusOr<Ref<Trace>> TraceCache::FindOrTrace(const Ref<FunctionType>& request,
                                             bool reduce_retracing, bool alone,
                                             TraceFn trace) {
  for (;;) {
    if (Ref<Trace> found = Find(*request)) return found;
    Ref<FunctionType> type = TypeToTrace(request, reduce_retracing);
    TraceLatch latch(this, type, alone);
    if (latch.waited()) continue;  // somebody may have made it
    // Or between the look-up and the latch.
    if (Ref<Trace> found = Find(*request)) return found;
    StatusOr<Ref<Trace>> made = trace(type);
    if (!made.ok()) return made.status();
    return Add(*std::move(made));
  }
}

Ref<Trace> TraceCache::Add(Ref<Trace> trace) {
  const size_t hash = trace->type().hash();
  if (Ref<Trace> known = FindExact(trace->type(), hash)) return known;
  std::lock_guard<std::mutex> lock(mutex_);
  traces_.push_back(trace);
  by_hash_.emplace(hash, trace);
  return trace;
}

std::vector<Ref<Trace>> TraceCache::traces() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return traces_;
}

size_t TraceCache::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return traces_.size();
}

void TraceCache::Clear() {
  std::vector<KnownCall*> calls;
  std::vector<Ref<Trace>> traces;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    Table* table = table_.exchange(nullptr, std::memory_order_seq_cst);
    last_.store(nullptr, std::memory_order_seq_cst);
    if (table != nullptr) {
      for (size_t i = 0; i <= table->mask; ++i) {
        KnownCall* c = table->slots[i].load(std::memory_order_relaxed);
        if (c != nullptr) retired_calls_.push_back(c);
      }
      Retire(table);
    }
    num_calls_ = 0;
    if (readers_.load(std::memory_order_seq_cst) == 0) {
      calls.swap(retired_calls_);
    }
    FreeRetired();
    traces.swap(traces_);
    by_hash_.clear();
  }
  for (KnownCall* c : calls) c->Unref();
}

}  // namespace gk
