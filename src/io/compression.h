// Files that hold others in a compressed form, zlib's or gzip's (RFC 1950 and
// 1952), or in blocks of Snappy (snappy_file.h): read as what they hold,
// written from it.
//
// Of a gzip file all members are read, one after the other; of a zlib file what
// stands behind its end is left out. Nothing is taken on trust: a file that is
// damaged, or ends before it should, is DataLoss once all before that was read.
// One whose writer has flushed and is not done ends there.
#ifndef GK_IO_COMPRESSION_H_
#define GK_IO_COMPRESSION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "io/buffered_reader.h"
#include "io/file_system.h"

namespace gk::io {

enum class Compression : uint8_t { kNone, kZlib, kGzip, kSnappy };

// "", "ZLIB" and "GZIP", which files of records may have; InvalidArgument for
// other names.
StatusOr<Compression> CompressionOf(std::string_view name);

// How much of a file is read at a time: `buffer_size` as programs give it, 0
// and -1 for what is best here. At most a bound, whatever it says.
size_t PieceSize(int64_t buffer_size);

// The file as what it holds, for one reader alone. Reads go on from where the
// last one ended; those of an earlier place begin anew. `path`: for messages.
// kNone: the file itself.
std::unique_ptr<RandomAccessFile> Inflate(
    std::unique_ptr<RandomAccessFile> file, std::string path,
    Compression compression);

// The file of this path, read `piece` bytes at a time.
StatusOr<BufferedReader> OpenInflated(const std::string& path,
                                      Compression compression,
                                      size_t piece = PieceSize(0));

// Decompresses strings, one after the other. `where`: of which string messages
// speak. DataLoss for one that is damaged or ends too early; ResourceExhausted
// if there is no memory for what it holds.
class TextInflater {
 public:
  // kZlib or kGzip.
  explicit TextInflater(Compression compression);
  ~TextInflater();
  StatusOr<std::string> Inflate(std::string_view text, std::string_view where);

 private:
  const std::unique_ptr<class Inflater> stream_;
};

// zlib's own numbers; InvalidArgument of Deflate for those it does not know.
struct DeflateOptions {
  Compression compression = Compression::kNone;
  int level = -1;       // 0 (stored) to 9, -1: zlib's choice
  int mem_level = 9;    // 1 to 9
  int strategy = 0;     // Z_DEFAULT_STRATEGY
  int window_bits = 0;  // 9 to 15; 0: 15
};
// A file that gets in this form what is appended. Tell() is of what it got.
StatusOr<std::unique_ptr<WritableFile>> Deflate(
    std::unique_ptr<WritableFile> file, const DeflateOptions& options);

// A file of this path, in place of what it held.
StatusOr<std::unique_ptr<WritableFile>> OpenDeflated(
    const std::string& path, const DeflateOptions& options);

}  // namespace gk::io

#endif  // GK_IO_COMPRESSION_H_
