// Datasets of the records of files of fields with a character between them.
#include <algorithm>
#include <optional>

#include "framework/op_registry.h"
#include "io/compression.h"
#include "io/csv_reader.h"
#include "ops/data/dataset_kernel.h"
#include "ops/string/parse_number.h"

namespace gk {
namespace {

struct CsvFormat {
  std::vector<std::string> files;
  io::Compression compression = io::Compression::kNone;
  size_t piece = 0;
  bool header = false;
  char delimiter = ',';
  bool quotes = true;
  std::string na_value;
  std::vector<int64_t> selected, excluded;  // columns, rising; empty: all, none
  TensorVector defaults;                    // empty ones: fields must be there

  StatusOr<io::CsvReader> Open(const std::string& name) const {
    GK_ASSIGN_OR_RETURN(io::BufferedReader file,
                        io::OpenInflated(name, compression, piece));
    return io::CsvReader(std::move(file), delimiter, quotes, piece);
  }

  // Calls take(i, field) with the field of each component, in their order.
  template <class F>
  Status ForEach(std::span<const std::string_view> fields, F&& take) const {
    size_t taken = 0, excluded_at = 0;
    for (size_t column = 0; column < fields.size(); ++column) {
      const auto number = static_cast<int64_t>(column);
      if (!selected.empty()) {
        if (taken == selected.size()) break;
        if (selected[taken] != number) continue;
      } else if (excluded_at < excluded.size() &&
                 excluded[excluded_at] == number) {
        ++excluded_at;
        continue;
      }
      if (taken == defaults.size()) {
        return InvalidArgument("Expect {} fields but have more in record",
                               defaults.size());
      }
      GK_RETURN_IF_ERROR(take(taken, fields[column]));
      ++taken;
    }
    if (taken == defaults.size()) return OkStatus();
    return InvalidArgument("Expect {} fields but have {} in record",
                           defaults.size(), taken);
  }

  // The element that a record's fields are.
  Status Convert(std::span<const std::string_view> fields,
                 TensorVector* element) const {
    element->clear();
    return ForEach(fields, [&](size_t i, std::string_view field) -> Status {
      if (Missing(field) && defaults[i].rank() == 0) {
        element->push_back(defaults[i].Alias());
        return OkStatus();
      }
      GK_ASSIGN_OR_RETURN(
          Tensor value, Tensor::Allocate(defaults[i].dtype(), TensorShape()));
      GK_RETURN_IF_ERROR(Write(i, field, value.raw_data(), 0));
      element->push_back(std::move(value));
      return OkStatus();
    });
  }

  // The value of component i, as the n-th of those that begin at `to`.
  Status Write(size_t i, std::string_view field, void* to, int64_t n) const {
    const Tensor& otherwise = defaults[i];
    const bool missing = Missing(field);
    if (missing && otherwise.num_elements() == 0) {
      return InvalidArgument("Field {} is required but missing in record!", i);
    }
    if (otherwise.dtype() == DataType::kString) {
      static_cast<std::string*>(to)[n] =
          missing ? std::string_view(otherwise.scalar<std::string>()) : field;
      return OkStatus();
    }
    bool right = false;
    VisitType<float, double, int32_t, int64_t>(
        otherwise.dtype(), [&]<class T>(T) {
          T& value = static_cast<T*>(to)[n];
          if (missing) value = otherwise.scalar<T>();
          right = missing || ParseNumber(field, &value);
        });
    if (right) return OkStatus();
    return InvalidArgument("Field {} in record is not a valid {}: {}", i,
                           DataTypeString(otherwise.dtype()),
                           std::string(field));
  }

 private:
  bool Missing(std::string_view field) const {
    return field.empty() || field == na_value;
  }
};

class CsvDataset final : public Dataset {
 public:
  CsvDataset(std::string_view kind, ElementSignature signature,
             CsvFormat format)
      : Dataset(std::move(signature), {}),
        kind_(kind),
        format_(std::move(format)) {
    for (const Tensor& t : format_.defaults) {
      rows_.types.push_back(t.dtype());
      rows_.shapes.push_back(TensorShape());
    }
  }

  std::string_view kind() const override { return kind_; }
  int64_t Cardinality() const override { return kUnknownCardinality; }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef&) const override {
    return IteratorPtr(new Iterator(this));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(const CsvDataset* d) : dataset_(d) {}
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      GK_RETURN_IF_ERROR(Read(cancellation, end));
      return *end ? OkStatus()
                  : Told(dataset_->format_.Convert(fields_, element));
    }
    const ElementSignature* RowsNow() override { return &dataset_->rows_; }

   protected:
    Status GetRows(const CancellationToken* cancellation, int64_t n,
                   std::span<void* const> rows, int64_t* count,
                   bool* end) override {
      for (; *count < n; ++*count) {
        GK_RETURN_IF_ERROR(Read(cancellation, end));
        if (*end) break;
        GK_RETURN_IF_ERROR(Told(dataset_->format_.ForEach(
            fields_, [&](size_t i, std::string_view field) {
              return dataset_->format_.Write(i, field, rows[i], *count);
            })));
      }
      return OkStatus();
    }

   private:
    // The next record, to fields_.
    Status Read(const CancellationToken* cancellation, bool* end) {
      const CsvFormat& format = dataset_->format_;
      for (;;) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        if (!reader_) {
          if (next_ == format.files.size()) {
            *end = true;
            return OkStatus();
          }
          GK_ASSIGN_OR_RETURN(io::CsvReader file,
                              format.Open(format.files[next_]));
          reader_.emplace(std::move(file));
          if (format.header) GK_RETURN_IF_ERROR(SkipHeader());
        }
        const StatusOr<bool> more = reader_->Next(&fields_);
        GK_RETURN_IF_ERROR(Told(more.status()));
        if (*more) return OkStatus();
        reader_.reset();
        ++next_;
      }
    }

