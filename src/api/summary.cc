// gk::summary: what this thread writes, and the functions that write it.
#include "graphkiln/summary.h"

#include <atomic>
#include <functional>
#include <optional>

#include "api/inner.h"
#include "function/collected_graphs.h"
#include "graphkiln/control_flow.h"
#include "graphkiln/functions.h"
#include "graphkiln/map.h"
#include "graphkiln/ops.h"
#include "ops/summary/summary_kind.h"
#include "profiler/session.h"

namespace gk::api::summary {
namespace {

struct SummaryState {
  Tensor writer;  // not defined: none
  Step step;
  std::function<Tensor()> condition;  // empty: nobody said anything
};
thread_local SummaryState state;
// Does the trace that is on make a profile?
std::atomic<bool> trace_profiles{false};

// Puts `value` where `place` is until the result is destroyed.
template <class T, class Then = std::function<void()>>
GraphScope Instead(T SummaryState::*place, T value, Then then = {}) {
  std::swap(state.*place, value);
  return GraphScope([place, before = std::move(value), then] {
    if (then) then();
    state.*place = before;
  });
}

// Whether summaries are written: a value, or a tensor of a graph.
Tensor Recording() {
  if (!state.writer.defined()) return false;
  return state.condition ? state.condition() : Tensor(true);
}

Tensor WrittenIf(const std::function<void()>& write) {
  const Tensor recording = Recording();
  const InnerTensor value = Inner(recording).KnownValue();
  const Tensor known = value ? Outer(value) : Tensor();
  const auto yes = [&] {
    write();
    return Tensor(true);
  };
  if (known.defined()) return known.item<bool>() ? yes() : Tensor(false);
  return cond(recording, yes, [] { return Tensor(false); },
              {.name = "summary_cond"});
}

Tensor StepOf(const Step& step) {
  if (step.given()) return step.value();
  if (state.step.given()) return state.step.value();
  ThrowPublic(ValueError(
      "No step set. Please specify one either through the `step` argument or "
      "through gk::summary::experimental::set_step()"));
}

Tensor WriteValue(const std::string& tag, const std::function<Tensor()>& make,
                  const Step& step, const std::string& metadata) {
  if (step.given()) step.value();
  return WrittenIf([&] {
    gk::api::ops::WriteSummary(state.writer, StepOf(step), make(), tag,
                               metadata);
  });
}

// A value for one of TensorBoard's pages; its name below the scopes here.
Tensor WriteShown(const SummaryKind& kind, const std::string& name,
                  const std::function<Tensor()>& make, const Step& step,
                  const std::string& description) {
  const std::string around = get_current_name_scope();
  const std::string tag = around.empty() ? name : around + "/" + name;
  const name_scope scope(std::string(kind.plugin) + "_summary");
  return WriteValue(tag, make, step, SummaryMetadataOf(kind, description));
}

Tensor Encoded(const char* name, std::initializer_list<Argument> arguments) {
  return detail::CallPublicFunction(name, arguments)[0];
}

}  // namespace

Tensor Step::value() const {
  if (const auto* number = std::get_if<int64_t>(&value_)) return *number;
  const auto* variable = std::get_if<Variable>(&value_);
  const Tensor step =
      variable != nullptr ? variable->value() : std::get<Tensor>(value_);
  const Shape shape = step.shape();
  if (!shape.is_fully_defined() || shape.num_elements() == 1) return step;
  ThrowPublic(
      ValueError("Argument `step` must be a scalar. Received step with shape "
                 "{}.",
                 shape.to_string()));
}

GraphScope SummaryWriter::as_default(Step step) const {
  if (!handle_.defined()) return GraphScope([] {});
  SummaryState before = state;
  state.writer = handle_;
  if (step.given()) state.step = std::move(step);
  return GraphScope([before = std::move(before), writer = *this] {
    try {
      writer.flush();
    } catch (const Error&) {
      // A destructor has nobody to tell it to.
    }
    state.writer = before.writer;
    state.step = before.step;
  });
}

void SummaryWriter::flush() const {
  if (handle_.defined()) gk::api::ops::FlushSummaryWriter(handle_);
}
void SummaryWriter::close() const {
  if (handle_.defined()) gk::api::ops::CloseSummaryWriter(handle_);
}

SummaryWriter create_file_writer(const std::string& logdir,
                                 const FileWriterOptions& options) {
  const init_scope outside;
  const Tensor handle = gk::api::ops::SummaryWriter();
  gk::api::ops::CreateSummaryFileWriter(handle, logdir, options.max_queue,
                                        options.flush_millis,
                                        options.filename_suffix);
  return SummaryWriter(handle);
}

void flush() { SummaryWriter(state.writer).flush(); }

namespace experimental {

Step get_step() { return state.step; }
void set_step(Step step) { state.step = std::move(step); }

}  // namespace experimental

GraphScope record_if(const Tensor& condition) {
  return record_if([condition] { return condition; });
}
GraphScope record_if(std::function<Tensor()> condition) {
  return Instead(&SummaryState::condition, std::move(condition));
}
Tensor should_record_summaries() { return Recording(); }

Tensor scalar(const std::string& name, const Argument& data, const Step& step,
              const std::string& description) {
  return WriteShown(
      kScalarSummary, name, [&] { return Encoded("_summary.scalar", {data}); },
      step, description);
}

Tensor text(const std::string& name, const Argument& data, const Step& step,
            const std::string& description) {
  return WriteShown(
      kTextSummary, name, [&] { return Encoded("_summary.text", {data}); },
      step, description);
}

Tensor histogram(const std::string& name, const Argument& data,
                 const Step& step, const HistogramOptions& options) {
  return WriteShown(
      kHistogramSummary, name,
      [&] {
        return Encoded("_summary.histogram", {data, options.buckets});
      },
      step, options.description);
}

Tensor image(const std::string& name, const Argument& data, const Step& step,
             const OutputOptions& options) {
  return WriteShown(
      kImageSummary, name,
      [&] {
        return Encoded("_summary.image", {data, options.max_outputs});
      },
      step, options.description);
}

Tensor audio(const std::string& name, const Tensor& data,
             const Tensor& sample_rate, const Step& step,
             const OutputOptions& options) {
  const auto sounds = [&] {
    const Tensor first = gk::api::ops::StridedSlice(
        data, Tensor{0}, Tensor{options.max_outputs}, Tensor{1},
        /*begin_mask=*/1);
    const Tensor files = map_fn(
        [&](const Tensor& sound) {
          return gk::api::ops::EncodeWav(sound, sample_rate);
        },
        first);
    const Tensor labels =
        gk::api::ops::Fill(gk::api::ops::Shape(files), Tensor(""));
    return gk::api::ops::Pack({files, labels}, 1);
  };
  return WriteShown(kAudioSummary, name, sounds, step, options.description);
}

Tensor write(const std::string& tag, const Tensor& tensor, const Step& step,
             const std::string& metadata) {
  return WriteValue(
      tag, [&] { return tensor; }, step, metadata);
}

bool graph(const std::string& graph_def) {
  if (!executing_eagerly()) {
    ThrowPublic(
        ValueError("graph() cannot be invoked inside a graph context."));
  }
  return WrittenIf([&] {
           gk::api::ops::WriteGraphSummary(state.writer, Tensor(int64_t{0}),
                                           graph_def);
         })
      .item<bool>();
}

void trace_on(const TraceOptions& options) {
  if (!options.profiler_outdir.empty()) {
    Guarded([&] { ThrowIfError(Profiler::Start(options.profiler_outdir)); });
    trace_profiles = true;
  }
  CollectedGraphs::Start();
}

void trace_export(const std::string& name, const Step& step) {
  if (!CollectedGraphs::collecting()) {
    ThrowPublic(ValueError(
        "Must enable trace before export through gk::summary::trace_on."));
  }
  const std::string collected =
      Guarded([] { return ValueOrThrow(CollectedGraphs::RunMetadata()); });
  WriteShown(trace_profiles ? kRunMetadata : kRunGraphs, name,
             [&] { return Tensor(collected); }, step, {});
  trace_off();
}

void trace_off() {
  CollectedGraphs::Stop();
  if (!trace_profiles.exchange(false)) return;
  Guarded([] { ThrowIfError(Profiler::Stop(/*save=*/true)); });
}

}  // namespace gk::api::summary
