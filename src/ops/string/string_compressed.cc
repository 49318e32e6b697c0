// Strings that hold others in a compressed form.
#include <string>
#include <string_view>

#include "base/interrupt.h"
#include "framework/op_registry.h"
#include "framework/text_memory.h"
#include "io/buffered_reader.h"
#include "io/compression.h"

namespace gk {
namespace {

class TextFile final : public io::RandomAccessFile {
 public:
  explicit TextFile(std::string_view text) : text_(text) {}
  StatusOr<size_t> Read(uint64_t offset, std::span<char> to) const override {
    const std::string_view rest =
        text_.substr(std::min<uint64_t>(offset, text_.size()));
    return rest.copy(to.data(), to.size());
  }

 private:
  const std::string_view text_;
};

Status ComputeDecompress(KernelContext& c) {
  const Tensor& given = c.input(0);
  const std::string& name = c.attr<std::string>("compression_type");
  const StatusOr<io::Compression> compression = io::CompressionOf(name);
  if (!compression.ok()) {
    return InvalidArgument(
        "Only ZLIB, GZIP or NONE are supported compressions, not {}", name);
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kString, given.shape(), &out));
  TurnPoll poll;
  for (int64_t i = 0; i < given.num_elements(); ++i) {
    poll();
    const std::string& text = given.data<std::string>()[i];
    std::string& to = out->data<std::string>()[i];
    if (*compression == io::Compression::kNone) {
      CountText(static_cast<int64_t>(text.size()));
      to = text;
      continue;
    }
    io::BufferedReader reader(
        io::Inflate(std::make_unique<TextFile>(text),
                    Format("decode_compressed: string {}", i), *compression));
    GK_ASSIGN_OR_RETURN(to, reader.ReadRest());
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
