#include "python/src/summary/summary.h"

#include <nanobind/stl/unique_ptr.h>

#include <string>

#include "function/collected_graphs.h"
#include "io/event_writer.h"
#include "io/record_io.h"
#include "ops/summary/summary_kind.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_status.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

using io::EventWriter;

nb::bytes AsBytes(const std::string& text) {
  return nb::bytes(text.data(), text.size());
}

const SummaryKind& KindOf(const std::string& plugin) {
  static constexpr const SummaryKind* kKinds[] = {
      &kScalarSummary, &kImageSummary, &kHistogramSummary, &kTextSummary,
      &kAudioSummary,  &kRunGraphs,    &kRunMetadata};
  for (const SummaryKind* kind : kKinds) {
    if (kind->plugin == plugin) return *kind;
  }
  throw Error(ValueError("There are no summaries of kind '{}'", plugin));
}

}  // namespace

void AddSummaries(nb::module_& m) {
  m.def(
      "_summary_metadata",
      [](const std::string& plugin, const std::string& description) {
        return AsBytes(SummaryMetadataOf(KindOf(plugin), description));
      },
      nb::arg("plugin"), nb::arg("description"));
  m.def("_collect_graphs", [](bool on) {
    on ? CollectedGraphs::Start() : CollectedGraphs::Stop();
  });
  m.def("_collected_graphs",
        [] { return AsBytes(ValueOrThrow(CollectedGraphs::RunMetadata())); });
  m.def("_flush_event_writers", [] { ThrowIfError(EventWriter::FlushAll()); });

  nb::class_<io::RecordReader>(m, "_EventReader")
      .def("read", [](io::RecordReader& self) -> nb::object {
        std::string record;
        const Status status = self.Read(&record);
        if (status.code() == Code::kOutOfRange) return nb::none();
        ThrowIfError(status);
        return AsBytes(record);
      });
  m.def(
      "_open_event_reader",
      [](const std::string& path) {
        return std::make_unique<io::RecordReader>(
            ValueOrThrow(io::RecordReader::Open(path)));
      },
      nb::arg("path"));

  nb::class_<EventWriter>(m, "_EventWriter")
      .def_prop_ro("path", &EventWriter::path)
      .def("write",
           [](EventWriter& self, const nb::bytes& event) {
             ThrowIfError(self.WriteBytes({event.c_str(), event.size()}));
           })
      .def("flush", [](EventWriter& self) { ThrowIfError(self.Flush()); })
      .def("close", [](EventWriter& self) { ThrowIfError(self.Close()); });
  m.def(
      "_open_event_writer",
      [](const std::string& folder, int64_t max_queue, int64_t flush_millis,
         const std::string& suffix) {
        return ValueOrThrow(
            EventWriter::Open(folder, {max_queue, flush_millis, suffix}));
      },
      nb::arg("folder"), nb::arg("max_queue"), nb::arg("flush_millis"),
      nb::arg("suffix"));
}

}  // namespace gk::py
