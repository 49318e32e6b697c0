// TraceHistory: what was traced and why once was not enough.
//
// Written when a trace is made, never on a cached call. Holds texts only, so
// that nothing a trace refers to is kept, and of the latest traces only.
// TypeDifference is one part of a call that no earlier trace accepted; the
// host language words the advice. Thread-safe.
#ifndef GK_FUNCTION_TRACE_HISTORY_H_
#define GK_FUNCTION_TRACE_HISTORY_H_

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/process_mutex.h"
#include "function/function_type.h"

namespace gk {

enum class RetraceCause : uint8_t {
  kDtype,        // of a tensor
  kShape,        // the same rank
  kRank,
  kValue,        // of a host-language number, text, ...
  kNumber,       // such a value that is a number: a tensor would do
  kObject,       // another object
  kDeadObject,   // another object, the earlier one is gone
  kKind,         // a tensor where a number was, a list where a tuple was
  kLength,       // of a list or tuple
  kKeys,         // of a dict
  kVariable,     // trainable, passed twice, or captured by the function too
  kParameters,   // other parameters were given
  kDetails,      // of a type that describes itself
  kEvicted,      // the cache had dropped it
  kHostTypes,    // the same values as other host-language types
  kGuard,        // a host-language value that the trace had frozen
  kPlace,        // in another graph, or its ops are colocated with others
};
// "dtype", "shape", ...
std::string_view RetraceCauseName(RetraceCause cause);

struct TypeDifference {
  std::string path;  // "x[0]['a']"
  RetraceCause cause;
  std::string before, after;  // types, as they print
  std::string common;         // a type that accepts both; empty if none
};

// What of a call of type `after` a trace of type `before` does not accept.
std::vector<TypeDifference> Differences(const FunctionType& before,
                                        const FunctionType& after);

// Where a call came from; the host language fills it in.
struct CallSite {
  std::string file, function;
  int line = 0;
};

struct TraceRecord {
  int number = 0;       // from 1, in the order traced
  int compared_to = 0;  // the earlier trace most like it; 0: there was none
  std::string type;     // of the call
  std::string traced;   // what was traced for it, more general if asked
  CallSite site;
  double seconds = 0;   // that tracing took
  bool evicted = false;
  bool dead = false;    // evicted because an object in its type was gone
  std::vector<TypeDifference> differences;
};

class TraceHistory {
 public:
  static constexpr size_t kMaxRecords = 512;

  struct Known {
    int number;
    Ref<FunctionType> type;
  };
  // Adds a trace of `traced` for a call of `request`, explained by what there
  // is already; `guards`: frozen values that no longer hold, if those are
  // why. Returns its number.
  int Note(const FunctionType& request, const FunctionType& traced,
           std::span<const Known> known, CallSite site, double seconds,
           std::vector<TypeDifference> guards = {});
  void NoteEviction(int number, bool dead);

  std::vector<TraceRecord> records() const;
  // Counts the ones that were dropped as well.
  int num_traces() const;
  void Clear();

 private:
  int num_traces_ = 0;
  std::deque<TraceRecord> records_;
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
};

}  // namespace gk

#endif  // GK_FUNCTION_TRACE_HISTORY_H_
