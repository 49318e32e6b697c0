#include "io/csv_reader.h"

#include <cstring>

#include "base/interrupt.h"
#include "framework/text_memory.h"

namespace gk::io {

CsvReader::CsvReader(BufferedReader file, char delimiter, bool quotes,
                     size_t piece)
    : file_(std::move(file)),
      delimiter_(delimiter),
      quotes_(quotes),
      piece_(piece) {
  for (const char c : {'\n', '\r', delimiter}) {
    ends_[static_cast<unsigned char>(c)] = true;
  }
  if (quotes) ends_['"'] = true;
}

StatusOr<bool> CsvReader::Next(std::vector<std::string_view>* fields) {
  for (;;) {
    if (Simple(fields)) return true;
    const size_t left = buffer_.size() - at_;
    // A record of many pieces is not looked through anew with each.
    if (ended_ || left > 2 * piece_ ||
        (quotes_ && buffer_.find('"', at_) != std::string::npos)) {
      return Careful(fields);
    }
    GK_RETURN_IF_ERROR(More().status());
  }
}

bool CsvReader::Simple(std::vector<std::string_view>* fields) {
  fields->clear();
  if (quotes_ && delimiter_ == '"') return false;
  const char* const end = buffer_.data() + buffer_.size();
  for (const char* p = buffer_.data() + at_; p != end;) {
    const char* field = p;
    size_t size;
    if (quotes_ && *p == '"') {
      ++field;
      p = static_cast<const char*>(std::memchr(field, '"', end - field));
      if (p == nullptr || p + 1 == end) return false;
      size = p - field;
      ++p;
      if (!ends_[static_cast<unsigned char>(*p)] || *p == '"') return false;
    } else {
      while (p != end && !ends_[static_cast<unsigned char>(*p)]) ++p;
      if (p == end || (quotes_ && *p == '"')) return false;
      size = p - field;
    }
    const char c = *p++;
    if (c == '\r' && p == end) return false;
    fields->emplace_back(field, size);
    if (c == delimiter_) continue;
    if (c == '\r' && *p == '\n') ++p;
    at_ = static_cast<size_t>(p - buffer_.data());
    return true;
  }
  return false;
}

StatusOr<bool> CsvReader::More() {
  if (ended_) return false;
  GK_RETURN_IF_ERROR(CheckInterrupt());
  GK_ASSIGN_OR_RETURN(const std::string more, file_.Read(piece_));
  ended_ = more.empty();
  buffer_.erase(0, at_);
  buffer_ += more;
  at_ = 0;
  return !ended_;
}

StatusOr<int> CsvReader::Peek() {
  if (at_ == buffer_.size()) {
    GK_ASSIGN_OR_RETURN(const bool more, More());
    if (!more) return kEnd;
  }
  return static_cast<unsigned char>(buffer_[at_]);
}

StatusOr<bool> CsvReader::Careful(std::vector<std::string_view>* fields) {
  fields->clear();
  kept_.clear();
  GK_ASSIGN_OR_RETURN(const int first, Peek());
  if (first == kEnd) return false;
  Status wrong;
  for (bool more = true; more;) {
    std::string& field = kept_.emplace_back();
    GK_ASSIGN_OR_RETURN(const int c, Peek());
    GK_ASSIGN_OR_RETURN(more, quotes_ && c == '"' ? Quoted(&field, &wrong)
                                                  : Plain(&field, &wrong));
  }
  GK_RETURN_IF_ERROR(wrong);
  for (const std::string& field : kept_) fields->emplace_back(field);
  return true;
}

StatusOr<bool> CsvReader::Delimited() {
  GK_ASSIGN_OR_RETURN(const int c, Peek());
  if (c == kEnd) return false;
  Take();
  if (c == '\r') {
    GK_ASSIGN_OR_RETURN(const int next, Peek());
    if (next == '\n') Take();
    return false;
  }
  return c != '\n';
}

Status CsvReader::Keep(int c, std::string* field) {
  constexpr size_t kStep = size_t{1} << 20;
  *field += static_cast<char>(c);
  return field->size() % kStep == 0 ? CheckTextBytes(kStep) : OkStatus();
}

StatusOr<bool> CsvReader::Plain(std::string* field, Status* wrong) {
  for (;;) {
    GK_ASSIGN_OR_RETURN(const int c, Peek());
    if (c == kEnd || c == '\n' || c == '\r' ||
        c == static_cast<unsigned char>(delimiter_)) {
      return Delimited();
    }
    if (quotes_ && c == '"' && wrong->ok()) {
      *wrong = InvalidArgument("Unquoted fields cannot have quotes inside");
    }
    GK_RETURN_IF_ERROR(Keep(c, field));
    Take();
  }
}

StatusOr<bool> CsvReader::Quoted(std::string* field, Status* wrong) {
  Take();
  for (;;) {
    GK_ASSIGN_OR_RETURN(const int c, Peek());
    if (c == kEnd) {
      *wrong = InvalidArgument(
          "Reached end of file without closing quoted field in record");
      return false;
    }
    Take();
    if (c == '"') {
      GK_ASSIGN_OR_RETURN(const int next, Peek());
      if (next == kEnd || next == '\n' || next == '\r' ||
          next == static_cast<unsigned char>(delimiter_)) {
        return Delimited();
      }
      if (next == '"') {
        Take();
      } else if (wrong->ok()) {
        *wrong = InvalidArgument(
            "Quote inside a string has to be escaped by another quote");
      }
    }
    GK_RETURN_IF_ERROR(Keep(c, field));
  }
}

}  // namespace gk::io
