// Lookup tables get their content from lines of a file.
#include <algorithm>
#include <charconv>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/interrupt.h"
#include "framework/op_registry.h"
#include "framework/text_memory.h"
#include "io/buffered_reader.h"
#include "ops/lookup/table.h"

namespace gk {
namespace {

// What of a line becomes a key or value; from 0 on, a column.
constexpr int64_t kWholeLine = -2, kLineNumber = -1;

struct FileFormat {
  int64_t key_index, value_index, vocab_size, offset;
  char delimiter;
};

template <class T>
bool ParseNumber(std::string_view text, T* value) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && at == end && !text.empty();
}

// Fills one column of the table: all keys or all values.
class FilledColumn {
 public:
  FilledColumn(int64_t index, DataType dtype) : index_(index), dtype_(dtype) {}

  int64_t index() const { return index_; }

  Status Add(const std::string& line, int64_t number, int64_t line_value,
             std::span<const std::string_view> fields) {
    if (index_ == kLineNumber) {
      numbers_.push_back(line_value);
      return OkStatus();
    }
    const std::string_view text =
        index_ == kWholeLine ? std::string_view(line) : fields[index_];
    if (dtype_ == DataType::kString) {
      CountText(static_cast<int64_t>(text.size()));
      texts_.emplace_back(text);
      return OkStatus();
    }
    bool fits = false;
    if (dtype_ == DataType::kInt64 || dtype_ == DataType::kInt32) {
      int64_t value = 0;
      fits =
          ParseNumber(text, &value) &&
          (dtype_ == DataType::kInt64 || value == static_cast<int32_t>(value));
      numbers_.push_back(value);
    } else {
      double value = 0;
      fits = ParseNumber(text, &value);
      reals_.push_back(value);
    }
    if (fits) return OkStatus();
    return InvalidArgument("Field {} in line {} is not a valid {}.",
                           std::string(text), number, DataTypeString(dtype_));
  }

  StatusOr<Tensor> Finish() {
    const auto n = static_cast<int64_t>(
        std::max({numbers_.size(), reals_.size(), texts_.size()}));
    GK_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(dtype_, TensorShape({n})));
    switch (dtype_) {
      case DataType::kString:
        std::move(texts_.begin(), texts_.end(), out.data<std::string>());
        break;
      case DataType::kInt64:
        std::copy(numbers_.begin(), numbers_.end(), out.data<int64_t>());
        break;
      case DataType::kInt32:
        for (int64_t i = 0; i < n; ++i) {
          out.data<int32_t>()[i] = static_cast<int32_t>(numbers_[i]);
        }
        break;
      case DataType::kDouble:
        std::copy(reals_.begin(), reals_.end(), out.data<double>());
        break;
      default:
        for (int64_t i = 0; i < n; ++i) {
          out.data<float>()[i] = static_cast<float>(reals_[i]);
        }
    }
    return out;
  }

 private:
  const int64_t index_;
  const DataType dtype_;
  std::vector<int64_t> numbers_;
  std::vector<double> reals_;
  std::vector<std::string> texts_;
};

Status CheckColumn(std::string_view what, int64_t index, DataType dtype) {
  if (index == kLineNumber && dtype != DataType::kInt64) {
    return InvalidArgument(
        "{} index for line number requires table {} dtype of int64, got {}",
        what, what == "Key" ? "key" : "value", DataTypeString(dtype));
  }
  if (index == kWholeLine && dtype != DataType::kString &&
      !(what == "Key" && IsInteger(dtype))) {
    return InvalidArgument(
        "{} index for whole line requires table {} dtype of string, got {}",
        what, what == "Key" ? "key" : "value", DataTypeString(dtype));
  }
  switch (dtype) {
    case DataType::kString:
    case DataType::kInt32:
    case DataType::kInt64:
    case DataType::kFloat:
    case DataType::kDouble:
      return OkStatus();
    default:
      return InvalidArgument("Data type {} not supported.",
                             DataTypeString(dtype));
  }
}

Status ReadFormat(KernelContext& c, FileFormat* format) {
  format->key_index = c.attr<int64_t>("key_index");
  format->value_index = c.attr<int64_t>("value_index");
  format->vocab_size = c.attr<int64_t>("vocab_size");
  format->offset = c.attr<int64_t>("offset");
  const std::string& delimiter = c.attr<std::string>("delimiter");
  if (delimiter.size() != 1) {
    return InvalidArgument("delimiter should be only 1 char");
  }
  format->delimiter = delimiter[0];
  return OkStatus();
}

