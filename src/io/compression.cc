#include "io/compression.h"

#include <zlib.h>

#include <algorithm>

#include "base/interrupt.h"
#include "framework/text_memory.h"
#include "io/files.h"
#include "io/snappy_file.h"

namespace gk::io {
namespace {

constexpr size_t kCodecPiece = size_t{1} << 16;
constexpr size_t kLargestPiece = size_t{1} << 24;
constexpr int kGzipBits = 16;  // added to the bits of the window

std::string_view ErrorText(const z_stream& stream) {
  return stream.msg == nullptr ? "" : stream.msg;
}

}  // namespace

// A stream of compressed bytes from its beginning on. Begun again, it keeps its
// memory.
class Inflater {
 public:
  explicit Inflater(Compression compression)
      : is_gzip_(compression == Compression::kGzip) {}
  Inflater(const Inflater&) = delete;
  ~Inflater() {
    if (begun_) inflateEnd(&stream_);
  }

  bool begun() const { return begun_; }
  Status Begin(std::string_view path) {
    const int bits = MAX_WBITS + (is_gzip_ ? kGzipBits : 0);
    begun_ = (begun_ ? inflateReset(&stream_) : inflateInit2(&stream_, bits)) ==
             Z_OK;
    if (!begun_) {
      return ResourceExhausted("{}: there is no memory to decompress it", path);
    }
    stream_.avail_in = 0;
    ended_ = within_ = false;
    return OkStatus();
  }

  // Some of what comes next, 0 at the end. `more` gives further compressed
  // bytes, which stay as they are until it is called again; none at the end.
  template <class More>
  StatusOr<size_t> Next(std::span<char> to, std::string_view path, More more) {
    const auto room =
        static_cast<uInt>(std::min<size_t>(to.size(), kLargestPiece));
    stream_.next_out = reinterpret_cast<Bytef*>(to.data());
    stream_.avail_out = room;
    while (!ended_ && stream_.avail_out == room) {
      if (stream_.avail_in == 0) {
        GK_ASSIGN_OR_RETURN(const std::string_view got, more());
        if (got.empty()) {
          const bool is_done = !within_ || IsFlushed();
          // What it has still to copy.
          if (!is_done) inflate(&stream_, Z_SYNC_FLUSH);
          if (stream_.avail_out != room) break;
          ended_ = true;
          if (is_done) break;
          return DataLoss(
              "{}: the compressed file ends before what it holds does", path);
        }
        stream_.next_in =
            reinterpret_cast<Bytef*>(const_cast<char*>(got.data()));
        stream_.avail_in = static_cast<uInt>(got.size());
      }
      within_ = true;
      const int state = inflate(&stream_, Z_NO_FLUSH);
      if (state == Z_STREAM_END) {
        within_ = false;
        if (is_gzip_) {
          inflateReset(&stream_);
        } else {
          ended_ = true;
        }
      } else if (state != Z_OK && state != Z_BUF_ERROR) {
        return DataLoss("{}: inflate() failed with error {}: {}", path, state,
                        ErrorText(stream_));
      }
    }
    return size_t{room} - stream_.avail_out;
  }

 private:
  // Does what was read end with a block, as where a writer has flushed and
  // still writes?
  bool IsFlushed() const {
    constexpr int kAfterBlock = 128, kUnusedBits = 7;
    return stream_.total_out > 0 && (stream_.data_type & kAfterBlock) != 0 &&
           (stream_.data_type & kUnusedBits) == 0;
  }

  const bool is_gzip_;
  z_stream stream_{};
  bool begun_ = false, ended_ = false, within_ = false;
};

namespace {

// What it knows of where it is changes as it is read.
class InflatedFile final : public RandomAccessFile {
 public:
  InflatedFile(std::unique_ptr<RandomAccessFile> file, std::string path,
               Compression compression)
      : file_(std::move(file)),
        path_(std::move(path)),
        inflater_(compression) {}

