// Ops that write summaries to event files.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/wall_time.h"
#include "framework/op_registry.h"
#include "ops/named_resource.h"
#include "ops/summary/summary_values.h"
#include "ops/summary/summary_writer.h"
#include "proto/graph.gk.h"

namespace gk {
namespace {

StatusOr<Ref<SummaryWriterResource>> SummaryWriterOf(const KernelContext& c) {
  return ResourceOf<SummaryWriterResource>(c.input(0), "writer of summaries");
}

// The one element of an input.
template <class T>
StatusOr<T> OneElement(const KernelContext& c, int i, const char* what) {
  const Tensor& t = c.input(i);
  if (t.num_elements() == 1) return T(t.data<T>()[0]);
  return InvalidArgument("{} must be a scalar, got shape {}", what,
                         t.shape().DebugString());
}

Status MakeSummaryWriter(KernelContext& c) {
  return OutputResource(
      c, "summary_writer", {},
      [](const std::string& name) -> StatusOr<Ref<Resource>> {
        return Ref<Resource>(MakeRef<SummaryWriterResource>(name));
      });
}

Status CreateFileSummaryWriter(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<SummaryWriterResource> writer,
                      SummaryWriterOf(c));
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (!c.input(i).shape().IsScalar()) {
      static constexpr const char* kNames[] = {
          "writer", "logdir", "max_queue", "flush_millis", "filename_suffix"};
      return InvalidArgument("{} must be a scalar", kNames[i]);
    }
  }
  io::EventWriterOptions options;
  options.max_queue = c.input(2).scalar<int32_t>();
  options.flush_millis = c.input(3).scalar<int32_t>();
  options.suffix = c.input(4).scalar<std::string>();
  return writer->Open(c.input(1).scalar<std::string>(), options);
}

Status CreateDbSummaryWriter(KernelContext&) {
  return Unimplemented(
      "CreateSummaryDbWriter: summaries are not written to data bases. Use "
      "CreateSummaryFileWriter");
}

Status FlushSummaryWriter(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<SummaryWriterResource> writer,
                      SummaryWriterOf(c));
  GK_ASSIGN_OR_RETURN(const auto file, writer->writer());
  return file->Flush();
}

Status CloseSummaryWriter(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<SummaryWriterResource> writer,
                      SummaryWriterOf(c));
  return writer->Close();
}

Status WriteSummaryEvent(const KernelContext& c, proto::Event event) {
  GK_ASSIGN_OR_RETURN(const Ref<SummaryWriterResource> writer,
                      SummaryWriterOf(c));
  GK_ASSIGN_OR_RETURN(const auto file, writer->writer());
  GK_ASSIGN_OR_RETURN(event.step, OneElement<int64_t>(c, 1, "step"));
  event.wall_time = WallTime();
  return file->Write(event);
}

Status WriteValuesSummary(const KernelContext& c, proto::Summary summary) {
  proto::Event event;
  event.mutable_summary() = std::move(summary);
  return WriteSummaryEvent(c, std::move(event));
}

// A summary of the tag, input 2.
StatusOr<proto::Summary> TaggedSummary(const KernelContext& c, int tag) {
  proto::Summary summary;
  GK_ASSIGN_OR_RETURN(summary.value.emplace_back().tag,
                      OneElement<std::string>(c, tag, "tag"));
  return summary;
}

Status WriteTensorSummary(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(proto::Summary summary, TaggedSummary(c, 3));
  proto::Summary_Value& value = summary.value[0];
  GK_ASSIGN_OR_RETURN(value.mutable_tensor(), SummaryTensor(c.input(2)));
  GK_ASSIGN_OR_RETURN(const std::string metadata,
                      OneElement<std::string>(c, 4, "summary_metadata"));
  if (!metadata.empty()) {
    GK_RETURN_IF_ERROR(value.metadata.mut().Parse(metadata));
  }
  return WriteValuesSummary(c, std::move(summary));
}

Status WriteScalarSummary(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(proto::Summary summary, TaggedSummary(c, 2));
  if (c.input(3).num_elements() != 1) {
    return InvalidArgument("value must be a scalar, got shape {}",
                           c.input(3).shape().DebugString());
  }
  summary.value[0].set_simple_value(NumberAt(c.input(3), 0));
  return WriteValuesSummary(c, std::move(summary));
}

Status WriteHistogramSummary(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(proto::Summary summary, TaggedSummary(c, 2));
  proto::Summary_Value& value = summary.value[0];
  GK_ASSIGN_OR_RETURN(value.mutable_histo(),
                      HistogramOf(c.input(3), value.tag));
  return WriteValuesSummary(c, std::move(summary));
}

Status WriteImageSummary(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const std::string tag,
                      OneElement<std::string>(c, 2, "tag"));
  proto::Summary summary;
  GK_RETURN_IF_ERROR(AddImages(tag, c.input(3), c.attr<int64_t>("max_images"),
                               c.input(4), &summary));
  return WriteValuesSummary(c, std::move(summary));
}

Status WriteAudioSummary(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const std::string tag,
                      OneElement<std::string>(c, 2, "tag"));
  GK_ASSIGN_OR_RETURN(const float rate, OneElement<float>(c, 4, "sample_rate"));
  proto::Summary summary;
  GK_RETURN_IF_ERROR(AddSounds(tag, c.input(3), c.attr<int64_t>("max_outputs"),
                               rate, &summary));
  return WriteValuesSummary(c, std::move(summary));
}

