// Framed records (TFRecord): what event files and example files are made of.
//
// A record is its length (8 bytes, little-endian), the length's masked
// CRC-32C (4 bytes), the data and the data's masked CRC-32C. A Writer or a
// Reader owns its file; neither is thread-safe.
#ifndef GK_IO_RECORD_IO_H_
#define GK_IO_RECORD_IO_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "io/buffered_reader.h"

namespace gk::io {

class RecordWriter {
 public:
  // Truncates the file, or appends to it.
  static StatusOr<RecordWriter> Open(const std::string& path,
                                     bool append = false);
  // Over an open file; `path`: for messages.
  RecordWriter(std::string path, std::unique_ptr<WritableFile> file)
      : path_(std::move(path)), file_(std::move(file)) {}

  Status Write(std::string_view record);
  // Readers see what was written.
  Status Flush();
  // Reports what a destructor could not. Writing afterwards fails.
  Status Close();

 private:
  std::string path_;
  std::unique_ptr<WritableFile> file_;  // null once closed
};

class RecordReader {
 public:
  static StatusOr<RecordReader> Open(const std::string& path);
  // Over an open file; `path`: for messages.
  RecordReader(std::string path, BufferedReader file)
      : path_(std::move(path)), file_(std::move(file)) {}

  // OUT_OF_RANGE at the end of the file, and where it ends within the first 12
  // bytes of a record, as TensorFlow has it; DATA_LOSS for a damaged record or
  // one that ends later. After an error the position stays where the record
  // begins, so that a growing file can be read on.
  Status Read(std::string* record);
  uint64_t offset() const { return file_.offset(); }
  void Seek(uint64_t offset) { file_.Seek(offset); }

 private:
  Status ReadAt(std::string* record);

  std::string path_;
  BufferedReader file_;
};

}  // namespace gk::io

#endif  // GK_IO_RECORD_IO_H_