    Status SkipHeader() {
      const StatusOr<bool> read = reader_->Next(&fields_);
      if (read.ok() && *read) return OkStatus();
      const Status wrong =
          Told(read.ok() ? InvalidArgument("Can't read header of file")
                         : read.status());
      reader_.reset();
      ++next_;
      return wrong;
    }
    // With the name of the file.
    Status Told(const Status& status) const {
      if (status.ok() || status.code() != Code::kInvalidArgument) return status;
      return status.Prepend(dataset_->format_.files[next_] + ": ");
    }

    const Ref<const CsvDataset> dataset_;
    std::optional<io::CsvReader> reader_;
    std::vector<std::string_view> fields_;  // of the record that was read
    size_t next_ = 0;
  };

  const std::string_view kind_;
  const CsvFormat format_;
  ElementSignature rows_;
};

Status CheckColumns(std::string_view name, std::span<const int64_t> columns) {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] < 0) {
      return InvalidArgument("{} should be non-negative indices", name);
    }
    if (i > 0 && columns[i] <= columns[i - 1]) {
      return InvalidArgument("{} should be strictly increasing indices", name);
    }
  }
  return OkStatus();
}

Status ComputeCsv(KernelContext& c) {
  const OpDef& def = *c.record().def;
  CsvFormat format;
  const Tensor& files = c.input(0);
  if (files.rank() > 1) {
    return InvalidArgument("`filenames` must be a scalar or a vector");
  }
  const std::string* first = files.data<std::string>();
  format.files.assign(first, first + files.num_elements());
  const auto text = [&](int i) -> StatusOr<std::string> {
    if (c.input(i).shape().IsScalar()) return c.input(i).scalar<std::string>();
    return InvalidArgument("`{}` must be a scalar", def.inputs[i].name);
  };
  GK_ASSIGN_OR_RETURN(const std::string compression, text(1));
  GK_ASSIGN_OR_RETURN(format.compression, io::CompressionOf(compression));
  int64_t buffer_size = 0;
  GK_RETURN_IF_ERROR(ScalarInput(c, 2, "buffer_size", &buffer_size));
  if (buffer_size <= 0) {
    return InvalidArgument("buffer_size should be positive");
  }
  format.piece = io::PieceSize(buffer_size);
  GK_RETURN_IF_ERROR(ScalarInput(c, 3, "header", &format.header));
  GK_ASSIGN_OR_RETURN(const std::string delimiter, text(4));
  if (delimiter.size() != 1) {
    return InvalidArgument("field_delim should be only 1 char");
  }
  format.delimiter = delimiter[0];
  GK_RETURN_IF_ERROR(ScalarInput(c, 5, "use_quote_delim", &format.quotes));
  GK_ASSIGN_OR_RETURN(format.na_value, text(6));
  const auto columns = [&](int i) {
    const auto* begin = c.input(i).data<int64_t>();
    return std::vector<int64_t>(begin, begin + c.input(i).num_elements());
  };
  format.selected = columns(7);
  const ElementSignature signature = SignatureAttrs(c);
  const size_t num_columns = signature.types.size();
  for (size_t i = 0; i < num_columns; ++i) {
    const Tensor& given = c.input(8 + static_cast<int>(i));
    if (given.rank() > 1) {
      return InvalidArgument("Each record default should be at most rank 1");
    }
    if (given.num_elements() > 1) {
      return InvalidArgument(
          "There should only be 1 default per field but field {} has {}", i,
          given.num_elements());
    }
    format.defaults.push_back(given);
  }
  if (const int i = 8 + static_cast<int>(num_columns); i < c.num_inputs()) {
    format.excluded = columns(i);
  }
  if (!format.selected.empty() && !format.excluded.empty()) {
    return InvalidArgument(
        "Either select_cols or exclude_cols should be empty");
  }
  if (!format.selected.empty() && format.selected.size() != num_columns) {
    return InvalidArgument("select_cols should match output size");
  }
  GK_RETURN_IF_ERROR(CheckColumns("select_cols", format.selected));
  GK_RETURN_IF_ERROR(CheckColumns("exclude_cols", format.excluded));
  return SetDataset(
      c, MakeRef<CsvDataset>(c.record().name, signature, std::move(format)));
}

#define GK_CSV_INPUTS                                                         \
  "filenames: string; compression_type: string; buffer_size: int64; header: " \
  "bool; field_delim: string; use_quote_delim: bool; na_value: string; "      \
  "select_cols: int64; record_defaults: output_types"
#define GK_CSV_ATTRS                                                        \
  "output_types: list(type) in [float, double, int32, int64, string] >= 1;" \
  "output_shapes: list(shape) >= 1"

const OpRecord kRecords[] = {
    {.name = "CSVDataset",
     .inputs = GK_CSV_INPUTS,
     .outputs = "handle: variant",
     .attrs = GK_CSV_ATTRS,
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeCsv},
     .doc = "A dataset of the records of files of fields."},

    {.name = "CSVDatasetV2",
     .inputs = GK_CSV_INPUTS "; exclude_cols: int64",
     .outputs = "handle: variant",
     .attrs = GK_CSV_ATTRS,
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeCsv},
     .doc =
         "A dataset of the records of files of fields, of which some columns "
         "may be left out."},
};

}  // namespace

GK_REGISTER_OPS(data_csv)

}  // namespace gk
