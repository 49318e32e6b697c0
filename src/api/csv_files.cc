#include "graphkiln/csv_files.h"

#include <algorithm>

#include "api/dataset_parts.h"
#include "function/csv_files.h"

namespace gk::api {
namespace {

template <class T>
InnerTensor Here(T value) {
  return ConstantHere(InnerTensor::Scalar(std::move(value)));
}
InnerTensor ColumnNumbers(const std::vector<int64_t>& columns) {
  return Inner(Tensor(columns));
}
steps::CsvColumn InnerColumn(const CsvColumn& column) {
  if (const auto* given = std::get_if<Tensor>(&column)) return Inner(*given);
  return Inner(std::get<DataType>(column));
}

Spec TupleOfScalars(const ElementSignature& e) {
  std::vector<Spec> parts;
  for (const InnerType type : e.types) parts.push_back(ScalarSpec(type));
  return TupleOf(parts);
}

Spec SpecOf(const steps::MadeCsvBatches& made) {
  std::vector<std::string> keys = made.names;
  std::sort(keys.begin(), keys.end());
  detail::StructureMaker maker;
  const size_t begin = maker.Begin();
  for (size_t i = 0; i < keys.size(); ++i) maker.Leaf();
  maker.EndMap(begin, keys);
  const ElementSignature& e = made.dataset.elements;
  if (keys.size() < e.types.size()) {
    maker.Leaf();
    maker.EndTuple(begin);
  }
  ElementSpec spec{maker.Take(), {}};
  for (size_t i = 0; i < e.types.size(); ++i) {
    spec.leaves.push_back(TensorSpec{Outer(e.shapes[i]), Outer(e.types[i])});
  }
  return std::make_shared<ElementSpec>(std::move(spec));
}

Dataset ReadCsv(const Tensor& filenames,
                const std::vector<CsvColumn>& record_defaults,
                const CsvOptions& options) {
  return Guarded([&] {
    EnsureReady();
    steps::CsvReading how;
    for (const CsvColumn& column : record_defaults) {
      how.record_defaults.push_back(
          ConstantHere(steps::CsvDefault(InnerColumn(column))));
    }
    how.compression_type = Here(options.compression_type);
    if (options.buffer_size) how.buffer_size = Here(*options.buffer_size);
    how.header = Here(options.header);
    how.field_delim = Here(options.field_delim);
    how.use_quote_delim = Here(options.use_quote_delim);
    how.na_value = Here(options.na_value);
    how.select_cols = ColumnNumbers(options.select_cols);
    how.exclude_cols = ColumnNumbers(options.exclude_cols);
    const TypedDataset made = steps::CsvFiles(Inner(filenames), how);
    return Made(made, TupleOfScalars(made.elements));
  });
}

}  // namespace

CsvDataset::CsvDataset(const Tensor& filenames,
                       const std::vector<CsvColumn>& record_defaults,
                       const CsvOptions& options)
    : Dataset(ReadCsv(filenames, record_defaults, options)) {}

Dataset make_csv_dataset(const std::vector<std::string>& file_pattern,
                         int64_t batch_size, const CsvBatchOptions& options) {
  return Guarded([&] {
    EnsureReady();
    steps::CsvBatches how;
    how.files = file_pattern;
    how.batch_size = Here(batch_size);
    how.column_names = options.column_names;
    if (options.column_defaults) {
      how.column_defaults.emplace();
      for (const CsvColumn& column : *options.column_defaults) {
        how.column_defaults->push_back(InnerColumn(column));
      }
    }
    how.label_name = options.label_name;
    how.select_columns = options.select_columns;
    how.field_delim = options.field_delim;
    how.use_quote_delim = options.use_quote_delim;
    how.na_value = options.na_value;
    how.header = options.header;
    if (options.num_epochs) how.num_epochs = Here(*options.num_epochs);
    how.shuffle = options.shuffle;
    how.shuffle_buffer_size = Here(options.shuffle_buffer_size);
    how.shuffle_seed = options.shuffle_seed;
    how.prefetch_buffer_size = Here(options.prefetch_buffer_size);
    how.num_parallel_reads = options.num_parallel_reads;
    how.sloppy = options.sloppy;
    how.num_rows_for_inference = options.num_rows_for_inference;
    how.compression_type = options.compression_type;
    how.ignore_errors = options.ignore_errors;
    const steps::MadeCsvBatches made = steps::MakeCsvBatches(how);
    return Made(made.dataset, SpecOf(made));
  });
}

}  // namespace gk::api
