#include "function/csv_files.h"

#include <algorithm>
#include <limits>
#include <set>

#include "io/compression.h"
#include "io/csv_reader.h"
#include "io/files.h"
#include "ops/composition.h"
#include "ops/fn/CSVDatasetV2.h"
#include "ops/string/parse_number.h"

namespace gk::steps {
namespace {

constexpr int64_t kCsvBuffer = int64_t{4} << 20;

template <class T>
Tensor ConstantOf(T value, std::string_view name) {
  return ValueOrThrow(
      OpBuilder::Current()->Constant(Tensor::Scalar(std::move(value)), name));
}
Tensor TextOr(const Tensor& given, const char* otherwise,
              std::string_view name) {
  return given ? given : ConstantOf(std::string(otherwise), name);
}
Tensor FlagOr(const Tensor& given, bool otherwise, std::string_view name) {
  return given ? given : ConstantOf(otherwise, name);
}
Tensor ColumnsOr(const Tensor& given, std::string_view name) {
  return given ? given
               : IntsTensor(std::vector<int64_t>(), DataType::kInt64, name);
}

// ---- What files tell of their columns ----

class ColumnProbe {
 public:
  ColumnProbe(const CsvBatches& how, const std::vector<std::string>& files)
      : how_(how), files_(files) {}

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const std::string& file : files_) {
      std::vector<std::string_view> fields;
      io::CsvReader reader = Open(file);
      if (!ValueOrThrow(reader.Next(&fields))) {
        throw Error(ValueError(
            "Failed when reading the header line of {}. Is it an empty file?",
            file));
      }
      std::vector<std::string> found(fields.begin(), fields.end());
      if (&file == files_.data()) {
        names = std::move(found);
      } else if (found != names) {
        throw Error(ValueError(
            "All input CSV files should have the same column names in the "
            "header row. File {} has different column names.",
            file));
      }
    }
    return names;
  }

  // Of the columns of these numbers, of `count` in all.
  TensorVector Defaults(const std::vector<int64_t>& columns,
                        size_t count) const {
    std::vector<int> types(columns.size(), -1);
    int64_t left = how_.num_rows_for_inference.value_or(-1);
    for (const std::string& file : files_) {
      io::CsvReader reader = Open(file);
      std::vector<std::string_view> fields;
      if (how_.header && !ValueOrThrow(reader.Next(&fields))) continue;
      for (int row = how_.header ? 2 : 1;
           left != 0 && ValueOrThrow(reader.Next(&fields)); ++row, --left) {
        if (fields.size() != count) {
          throw Error(
              ValueError("Problem inferring types: CSV row {} has {} number of "
                         "fields. Expected: {}.",
                         row, fields.size(), count));
        }
        for (size_t i = 0; i < columns.size(); ++i) {
          Widen(fields[static_cast<size_t>(columns[i])], &types[i]);
        }
      }
    }
    TensorVector defaults;
    for (const int type : types) defaults.push_back(DefaultOf(type));
    return defaults;
  }

 private:
  // Types are counted from the narrowest: int32, int64, float, double, string.

  io::CsvReader Open(const std::string& file) const {
    const io::Compression compression =
        ValueOrThrow(io::CompressionOf(how_.compression_type));
    if (how_.field_delim.size() != 1) {
      throw Error(InvalidArgument("field_delim should be only 1 char"));
    }
    const size_t piece = io::PieceSize(0);
    return {ValueOrThrow(io::OpenInflated(file, compression, piece)),
            how_.field_delim[0], how_.use_quote_delim, piece};
  }

  template <class T>
  static bool Holds(std::string_view text) {
    T value;
    if (!ParseNumber(text, &value)) return false;
    if constexpr (std::is_floating_point_v<T>) {
      return value < std::numeric_limits<T>::infinity();
    }
    return true;
  }
  void Widen(std::string_view field, int* type) const {
    if (field.empty() || field == how_.na_value) return;
    *type = std::max(*type, 0);
    while (!Fits(*type, field)) ++*type;
  }
  static bool Fits(int type, std::string_view field) {
    switch (type) {
      case 0:
        return Holds<int32_t>(field);
      case 1:
        return Holds<int64_t>(field);
      case 2:
        return Holds<float>(field);
      case 3:
        return Holds<double>(field);
      default:
        return true;
    }
  }
  static Tensor DefaultOf(int type) {
    const auto one = [](auto value) {
      Tensor t = ValueOrThrow(
          Tensor::Allocate(kTypeOf<decltype(value)>, TensorShape({1})));
      t.data<decltype(value)>()[0] = value;
      return t;
    };
    switch (type) {
      case 0:
        return one(int32_t{0});
      case 1:
        return one(int64_t{0});
      case 2:
        return one(0.0f);
      case 3:
        return one(0.0);
      default:
        return one(std::string());
    }
  }

  const CsvBatches& how_;
  const std::vector<std::string>& files_;
};

