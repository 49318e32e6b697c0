// Files that are read and written as a whole, and patterns of their names.
#include <algorithm>
#include <string>
#include <vector>

#include "framework/op_registry.h"
#include "framework/text_memory.h"
#include "io/files.h"
#include "io/path.h"

namespace gk {
namespace {

Status ScalarFile(InferenceContext& c) {
  PartialTensorShape input;
  for (int i = 0; i < c.num_inputs(); ++i) {
    GK_RETURN_IF_ERROR(c.WithRank(i, 0, &input));
  }
  if (c.num_inputs() == 1) c.set_output(0, TensorShape());
  return OkStatus();
}

Status CheckScalar(const Tensor& t, std::string_view what) {
  if (t.rank() == 0) return OkStatus();
  return InvalidArgument("{} tensor must be scalar, but had shape: {}", what,
                         t.shape().DebugString());
}

Status ComputeReadFile(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckScalar(c.input(0), "Input filename"));
  GK_ASSIGN_OR_RETURN(std::string bytes,
                      io::ReadFile(c.input(0).scalar<std::string>()));
  c.set_output(0, Tensor::Scalar(std::move(bytes)));
  return OkStatus();
}

Status ComputeWriteFile(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckScalar(c.input(0), "Input filename"));
  GK_RETURN_IF_ERROR(CheckScalar(c.input(1), "Contents"));
  const std::string& file = c.input(0).scalar<std::string>();
  if (const std::string folder(io::FolderOf(file)); !folder.empty()) {
    GK_RETURN_IF_ERROR(io::MakeDirectories(folder));
  }
  return io::WriteFile(file, c.input(1).scalar<std::string>());
}

Status MatchingShape(InferenceContext& c) {
  if (c.input(0).rank() > 1) {
    return InvalidArgument("Shape must be at most rank 1 but is rank {}",
                           c.input(0).rank());
  }
  c.set_output(0, {kUnknownDim});
  return OkStatus();
}

Status ComputeMatchingFiles(KernelContext& c) {
  const Tensor& patterns = c.input(0);
  if (patterns.rank() > 1) {
    return InvalidArgument(
        "Input patterns tensor must be scalar or vector, but had shape: {}",
        patterns.shape().DebugString());
  }
  std::vector<std::string> all;
  for (int64_t i = 0; i < patterns.num_elements(); ++i) {
    GK_ASSIGN_OR_RETURN(std::vector<std::string> files,
                        io::Glob(patterns.data<std::string>()[i]));
    all.insert(all.end(), files.begin(), files.end());
  }
  std::sort(all.begin(), all.end());
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kString,
                                TensorShape({static_cast<int64_t>(all.size())}),
                                &out));
  std::move(all.begin(), all.end(), out->data<std::string>());
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "ReadFile",
     .inputs = "filename: string",
     .outputs = "contents: string",
     .attrs = "",
     .traits = kStateful | kNoGradient,
     .shape = ScalarFile,
     .kernel = {.compute = ComputeReadFile},
     .python = {.names = "io.read_file"},
     .doc = "The bytes of a file, a scalar. Each call reads it anew, in a "
            "function in the order of the program. Paths with a scheme, "
            "\"memory://a\", are read where tf.io.gfile finds them. Raises "
            "NotFoundError and the like, which name the file.",
     .example = ">>> import os, tempfile\n"
                ">>> path = os.path.join(tempfile.mkdtemp(), 'a.txt')\n"
                ">>> tf.io.write_file(path, 'some text')\n"
                ">>> tf.io.read_file(path).numpy()\n"
                "b'some text'"},

    {.name = "WriteFile",
     .inputs = "filename: string; contents: string",
     .outputs = "",
     .attrs = "",
     .traits = kStateful | kNoGradient,
     .shape = ScalarFile,
     .kernel = {.compute = ComputeWriteFile},
     .python = {.names = "io.write_file"},
     .doc = "Writes the bytes of a scalar to a file, in place of what was in "
            "it; folders that are missing are made. Readers see the old file "
            "or the whole new one. Raises PermissionDeniedError and the like.",
     .example = ">>> import os, tempfile\n"
                ">>> path = os.path.join(tempfile.mkdtemp(), 'a.txt')\n"
                ">>> tf.io.write_file(path, 'some text')\n"
                ">>> tf.io.gfile.stat(path).length\n"
                "9"},

    {.name = "MatchingFiles",
     .inputs = "pattern: string",
     .outputs = "filenames: string",
     .attrs = "",
     .traits = kStateful | kNoGradient,
     .shape = MatchingShape,
     .kernel = {.compute = ComputeMatchingFiles},
     .python = {.names = "io.matching_files"},
     .doc = "The files, and folders, that a pattern or any of a vector of "
            "patterns describes, sorted, as tf.io.gfile.glob finds them.",
     .example = ">>> import os, tempfile\n"
                ">>> folder = tempfile.mkdtemp()\n"
                ">>> tf.io.write_file(os.path.join(folder, 'a.txt'), '')\n"
                ">>> names = tf.io.matching_files(folder + '/*.txt')\n"
                ">>> os.path.basename(names.numpy()[0])\n"
                "b'a.txt'"},
};

}  // namespace

GK_REGISTER_OPS(file_whole)

}  // namespace gk
