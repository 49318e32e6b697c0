#include "io/snappy_file.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/interrupt.h"
#include "framework/text_memory.h"
#include "proto/snappy.h"

namespace gk::io {
namespace {

// What a block holds; TensorFlow's readers have room for twice as much.
constexpr size_t kHeld = size_t{1} << 17;
// Writers with larger buffers are unknown.
constexpr uint32_t kLargestBlock = uint32_t{1} << 30;
constexpr size_t kSizeBytes = 4;

class SnappyReader final : public RandomAccessFile {
 public:
  SnappyReader(std::unique_ptr<RandomAccessFile> file, std::string path)
      : file_(std::move(file)), path_(std::move(path)) {}

  StatusOr<size_t> Read(uint64_t offset, std::span<char> to) const override {
    if (offset < begins_) begins_ = read_ = 0, held_.clear();
    size_t got = 0;
    while (got < to.size()) {
      const uint64_t place = offset + got - begins_;
      if (place < held_.size()) {
        const size_t n =
            std::min<size_t>(to.size() - got, held_.size() - place);
        std::memcpy(to.data() + got, held_.data() + place, n);
        got += n;
        continue;
      }
      const StatusOr<bool> more = NextBlock();
      if (!more.ok()) {
        // What was there is given first; the error is that of the next read.
        if (got > 0) break;
        return more.status();
      }
      if (!*more) break;
    }
    return got;
  }
  size_t best_piece() const override { return kHeld; }

 private:
  // False at the end.
  StatusOr<bool> NextBlock() const {
    GK_RETURN_IF_ERROR(CheckInterrupt());
    unsigned char size[kSizeBytes];
    GK_ASSIGN_OR_RETURN(
        const size_t got,
        file_->Read(read_, {reinterpret_cast<char*>(size), kSizeBytes}));
    if (got == 0) return false;
    uint32_t n = 0;
    for (const unsigned char byte : size) n = n << 8 | byte;
    if (got < kSizeBytes || n > kLargestBlock) return Damaged();
    // A size that no file has takes no memory.
    std::string block;
    while (block.size() < n) {
      const size_t before = block.size();
      block.resize(std::min<size_t>(n, before + (size_t{1} << 20)));
      GK_ASSIGN_OR_RETURN(
          const size_t part,
          file_->Read(read_ + kSizeBytes + before,
                      {block.data() + before, block.size() - before}));
      if (part < block.size() - before) return Damaged();
    }
    GK_RETURN_IF_ERROR(CheckTextBytes(static_cast<int64_t>(n) * 22));
    std::string held;
    if (!proto::SnappyUncompress(block, &held)) return Damaged();
    begins_ += held_.size();
    held_ = std::move(held);
    read_ += kSizeBytes + n;
    return true;
  }
  Status Damaged() const {
    return DataLoss("{}: the block at byte {} is damaged or not whole", path_,
                    read_);
  }

  const std::unique_ptr<RandomAccessFile> file_;
  const std::string path_;
  // The block that was read last, and where it begins; in the file, the next.
  mutable std::string held_;
  mutable uint64_t begins_ = 0, read_ = 0;
};

class SnappyWriter final : public WritableFile {
 public:
  explicit SnappyWriter(std::unique_ptr<WritableFile> file)
      : file_(std::move(file)) {}
  ~SnappyWriter() override {
    if (!closed_) Close().ok();
  }

  Status Append(std::string_view bytes) override {
    size_ += static_cast<int64_t>(bytes.size());
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, kHeld - waiting_.size());
      waiting_.append(piece);
      bytes.remove_prefix(piece.size());
      if (waiting_.size() == kHeld) GK_RETURN_IF_ERROR(WriteBlock());
    }
    return OkStatus();
  }
  Status Flush() override {
    GK_RETURN_IF_ERROR(WriteBlock());
    return file_->Flush();
  }
  Status Sync() override {
    GK_RETURN_IF_ERROR(WriteBlock());
    return file_->Sync();
  }
  Status Close() override {
    closed_ = true;
    const Status written = WriteBlock();
    const Status closed = file_->Close();
    return written.ok() ? closed : written;
  }
  StatusOr<int64_t> Tell() override { return size_; }

 private:
  Status WriteBlock() {
    if (waiting_.empty()) return OkStatus();
    const std::string block = proto::SnappyCompress(waiting_);
    waiting_.clear();
    std::string size;
    for (int shift = 24; shift >= 0; shift -= 8) {
      size.push_back(static_cast<char>(block.size() >> shift));
    }
    GK_RETURN_IF_ERROR(file_->Append(size));
    return file_->Append(block);
  }

  const std::unique_ptr<WritableFile> file_;
  std::string waiting_;
  int64_t size_ = 0;
  bool closed_ = false;
};

}  // namespace

std::unique_ptr<RandomAccessFile> ReadSnappy(
    std::unique_ptr<RandomAccessFile> file, std::string path) {
  return std::make_unique<SnappyReader>(std::move(file), std::move(path));
}

std::unique_ptr<WritableFile> WriteSnappy(std::unique_ptr<WritableFile> file) {
  return std::make_unique<SnappyWriter>(std::move(file));
}

}  // namespace gk::io
