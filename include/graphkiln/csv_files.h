// Datasets of files of fields with a character between them (CSV, RFC 4180).
//
//   gk::CsvDataset rows("a.csv", {gk::DataType::kInt32, gk::Tensor(0.5f)},
//                       {.header = true});
//   for (std::pair<gk::Tensor, gk::Tensor> row : rows) ...
//
//   auto batches = gk::make_csv_dataset(
//       {"a*.csv"}, 32, {.label_name = "label", .num_epochs = 1});
//
// A record ends with a line; a field in double quotes may hold line ends, and
// quotes that are doubled. Whoever asks for an element gets as Error what is
// wrong with its record (InvalidArgument), or with the file; the record behind
// it comes next.
#ifndef GRAPHKILN_CSV_FILES_H_
#define GRAPHKILN_CSV_FILES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <graphkiln/dataset.h>

namespace gk {
GK_API_NAMESPACE {

// A column of float32, float64, int32, int64 or strings: its type, if each
// record must have it, or a scalar that stands for fields of nothing.
using CsvColumn = std::variant<DataType, Tensor>;

// How CsvDataset reads files.
struct CsvOptions {
  // "ZLIB", "GZIP", or "" for files that are not compressed.
  std::string compression_type = "";
  // How many bytes are read at a time; nothing: as is best.
  std::optional<int64_t> buffer_size = {};
  // Has each file a first record that is none?
  bool header = false;
  std::string field_delim = ",";
  // May fields be in double quotes?
  bool use_quote_delim = true;
  // A text that is as good as a field of nothing.
  std::string na_value = "";
  // The numbers of the columns that are read, rising; empty: all.
  std::vector<int64_t> select_cols = {};
  // In their place: those that are not read.
  std::vector<int64_t> exclude_cols = {};
};

// The records of files: tuples of a scalar for each column that is read.
// Throws Error (InvalidArgument) for options that do not fit one another.
class GK_EXPORT CsvDataset : public Dataset {
 public:
  // `filenames`: a string, or a vector of them.
  CsvDataset(const Tensor& filenames,
             const std::vector<CsvColumn>& record_defaults,
             const CsvOptions& options = {});
};

// Of make_csv_dataset.
struct CsvBatchOptions {
  // Nothing: what the first record of each file says.
  std::optional<std::vector<std::string>> column_names = {};
  // Nothing: types are those that the first records hold, and 0 and "" stand
  // for fields of nothing.
  std::optional<std::vector<CsvColumn>> column_defaults = {};
  // The column that stands beside the others: elements are then pairs.
  std::optional<std::string> label_name = {};
  // By number or by name; nothing: all.
  std::optional<std::vector<std::variant<int64_t, std::string>>>
      select_columns = {};
  std::string field_delim = ",";
  bool use_quote_delim = true;
  std::string na_value = "";
  bool header = true;
  // How often all records come; nothing: without end.
  std::optional<int64_t> num_epochs = {};
  // Are files, and records among the next `shuffle_buffer_size`, in random
  // order?
  bool shuffle = true;
  int64_t shuffle_buffer_size = 10000;
  std::optional<int64_t> shuffle_seed = {};
  // How many batches are made in advance.
  int64_t prefetch_buffer_size = kAutotune;
  // How many files are read at a time, whose records take turns.
  int64_t num_parallel_reads = 1;
  // Does what is ready go first?
  bool sloppy = false;
  // How many records tell the types of columns; nothing: all.
  std::optional<int64_t> num_rows_for_inference = 100;
  std::string compression_type = "";
  // Are records that are none left out?
  bool ignore_errors = false;
};

// Batches of records of files of named columns: maps from names to vectors, or
// pairs of such a map and the labels. `file_pattern`: as
// gk::io::gfile::glob() takes them. Throws Error: ValueError if there are no
// such files, columns or names, and for records that have another number of
// fields than there are columns; NotFound and the like.
GK_EXPORT Dataset make_csv_dataset(const std::vector<std::string>& file_pattern,
                                   int64_t batch_size,
                                   const CsvBatchOptions& options = {});

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_CSV_FILES_H_
