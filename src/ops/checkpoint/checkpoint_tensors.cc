// Tensors to and from checkpoints, by name.
#include <algorithm>

#include "checkpoint/bundle_names.h"
#include "checkpoint/bundle_reader.h"
#include "checkpoint/bundle_writer.h"
#include "framework/long_work.h"
#include "framework/op_registry.h"
#include "io/files.h"
#include "io/path.h"
#include "ops/checkpoint/named_tensors.h"

namespace gk {
namespace {

// The names and slices of `count` tensors.
Status CheckNamed(const Tensor& names, const Tensor& slices, int64_t count) {
  GK_RETURN_IF_ERROR(OneForEach(names, "tensor_names", count));
  return OneForEach(slices, "shape_and_slices", count);
}

Status ComputeSave(KernelContext& c) {
  GK_RETURN_IF_ERROR(OneElement(c.input(0), "prefix"));
  const int count = c.num_inputs() - 3;
  GK_RETURN_IF_ERROR(CheckNamed(c.input(1), c.input(2), count));
  // The last folder is made, those around it are there.
  const std::string& prefix = c.input(0).scalar<std::string>();
  const std::string folder(io::FolderOf(prefix));
  const std::string around(io::FolderOf(folder));
  if (!around.empty() && !io::IsDirectory(around)) {
    return NotFound("{}; No such file or directory", folder);
  }
  int64_t bytes = 0;
  for (int i = 0; i < count; ++i) bytes += c.input(i + 3).byte_size();
  LongWork work(WorkUnit::kBytes, "Saving", "Saved", prefix, bytes);
  GK_ASSIGN_OR_RETURN(BundleWriter writer, BundleWriter::Create(prefix));
  for (int i = 0; i < count; ++i) {
    GK_ASSIGN_OR_RETURN(
        const SliceToWrite part,
        PartBySpec(c.input(1).flat<std::string>()[i],
                   c.input(2).flat<std::string>()[i], c.input(i + 3)));
    GK_RETURN_IF_ERROR(
        writer.AddSlice(part.name, part.full, part.slice, part.value));
  }
  GK_RETURN_IF_ERROR(writer.Finish());
  work.Done();
  return OkStatus();
}

Status ComputeRestore(KernelContext& c) {
  GK_RETURN_IF_ERROR(OneElement(c.input(0), "prefix"));
  const auto& dtypes = c.attr<std::vector<DataType>>("dtypes");
  const auto count = static_cast<int>(dtypes.size());
  GK_RETURN_IF_ERROR(CheckNamed(c.input(1), c.input(2), count));
  GK_ASSIGN_OR_RETURN(const std::shared_ptr<BundleReader> reader,
                      BundleReader::Open(c.input(0).scalar<std::string>()));
  LongWork work(WorkUnit::kBytes, "Restoring", "Restored", reader->prefix());
  for (int i = 0; i < count; ++i) {
    GK_ASSIGN_OR_RETURN(
        Tensor value, ReadNamed(*reader, c.input(1).flat<std::string>()[i],
                                c.input(2).flat<std::string>()[i], dtypes[i]));
    c.set_output(i, std::move(value));
  }
  work.Done();
  return OkStatus();
}

Status CheckSaveShapes(InferenceContext& c) {
  PartialTensorShape shape;
  GK_RETURN_IF_ERROR(c.WithRank(0, 0, &shape));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &shape));
  return c.WithRank(2, 1, &shape);
}

Status RestoreShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(CheckSaveShapes(c));
  const auto count = [&](int i) {
    return c.input(i).unknown_rank() ? kUnknownDim : c.input(i).dim(0);
  };
  int64_t merged;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(count(1), count(2), &merged));
  const Tensor& slices = c.value(2);
  const bool known = slices && slices.num_elements() == c.num_outputs();
  for (int i = 0; i < c.num_outputs(); ++i) {
    PartialTensorShape shape;
    if (known) {
      GK_ASSIGN_OR_RETURN(shape, ShapeOfPart(slices.flat<std::string>()[i]));
    }
    c.set_output(i, std::move(shape));
  }
  return OkStatus();
}

Status ComputeMerge(KernelContext& c) {
  const std::span<const std::string> from = c.input(0).flat<std::string>();
  GK_RETURN_IF_ERROR(OneElement(c.input(1), "destination_prefix"));
  std::vector<std::string> prefixes(from.begin(), from.end());
  if (c.attr<bool>("allow_missing_files")) {
    std::erase_if(prefixes, [](const std::string& prefix) {
      const auto there = io::Exists(BundleIndexName(prefix));
      return there.ok() && !*there;
    });
  }
  GK_RETURN_IF_ERROR(MergeBundles(prefixes, c.input(1).scalar<std::string>()));
  if (!c.attr<bool>("delete_old_dirs")) return OkStatus();
  const std::string kept(io::FolderOf(c.input(1).scalar<std::string>()));
  for (const std::string& prefix : from) {
    // Others may still have something in it.
    const std::string folder(io::FolderOf(prefix));
    if (folder == kept || !io::IsDirectory(folder)) continue;
    GK_ASSIGN_OR_RETURN(const auto left, io::List(folder));
    if (left.empty()) GK_RETURN_IF_ERROR(io::DeleteRecursively(folder));
  }
  return OkStatus();
}

