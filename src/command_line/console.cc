#include "command_line/console.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace gk::command {
namespace {

Exit ExitOfReading(Code code) {
  switch (code) {
    case Code::kNotFound:
    case Code::kPermissionDenied:
    case Code::kAlreadyExists:
    case Code::kFailedPrecondition:
    case Code::kUnavailable:
    case Code::kResourceExhausted:
    case Code::kUnknown:
      return Exit::kFile;
    default:
      return Exit::kDamaged;
  }
}

// Characters that a text takes on a screen, near enough: those of UTF-8.
size_t WidthOf(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

}  // namespace

void MustRead(const Status& status) {
  if (!status.ok()) throw Failure(ExitOfReading(status.code()), status);
}

void Must(Exit exit, const Status& status) {
  if (!status.ok()) throw Failure(exit, status);
}

std::string Console::ReadInput() const {
  std::string all;
  char piece[1 << 16];
  while (const size_t n = std::fread(piece, 1, sizeof piece, in)) {
    all.append(piece, n);
  }
  if (std::ferror(in) != 0) {
    throw Failure::Make(Exit::kFile, "cannot read the standard input: {}",
                        std::strerror(errno));
  }
  return all;
}

std::string TextTable::Text() const {
  std::vector<size_t> widths(alignment_.size());
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], WidthOf(row[i]));
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line = indent_;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string fill(widths[i] - WidthOf(row[i]), ' ');
      if (i > 0) line += "  ";
      line += alignment_[i] == 'r' ? fill + row[i] : row[i] + fill;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string SizeText(int64_t bytes) {
  if (bytes < 1000) return Format("{} B", bytes);
  double size = bytes;
  const char* const units[] = {"kB", "MB", "GB", "TB"};
  size_t unit = 0;
  for (size /= 1000; size >= 999.95 && unit + 1 < std::size(units); ++unit) {
    size /= 1000;
  }
  return Format("{:.1f} {}", size, units[unit]);
}

std::string CountText(int64_t n, std::string_view what) {
  return Format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string Shown(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      shown += c;
    } else if (c == '\n') {
      shown += "\\n";
    } else if (c == '\t') {
      shown += "\\t";
    } else {
      shown += "\\x";
      shown += "0123456789abcdef"[byte >> 4];
      shown += "0123456789abcdef"[byte & 15];
    }
  }
  return shown;
}

}  // namespace gk::command