  StatusOr<size_t> Read(uint64_t offset, std::span<char> to) const override {
    if (offset < at_ || !inflater_.begun()) {
      GK_RETURN_IF_ERROR(inflater_.Begin(path_));
      failed_ = OkStatus();
      at_ = read_ = 0;
    }
    std::string skipped;
    while (at_ < offset) {
      skipped.resize(
          static_cast<size_t>(std::min<uint64_t>(offset - at_, kCodecPiece)));
      GK_ASSIGN_OR_RETURN(const size_t got, Next(skipped));
      if (got == 0) return size_t{0};
      GK_RETURN_IF_ERROR(CheckInterrupt());
    }
    size_t got = 0;
    while (got < to.size()) {
      StatusOr<size_t> more = Next(to.subspan(got));
      if (!more.ok()) {
        // What was there is given first; the error is that of the next read.
        if (got > 0) break;
        return more.status();
      }
      if (*more == 0) break;
      got += *more;
    }
    return got;
  }
  size_t best_piece() const override { return kLargestPiece; }

 private:
  // Some of what comes next, 0 at the end.
  StatusOr<size_t> Next(std::span<char> to) const {
    GK_RETURN_IF_ERROR(failed_);
    const StatusOr<size_t> got =
        inflater_.Next(to, path_, [this] { return MoreOfFile(); });
    if (got.ok()) {
      at_ += *got;
    } else {
      failed_ = got.status();
    }
    return got;
  }
  StatusOr<std::string_view> MoreOfFile() const {
    GK_RETURN_IF_ERROR(CheckInterrupt());
    input_.resize(kCodecPiece);
    GK_ASSIGN_OR_RETURN(const size_t got, file_->Read(read_, input_));
    read_ += got;
    return std::string_view(input_.data(), got);
  }

  const std::unique_ptr<RandomAccessFile> file_;
  const std::string path_;
  mutable Inflater inflater_;
  mutable Status failed_;
  mutable std::string input_;
  mutable uint64_t at_ = 0, read_ = 0;  // in what it holds, in the file
};

class DeflatedFile final : public WritableFile {
 public:
  DeflatedFile(std::unique_ptr<WritableFile> file, const DeflateOptions& o)
      : file_(std::move(file)) {
    const int bits = o.window_bits == 0 ? MAX_WBITS : o.window_bits;
    const bool is_gzip = o.compression == Compression::kGzip;
    begun_ = deflateInit2(&stream_, o.level, Z_DEFLATED,
                          bits + (is_gzip ? kGzipBits : 0), o.mem_level,
                          o.strategy) == Z_OK;
  }
  ~DeflatedFile() override {
    if (!begun_) return;
    if (!closed_) Close().ok();
    deflateEnd(&stream_);
  }
  bool begun() const { return begun_; }

  Status Append(std::string_view bytes) override {
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, kLargestPiece);
      GK_RETURN_IF_ERROR(Write(piece, Z_NO_FLUSH));
      bytes.remove_prefix(piece.size());
      size_ += static_cast<int64_t>(piece.size());
    }
    return OkStatus();
  }
  Status Flush() override {
    GK_RETURN_IF_ERROR(Write({}, Z_SYNC_FLUSH));
    return file_->Flush();
  }
  Status Sync() override {
    GK_RETURN_IF_ERROR(Flush());
    return file_->Sync();
  }
  Status Close() override {
    closed_ = true;
    const Status written = Write({}, Z_FINISH);
    const Status closed = file_->Close();
    return written.ok() ? closed : written;
  }
  StatusOr<int64_t> Tell() override { return size_; }

 private:
  Status Write(std::string_view bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      output_.resize(kCodecPiece);
      stream_.next_out = reinterpret_cast<Bytef*>(output_.data());
      stream_.avail_out = static_cast<uInt>(output_.size());
      const int state = deflate(&stream_, flush);
      if (state == Z_STREAM_ERROR) {
        return Internal("deflate() failed with error {}: {}", state,
                        ErrorText(stream_));
      }
      output_.resize(kCodecPiece -
                     std::min<size_t>(kCodecPiece, stream_.avail_out));
      GK_RETURN_IF_ERROR(file_->Append(output_));
    } while (stream_.avail_out == 0);
    return OkStatus();
  }

  const std::unique_ptr<WritableFile> file_;
  z_stream stream_{};
  bool begun_ = false, closed_ = false;
  std::string output_;
  int64_t size_ = 0;
};

}  // namespace

