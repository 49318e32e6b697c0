// Tensors to and from checkpoints of the first format, by name.
#include "checkpoint/bundle_reader.h"
#include "checkpoint/slice_files.h"
#include "framework/op_registry.h"
#include "ops/checkpoint/named_tensors.h"

namespace gk {
namespace {

// The tensors of `c` from input `first` on, whose names input 1 has.
Status WriteNamed(KernelContext& c, int first) {
  GK_RETURN_IF_ERROR(OneElement(c.input(0), "filename"));
  const int count = c.num_inputs() - first;
  const bool sliced = first == 3;
  for (int i = 1; i < first; ++i) {
    GK_RETURN_IF_ERROR(OneForEach(
        c.input(i), i == 1 ? "tensor_names" : "shapes_and_slices", count));
  }
  std::vector<SliceToWrite> slices;
  for (int i = 0; i < count; ++i) {
    GK_ASSIGN_OR_RETURN(
        SliceToWrite slice,
        PartBySpec(c.input(1).flat<std::string>()[i],
                   sliced ? c.input(2).flat<std::string>()[i] : "",
                   c.input(first + i)));
    slices.push_back(std::move(slice));
  }
  return WriteSliceFile(c.input(0).scalar<std::string>(), slices);
}

Status ComputeSaveWhole(KernelContext& c) { return WriteNamed(c, 2); }
Status ComputeSaveSlices(KernelContext& c) { return WriteNamed(c, 3); }

Status ComputeRestorePart(KernelContext& c) {
  constexpr std::string_view kInputs[] = {"file_pattern", "tensor_name",
                                          "shape_and_slice"};
  for (int i = 0; i < c.num_inputs(); ++i) {
    GK_RETURN_IF_ERROR(OneElement(c.input(i), kInputs[i]));
  }
  GK_ASSIGN_OR_RETURN(const std::shared_ptr<BundleReader> reader,
                      BundleReader::Open(c.input(0).scalar<std::string>()));
  GK_ASSIGN_OR_RETURN(
      Tensor value,
      ReadNamed(*reader, c.input(1).scalar<std::string>(),
                c.num_inputs() == 3 ? c.input(2).scalar<std::string>() : "",
                c.attr<DataType>("dt")));
  c.set_output(0, std::move(value));
  return OkStatus();
}

Status SaveSlicesShape(InferenceContext& c) {
  PartialTensorShape shape;
  GK_RETURN_IF_ERROR(c.WithRank(0, 0, &shape));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &shape));
  return c.WithRank(2, 1, &shape);
}

Status SaveWholeShape(InferenceContext& c) {
  PartialTensorShape shape;
  GK_RETURN_IF_ERROR(c.WithRank(0, 0, &shape));
  return c.WithRank(1, 1, &shape);
}

Status RestorePartShape(InferenceContext& c) {
  PartialTensorShape shape;
  for (int i = 0; i < c.num_inputs(); ++i) {
    GK_RETURN_IF_ERROR(c.WithRank(i, 0, &shape));
  }
  PartialTensorShape part;
  if (c.num_inputs() > 2 && c.value(2)) {
    GK_ASSIGN_OR_RETURN(part, ShapeOfPart(c.value(2).scalar<std::string>()));
  }
  c.set_output(0, std::move(part));
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "Save",
     .inputs = "filename: string; tensor_names: string; data: T",
     .outputs = "",
     .attrs = "T: list(type) >= 1",
     .traits = kStateful | kNoGradient,
     .shape = SaveWholeShape,
     .kernel = {.compute = ComputeSaveWhole},
     .doc = "Writes tensors as a checkpoint of TensorFlow's first format, one "
            "file. SaveV2 writes the newer one."},

    {.name = "SaveSlices",
     .inputs = "filename: string; tensor_names: string; shapes_and_slices: "
               "string; data: T",
     .outputs = "",
     .attrs = "T: list(type) >= 1",
     .traits = kStateful | kNoGradient,
     .shape = SaveSlicesShape,
     .kernel = {.compute = ComputeSaveSlices},
     .doc = "Writes tensors and parts of tensors as Save does. A name's part "
            "of shapes_and_slices is empty, or the shape of a whole of which "
            "the tensor is a part, and which: \"10 20 0,5:-\"."},

    {.name = "Restore",
     .inputs = "file_pattern: string; tensor_name: string",
     .outputs = "tensor: dt",
     .attrs = "dt: type; preferred_shard: int = -1",
     .traits = kStateful | kNoGradient,
     .shape = RestorePartShape,
     .kernel = {.compute = ComputeRestorePart},
     .doc = "Reads a tensor of a checkpoint of either format by its name. "
            "Raises NotFoundError for a name that it does not have, "
            "DataLossError of a damaged file."},

    {.name = "RestoreSlice",
     .inputs = "file_pattern: string; tensor_name: string; shape_and_slice: "
               "string",
     .outputs = "tensor: dt",
     .attrs = "dt: type; preferred_shard: int = -1",
     .traits = kStateful | kNoGradient,
     .shape = RestorePartShape,
     .kernel = {.compute = ComputeRestorePart},
     .doc = "Reads a part of a tensor of a checkpoint, as SaveSlices names "
            "parts, or with an empty text all of it."},
};

}  // namespace

GK_REGISTER_OPS(slice_tensors)

}  // namespace gk