std::vector<std::string_view> FieldsOf(std::string_view line, char delimiter) {
  std::vector<std::string_view> fields;
  for (;;) {
    const size_t n = std::min(line.find(delimiter), line.size());
    fields.push_back(line.substr(0, n));
    if (n == line.size()) return fields;
    line.remove_prefix(n + 1);
  }
}

Status ReadLines(const std::string& filename, const FileFormat& format,
                 FilledColumn* keys, FilledColumn* values) {
  GK_ASSIGN_OR_RETURN(io::BufferedReader file,
                      io::BufferedReader::Open(filename));
  const auto most =
      static_cast<size_t>(std::max(format.key_index, format.value_index) + 1);
  std::string line;
  int64_t number = 0;
  TurnPoll poll;
  while (format.vocab_size != number) {
    poll();
    GK_ASSIGN_OR_RETURN(const bool more, file.ReadLine(&line));
    if (!more) break;
    std::vector<std::string_view> fields;
    if (format.key_index >= 0 || format.value_index >= 0) {
      fields = FieldsOf(line, format.delimiter);
      if (fields.size() < most) {
        return InvalidArgument(
            "Invalid number of columns in {} line {} ({}) : expected at least "
            "{} got {}",
            filename, number, line, most, fields.size());
      }
    }
    const int64_t line_value = number + format.offset;
    GK_RETURN_IF_ERROR(keys->Add(line, number, line_value, fields));
    GK_RETURN_IF_ERROR(values->Add(line, number, line_value, fields));
    ++number;
  }
  if (format.vocab_size >= 0 && number != format.vocab_size) {
    return InvalidArgument("Invalid vocab_size in {}: expected {} but got {}",
                           filename, format.vocab_size, number);
  }
  return OkStatus();
}

Status ComputeInitializeFromFile(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<TableResource> table,
                      TableResource::Of(c.input(0)));
  const Tensor& filename = c.input(1);
  if (filename.rank() != 0) {
    return InvalidArgument("filename should be a single string, but got {}",
                           filename.shape().DebugString());
  }
  FileFormat format{};
  GK_RETURN_IF_ERROR(ReadFormat(c, &format));
  const TableTypes& types = table->types();
  GK_RETURN_IF_ERROR(CheckColumn("Key", format.key_index, types.key));
  GK_RETURN_IF_ERROR(CheckColumn("Value", format.value_index, types.value));
  if (format.vocab_size == 0) {
    return OutOfRange("Finished reading 0 of lines from {}",
                      filename.scalar<std::string>());
  }
  if (table->IsInitialized()) return OkStatus();
  FilledColumn keys(format.key_index, types.key);
  FilledColumn values(format.value_index, types.value);
  GK_RETURN_IF_ERROR(
      ReadLines(filename.scalar<std::string>(), format, &keys, &values));
  GK_ASSIGN_OR_RETURN(const Tensor all_keys, keys.Finish());
  GK_ASSIGN_OR_RETURN(const Tensor all_values, values.Finish());
  return table->Initialize(all_keys, all_values);
}

Status FileShape(InferenceContext& c) {
  PartialTensorShape scalar;
  GK_RETURN_IF_ERROR(c.WithRank(0, 0, &scalar));
  return c.WithRank(1, 0, &scalar);
}

const OpRecord kRecords[] = {
    {.name = "InitializeTableFromTextFileV2",
     .inputs = "table_handle: resource; filename: string",
     .outputs = "",
     .attrs = "key_index: int >= -2; value_index: int >= -2; vocab_size: int "
              ">= -1 = -1; delimiter: string = '	'; offset: int = 0",
     .traits = kStateful | kReadsResource | kWritesResource | kNoGradient,
     .shape = FileShape,
     .kernel = {.compute = ComputeInitializeFromFile},
     .doc = "Gives a table its content, once: a key and a value of each line "
            "of a file. An index of -2 is the whole line, -1 its number, "
            "others a column."},
};

}  // namespace

GK_REGISTER_OPS(lookup_file)

}  // namespace gk
