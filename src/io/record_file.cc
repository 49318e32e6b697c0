#include "io/record_file.h"

#include <limits>

#include "io/compression.h"

namespace gk::io {
namespace {

// For zlib, which refuses those of its own range that make no sense.
int Narrow(const std::optional<int64_t>& given, int otherwise) {
  if (!given) return otherwise;
  const bool fits = *given > std::numeric_limits<int>::min() &&
                    *given < std::numeric_limits<int>::max();
  return fits ? static_cast<int>(*given) : std::numeric_limits<int>::max();
}

// Nothing is written to it.
class NoFile final : public WritableFile {
 public:
  Status Append(std::string_view) override { return OkStatus(); }
  Status Flush() override { return OkStatus(); }
  Status Sync() override { return OkStatus(); }
  Status Close() override { return OkStatus(); }
  StatusOr<int64_t> Tell() override { return 0; }
};

}  // namespace

StatusOr<std::shared_ptr<RecordFile>> RecordFile::Open(
    const std::string& path, const RecordFileOptions& options) {
  DeflateOptions deflate;
  GK_ASSIGN_OR_RETURN(deflate.compression,
                      CompressionOf(options.compression_type));
  deflate.level = Narrow(options.level, deflate.level);
  deflate.mem_level = Narrow(options.mem_level, deflate.mem_level);
  deflate.strategy = Narrow(options.strategy, deflate.strategy);
  deflate.window_bits = Narrow(options.window_bits, deflate.window_bits);
  GK_RETURN_IF_ERROR(Deflate(std::make_unique<NoFile>(), deflate).status());
  GK_ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file,
                      OpenDeflated(path, deflate));
  return std::make_shared<RecordFile>(RecordWriter(path, std::move(file)));
}

Status RecordFile::Write(std::string_view record) {
  const std::lock_guard lock(mutex_);
  return writer_.Write(record);
}
Status RecordFile::Flush() {
  const std::lock_guard lock(mutex_);
  return writer_.Flush();
}
Status RecordFile::Close() {
  const std::lock_guard lock(mutex_);
  return writer_.Close();
}

StatusOr<RecordReader> OpenRecords(const std::string& path,
                                   std::string_view compression_type) {
  GK_ASSIGN_OR_RETURN(const Compression compression,
                      CompressionOf(compression_type));
  GK_ASSIGN_OR_RETURN(BufferedReader file, OpenInflated(path, compression));
  return RecordReader(path, std::move(file));
}

}  // namespace gk::io
