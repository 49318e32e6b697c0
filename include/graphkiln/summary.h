// Summaries: numbers, pictures, texts and graphs of a run in event files, which
// TensorBoard shows.
//
//   const auto writer = gk::summary::create_file_writer("/tmp/run");
//   {
//     const auto writing = writer.as_default();
//     for (int step = 0; step < 3; ++step) {
//       gk::summary::scalar("loss", 1.0f / (step + 1), step);
//     }
//   }
//
// Functions that are traced write whenever they run, at the step that they are
// given as a tensor or a variable. What is written goes to this thread's
// writer; without one, and where record_if forbids it, nothing is. Writers are
// thread-safe. Functions throw Error.
#ifndef GRAPHKILN_SUMMARY_H_
#define GRAPHKILN_SUMMARY_H_

#include <graphkiln/argument.h>
#include <graphkiln/graph.h>
#include <graphkiln/variable.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <variant>

namespace gk {
GK_API_NAMESPACE {
  namespace summary {

  // The step of a summary: a number, an int64 scalar, or a variable, which is
  // read whenever something is written. By default none is given, and that of
  // the thread counts.
  class GK_EXPORT Step {
   public:
    Step() = default;
    // What counts the steps.
    template <std::integral T>
    Step(T step) : value_(static_cast<int64_t>(step)) {}
    Step(const Tensor& step) : value_(step) {}
    Step(const Variable& step) : value_(step) {}

    // Is there one?
    bool given() const { return value_.index() != 0; }
    // Now, int64. Throws Error unless it is given and one number.
    Tensor value() const;

   private:
    std::variant<std::monostate, int64_t, Tensor, Variable> value_;
  };

  // How an event file is written.
  struct FileWriterOptions {
    int32_t max_queue = 10;         // so many summaries may wait
    int32_t flush_millis = 120000;  // so long
    std::string filename_suffix = ".v2";
  };

  // Writes an event file. Copies are the same writer; what waits is written
  // when the last is gone, too. One that was made by the default constructor
  // writes nothing.
  class GK_EXPORT SummaryWriter {
   public:
    SummaryWriter() = default;

    // Summaries of this thread go to it while the result lives, at `step`
    // unless they say another. Then it is flushed; an error of that is that of
    // the next call.
    [[nodiscard]] GraphScope as_default(Step step = {}) const;
    // Writes what waits; also closes the file, after which nothing can be
    // written.
    void flush() const;
    void close() const;
    // What ops get.
    const Tensor& resource_handle() const { return handle_; }

    // --- For the library itself.
    explicit SummaryWriter(Tensor handle) : handle_(std::move(handle)) {}

   private:
    Tensor handle_;
  };

  // Of a file in `logdir`, which is made if it is not there. A function that
  // is traced makes it once, eagerly.
  GK_EXPORT SummaryWriter create_file_writer(
      const std::string& logdir, const FileWriterOptions& options = {});
  // Writes nothing.
  inline SummaryWriter create_noop_writer() { return SummaryWriter(); }

  // Writes what waits of this thread's writer, if it has one.
  GK_EXPORT void flush();

  namespace experimental {

  // This thread's step; not given() if it has none.
  GK_EXPORT Step get_step();
  GK_EXPORT void set_step(Step step);

  }  // namespace experimental

  // While the result lives, summaries are written only where this holds: a
  // bool scalar, or a function that gives one, called for each summary, also
  // where one is traced.
  [[nodiscard]] GK_EXPORT GraphScope record_if(const Tensor& condition);
  [[nodiscard]] GK_EXPORT GraphScope
  record_if(std::function<Tensor()> condition);
  // A bool scalar: are summaries written now?
  GK_EXPORT Tensor should_record_summaries();

  // These return a bool scalar: was it written? They throw Error (ValueError)
  // if there is a writer but no step. Names get those of the scopes around
  // them; descriptions may be Markdown.

  // A number.
  GK_EXPORT Tensor scalar(const std::string& name, const Argument& data,
                          const Step& step = {},
                          const std::string& description = {});
  // Texts; a matrix becomes a table.
  GK_EXPORT Tensor text(const std::string& name, const Argument& data,
                        const Step& step = {},
                        const std::string& description = {});
  // How numbers are spread over so many buckets of equal width.
  struct HistogramOptions {
    int32_t buckets = 30;
    std::string description = {};
  };
  GK_EXPORT Tensor histogram(const std::string& name, const Argument& data,
                             const Step& step = {},
                             const HistogramOptions& options = {});
  // The first pictures of [batch, height, width, channels], floats in [0, 1] or
  // integers; the first sounds of float samples [batch, frames, channels].
  struct OutputOptions {
    int32_t max_outputs = 3;
    std::string description = {};
  };
  GK_EXPORT Tensor image(const std::string& name, const Argument& data,
                         const Step& step = {},
                         const OutputOptions& options = {});
  GK_EXPORT Tensor audio(const std::string& name, const Tensor& data,
                         const Tensor& sample_rate, const Step& step = {},
                         const OutputOptions& options = {});
  // Any tensor; a serialized SummaryMetadata says what shows it.
  GK_EXPORT Tensor write(const std::string& tag, const Tensor& tensor,
                         const Step& step = {},
                         const std::string& metadata = {});
  // A serialized GraphDef, as Graph::as_graph_def gives it; eagerly.
  GK_EXPORT bool graph(const std::string& graph_def);

  // Collects the graphs of all functions that any thread calls from now on,
  // until trace_export writes them under a name or trace_off forgets them. A
  // profile is made as well if there is a folder for it (gk::profiler::start);
  // both of these write it. Throws Error (AlreadyExists) if one is being made.
  struct TraceOptions {
    std::string profiler_outdir = {};
  };
  GK_EXPORT void trace_on(const TraceOptions& options = {});
  GK_EXPORT void trace_export(const std::string& name, const Step& step = {});
  GK_EXPORT void trace_off();

  }  // namespace summary
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_SUMMARY_H_
