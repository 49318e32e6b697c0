// Datasets of files of fields with a character between them, and what such
// files tell of their columns.
//
// Called on the thread that builds. Functions throw Error.
#ifndef GK_FUNCTION_CSV_FILES_H_
#define GK_FUNCTION_CSV_FILES_H_

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "function/dataset_files.h"

namespace gk::steps {

// Null tensors are arguments that nobody gave.
struct CsvReading {
  TensorVector record_defaults;  // of each column; empty ones: must be there
  Tensor compression_type, buffer_size, header, field_delim, use_quote_delim,
      na_value;
  Tensor select_cols, exclude_cols;
};
// Elements are the fields of records, scalars.
TypedDataset CsvFiles(const Tensor& filenames, const CsvReading& how);

// A column's type, where it must be there, or a scalar that stands for what is
// missing.
using CsvColumn = std::variant<DataType, Tensor>;
Tensor CsvDefault(const CsvColumn& column);

// Batches of records of named columns.
struct CsvBatches {
  std::vector<std::string> files;  // patterns
  Tensor batch_size;
  std::optional<std::vector<std::string>> column_names;
  std::optional<std::vector<CsvColumn>> column_defaults;
  std::optional<std::string> label_name;
  // By number or name.
  std::optional<std::vector<std::variant<int64_t, std::string>>> select_columns;
  std::string field_delim = ",", na_value, compression_type;
  bool use_quote_delim = true, header = true;
  Tensor num_epochs;  // null: without end
  bool shuffle = true;
  Tensor shuffle_buffer_size;
  std::optional<int64_t> shuffle_seed;
  Tensor prefetch_buffer_size;
  std::optional<int64_t> num_parallel_reads;
  bool sloppy = false, ignore_errors = false;
  std::optional<int64_t> num_rows_for_inference = 100;
};
// The dataset, with its components in the order of the sorted names of columns,
// the label last, and the names in the order of the files, without the label.
struct MadeCsvBatches {
  TypedDataset dataset;
  std::vector<std::string> names;
  ElementSignature columns;  // of `names`, and of the label if there is one
};
MadeCsvBatches MakeCsvBatches(const CsvBatches& how);

}  // namespace gk::steps

#endif  // GK_FUNCTION_CSV_FILES_H_
