#include "profiler/quantities.h"

#include <algorithm>
#include <span>

#include "base/format.h"

namespace gk {
namespace {

// With the first unit of which there is at least one.
std::string WithUnit(double value, double step,
                     std::span<const char* const> units) {
  size_t i = 0;
  while (value >= step && i + 1 < units.size()) {
    value /= step;
    ++i;
  }
  const int digits = i == 0 && value == static_cast<int64_t>(value) ? 0
                     : value < 10                                   ? 2
                                                                    : 1;
  return digits == 0   ? Format("{:.0f}{}", value, units[i])
         : digits == 1 ? Format("{:.1f}{}", value, units[i])
                       : Format("{:.2f}{}", value, units[i]);
}

}  // namespace

std::string SecondsText(double seconds) {
  static constexpr const char* kUnits[] = {" us", " ms", " s"};
  return WithUnit(std::max(0.0, seconds) * 1e6, 1000, kUnits);
}

std::string BytesText(double bytes) {
  static constexpr const char* kUnits[] = {" B", " KiB", " MiB", " GiB"};
  return WithUnit(bytes, 1024, kUnits);
}

std::string CountText(double count) {
  static constexpr const char* kUnits[] = {"", " k", " M", " G", " T"};
  return WithUnit(count, 1000, kUnits);
}

TextTable::TextTable(std::vector<std::string> titles, size_t left)
    : left_(left) {
  rows_.push_back(std::move(titles));
}

void TextTable::AddRow(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

std::string TextTable::Text() const {
  std::vector<size_t> widths(rows_[0].size());
  for (const auto& row : rows_) {
    for (size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], row[c].size());
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string space(widths[c] - row[c].size(), ' ');
      if (c > 0) line += "  ";
      line += c < left_ ? row[c] + space : space + row[c];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace gk