Status WriteRawProtoSummary(KernelContext& c) {
  const Tensor& messages = c.input(2);
  proto::Summary all;
  for (int64_t i = 0; i < messages.num_elements(); ++i) {
    proto::Summary summary;
    if (!summary.Parse(messages.data<std::string>()[i]).ok()) {
      return DataLoss(
          "Bad tf.compat.v1.Summary binary proto tensor string at index {}", i);
    }
    std::move(summary.value.begin(), summary.value.end(),
              std::back_inserter(all.value));
  }
  return WriteValuesSummary(c, std::move(all));
}

Status WriteGraphSummary(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(std::string graph,
                      OneElement<std::string>(c, 2, "tensor"));
  proto::GraphDef checked;
  if (!checked.Parse(graph).ok()) {
    return DataLoss("Bad tf.GraphDef binary proto tensor string");
  }
  proto::Event event;
  event.set_graph_def(std::move(graph));
  return WriteSummaryEvent(c, std::move(event));
}

Status ImportSummaryEvent(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<SummaryWriterResource> writer,
                      SummaryWriterOf(c));
  GK_ASSIGN_OR_RETURN(const auto file, writer->writer());
  GK_ASSIGN_OR_RETURN(const std::string bytes,
                      OneElement<std::string>(c, 1, "event"));
  proto::Event event;
  if (!event.Parse(bytes).ok()) {
    return DataLoss("Bad tf.Event binary proto tensor string");
  }
  return file->Write(event);
}

#define SUMMARY_NUMBERS                                                       \
  "float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, " \
  "uint32, uint64"
#define TO_SUMMARY_WRITER "writer: resource; step: int64; "

constexpr uint64_t kWrites =
    kStateful | kReadsResource | kWritesResource | kNoGradient;

const OpRecord kRecords[] = {
    {.name = "SummaryWriter",
     .inputs = "",
     .outputs = "writer: resource",
     .attrs = "shared_name: string = ''; container: string = ''",
     .traits = kStateful | kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = MakeSummaryWriter},
     .doc = "The handle of a writer of summaries, without a file as yet."},

    {.name = "CreateSummaryFileWriter",
     .inputs = "writer: resource; logdir: string; max_queue: int32; "
               "flush_millis: int32; filename_suffix: string",
     .outputs = "",
     .attrs = "",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = CreateFileSummaryWriter},
     .doc = "Opens an event file in a folder for a writer that has none."},

    {.name = "CreateSummaryDbWriter",
     .inputs = "writer: resource; db_uri: string; experiment_name: string; "
               "run_name: string; user_name: string",
     .outputs = "",
     .attrs = "",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = CreateDbSummaryWriter},
     .doc = "Refused: summaries are written to event files alone."},

    {.name = "FlushSummaryWriter",
     .inputs = "writer: resource",
     .outputs = "",
     .attrs = "",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = FlushSummaryWriter},
     .doc = "Writes the events that wait to the file."},

    {.name = "CloseSummaryWriter",
     .inputs = "writer: resource",
     .outputs = "",
     .attrs = "",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = CloseSummaryWriter},
     .doc = "Writes the events that wait and closes the file."},

    {.name = "WriteSummary",
     .inputs =
         TO_SUMMARY_WRITER "tensor: T; tag: string; summary_metadata: string",
     .outputs = "",
     .attrs = "T: type",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = WriteTensorSummary},
     .doc = "Writes a tensor; a serialized SummaryMetadata says what shows "
            "it."},

    {.name = "WriteScalarSummary",
     .inputs = TO_SUMMARY_WRITER "tag: string; value: T",
     .outputs = "",
     .attrs = "T: type in [" SUMMARY_NUMBERS "]",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = WriteScalarSummary},
     .doc = "Writes a number."},

    {.name = "WriteHistogramSummary",
     .inputs = TO_SUMMARY_WRITER "tag: string; values: T",
     .outputs = "",
     .attrs = "T: type in [" SUMMARY_NUMBERS ", bool] = float",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = WriteHistogramSummary},
     .doc = "Writes how the elements are spread, in the form of TensorFlow "
            "1."},

    {.name = "WriteImageSummary",
     .inputs = TO_SUMMARY_WRITER "tag: string; tensor: T; bad_color: uint8",
     .outputs = "",
     .attrs = "max_images: int >= 1 = 3; T: type in [uint8, double, float, "
              "half] = float",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = WriteImageSummary},
     .doc = "Writes pictures [batch, height, width, channels], in the form of "
            "TensorFlow 1."},

    {.name = "WriteAudioSummary",
     .inputs =
         TO_SUMMARY_WRITER "tag: string; tensor: float; sample_rate: float",
     .outputs = "",
     .attrs = "max_outputs: int >= 1 = 3",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = WriteAudioSummary},
     .doc = "Writes sounds [batch, frames, channels], in the form of "
            "TensorFlow 1."},

    {.name = "WriteRawProtoSummary",
     .inputs = TO_SUMMARY_WRITER "tensor: string",
     .outputs = "",
     .attrs = "",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = WriteRawProtoSummary},
     .doc = "Writes serialized Summary messages, as one event."},

    {.name = "WriteGraphSummary",
     .inputs = TO_SUMMARY_WRITER "tensor: string",
     .outputs = "",
     .attrs = "",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = WriteGraphSummary},
     .doc = "Writes a serialized GraphDef."},

    {.name = "ImportEvent",
     .inputs = "writer: resource; event: string",
     .outputs = "",
     .attrs = "",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ImportSummaryEvent},
     .doc = "Writes a serialized Event as it is."},
};

}  // namespace

GK_REGISTER_OPS(summary_write)

}  // namespace gk
