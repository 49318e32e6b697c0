#include "framework/host_function.h"

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/caught.h"
#include "base/format.h"
#include "base/process_mutex.h"
#include "base/stack.h"
#include "framework/op_builder.h"

namespace gk {
namespace {

struct Calls {
  ProcessMutex mutex;
  int64_t next = 0;
  std::unordered_map<std::string, std::shared_ptr<const HostCall>> by_token;
};
Calls& TheCalls() {
  static Calls& calls = *new Calls();
  return calls;
}

// What is made in a call is made eagerly, and is no business of the tapes
// around the graph that runs.
class EagerCall {
 public:
  EagerCall()
      : scope_(OpBuilder::Eager()), saved_(std::move(CurrentObservers())) {
    CurrentObservers() = ObserverList();
  }
  ~EagerCall() { CurrentObservers() = std::move(saved_); }

 private:
  OpBuilder::Scope scope_;
  ObserverList saved_;
};

thread_local int quiet = 0;

}  // namespace

QuietHostCalls::QuietHostCalls() { ++quiet; }
QuietHostCalls::~QuietHostCalls() { --quiet; }
bool QuietHostCalls::Any() { return quiet > 0; }

HostFunction::HostFunction(HostCall call, std::string token)
    : token_(std::move(token)) {
  auto kept = std::make_shared<const HostCall>(std::move(call));
  Calls& calls = TheCalls();
  const std::lock_guard lock(calls.mutex);
  if (token_.empty()) token_ = Format("pyfunc_{}", calls.next++);
  calls.by_token[token_].swap(kept);  // the old one goes when nothing is locked
}

HostFunction::~HostFunction() {
  std::shared_ptr<const HostCall> gone;  // when nothing is locked
  Calls& calls = TheCalls();
  const std::lock_guard lock(calls.mutex);
  const auto found = calls.by_token.find(token_);
  gone = std::move(found->second);
  calls.by_token.erase(found);
}

Status CallHostFunction(const std::string& token,
                        std::span<const Tensor* const> inputs,
                        const std::vector<DataType>& types,
                        std::span<Tensor> outputs) {
  std::shared_ptr<const HostCall> call;
  {
    Calls& calls = TheCalls();
    const std::lock_guard lock(calls.mutex);
    const auto found = calls.by_token.find(token);
    if (found != calls.by_token.end()) call = found->second;
  }
  if (call == nullptr) {
    return FailedPrecondition(
        "The function {} cannot be called: it is of another process, or what "
        "it was made in was deleted",
        token);
  }
  if (!HasStackLeft()) {
    return ResourceExhausted(
        "Functions of the program and graphs call each other more deeply than "
        "the stack of this thread allows");
  }
  const EagerCall eager;
  try {
    return (*call)(token, inputs, types, outputs);
  } catch (...) {
    return LastCaughtStatus();
  }
}

}  // namespace gk
