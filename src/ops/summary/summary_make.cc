// Ops that make serialized summaries, for graphs of TensorFlow 1.
#include <set>
#include <string>
#include <utility>

#include "framework/op_registry.h"
#include "ops/summary/summary_values.h"

namespace gk {
namespace {

Status GiveSummary(KernelContext& c, const proto::Summary& summary) {
  c.set_output(0, Tensor::Scalar<std::string>(summary.Serialize()));
  return OkStatus();
}

// Input i, which names what there is.
StatusOr<std::string> SummaryTagOf(const KernelContext& c, int i,
                                   const char* what) {
  const Tensor& tag = c.input(i);
  if (tag.shape().IsScalar()) return std::string(tag.scalar<std::string>());
  return InvalidArgument("{} must be scalar", what);
}

Status MakeScalarSummary(KernelContext& c) {
  const Tensor &tags = c.input(0), &values = c.input(1);
  const bool fits = tags.shape() == values.shape() ||
                    (tags.num_elements() == 1 && values.num_elements() == 1);
  if (!fits) {
    return InvalidArgument("tags and values are not the same shape: {} != {}",
                           tags.shape().DebugString(),
                           values.shape().DebugString());
  }
  proto::Summary summary;
  for (int64_t i = 0; i < tags.num_elements(); ++i) {
    proto::Summary_Value& value = summary.value.emplace_back();
    value.tag = tags.data<std::string>()[i];
    value.set_simple_value(NumberAt(values, i));
  }
  return GiveSummary(c, summary);
}

Status MakeHistogramSummary(KernelContext& c) {
  proto::Summary summary;
  proto::Summary_Value& value = summary.value.emplace_back();
  GK_ASSIGN_OR_RETURN(value.tag, SummaryTagOf(c, 0, "tags"));
  GK_ASSIGN_OR_RETURN(value.mutable_histo(),
                      HistogramOf(c.input(1), c.record().name));
  return GiveSummary(c, summary);
}

Status MakeImageSummary(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const std::string tag, SummaryTagOf(c, 0, "Tags"));
  proto::Summary summary;
  GK_RETURN_IF_ERROR(AddImages(tag, c.input(1), c.attr<int64_t>("max_images"),
                               c.attr<Tensor>("bad_color"), &summary));
  return GiveSummary(c, summary);
}

Status MakeAudioSummary(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const std::string tag, SummaryTagOf(c, 0, "Tags"));
  if (c.input(2).num_elements() != 1) {
    return InvalidArgument("sample_rate must be scalar, got shape {}",
                           c.input(2).shape().DebugString());
  }
  proto::Summary summary;
  GK_RETURN_IF_ERROR(AddSounds(tag, c.input(1), c.attr<int64_t>("max_outputs"),
                               c.input(2).data<float>()[0], &summary));
  return GiveSummary(c, summary);
}

Status MakeTensorSummary(KernelContext& c) {
  proto::Summary summary;
  proto::Summary_Value& value = summary.value.emplace_back();
  value.node_name = c.record().name;
  GK_ASSIGN_OR_RETURN(value.mutable_tensor(), SummaryTensor(c.input(0)));
  return GiveSummary(c, summary);
}

Status MakeTaggedTensorSummary(KernelContext& c) {
  proto::Summary summary;
  proto::Summary_Value& value = summary.value.emplace_back();
  GK_ASSIGN_OR_RETURN(value.tag, SummaryTagOf(c, 0, "tag"));
  GK_ASSIGN_OR_RETURN(value.mutable_tensor(), SummaryTensor(c.input(1)));
  GK_ASSIGN_OR_RETURN(const std::string metadata,
                      SummaryTagOf(c, 2, "serialized_summary_metadata"));
  // Present even if it is empty, or cannot be read.
  proto::SummaryMetadata read;
  if (!read.Parse(metadata).ok()) read = {};
  value.metadata = std::move(read);
  return GiveSummary(c, summary);
}

Status MakeMergeSummary(KernelContext& c) {
  proto::Summary summary;
  std::set<std::string> tags;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const Tensor& part = c.input(i);
    for (int64_t k = 0; k < part.num_elements(); ++k) {
      proto::Summary one;
      if (!one.Parse(part.data<std::string>()[k]).ok()) {
        return InvalidArgument("Could not parse one of the summary inputs");
      }
      for (proto::Summary_Value& value : one.value) {
        if (!value.tag.empty() && !tags.insert(value.tag).second) {
          return InvalidArgument("Duplicate tag {} found in summary inputs ",
                                 value.tag);
        }
        summary.value.push_back(std::move(value));
      }
    }
  }
  return GiveSummary(c, summary);
}

#define SUMMARY_NUMBERS                                                       \
  "float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, " \
  "uint32, uint64"
#define MADE_SUMMARY "summary: string"

const OpRecord kRecords[] = {
    {.name = "ScalarSummary",
     .inputs = "tags: string; values: T",
     .outputs = MADE_SUMMARY,
     .attrs = "T: type in [" SUMMARY_NUMBERS "]",
     .traits = kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = MakeScalarSummary},
     .doc = "A serialized Summary of numbers with their tags."},

    {.name = "HistogramSummary",
     .inputs = "tag: string; values: T",
     .outputs = MADE_SUMMARY,
     .attrs = "T: type in [" SUMMARY_NUMBERS "] = float",
     .traits = kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = MakeHistogramSummary},
     .doc = "A serialized Summary of how numbers are spread."},

    {.name = "ImageSummary",
     .inputs = "tag: string; tensor: T",
     .outputs = MADE_SUMMARY,
     .attrs = "max_images: int >= 1 = 3; T: type in [uint8, float, half, "
              "double] = float; bad_color: tensor = uint8[255, 0, 0, 255]",
     .traits = kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = MakeImageSummary},
     .doc = "A serialized Summary of pictures [batch, height, width, "
            "channels]."},

    {.name = "AudioSummaryV2",
     .inputs = "tag: string; tensor: float; sample_rate: float",
     .outputs = MADE_SUMMARY,
     .attrs = "max_outputs: int >= 1 = 3",
     .traits = kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = MakeAudioSummary},
     .doc = "A serialized Summary of sounds [batch, frames, channels]."},

    {.name = "TensorSummary",
     .inputs = "tensor: T",
     .outputs = MADE_SUMMARY,
     .attrs = "T: type; description: string = ''; labels: list(string) = []; "
              "display_name: string = ''",
     .traits = kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = MakeTensorSummary},
     .doc = "A serialized Summary of a tensor."},

    {.name = "TensorSummaryV2",
     .inputs = "tag: string; tensor: T; serialized_summary_metadata: string",
     .outputs = MADE_SUMMARY,
     .attrs = "T: type",
     .traits = kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = MakeTaggedTensorSummary},
     .doc = "A serialized Summary of a tensor with its tag and what shows "
            "it."},

    {.name = "MergeSummary",
     .inputs = "inputs: N * string",
     .outputs = MADE_SUMMARY,
     .attrs = "N: int >= 1",
     .traits = kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = MakeMergeSummary},
     .doc = "The values of several serialized Summaries in one. A tag that "
            "comes twice is an error."},
};

}  // namespace

GK_REGISTER_OPS(summary_make)

}  // namespace gk