std::string Joined(std::span<const std::string> texts) {
  std::string all;
  for (const std::string& text : texts) {
    all += Format("{}'{}'", all.empty() ? "" : ", ", text);
  }
  return "[" + all + "]";
}

std::vector<std::string> FilesOf(const std::vector<std::string>& patterns) {
  if (patterns.empty()) {
    throw Error(ValueError("Argument `file_pattern` should not be empty."));
  }
  std::vector<std::string> files;
  for (const std::string& pattern : patterns) {
    std::vector<std::string> found = ValueOrThrow(io::Glob(pattern));
    files.insert(files.end(), found.begin(), found.end());
  }
  if (files.empty()) {
    throw Error(
        ValueError("No files match `file_pattern` {}.", Joined(patterns)));
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The numbers of the selected columns, rising.
std::vector<int64_t> SelectedColumns(const CsvBatches& how,
                                     const std::vector<std::string>& names) {
  std::set<int64_t> numbers;
  const auto count = static_cast<int64_t>(names.size());
  for (const auto& wanted : *how.select_columns) {
    int64_t number;
    if (const auto* given = std::get_if<int64_t>(&wanted)) {
      number = *given;
      if (number < 0 || number >= count) {
        throw Error(ValueError(
            "Column index {} specified in `select_columns` should be >= 0 and "
            "< {}, which is the number of columns.",
            number, count));
      }
    } else {
      const std::string& name = std::get<std::string>(wanted);
      number = std::find(names.begin(), names.end(), name) - names.begin();
      if (number == count) {
        throw Error(
            ValueError("Column {} specified in `select_columns` must "
                       "be of one of the columns: {}.",
                       name, Joined(names)));
      }
    }
    if (!numbers.insert(number).second) {
      throw Error(
          ValueError("The `select_columns` argument contains duplicate "
                     "columns: column {}.",
                     number));
    }
  }
  return {numbers.begin(), numbers.end()};
}

// Columns that are read: names, and how.
struct ReadColumns {
  std::vector<std::string> names;
  std::vector<int64_t> numbers;  // empty: all
  TensorVector defaults;
};
ReadColumns ColumnsOf(const CsvBatches& how,
                      const std::vector<std::string>& files) {
  const ColumnProbe probe(how, files);
  ReadColumns columns;
  if (how.column_names) {
    columns.names = *how.column_names;
  } else if (how.header) {
    columns.names = probe.Names();
  } else {
    throw Error(ValueError(
        "Expected `column_names` or `header` arguments. Neither is provided."));
  }
  std::set<std::string> known;
  for (const std::string& name : columns.names) {
    if (known.insert(name).second) continue;
    throw Error(
        ValueError("Either `column_names` argument or CSV header row "
                   "contains duplicate column names: {}.",
                   name));
  }
  const size_t count = columns.names.size();
  if (how.select_columns) columns.numbers = SelectedColumns(how, columns.names);
  if (how.column_defaults) {
    for (const CsvColumn& column : *how.column_defaults) {
      columns.defaults.push_back(CsvDefault(column));
    }
  } else {
    std::vector<int64_t> probed = columns.numbers;
    for (size_t i = 0; !how.select_columns && i < count; ++i) {
      probed.push_back(static_cast<int64_t>(i));
    }
    columns.defaults = probe.Defaults(probed, count);
  }
  if (how.select_columns) {
    if (columns.defaults.size() != columns.numbers.size()) {
      throw Error(ValueError(
          "If specified, `column_defaults` and `select_columns` must have the "
          "same length: `column_defaults` has length {}, `select_columns` has "
          "length {}.",
          columns.defaults.size(), columns.numbers.size()));
    }
    std::vector<std::string> names;
    for (const int64_t number : columns.numbers) {
      names.push_back(columns.names[static_cast<size_t>(number)]);
    }
    columns.names = std::move(names);
  }
  return columns;
}

TypedDataset ReadInTurn(const CsvBatches& how, const TypedDataset& files,
                        const ReadColumns& columns) {
  CsvReading reading;
  reading.record_defaults = columns.defaults;
  ElementSignature e;
  const ElementFunction f = TraceElementFunction(
      "Dataset_interleave_filename_to_dataset", files.elements, [&](auto name) {
        reading.compression_type =
            ConstantOf(how.compression_type, "compression_type");
        reading.header = ConstantOf(how.header, "header");
        reading.field_delim = ConstantOf(how.field_delim, "field_delim");
        reading.use_quote_delim =
            ConstantOf(how.use_quote_delim, "use_quote_delim");
        reading.na_value = ConstantOf(how.na_value, "na_value");
        reading.select_cols =
            IntsTensor(columns.numbers, DataType::kInt64, "select_cols");
        TypedDataset records = CsvFiles(name[0], reading);
        if (how.ignore_errors) records = IgnoreErrors(records, false);
        e = records.elements;
        return TensorVector{records.variant};
      });
  const int64_t reads = how.num_parallel_reads.value_or(1);
  Turns turns;
  if (reads == 1) {
    // A thread of its own would cost more than reading does.
    turns.cycle_length = IntegerOf(1, DataType::kInt64, "cycle_length");
    return Interleave(files, f, e, turns);
  }
  turns.parallel.deterministic = !how.sloppy;
  turns.parallel.calls =
      IntegerOf(reads, DataType::kInt64, "num_parallel_calls");
  if (reads != -1) turns.cycle_length = turns.parallel.calls;
  return Interleave(files, f, e, turns);
}

}  // namespace

TypedDataset CsvFiles(const Tensor& filenames, const CsvReading& how) {
  ElementSignature e;
  for (const Tensor& column : how.record_defaults) {
    e.types.push_back(column.dtype());
    e.shapes.push_back(TensorShape());
  }
  const Tensor buffer =
      how.buffer_size ? how.buffer_size
                      : IntegerOf(kCsvBuffer, DataType::kInt64, "buffer_size");
  return {ops::CSVDatasetV2(
              filenames, TextOr(how.compression_type, "", "compression_type"),
              buffer, FlagOr(how.header, false, "header"),
              TextOr(how.field_delim, ",", "field_delim"),
              FlagOr(how.use_quote_delim, true, "use_quote_delim"),
              TextOr(how.na_value, "", "na_value"),
              ColumnsOr(how.select_cols, "select_cols"), how.record_defaults,
              ColumnsOr(how.exclude_cols, "exclude_cols"), e.shapes),
          e};
}

Tensor CsvDefault(const CsvColumn& column) {
  if (const auto* given = std::get_if<Tensor>(&column)) return *given;
  const DataType type = std::get<DataType>(column);
  for (const DataType known :
       {DataType::kFloat, DataType::kDouble, DataType::kInt32, DataType::kInt64,
        DataType::kString}) {
    if (type == known) {
      return ValueOrThrow(Tensor::Allocate(type, TensorShape({0})));
    }
  }
  throw Error(ValueError(
      "Columns of CSV files are float32, float64, int32, int64 or string, not "
      "{}",
      DataTypeString(type)));
}

MadeCsvBatches MakeCsvBatches(const CsvBatches& how) {
  const std::vector<std::string> names = FilesOf(how.files);
  const ReadColumns columns = ColumnsOf(how, names);
  MadeCsvBatches made;
  made.names = columns.names;
  std::optional<size_t> label;
  if (how.label_name) {
    const auto at =
        std::find(made.names.begin(), made.names.end(), *how.label_name);
    if (at == made.names.end()) {
      throw Error(
          ValueError("`label_name` provided must be one of the "
                     "columns: {}. Received: {}.",
                     Joined(made.names), *how.label_name));
    }
    label = at - made.names.begin();
    made.names.erase(at);
  }

  Tensor files = ValueOrThrow(Tensor::Allocate(
      DataType::kString, TensorShape({static_cast<int64_t>(names.size())})));
  std::copy(names.begin(), names.end(), files.data<std::string>());
  files = ValueOrThrow(OpBuilder::Current()->Constant(files, "filenames"));
  TypedDataset d = FromSlices({files}, {{DataType::kString}, {TensorShape()}});
  if (how.shuffle) {
    d = Shuffle(d,
                IntegerOf(static_cast<int64_t>(names.size()), DataType::kInt64,
                          "buffer_size"),
                how.shuffle_seed, /*reshuffle_each_iteration=*/true);
  }
  d = ReadInTurn(how, d, columns);
  if (how.shuffle) {
    d = Shuffle(d,
                how.shuffle_buffer_size
                    ? how.shuffle_buffer_size
                    : IntegerOf(10000, DataType::kInt64, "buffer_size"),
                how.shuffle_seed, /*reshuffle_each_iteration=*/true);
  }
  d = Repeat(d, how.num_epochs);
  d = Batch(d, how.batch_size, ConstantOf(!how.num_epochs, "drop_remainder"),
            {});

  // As dictionaries have their values: by sorted names.
  std::vector<size_t> order;
  for (size_t i = 0; i < columns.names.size(); ++i) {
    if (i != label) order.push_back(i);
  }
  made.columns = {};
  const auto add = [&](size_t i) {
    made.columns.types.push_back(d.elements.types[i]);
    made.columns.shapes.push_back(d.elements.shapes[i]);
  };
  for (const size_t i : order) add(i);
  if (label) add(*label);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return columns.names[a] < columns.names[b];
  });
  if (label) order.push_back(*label);
  const ElementFunction f =
      TraceElementFunction("Dataset_map_map_fn", d.elements, [&](auto fields) {
        TensorVector ordered;
        for (const size_t i : order) ordered.push_back(fields[i]);
        return ordered;
      });
  d = Map(d, f, {});
  made.dataset =
      Prefetch(d, how.prefetch_buffer_size
                      ? how.prefetch_buffer_size
                      : IntegerOf(-1, DataType::kInt64, "buffer_size"));
  return made;
}

}  // namespace gk::steps
