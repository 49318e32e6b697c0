// TraceCache: the traces of one function and how a call finds its own.
//
// Three ways, fastest first: the words of the call (TraceKey) against those
// of earlier calls; the function type by hash; the most specific traced type
// that accepts it. Look-ups by words take no lock: entries are immutable and
// are freed when no reader is inside. With a limit on the number of traces,
// the one used longest ago goes first. Thread-safe.
#ifndef GK_FUNCTION_TRACE_CACHE_H_
#define GK_FUNCTION_TRACE_CACHE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/function_ref.h"
#include "base/process_mutex.h"
#include "function/captured_variables.h"
#include "function/function_type.h"
#include "function/trace_history.h"

namespace gk {

// A traced function; the host language derives from it what it needs.
class Trace : public RefCounted {
 public:
  explicit Trace(Ref<FunctionType> type) : type_(std::move(type)) {}
  const FunctionType& type() const { return *type_; }
  const Ref<FunctionType>& type_ref() const { return type_; }

  // Set by the host language before the cache gets the trace: where the call
  // was, the frozen values that made an earlier trace useless, and the handles
  // of the variables that it captures, also as arguments.
  CallSite site;
  std::vector<TypeDifference> frozen;
  TensorVector captured;

 private:
  friend class TraceCache;
  Ref<FunctionType> type_;
  // The cache's, under its lock; but the last is written by any hit.
  int number_ = 0;
  bool cached_ = false;
  std::atomic<uint64_t> last_used_{0};
};

// What an earlier call looked like, flattened, and the trace that served it.
// The host language derives from it to hold what the words point at.
class KnownCall : public RefCounted {
 public:
  KnownCall(std::vector<uint64_t> words, Ref<Trace> trace);
  std::span<const uint64_t> words() const { return words_; }
  size_t hash() const { return hash_; }
  const Ref<Trace>& trace() const { return trace_; }
  // Are the host objects behind the words still those of that call?
  virtual bool IsCurrent() const { return true; }

 private:
  friend class TraceCache;
  std::vector<uint64_t> words_;
  size_t hash_;
  Ref<Trace> trace_;
  // Out of the table: a reader's hint may still name it for a moment.
  std::atomic<bool> retired_{false};
  KnownCall* next_retired_ = nullptr;
};
size_t HashWords(std::span<const uint64_t> words);

struct TraceCacheInfo {
  int64_t hits = 0;       // look-ups that found a trace
  int64_t misses = 0;     // look-ups that traced, or tried to
  int64_t evictions = 0;  // traces dropped: over the limit, or of dead objects
  size_t max_traces = 0;  // 0: no limit
  size_t size = 0;
};

class TraceCache {
 public:
  TraceCache() = default;
  ~TraceCache();
  TraceCache(const TraceCache&) = delete;

  // --- By words.
  Ref<KnownCall> FindCall(std::span<const uint64_t> words) const;
  // Replaces a call of equal words. Forgets all others when there are many.
  void Remember(Ref<KnownCall> call);

  // --- By type.
  // Exact, or the most specific traced type that accepts `request`; the
  // earliest among equals. Null if none does. Counts as a hit if it finds.
  // `variables`: the handles of the call's variables, by alias.
  Ref<Trace> Find(const Ref<FunctionType>& request,
                  std::span<const Tensor> variables = {});
  // The type to trace for a request that nothing serves: generalised by what
  // was traced before, if asked.
  Ref<FunctionType> TypeToTrace(Ref<FunctionType> request,
                                bool reduce_retracing) const;

  using TraceFn = FunctionRef<StatusOr<Ref<Trace>>(const Ref<FunctionType>&)>;
  // Finds or makes the trace. One thread traces a type, others wait for it;
  // nobody waits for a thread that waits for it in turn. `alone`: nobody
  // else traces any type meanwhile. Nothing is kept if `trace` fails.
  StatusOr<Ref<Trace>> FindOrTrace(const Ref<FunctionType>& request,
                                   bool reduce_retracing, bool alone,
                                   TraceFn trace,
                                   std::span<const Tensor> variables = {});
  // Adds a trace unless its type is known; the one kept. May evict others.
  Ref<Trace> Add(Ref<Trace> trace);

  std::vector<Ref<Trace>> traces() const;  // in the order made
  size_t size() const;
  // 0: no limit. Evicts what is too many.
  void SetMaxTraces(size_t n);
  // A hit that the host language could not use after all.
  void TakeBackHit() { found_by_type_.fetch_sub(1, std::memory_order_relaxed); }
  // Drops a trace; false if it is not here.
  bool Drop(const Trace* trace);
  // Drops all traces, counts and history.
  void Clear() noexcept;

  TraceCacheInfo info() const;
  const TraceHistory& history() const { return history_; }
  // What tells calls apart beside their words.
  const CapturedVariables& captured() const { return captured_; }

 private:
  struct Table {
    size_t mask = 0;
    std::unique_ptr<std::atomic<KnownCall*>[]> slots;
    Table* next_retired = nullptr;
  };
  static constexpr size_t kMaxCalls = 1024;

  class Reading;
  // What is dropped under the lock and must be released after it.
  struct Garbage;

  static void InsertCall(Table* table, KnownCall* call);
  static std::unique_ptr<Table> MakeTable(std::span<KnownCall* const> calls);
  // From here to the garbage nothing is allocated: what is to go has gone,
  // whatever else fails.
  void SetTable(std::unique_ptr<Table> table, size_t num_calls) noexcept;
  void RetireCall(KnownCall* call) noexcept;
  void RetireTable(Table* table) noexcept;
  void FreeRetired(Garbage* garbage) noexcept;
  void DropLocked(const std::vector<const Trace*>& traces, Garbage* garbage);
  void EvictLocked(const Trace* keep, Garbage* garbage);
  void DropDead(const Trace* keep);
  Ref<Trace> FindExact(const FunctionType& request, size_t hash) const;
  Ref<Trace> FindUncounted(const FunctionType& request) const;
  // `type` with what the function is known to capture of these.
  Ref<FunctionType> Told(const Ref<FunctionType>& type,
                         std::span<const Tensor> variables) const;
  void CountHit(Trace* trace);
  void Touch(Trace* trace);

  // Readers: count up, load `last_` and `table_`, count down. The upper bits
  // count the look-ups, so that counting them costs nothing.
  static constexpr uint64_t kOneLookUp = uint64_t{1} << 16;
  static constexpr uint64_t kReaderBits = kOneLookUp - 1;
  mutable std::atomic<uint64_t> readers_{0};
  mutable std::atomic<int64_t> unknown_calls_{0};  // found nothing by words
  std::atomic<int64_t> found_by_type_{0}, misses_{0};
  std::atomic<size_t> max_traces_{0};
  std::atomic<KnownCall*> last_{nullptr};
  std::atomic<Table*> table_{nullptr};

  ProcessMutex& mutex_ = ProcessMutex::Of(this);
  size_t num_calls_ = 0;
  int64_t evictions_ = 0;
  int64_t hits_before_ = 0;  // the counts were last cleared
  TraceHistory history_;
  CapturedVariables captured_;
  Table* retired_tables_ = nullptr;
  KnownCall* retired_calls_ = nullptr;
  std::vector<Ref<Trace>> traces_;
  std::unordered_multimap<size_t, Ref<Trace>> by_hash_;
};

}  // namespace gk

#endif  // GK_FUNCTION_TRACE_CACHE_H_
