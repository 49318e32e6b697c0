// Records of fields with a character between them.
#include "ops/fn/string_csv.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/interrupt.h"
#include "framework/op_registry.h"
#include "framework/text_memory.h"
#include "ops/string/parse_number.h"

namespace gk {
namespace {

// Reads the fields of one record, or those of some columns.
class RecordReader {
 public:
  RecordReader(char delimiter, bool quotes, const std::vector<int64_t>& columns)
      : delimiter_(delimiter), quotes_(quotes), columns_(columns) {}

  Status Read(std::string_view record, std::vector<std::string>* fields) {
    fields->clear();
    rest_ = record;
    column_ = 0;
    while (!rest_.empty() && !IsDone(*fields)) {
      if (IsLineEnd(rest_.front())) {
        rest_.remove_prefix(1);
        continue;
      }
      std::string field;
      GK_RETURN_IF_ERROR(quotes_ && rest_.front() == '"' ? ReadQuoted(&field)
                                                         : ReadPlain(&field));
      Keep(std::move(field), fields);
    }
    // Behind a delimiter at the end stands an empty field.
    if (!record.empty() && record.back() == delimiter_ && !IsDone(*fields)) {
      Keep("", fields);
    }
    return OkStatus();
  }

 private:
  static bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }

  bool IsDone(const std::vector<std::string>& fields) const {
    return !columns_.empty() && fields.size() == columns_.size();
  }

  void Keep(std::string field, std::vector<std::string>* fields) {
    if (columns_.empty() || columns_[fields->size()] == column_) {
      fields->push_back(std::move(field));
    }
    ++column_;
  }

  Status ReadPlain(std::string* field) {
    const size_t n = std::min(rest_.find(delimiter_), rest_.size());
    const std::string_view text = rest_.substr(0, n);
    for (const char c : text) {
      if (IsLineEnd(c) || (quotes_ && c == '"')) {
        return InvalidArgument(
            "Unquoted fields cannot have quotes/CRLFs inside");
      }
    }
    field->assign(text);
    rest_.remove_prefix(std::min(n + 1, rest_.size()));
    return OkStatus();
  }

  Status ReadQuoted(std::string* field) {
    size_t i = 1;
    for (;; ++i) {
      if (i >= rest_.size()) {
        return InvalidArgument(
            "Quoted field has to end with quote followed by delim or end");
      }
      if (rest_[i] == '"') {
        const bool ends = i + 1 == rest_.size() || rest_[i + 1] == delimiter_;
        if (ends) break;
        if (rest_[i + 1] != '"') {
          return InvalidArgument(
              "Quote inside a string has to be escaped by another quote");
        }
        ++i;
      }
      *field += rest_[i];
    }
    rest_.remove_prefix(std::min(i + 2, rest_.size()));
    return OkStatus();
  }

  const char delimiter_;
  const bool quotes_;
  const std::vector<int64_t>& columns_;
  std::string_view rest_;
  int64_t column_ = 0;
};

Status CheckCsvCall(KernelContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) {
    const Tensor& given = c.input(i);
    if (given.rank() > 1) {
      return InvalidArgument("Each record default should be at most rank 1");
    }
    if (given.num_elements() > 1) {
      return InvalidArgument(
          "There should only be 1 default per field but field {} has {}", i - 1,
          given.num_elements());
    }
  }
  if (c.attr<std::string>("field_delim").size() != 1) {
    return InvalidArgument("field_delim should be only 1 char");
  }
  const auto& columns = c.attr<std::vector<int64_t>>("select_cols");
  if (columns.empty()) return OkStatus();
  if (static_cast<int>(columns.size()) != c.num_outputs()) {
    return InvalidArgument("select_cols should match output size");
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] < 0) {
      return InvalidArgument("select_cols should be non-negative indices");
    }
    if (i > 0 && columns[i] <= columns[i - 1]) {
      return InvalidArgument(
          "select_cols should be strictly increasing indices");
    }
  }
  return OkStatus();
}

// Element `at` of column `f` is what the field says, or its default if it says
// nothing.
Status SetField(KernelContext& c, int f, int64_t at, bool is_missing,
                const std::string& field) {
  const Tensor& otherwise = c.input(f + 1);
  Tensor& out = c.output(f);
  if (is_missing && otherwise.num_elements() == 0) {
    return InvalidArgument("Field {} is required but missing in record {}!", f,
                           at);
  }
  if (out.dtype() == DataType::kString) {
    const std::string& text =
        is_missing ? otherwise.data<std::string>()[0] : field;
    CountText(static_cast<int64_t>(text.size()));
    out.data<std::string>()[at] = text;
    return OkStatus();
  }
  Status status;
  const bool known =
      VisitType<float, double, int32_t, int64_t>(out.dtype(), [&](auto tag) {
        using T = decltype(tag);
        status = OkStatus();
        T& to = out.data<T>()[at];
        if (is_missing) {
          to = otherwise.data<T>()[0];
        } else if (!ParseNumber(field, &to)) {
          status =
              InvalidArgument("Field {} in record {} is not a valid {}: {}", f,
                              at, DataTypeString(out.dtype()), field);
        }
      });
  return known ? status : c.NoKernel();
}

Status ComputeCsv(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckCsvCall(c));
  const Tensor& records = c.input(0);
  for (int f = 0; f < c.num_outputs(); ++f) {
    Tensor* out;
    GK_RETURN_IF_ERROR(
        c.Allocate(f, c.input(f + 1).dtype(), records.shape(), &out));
  }
  const std::string& na = c.attr<std::string>("na_value");
  RecordReader reader(c.attr<std::string>("field_delim")[0],
                      c.attr<bool>("use_quote_delim"),
                      c.attr<std::vector<int64_t>>("select_cols"));
  std::vector<std::string> fields;
  TurnPoll poll;
  for (int64_t i = 0; i < records.num_elements(); ++i) {
    poll();
    GK_RETURN_IF_ERROR(reader.Read(records.data<std::string>()[i], &fields));
    if (static_cast<int>(fields.size()) != c.num_outputs()) {
      return InvalidArgument("Expect {} fields but have {} in record {}",
                             c.num_outputs(), fields.size(), i);
    }
    for (int f = 0; f < c.num_outputs(); ++f) {
      const bool is_missing = fields[f].empty() || fields[f] == na;
      GK_RETURN_IF_ERROR(SetField(c, f, i, is_missing, fields[f]));
    }
  }
  return OkStatus();
}

Status CsvShape(InferenceContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) {
    const PartialTensorShape& given = c.input(i);
    if (given.unknown_rank()) continue;
    if (given.rank() > 1) {
      return InvalidArgument("Each record default should be at most rank 1");
    }
    if (given.rank() == 1 && given.dim(0) > 1) {
      return InvalidArgument(
          "There should only be 1 default per field but field {} has {}", i - 1,
          given.dim(0));
    }
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.input(0));
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "DecodeCSV",
     .inputs = "records: string; record_defaults: OUT_TYPE",
     .outputs = "output: OUT_TYPE",
     .attrs = "OUT_TYPE: list(type) in [float, double, int32, int64, string] "
              ">= 1; field_delim: string = ','; use_quote_delim: bool = True; "
              "na_value: string = ''; select_cols: list(int) = []",
     .traits = kNoGradient,
     .shape = CsvShape,
     .kernel = {.compute = ComputeCsv},
     .doc = "The fields of records, a tensor for each column."},
};

}  // namespace

GK_REGISTER_OPS(string_csv)

}  // namespace gk
