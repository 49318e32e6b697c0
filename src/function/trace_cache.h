// TraceCache: the traces of one function and how a call finds its own.
//
// Three ways, fastest first: the words of the call (TraceKey) against those
// of earlier calls; the function type by hash; the most specific traced type
// that accepts it. Look-ups by words take no lock: entries are immutable and
// are freed when no reader is inside. Thread-safe.
#ifndef GK_FUNCTION_TRACE_CACHE_H_
#define GK_FUNCTION_TRACE_CACHE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/function_ref.h"
#include "function/function_type.h"

namespace gk {

// A traced function; the host language derives from it what it needs.
class Trace : public RefCounted {
 public:
  explicit Trace(Ref<FunctionType> type) : type_(std::move(type)) {}
  const FunctionType& type() const { return *type_; }
  const Ref<FunctionType>& type_ref() const { return type_; }

 private:
  Ref<FunctionType> type_;
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
  std::vector<uint64_t> words_;
  size_t hash_;
  Ref<Trace> trace_;
};
size_t HashWords(std::span<const uint64_t> words);

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
  // earliest among equals. Null if none does.
  Ref<Trace> Find(const FunctionType& request) const;
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
                                   TraceFn trace);
  // Adds a trace unless its type is known; the one kept.
  Ref<Trace> Add(Ref<Trace> trace);

  std::vector<Ref<Trace>> traces() const;  // in the order made
  size_t size() const;
  void Clear();

 private:
  struct Table {
    size_t mask = 0;
    std::unique_ptr<std::atomic<KnownCall*>[]> slots;
  };
  static constexpr size_t kMaxCalls = 1024;

  void Retire(Table* table);
  void FreeRetired();
  Ref<Trace> FindExact(const FunctionType& request, size_t hash) const;

  // Readers: count up, load `last_` and `table_`, count down.
  mutable std::atomic<int> readers_{0};
  std::atomic<KnownCall*> last_{nullptr};
  std::atomic<Table*> table_{nullptr};

  mutable std::mutex mutex_;
  size_t num_calls_ = 0;
  std::vector<Table*> retired_tables_;
  std::vector<KnownCall*> retired_calls_;
  std::vector<Ref<Trace>> traces_;
  std::unordered_multimap<size_t, Ref<Trace>> by_hash_;
};

// How the host language blocks: gives up its interpreter lock, runs `wait`.
void SetBlockingWait(void (*around)(FunctionRef<void()> wait));
// Runs `wait`, which blocks until another thread is done with something it
// may need the interpreter lock for.
void WaitBlocking(FunctionRef<void()> wait);

}  // namespace gk

#endif  // GK_FUNCTION_TRACE_CACHE_H_
