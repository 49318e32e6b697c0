#include "io/buffered_reader.h"

#include <algorithm>
#include <cstring>

#include "base/interrupt.h"
#include "framework/text_memory.h"
#include "io/files.h"

namespace gk::io {
namespace {

// A length that is wrong must not claim memory that the file cannot fill.
constexpr uint64_t kFirstPiece = uint64_t{1} << 20;

}  // namespace

StatusOr<BufferedReader> BufferedReader::Open(const std::string& path) {
  GK_ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, OpenToRead(path));
  return BufferedReader(std::move(file));
}

StatusOr<bool> BufferedReader::Fill() {
  start_ += buffer_.size();
  at_ = 0;
  buffer_.resize(read_ahead_);
  StatusOr<size_t> got = file_->Read(start_, buffer_);
  buffer_.resize(got.ok() ? *got : 0);
  GK_RETURN_IF_ERROR(got.status());
  return !buffer_.empty();
}

StatusOr<size_t> BufferedReader::ReadInto(std::span<char> to) {
  size_t known = 0;
  for (;;) {
    const size_t kept = std::min(to.size() - known, buffer_.size() - at_);
    std::memcpy(to.data() + known, buffer_.data() + at_, kept);
    at_ += kept;
    known += kept;
    if (known == to.size()) return known;
    const std::span<char> rest = to.subspan(known);
    if (rest.size() < read_ahead_) {
      GK_ASSIGN_OR_RETURN(const bool more, Fill());
      if (!more) return known;
      continue;
    }
    // Fewer than asked for: the end, or an error that the next read says.
    GK_ASSIGN_OR_RETURN(const size_t got, file_->Read(offset(), rest));
    Seek(offset() + got);
    known += got;
    if (got == 0) return known;
  }
}

StatusOr<std::string> BufferedReader::Read(uint64_t n) {
  std::string bytes;
  uint64_t piece = kFirstPiece;
  while (bytes.size() < n) {
    const size_t before = bytes.size();
    const auto wanted =
        static_cast<size_t>(std::min<uint64_t>(n - before, piece));
    GK_RETURN_IF_ERROR(CheckTextBytes(static_cast<int64_t>(wanted)));
    bytes.resize(before + wanted);
    GK_ASSIGN_OR_RETURN(const size_t got,
                        ReadInto(std::span(bytes.data() + before, wanted)));
    bytes.resize(before + got);
    if (got < wanted) break;
    piece *= 2;
    GK_RETURN_IF_ERROR(CheckInterrupt());
  }
  return bytes;
}

StatusOr<std::string> BufferedReader::ReadRest(uint64_t size) {
  const uint64_t from = offset();
  GK_ASSIGN_OR_RETURN(std::string bytes,
                      ReadToEnd(*file_, size > from ? size - from : 0, from));
  Seek(from + bytes.size());
  char beyond;
  GK_RETURN_IF_ERROR(file_->Read(offset(), {&beyond, 1}).status());
  return bytes;
}

StatusOr<bool> BufferedReader::ReadLine(std::string* line, bool* ended) {
  line->clear();
  if (ended != nullptr) *ended = false;
  bool any = false;
  for (;;) {
    if (at_ == buffer_.size()) {
      GK_ASSIGN_OR_RETURN(const bool more, Fill());
      if (!more) break;
    }
    any = true;
    const std::string_view rest = std::string_view(buffer_).substr(at_);
    const size_t end = rest.find('\n');
    *line += rest.substr(0, end);
    if (end != rest.npos) {
      at_ += end + 1;
      if (ended != nullptr) *ended = true;
      break;
    }
    at_ = buffer_.size();
    GK_RETURN_IF_ERROR(CheckInterrupt());
  }
  std::erase(*line, '\r');
  return any;
}

void BufferedReader::Seek(uint64_t offset) {
  if (offset >= start_ && offset <= start_ + buffer_.size()) {
    at_ = static_cast<size_t>(offset - start_);
    return;
  }
  start_ = offset;
  at_ = 0;
  buffer_.clear();
}

}  // namespace gk::io
