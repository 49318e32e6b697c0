#include "function/graph_session.h"

#include <atomic>
#include <utility>

#include "base/process_mutex.h"
#include "framework/resource_manager.h"
#include "function/device_scope.h"

namespace gk {
namespace {

std::string NextContainer() {
  static std::atomic<int64_t> number = 0;
  return Format("session_{}", ++number);
}

// Outside of all graphs, unseen by tapes.
class OutsideOfGraphs {
 public:
  OutsideOfGraphs() : scope_(EagerPlace()) { ++CurrentObservers().paused; }
  ~OutsideOfGraphs() { --CurrentObservers().paused; }
  OutsideOfGraphs(const OutsideOfGraphs&) = delete;

 private:
  const OpBuilder::Scope scope_;
};

}  // namespace

GraphSession::GraphSession(Ref<FuncGraph> graph)
    : graph_(std::move(graph)), container_(NextContainer()) {}
GraphSession::~GraphSession() { Close(); }

StatusOr<Ref<ConcreteFunction>> GraphSession::PartOf(
    std::span<const Output> feeds, std::span<const ImportedElement> fetches) {
  std::string key;
  for (const Output& o : feeds) {
    key += Format("{}:{};", o.node->name(), o.index);
  }
  key += '>';
  for (const ImportedElement& e : fetches) {
    key += Format("{}:{};", e.node->name(), e.index);
  }
  {
    const std::lock_guard lock(ProcessMutex::Of(this));
    const auto known = parts_.find(key);
    if (known != parts_.end()) return known->second;
  }
  GK_ASSIGN_OR_RETURN(
      const GraphPart part,
      GraphPart::Between(graph_.get(), {feeds.begin(), feeds.end()},
                         {fetches.begin(), fetches.end()},
                         GraphPart::Unfed::kMustBeFed));
  // Threads that meet here make it twice.
  GK_ASSIGN_OR_RETURN(Ref<ConcreteFunction> made,
                      part.ToFunction("session_run", container_));
  const std::lock_guard lock(ProcessMutex::Of(this));
  return parts_.emplace(std::move(key), std::move(made)).first->second;
}

StatusOr<TensorVector> GraphSession::Run(
    std::span<const Output> feeds, std::span<const Tensor> values,
    std::span<const ImportedElement> fetches,
    RunLimit::Clock::time_point deadline) {
  const OutsideOfGraphs outside;
  GK_ASSIGN_OR_RETURN(const Ref<ConcreteFunction> part, PartOf(feeds, fetches));
  TensorVector made, results;
  const RunLimit limit(&closed_, deadline);
  Status status = part->Call(values, &made, limit.token());
  if (status.code() == Code::kCancelled && !closed_.IsCancelled() &&
      limit.IsLate()) {
    status = Status(Code::kDeadlineExceeded,
                    "The session's run was not done at its deadline. Allow it "
                    "more time (timeout_in_ms of RunOptions, "
                    "operation_timeout_in_ms of ConfigProto).");
  }
  GK_RETURN_IF_ERROR(status);
  size_t next = 0;
  for (const ImportedElement& e : fetches) {
    results.push_back(e.index < 0 ? Tensor() : std::move(made[next++]));
  }
  return results;
}

StatusOr<std::string> GraphSession::SetUpPartialRun(
    std::span<const Output> feeds, std::span<const ImportedElement> fetches) {
  GK_ASSIGN_OR_RETURN(PartialRun run,
                      PartialRun::Of(graph_, container_, feeds, fetches));
  const std::lock_guard lock(ProcessMutex::Of(this));
  std::string handle = Format("{};{}", container_, next_partial_run_++);
  partial_runs_.emplace(handle, std::move(run));
  return handle;
}

StatusOr<TensorVector> GraphSession::StepOfPartialRun(
    const std::string& handle, std::span<const Output> feeds,
    std::span<const Tensor> values, std::span<const ImportedElement> fetches) {
  const OutsideOfGraphs outside;
  std::map<std::string, PartialRun>::node_type run;
  {
    const std::lock_guard lock(ProcessMutex::Of(this));
    run = partial_runs_.extract(handle);
  }
  if (run.empty()) {
    return InvalidArgument("Must run 'setup' before performing partial runs!");
  }
  GK_ASSIGN_OR_RETURN(TensorVector results,
                      run.mapped().Step(feeds, values, fetches, &closed_));
  if (run.mapped().IsDone()) return results;
  const std::lock_guard lock(ProcessMutex::Of(this));
  partial_runs_.insert(std::move(run));
  return results;
}

void GraphSession::Close() {
  closed_.Cancel();
  std::map<std::string, Ref<ConcreteFunction>> dropped;
  std::map<std::string, PartialRun> partial_runs;
  {
    const std::lock_guard lock(ProcessMutex::Of(this));
    dropped.swap(parts_);
    partial_runs.swap(partial_runs_);
  }
  ResourceManager::Get().Drop(container_);
}

}  // namespace gk
