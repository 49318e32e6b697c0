// Console: where a command reads and writes, and how it fails.
//
// Commands print results to `out` and all else to `err`, so that results can go
// on to other programs. Used by one thread.
#ifndef GK_COMMAND_LINE_CONSOLE_H_
#define GK_COMMAND_LINE_CONSOLE_H_

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace gk::command {

// What the program ends with. Documented in docs/guide/command_line.md.
enum class Exit : int {
  kDone = 0,
  kDiffers = 1,  // the answer of `diff` and `verify` is no
  kUsage = 2,    // the command line is wrong
  kFile = 3,     // a file is missing, or cannot be read or written
  kDamaged = 4,  // a file holds something else than it should
  kFailed = 5,   // the model failed as it ran, or was given what does not fit
};

// Thrown by commands; what the user reads is the message.
class Failure : public Error {
 public:
  Failure(Exit exit, Status status) : Error(std::move(status)), exit_(exit) {}
  template <class... Args>
  static Failure Make(Exit exit, FormatPattern<sizeof...(Args)> text,
                      const Args&... args) {
    return Failure(exit, Status(Code::kUnknown, Format(text, args...)));
  }
  Exit exit() const { return exit_; }

 private:
  Exit exit_;
};

// Throws unless OK. Of reading a file: kFile where it cannot be had, kDamaged
// where what it holds is wrong.
void MustRead(const Status& status);
void Must(Exit exit, const Status& status);
template <class T>
T MustRead(StatusOr<T> value) {
  MustRead(value.status());
  return std::move(value).value();
}
template <class T>
T Must(Exit exit, StatusOr<T> value) {
  Must(exit, value.status());
  return std::move(value).value();
}

struct Console {
  std::FILE* in = stdin;
  std::FILE* out = stdout;
  std::FILE* err = stderr;

  void Print(std::string_view text) const { Write(out, text); }
  void Tell(std::string_view text) const { Write(err, text); }
  // All of `in`. kFile if it cannot be read.
  std::string ReadInput() const;

 private:
  static void Write(std::FILE* to, std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), to);
  }
};

// Columns of text, each as wide as its widest entry; numbers to the right.
class TextTable {
 public:
  // `right`: for each column 'r' or 'l'.
  TextTable(std::string indent, std::string alignment)
      : indent_(std::move(indent)), alignment_(std::move(alignment)) {}
  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string Text() const;

 private:
  const std::string indent_, alignment_;
  std::vector<std::vector<std::string>> rows_;
};

// "1.3 MB".
std::string SizeText(int64_t bytes);
// "1 function", "2 functions".
std::string CountText(int64_t n, std::string_view what);
// Names and texts of files come from anywhere: control characters are shown as
// escapes, so that they cannot steer a terminal.
std::string Shown(std::string_view text);

}  // namespace gk::command

#endif  // GK_COMMAND_LINE_CONSOLE_H_