StatusOr<Compression> CompressionOf(std::string_view name) {
  if (name.empty()) return Compression::kNone;
  if (name == "ZLIB") return Compression::kZlib;
  if (name == "GZIP") return Compression::kGzip;
  return InvalidArgument(
      "Unsupported compression_type: {}; it is \"ZLIB\", \"GZIP\", or \"\" for "
      "none",
      name);
}

size_t PieceSize(int64_t buffer_size) {
  constexpr int64_t kBest = int64_t{1} << 18;
  if (buffer_size <= 0) return kBest;
  return static_cast<size_t>(
      std::min<int64_t>(buffer_size, int64_t{kLargestPiece}));
}

TextInflater::TextInflater(Compression compression)
    : stream_(std::make_unique<Inflater>(compression)) {}
TextInflater::~TextInflater() = default;

StatusOr<std::string> TextInflater::Inflate(std::string_view text,
                                            std::string_view where) {
  GK_RETURN_IF_ERROR(stream_->Begin(where));
  std::string_view rest = text;
  const auto more = [&]() -> StatusOr<std::string_view> {
    const std::string_view piece = rest.substr(0, kLargestPiece);
    rest.remove_prefix(piece.size());
    return piece;
  };
  std::string held;
  // What is usual; then as much again as there is.
  size_t used = 0, room = std::min(text.size() * 3 + 64, kLargestPiece);
  for (;; room = std::min(used, kLargestPiece)) {
    GK_RETURN_IF_ERROR(CheckTextBytes(static_cast<int64_t>(room)));
    held.resize(used + room);
    while (used < held.size()) {
      GK_ASSIGN_OR_RETURN(
          const size_t got,
          stream_->Next({held.data() + used, held.size() - used}, where, more));
      used += got;
      if (got > 0) continue;
      held.resize(used);
      if (held.capacity() > 2 * used + 64) held.shrink_to_fit();
      return held;
    }
    GK_RETURN_IF_ERROR(CheckInterrupt());
  }
}

std::unique_ptr<RandomAccessFile> Inflate(
    std::unique_ptr<RandomAccessFile> file, std::string path,
    Compression compression) {
  if (compression == Compression::kNone) return file;
  if (compression == Compression::kSnappy) {
    return ReadSnappy(std::move(file), std::move(path));
  }
  return std::make_unique<InflatedFile>(std::move(file), std::move(path),
                                        compression);
}

StatusOr<BufferedReader> OpenInflated(const std::string& path,
                                      Compression compression, size_t piece) {
  GK_ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, OpenToRead(path));
  return BufferedReader(Inflate(std::move(file), path, compression), piece);
}

StatusOr<std::unique_ptr<WritableFile>> Deflate(
    std::unique_ptr<WritableFile> file, const DeflateOptions& options) {
  if (options.compression == Compression::kNone) return file;
  if (options.compression == Compression::kSnappy) {
    return WriteSnappy(std::move(file));
  }
  auto made = std::make_unique<DeflatedFile>(std::move(file), options);
  if (!made->begun()) {
    return InvalidArgument(
        "zlib knows no such compression: level {} (-1 to 9), memory level {} "
        "(1 to 9), strategy {} (0 to 4), bits of the window {} (9 to 15)",
        options.level, options.mem_level, options.strategy,
        options.window_bits);
  }
  return std::unique_ptr<WritableFile>(std::move(made));
}

StatusOr<std::unique_ptr<WritableFile>> OpenDeflated(
    const std::string& path, const DeflateOptions& options) {
  GK_ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file,
                      OpenToWrite(path, WriteMode::kTruncate));
  return Deflate(std::move(file), options);
}

}  // namespace gk::io
