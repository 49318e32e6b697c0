// Strings that hold others in a compressed form.
#include <string>

#include "base/interrupt.h"
#include "framework/op_registry.h"
#include "io/compression.h"

namespace gk {
namespace {

Status ComputeDecompress(KernelContext& c) {
  const Tensor& given = c.input(0);
  const std::string& name = c.attr<std::string>("compression_type");
  const StatusOr<io::Compression> compression = io::CompressionOf(name);
  if (!compression.ok()) {
    return InvalidArgument(
        "Only ZLIB, GZIP or NONE are supported compressions, not {}", name);
  }
  if (*compression == io::Compression::kNone) {
    c.set_output(0, given.Alias());
    return OkStatus();
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kString, given.shape(), &out));
  io::TextInflater inflater(*compression);
  TurnPoll poll;
  for (int64_t i = 0; i < given.num_elements(); ++i) {
    poll();
    const std::string& text = given.data<std::string>()[i];
    GK_ASSIGN_OR_RETURN(
        out->data<std::string>()[i],
        inflater.Inflate(text, Format("decode_compressed: string {}", i)));
  }
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "DecodeCompressed",
     .inputs = "bytes: string",
     .outputs = "output: string",
     .attrs = "compression_type: string = ''",
     .traits = kNoGradient,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeDecompress},
     .python = {.names = "io.decode_compressed"},
     .doc = "What compressed strings hold: \"ZLIB\", \"GZIP\", or \"\" for "
            "strings as they are.\n\nRaises InvalidArgumentError for other "
            "compressions, DataLossError for strings that are damaged or cut "
            "off.",
     .example = ">>> import zlib\n"
                ">>> tf.io.decode_compressed(zlib.compress(b'text'), "
                "'ZLIB').numpy()\n"
                "b'text'"},
};

}  // namespace

GK_REGISTER_OPS(string_compressed)

}  // namespace gk