Status MergeShape(InferenceContext& c) {
  PartialTensorShape shape;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &shape));
  return c.WithRank(1, 0, &shape);
}

// Names of files are made of scalars alone.
Status RankZero(const Tensor& t, std::string_view what) {
  if (t.shape().IsScalar()) return OkStatus();
  return InvalidArgument("{} must be a scalar, got shape {}", what,
                         t.shape().DebugString());
}

Status ComputeShardedFilename(KernelContext& c) {
  constexpr std::string_view kInputs[] = {"basename", "shard", "num_shards"};
  for (int i = 0; i < 3; ++i) {
    GK_RETURN_IF_ERROR(RankZero(c.input(i), kInputs[i]));
  }
  c.set_output(0, Tensor::Scalar(ShardedName(c.input(0).scalar<std::string>(),
                                             c.input(1).scalar<int32_t>(),
                                             c.input(2).scalar<int32_t>())));
  return OkStatus();
}

Status ComputeShardedFilespec(KernelContext& c) {
  GK_RETURN_IF_ERROR(RankZero(c.input(0), "basename"));
  GK_RETURN_IF_ERROR(RankZero(c.input(1), "num_shards"));
  c.set_output(0, Tensor::Scalar(ShardsPattern(c.input(0).scalar<std::string>(),
                                               c.input(1).scalar<int32_t>())));
  return OkStatus();
}

Status AllScalars(InferenceContext& c) {
  PartialTensorShape shape;
  for (int i = 0; i < c.num_inputs(); ++i) {
    GK_RETURN_IF_ERROR(c.WithRank(i, 0, &shape));
  }
  return shape_fn::Scalar(c);
}

const OpRecord kRecords[] = {
    {.name = "SaveV2",
     .inputs = "prefix: string; tensor_names: string; shape_and_slices: "
               "string; tensors: dtypes",
     .outputs = "",
     .attrs = "dtypes: list(type) >= 1",
     .traits = kStateful | kNoGradient,
     .shape = CheckSaveShapes,
     .kernel = {.compute = ComputeSave},
     .doc = "Writes tensors as a checkpoint: PREFIX.index and the data beside "
            "it. A name's part of shape_and_slices is empty, or the shape of a "
            "whole of which the tensor is a part, and which: \"10 20 0,5:-\". "
            "An older checkpoint of that prefix stays whole until the new one "
            "is."},

    {.name = "RestoreV2",
     .inputs = "prefix: string; tensor_names: string; shape_and_slices: string",
     .outputs = "tensors: dtypes",
     .attrs = "dtypes: list(type) >= 1",
     .traits = kStateful | kNoGradient,
     .shape = RestoreShape,
     .kernel = {.compute = ComputeRestore},
     .doc = "Reads tensors of a checkpoint, or parts of them, by name. Raises "
            "NotFoundError for a name that it does not have, DataLossError if "
            "a checksum does not match."},

    {.name = "MergeV2Checkpoints",
     .inputs = "checkpoint_prefixes: string; destination_prefix: string",
     .outputs = "",
     .attrs = "delete_old_dirs: bool = True; allow_missing_files: bool = False",
     .traits = kStateful | kNoGradient,
     .shape = MergeShape,
     .kernel = {.compute = ComputeMerge},
     .doc = "Makes one checkpoint of several: their data files are renamed, "
            "not copied."},

    {.name = "ShardedFilename",
     .inputs = "basename: string; shard: int32; num_shards: int32",
     .outputs = "filename: string",
     .attrs = "",
     .traits = kNoGradient,
     .shape = AllScalars,
     .kernel = {.compute = ComputeShardedFilename},
     .doc = "The name of a file among several: \"a-00000-of-00002\"."},

    {.name = "ShardedFilespec",
     .inputs = "basename: string; num_shards: int32",
     .outputs = "filename: string",
     .attrs = "",
     .traits = kNoGradient,
     .shape = AllScalars,
     .kernel = {.compute = ComputeShardedFilespec},
     .doc = "The pattern of the names of several files, with a question mark "
            "for each digit of a shard's number."},
};

}  // namespace

GK_REGISTER_OPS(checkpoint_tensors)

}  // namespace gk
