#include "io/compression.h"

#include <zlib.h>

#include <algorithm>

#include "base/interrupt.h"
#include "io/files.h"

namespace gk::io {
namespace {

constexpr size_t kCodecPiece = size_t{1} << 16;
constexpr size_t kLargestPiece = size_t{1} << 24;
constexpr int kGzipBits = 16;  // added to the bits of the window

std::string_view ErrorText(const z_stream& stream) {
  return stream.msg == nullptr ? "" : stream.msg;
}

// What it knows of where it is changes as it is read.
class InflatedFile final : public RandomAccessFile {
 public:
  InflatedFile(std::unique_ptr<RandomAccessFile> file, std::string path,
               Compression compression)
      : file_(std::move(file)),
        path_(std::move(path)),
        is_gzip_(compression == Compression::kGzip) {}
  ~InflatedFile() override { Stop(); }

  StatusOr<size_t> Read(uint64_t offset, std::span<char> to) const override {
    if (offset < at_ || !begun_) GK_RETURN_IF_ERROR(Begin());
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
  Status Begin() const {
    Stop();
    stream_ = {};
    const int bits = MAX_WBITS + (is_gzip_ ? kGzipBits : 0);
    if (inflateInit2(&stream_, bits) != Z_OK) {
      return ResourceExhausted("{}: there is no memory to decompress it",
                               path_);
    }
    begun_ = true;
    ended_ = false;
    within_ = false;
    failed_ = OkStatus();
    at_ = read_ = 0;
    return OkStatus();
  }
  void Stop() const {
    if (begun_) inflateEnd(&stream_);
    begun_ = false;
  }

  // Some of what comes next, 0 at the end.
  StatusOr<size_t> Next(std::span<char> to) const {
    GK_RETURN_IF_ERROR(failed_);
    const StatusOr<size_t> got = Inflated(to);
    if (got.ok()) {
      at_ += *got;
    } else {
      failed_ = got.status();
    }
    return got;
  }
  StatusOr<size_t> Inflated(std::span<char> to) const {
    const auto room =
        static_cast<uInt>(std::min<size_t>(to.size(), kLargestPiece));
    stream_.next_out = reinterpret_cast<Bytef*>(to.data());
    stream_.avail_out = room;
    while (!ended_ && stream_.avail_out == room) {
      if (stream_.avail_in == 0) {
        GK_RETURN_IF_ERROR(CheckInterrupt());
        input_.resize(kCodecPiece);
        GK_ASSIGN_OR_RETURN(const size_t got, file_->Read(read_, input_));
        read_ += got;
        if (got == 0) {
          ended_ = true;
          if (!within_) break;
          return DataLoss(
              "{}: the compressed file ends before what it holds does", path_);
        }
        stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
        stream_.avail_in = static_cast<uInt>(got);
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
        return DataLoss("{}: inflate() failed with error {}: {}", path_, state,
                        ErrorText(stream_));
      }
    }
    return size_t{room} - stream_.avail_out;
  }

  const std::unique_ptr<RandomAccessFile> file_;
  const std::string path_;
  const bool is_gzip_;
  mutable z_stream stream_{};
  mutable bool begun_ = false, ended_ = false, within_ = false;
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
      output_.resize(output_.size() - stream_.avail_out);
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

std::unique_ptr<RandomAccessFile> Inflate(
    std::unique_ptr<RandomAccessFile> file, std::string path,
    Compression compression) {
  if (compression == Compression::kNone) return file;
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
