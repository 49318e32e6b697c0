#include "io/csv_reader.h"

#include "base/interrupt.h"
#include "framework/text_memory.h"

namespace gk::io {

StatusOr<int> CsvReader::Peek() {
  if (at_ == buffer_.size()) {
    if (ended_) return kEnd;
    GK_RETURN_IF_ERROR(CheckInterrupt());
    GK_ASSIGN_OR_RETURN(buffer_, file_.Read(piece_));
    at_ = 0;
    ended_ = buffer_.empty();
    if (ended_) return kEnd;
  }
  return static_cast<unsigned char>(buffer_[at_]);
}

StatusOr<bool> CsvReader::Next(std::vector<std::string>* fields) {
  fields->clear();
  GK_ASSIGN_OR_RETURN(const int first, Peek());
  if (first == kEnd) return false;
  Status wrong;
  for (bool more = true; more;) {
    std::string field;
    GK_ASSIGN_OR_RETURN(const int c, Peek());
    GK_ASSIGN_OR_RETURN(more, quotes_ && c == '"' ? Quoted(&field, &wrong)
                                                  : Plain(&field, &wrong));
    fields->push_back(std::move(field));
  }
  GK_RETURN_IF_ERROR(wrong);
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
