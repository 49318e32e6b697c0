// Numbers with units, and tables of text, for people.
#ifndef GK_PROFILER_QUANTITIES_H_
#define GK_PROFILER_QUANTITIES_H_

#include <string>
#include <vector>

namespace gk {

std::string SecondsText(double seconds);  // "12.3 us"
std::string BytesText(double bytes);      // "1.5 MiB"
std::string CountText(double count);      // "2.1 M"

// Columns are as wide as their widest cell; the first `left` of them begin at
// the left, others end at the right.
class TextTable {
 public:
  TextTable(std::vector<std::string> titles, size_t left);
  void AddRow(std::vector<std::string> cells);
  // A line each, the titles first.
  std::string Text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  size_t left_;
};

}  // namespace gk

#endif  // GK_PROFILER_QUANTITIES_H_
