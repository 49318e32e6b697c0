// CsvReader: a file's records of fields with a character between them (RFC
// 4180). One reader's.
//
// A record ends with "\n", "\r" or both, or with the file. A field in double
// quotes may hold all of these, and quotes that are doubled.
#ifndef GK_IO_CSV_READER_H_
#define GK_IO_CSV_READER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "io/buffered_reader.h"

namespace gk::io {

class CsvReader {
 public:
  // Without `quotes` they are characters as others. `piece`: how much is read
  // at a time.
  CsvReader(BufferedReader file, char delimiter, bool quotes, size_t piece)
      : file_(std::move(file)),
        delimiter_(delimiter),
        quotes_(quotes),
        piece_(piece) {}

  // The next record, or false at the end. A line of nothing is one empty field.
  // InvalidArgument for a record that is none; the one behind it comes next.
  StatusOr<bool> Next(std::vector<std::string>* fields);

 private:
  static constexpr int kEnd = -1;
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
  std::string buffer_;
  size_t at_ = 0;
  bool ended_ = false;
};

}  // namespace gk::io

#endif  // GK_IO_CSV_READER_H_
