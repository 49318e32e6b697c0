// BufferedReader: a file from its beginning, in pieces and lines. Owns the
// file; one reader's.
#ifndef GK_IO_BUFFERED_READER_H_
#define GK_IO_BUFFERED_READER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "io/file_system.h"

namespace gk::io {

class BufferedReader {
 public:
  static StatusOr<BufferedReader> Open(const std::string& path);
  // `read_ahead`: how much is read at a time, at least 1.
  explicit BufferedReader(std::unique_ptr<RandomAccessFile> file,
                          size_t read_ahead = size_t{1} << 16)
      : file_(std::move(file)), read_ahead_(read_ahead) {}

  // The next `n` bytes, fewer only at the end.
  StatusOr<std::string> Read(uint64_t n);
  // Fills `to`, or gives how many bytes there were before the end.
  StatusOr<size_t> ReadInto(std::span<char> to);
  // All that is left; `size`: of the file, as far as it is known.
  StatusOr<std::string> ReadRest(uint64_t size = 0);
  // The next line without its "\n"; carriage returns are left out, as in
  // TensorFlow. False at the end. `ended`: whether it had a "\n".
  StatusOr<bool> ReadLine(std::string* line, bool* ended = nullptr);
  uint64_t offset() const { return start_ + at_; }
  // Nothing is read before it is asked for.
  void Seek(uint64_t offset);

 private:
  // False at the end.
  StatusOr<bool> Fill();

  std::unique_ptr<RandomAccessFile> file_;
  size_t read_ahead_;
  std::string buffer_;
  uint64_t start_ = 0;  // of the buffer in the file
  size_t at_ = 0;       // in the buffer
};

}  // namespace gk::io

#endif  // GK_IO_BUFFERED_READER_H_
