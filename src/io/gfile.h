// GFile: one open file as TensorFlow's programs use it: read in pieces and
// lines, written or appended to.
//
// The file is opened by the first call that reads or writes, with its errors.
// Thread-safe; calls of several threads take turns.
#ifndef GK_IO_GFILE_H_
#define GK_IO_GFILE_H_

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "io/buffered_reader.h"

namespace gk::io {

class GFile {
 public:
  // `mode`: "r", "w", "a", "r+", "w+" or "a+", with a "b" for bytes, which
  // faces tell from text. Those with "w", and "r+", begin with an empty file
  // when they first write, those with "a" at its end. InvalidArgument for
  // others and for paths with a NUL.
  static StatusOr<std::shared_ptr<GFile>> Make(std::string name,
                                               std::string mode);
  ~GFile();

  const std::string& name() const { return name_; }
  const std::string& mode() const { return mode_; }
  bool is_binary() const { return binary_; }

  // `n` bytes from here, fewer at the end; -1: all. What this GFile has
  // written is there. PermissionDenied unless the mode reads.
  StatusOr<std::string> Read(int64_t n = -1);
  // With its "\n", without carriage returns; empty at the end.
  StatusOr<std::string> ReadLine();
  // From the beginning (0), from here (1) or from the end (2). OutOfRange
  // behind the end, where it stays then.
  Status Seek(int64_t offset, int whence);
  // Where the next byte is read, or, of files that only write, written.
  StatusOr<int64_t> Tell();
  StatusOr<int64_t> Size() const;

  // PermissionDenied unless the mode writes.
  Status Write(std::string_view bytes);
  Status Flush();
  // It opens again when it is next used.
  Status Close();

 private:
  GFile(std::string name, std::string mode);
  Status OpenReader();
  Status OpenWriter();

  const std::string name_, mode_;
  bool binary_ = false, reads_ = false, writes_ = false, appends_ = false;
  std::mutex mutex_;
  std::optional<BufferedReader> reader_;
  std::unique_ptr<WritableFile> writer_;
};

}  // namespace gk::io

#endif  // GK_IO_GFILE_H_
