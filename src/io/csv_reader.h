// CsvReader: a file's records of fields with a character between them (RFC
// 4180). One reader's.
//
// A record ends with "\n", "\r" or both, or with the file. A field in double
// quotes may hold all of these, and quotes that are doubled.
#ifndef GK_IO_CSV_READER_H_
#define GK_IO_CSV_READER_H_

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "io/buffered_reader.h"

namespace gk::io {

class CsvReader {
 public:
  // Without `quotes` they are characters as others. `piece`: how much is read
  // at a time.
  CsvReader(BufferedReader file, char delimiter, bool quotes, size_t piece);

  // The next record, or false at the end. A line of nothing is one empty field.
  // The fields are there until the next one is asked for. InvalidArgument for
  // a record that is none; the one behind it comes next.
  StatusOr<bool> Next(std::vector<std::string_view>* fields);

 private:
  static constexpr int kEnd = -1;
  // Reads the record that begins at `at_` if it is whole in the buffer and what
  // its fields are stands there. False if not; nothing is read then.
  bool Simple(std::vector<std::string_view>* fields);
  // More of the file behind what is left of the buffer. False at the end.
  StatusOr<bool> More();

  // One character after the other; fields are kept in `kept_`.
  StatusOr<bool> Careful(std::vector<std::string_view>* fields);
  StatusOr<int> Peek();
  // What `Peek` gave is read.
  void Take() { ++at_; }
  StatusOr<bool> Plain(std::string* field, Status* wrong);
  StatusOr<bool> Quoted(std::string* field, Status* wrong);
  // Adds a character; an error if there is no memory for the field.
  static Status Keep(int c, std::string* field);
  // Behind a field: does another one follow?
  StatusOr<bool> Delimited();

  BufferedReader file_;
  char delimiter_;
  bool quotes_;
  size_t piece_;
  // Characters that fields without quotes end at.
  std::array<bool, 256> ends_{};
  std::string buffer_;
  size_t at_ = 0;
  bool ended_ = false;
  std::deque<std::string> kept_;
};

}  // namespace gk::io

#endif  // GK_IO_CSV_READER_H_
