// RecordFile: a file of framed records as programs write it, compressed if they
// want that; and reading it again. Thread-safe, as far as it is written.
#ifndef GK_IO_RECORD_FILE_H_
#define GK_IO_RECORD_FILE_H_

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "io/record_io.h"

namespace gk::io {

// Nothing: zlib's choice, or TensorFlow's.
struct RecordFileOptions {
  std::string compression_type;  // "", "ZLIB", "GZIP"
  std::optional<int64_t> level, mem_level, strategy, window_bits;
};

class RecordFile {
 public:
  // In place of what the file held. InvalidArgument for options that there are
  // not; a file that is there is then left alone.
  static StatusOr<std::shared_ptr<RecordFile>> Open(
      const std::string& path, const RecordFileOptions& options);
  explicit RecordFile(RecordWriter writer) : writer_(std::move(writer)) {}

  // FailedPrecondition once it is closed.
  Status Write(std::string_view record);
  Status Flush();
  // Once more: nothing is left to do.
  Status Close();

 private:
  std::mutex mutex_;
  RecordWriter writer_;
};

// Of a file that may be compressed.
StatusOr<RecordReader> OpenRecords(const std::string& path,
                                   std::string_view compression_type);

}  // namespace gk::io

#endif  // GK_IO_RECORD_FILE_H_
