#include "command_line/csv.h"

#include "command_line/value_text.h"

namespace gk::command {
namespace {

class CsvReader {
 public:
  CsvReader(std::string_view text, char separator)
      : text_(text), separator_(separator) {}

  StatusOr<CsvTable> Read() {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    CsvTable table;
    while (at_ < text_.size()) {
      const size_t line = line_;
      std::vector<std::string> row;
      GK_RETURN_IF_ERROR(ReadRow(&row));
      if (row.size() == 1 && row[0].empty()) continue;
      if (!table.rows.empty() && row.size() != table.rows[0].size()) {
        return InvalidArgument("line {} has {} fields, line {} has {}", line,
                               row.size(), table.lines[0],
                               table.rows[0].size());
      }
      table.rows.push_back(std::move(row));
      table.lines.push_back(line);
    }
    return table;
  }

 private:
  bool AtLineEnd() const { return text_[at_] == '\n' || text_[at_] == '\r'; }

  Status ReadRow(std::vector<std::string>* row) {
    while (true) {
      row->emplace_back();
      GK_RETURN_IF_ERROR(ReadField(&row->back()));
      if (at_ == text_.size()) return OkStatus();
      if (text_[at_] == separator_) {
        ++at_;
        continue;
      }
      if (text_.substr(at_).starts_with("\r\n")) ++at_;
      ++at_;
      ++line_;
      return OkStatus();
    }
  }

  Status ReadField(std::string* field) {
    if (at_ == text_.size() || text_[at_] != '"') {
      while (at_ < text_.size() && text_[at_] != separator_ && !AtLineEnd()) {
        field->push_back(text_[at_++]);
      }
      return OkStatus();
    }
    const size_t start = line_;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        if (++at_ == text_.size() || text_[at_] != '"') return EndField(start);
      } else if (text_[at_] == '\n') {
        ++line_;
      }
      field->push_back(text_[at_]);
    }
    return InvalidArgument("line {}: a quote does not end", start);
  }

  Status EndField(size_t line) const {
    if (at_ == text_.size() || text_[at_] == separator_ || AtLineEnd()) {
      return OkStatus();
    }
    return InvalidArgument("line {}: there is more after a quoted field", line);
  }

  std::string_view text_;
  const char separator_;
  size_t at_ = 0, line_ = 1;
};

std::string CsvField(const std::string& text, char separator) {
  if (text.find_first_of(std::string("\"\r\n") + separator) == text.npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

StatusOr<CsvTable> ParseCsv(std::string_view text, char separator) {
  return CsvReader(text, separator).Read();
}

bool HasNames(const CsvTable& table, DataType dtype) {
  if (table.rows.empty() || dtype == DataType::kString) return false;
  StatusOr<Tensor> one = Tensor::Allocate(dtype, TensorShape());
  if (!one.ok()) return false;
  for (const std::string& field : table.rows[0]) {
    if (!ParseValue(field, &*one, 0)) return true;
  }
  return false;
}

StatusOr<Tensor> TensorOfColumns(const CsvTable& table, size_t begin,
                                 size_t first, size_t last, DataType dtype) {
  const int64_t rows = table.rows.size() - begin, columns = last - first;
  GK_ASSIGN_OR_RETURN(Tensor made, Tensor::Allocate(dtype, {rows, columns}));
  int64_t at = 0;
  for (size_t r = begin; r < table.rows.size(); ++r) {
    for (size_t c = first; c < last; ++c) {
      if (ParseValue(table.rows[r][c], &made, at++)) continue;
      return InvalidArgument("line {}, column {}: '{}' is no {}",
                             table.lines[r], c + 1, table.rows[r][c],
                             DataTypeName(dtype));
    }
  }
  return made;
}

StatusOr<std::string> CsvText(const Tensor& tensor, char separator) {
  if (tensor.rank() > 2) {
    return InvalidArgument(
        "a tensor of shape {} is no table; write .npy or .json",
        tensor.shape().DebugString());
  }
  const int64_t columns = tensor.rank() == 2 ? tensor.dim(1) : 1;
  std::string text;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    text += CsvField(ValueText(tensor, i), separator);
    text += i % columns == columns - 1 ? '\n' : separator;
  }
  return text;
}

}  // namespace gk::command
