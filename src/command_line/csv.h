// Tables as text (RFC 4180): one record a line, fields with commas between
// them, in quotes where they need it.
#ifndef GK_COMMAND_LINE_CSV_H_
#define GK_COMMAND_LINE_CSV_H_

#include <string>
#include <string_view>
#include <vector>

#include "framework/tensor.h"

namespace gk::command {

struct CsvTable {
  std::vector<std::vector<std::string>> rows;
  std::vector<size_t> lines;  // on which each begins, from 1
};
// InvalidArgument, naming the line, if a quote does not end or rows are not
// of one length. Empty lines are left out.
StatusOr<CsvTable> ParseCsv(std::string_view text, char separator = ',');

// Can all fields of the first row be read as values of the type? If not, it
// names the columns.
bool HasNames(const CsvTable& table, DataType dtype);

// The columns [first, last) of the rows from `begin` on as [rows, columns].
// InvalidArgument, naming line and column, of what is no such value.
StatusOr<Tensor> TensorOfColumns(const CsvTable& table, size_t begin,
                                 size_t first, size_t last, DataType dtype);

// A tensor of rank 0 to 2. InvalidArgument of others.
StatusOr<std::string> CsvText(const Tensor& tensor, char separator = ',');

}  // namespace gk::command

#endif  // GK_COMMAND_LINE_CSV_H_
