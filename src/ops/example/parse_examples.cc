#include "ops/example/parse_examples.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/thread_pool.h"
#include "framework/text_memory.h"
#include "ops/example/example_message.h"
#include "proto/text.h"

namespace gk {
namespace {

// Values of variable length along the first dimension of a dense feature.
bool IsVariable(const PartialTensorShape& shape) {
  return shape.rank() > 0 && shape.dim(0) < 0;
}

int64_t ElementsOf(const PartialTensorShape& shape) {
  int64_t n = 1;
  for (int i = IsVariable(shape) ? 1 : 0; i < shape.rank(); ++i) {
    n *= shape.dim(i);
  }
  return n;
}

std::string_view KindName(DataType t) {
  switch (t) {
    case DataType::kInt64:
      return "int64";
    case DataType::kFloat:
      return "float";
    case DataType::kString:
      return "string";
    default:
      return "INVALID";
  }
}

// As the lists of values are called.
std::string_view ListName(DataType t) {
  return t == DataType::kString ? "bytes" : KindName(t);
}

template <class F>
void VisitKind(DataType t, F f) {
  switch (t) {
    case DataType::kInt64:
      return f(int64_t());
    case DataType::kFloat:
      return f(float());
    case DataType::kString:
      return f(std::string());
    default:
      return;
  }
}

// The values of a list, which has been counted, from `to` on.
void Copy(const FeatureView& feature, DataType dtype, Tensor* out, int64_t to) {
  VisitKind(dtype, [&](auto kind) {
    using T = decltype(kind);
    T* at = out->data<T>() + to;
    if constexpr (std::is_same_v<T, std::string>) {
      ReadValues<std::string_view>(feature.list, [&](std::string_view s) {
        if (s.size() > 15) CountText(static_cast<int64_t>(s.size()));
        (at++)->assign(s);
      });
    } else if constexpr (std::is_same_v<T, float>) {
      CopyFloats(feature.list, at);
    } else {
      ReadValues<T>(feature.list, [&](T value) { *at++ = value; });
    }
  });
}

// `n` elements of `from`, beginning with its first or all of them that.
void CopyDefault(const Tensor& from, int64_t n, bool repeat, Tensor* out,
                 int64_t to) {
  VisitKind(out->dtype(), [&](auto kind) {
    using T = decltype(kind);
    T* at = out->data<T>() + to;
    for (int64_t i = 0; i < n; ++i) {
      if (from.num_elements() == 0) {
        at[i] = T();
        continue;
      }
      const T& value = from.data<T>()[repeat ? 0 : i];
      if constexpr (std::is_same_v<T, std::string>) {
        if (value.size() > 15) CountText(static_cast<int64_t>(value.size()));
      }
      at[i] = value;
    }
  });
}

class ExampleParser {
 public:
  ExampleParser(KernelContext& c, const Tensor& serialized, const Tensor* names,
                const FeaturesWanted& wanted)
      : c_(c),
        serialized_(serialized),
        names_(names != nullptr && names->num_elements() > 0 ? names : nullptr),
        wanted_(wanted),
        is_single_(serialized.shape().IsScalar()),
        rows_(serialized.num_elements()),
        first_dense_(wanted.sparse.size()),
        first_ragged_(first_dense_ + wanted.dense.size()),
        slots_(first_ragged_ + wanted.ragged.size()) {}

  Status Run();

 private:
  struct Found {
    FeatureView feature;
    int64_t count = 0;
  };

  const std::string& Text(int64_t row) const {
    return serialized_.data<std::string>()[row];
  }
  Found& At(int64_t row, size_t slot) { return found_[row * slots_ + slot]; }
  std::string_view KeyOf(size_t slot) const;
  DataType TypeOf(size_t slot) const;

  std::string Named(int64_t row) const;
  std::string Where(int64_t row, size_t slot) const;
  Status Find(int64_t row);
  Status Check(int64_t row, size_t slot);
  Status CheckDense(int64_t row, size_t slot);
  // Calls `read` for all rows; the error of the first that has one.
  template <class F>
  Status ForRows(F read);

  Status AllocateSparse(size_t i);
  Status AllocateDense(size_t i);
  Status AllocateRagged(size_t i);
  void Fill(int64_t row);
  // Where each row's values begin, and the end of all.
  std::vector<int64_t> Starts(size_t slot);

  KernelContext& c_;
  const Tensor& serialized_;
  const Tensor* names_;
  const FeaturesWanted& wanted_;
  const bool is_single_;
  const int64_t rows_;
  const size_t first_dense_, first_ragged_, slots_;
  std::unordered_map<std::string_view, std::vector<size_t>> slots_of_;
  std::vector<Found> found_;
  std::vector<std::vector<int64_t>> starts_;  // of sparse and ragged slots
  std::vector<int64_t> widths_;               // elements in a row, of dense
};

std::string_view ExampleParser::KeyOf(size_t slot) const {
  if (slot < first_dense_) return wanted_.sparse[slot];
  if (slot < first_ragged_) return wanted_.dense[slot - first_dense_];
  return wanted_.ragged[slot - first_ragged_];
}

DataType ExampleParser::TypeOf(size_t slot) const {
  if (slot < first_dense_) return wanted_.sparse_types[slot];
  if (slot < first_ragged_) {
    return wanted_.dense_defaults[slot - first_dense_]->dtype();
  }
  return wanted_.ragged_types[slot - first_ragged_];
}

std::string ExampleParser::Named(int64_t row) const {
  if (is_single_) return "";
  return Format("Name: {}, ", names_ == nullptr
                                  ? std::string("<unknown>")
                                  : names_->data<std::string>()[row]);
}

std::string ExampleParser::Where(int64_t row, size_t slot) const {
  const std::string key = Format("{}Key: {}", Named(row), KeyOf(slot));
  return is_single_ ? key + ".  " : Format("{}, Index: {}.  ", key, row);
}

template <class F>
Status ExampleParser::ForRows(F read) {
  std::mutex mutex;
  Status first;
  int64_t failed = rows_;
  const int64_t cost = 100 + 100 * static_cast<int64_t>(slots_);
  ThreadPool::Global().ParallelRange(
      rows_, cost, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          Status status = read(row);
          if (status.ok()) continue;
          const std::lock_guard lock(mutex);
          if (row < failed) {
            failed = row;
            first = std::move(status);
          }
          return;
        }
      });
  return first;
}

Status ExampleParser::CheckDense(int64_t row, size_t slot) {
  const Found& found = At(row, slot);
  const size_t i = slot - first_dense_;
  const PartialTensorShape& shape = wanted_.dense_shapes[i];
  const DataType dtype = TypeOf(slot);
  if (found.feature.dtype == DataType::kInvalid) {
    if (IsVariable(shape) || wanted_.dense_defaults[i]->num_elements() > 0) {
      return OkStatus();
    }
    return InvalidArgument(
        "{}Feature: {} (data type: {}) is required but could not be found.",
        Named(row), KeyOf(slot), KindName(dtype));
  }
  if (found.feature.dtype != dtype) {
    return InvalidArgument(
        "{}Data types don't match. Data type: {} but expected type: {}",
        Where(row, slot), KindName(found.feature.dtype), KindName(dtype));
  }
  const int64_t each = ElementsOf(shape);
  const bool fits = !IsVariable(shape) ? found.count == each
                    : each == 0        ? found.count == 0
                                       : found.count % each == 0;
  if (fits) return OkStatus();
  const std::string where =
      Where(row, slot) + (is_single_ ? "Can't parse serialized Example. " : "");
  if (IsVariable(shape)) {
    return InvalidArgument(
        "{}Number of {} values is not a multiple of stride length. Saw {} "
        "values but output shape is: {}",
        where, ListName(dtype), found.count, shape.DebugString());
  }
  return InvalidArgument(
      "{}Number of {} values != expected.  Values size: {} but output shape: "
      "{}",
      where, ListName(dtype), found.count, shape.DebugString());
}

Status ExampleParser::Check(int64_t row, size_t slot) {
  if (slot >= first_dense_ && slot < first_ragged_) {
    return CheckDense(row, slot);
  }
  const DataType dtype = At(row, slot).feature.dtype;
  if (dtype == DataType::kInvalid || dtype == TypeOf(slot)) return OkStatus();
  return InvalidArgument(
      "{}Data types don't match. Expected type: {}, Actual type: {}",
      Where(row, slot), KindName(TypeOf(slot)), KindName(dtype));
}

Status ExampleParser::Find(int64_t row) {
  bool is_right = true;
  const bool is_example = ReadExample(
      Text(row), [&](std::string_view name, std::string_view message) {
        const auto slots = slots_of_.find(name);
        if (slots == slots_of_.end()) return;
        FeatureView feature;
        if (!ReadFeature(message, &feature)) is_right = false;
        for (const size_t slot : slots->second) At(row, slot) = {feature, 0};
      });
  for (size_t slot = 0; is_example && is_right && slot < slots_; ++slot) {
    Found& found = At(row, slot);
    if (!CountValues(found.feature, &found.count)) {
      return InvalidArgument(
          "{}Can't parse serialized Example: a list of values is broken.",
          Where(row, slot));
    }
    GK_RETURN_IF_ERROR(Check(row, slot));
  }
  if (is_example && is_right) return OkStatus();
  constexpr size_t kShown = 200;
  return InvalidArgument(
      "{}Could not parse example input, value: '{}'", Named(row),
      proto::Escape(std::string_view(Text(row)).substr(0, kShown)));
}

std::vector<int64_t> ExampleParser::Starts(size_t slot) {
  std::vector<int64_t> starts(rows_ + 1);
  for (int64_t row = 0; row < rows_; ++row) {
    starts[row + 1] = starts[row] + At(row, slot).count;
  }
  return starts;
}

Status ExampleParser::AllocateSparse(size_t i) {
  const int n = static_cast<int>(first_dense_), at = static_cast<int>(i);
  starts_[i] = Starts(i);
  const int64_t total = starts_[i].back();
  const int rank = is_single_ ? 1 : 2;
  Tensor *indices, *values, *shape;
  GK_RETURN_IF_ERROR(
      c_.Allocate(at, DataType::kInt64, TensorShape({total, rank}), &indices));
  GK_RETURN_IF_ERROR(c_.Allocate(n + at, wanted_.sparse_types[i],
                                 TensorShape({total}), &values));
  GK_RETURN_IF_ERROR(
      c_.Allocate(2 * n + at, DataType::kInt64, TensorShape({rank}), &shape));
  int64_t widest = 0;
  for (int64_t row = 0; row < rows_; ++row) {
    widest = std::max(widest, At(row, i).count);
  }
  int64_t* dims = shape->data<int64_t>();
  if (!is_single_) *dims++ = rows_;
  *dims = widest;
  return OkStatus();
}

Status ExampleParser::AllocateDense(size_t i) {
  const PartialTensorShape& wanted = wanted_.dense_shapes[i];
  std::vector<int64_t> dims;
  if (!is_single_) dims.push_back(rows_);
  dims.insert(dims.end(), wanted.dims().begin(), wanted.dims().end());
  int64_t& width = widths_[i] = ElementsOf(wanted);
  if (IsVariable(wanted)) {
    int64_t longest = 0;
    for (int64_t row = 0; row < rows_; ++row) {
      longest = std::max(longest, At(row, first_dense_ + i).count);
    }
    const int64_t turns = width == 0 ? 0 : longest / width;
    dims[is_single_ ? 0 : 1] = turns;
    width *= turns;
  }
  GK_ASSIGN_OR_RETURN(const TensorShape shape,
                      PartialTensorShape(dims).AsTensorShape());
  Tensor* out;
  return c_.Allocate(static_cast<int>(3 * first_dense_ + i),
                     wanted_.dense_defaults[i]->dtype(), shape, &out);
}

Status ExampleParser::AllocateRagged(size_t i) {
  const size_t slot = first_ragged_ + i;
  const size_t first = 3 * first_dense_ + wanted_.dense.size();
  starts_[slot] = Starts(slot);
  Tensor *values, *splits;
  GK_RETURN_IF_ERROR(c_.Allocate(static_cast<int>(first + i),
                                 wanted_.ragged_types[i],
                                 TensorShape({starts_[slot].back()}), &values));
  const int64_t n = is_single_ ? 0 : rows_ + 1;
  GK_RETURN_IF_ERROR(
      c_.Allocate(static_cast<int>(first + wanted_.ragged.size() + i),
                  wanted_.split_types[i], TensorShape({n}), &splits));
  for (int64_t row = 0; row < n; ++row) {
    const int64_t start = starts_[slot][row];
    if (splits->dtype() == DataType::kInt64) {
      splits->data<int64_t>()[row] = start;
    } else if (start <= INT32_MAX) {
      splits->data<int32_t>()[row] = static_cast<int32_t>(start);
    } else {
      return InvalidArgument(
          "Key: {}. {} values are too many for row splits of int32; ask for "
          "int64.",
          KeyOf(slot), starts_[slot].back());
    }
  }
  return OkStatus();
}

void ExampleParser::Fill(int64_t row) {
  const int n = static_cast<int>(first_dense_);
  for (int i = 0; i < n; ++i) {
    const Found& found = At(row, i);
    const int64_t start = starts_[i][row];
    int64_t* at = c_.output(i).data<int64_t>() + start * (is_single_ ? 1 : 2);
    for (int64_t k = 0; k < found.count; ++k) {
      if (!is_single_) *at++ = row;
      *at++ = k;
    }
    Copy(found.feature, TypeOf(i), &c_.output(n + i), start);
  }
  for (size_t i = 0; i < wanted_.dense.size(); ++i) {
    const Found& found = At(row, first_dense_ + i);
    Tensor& out = c_.output(static_cast<int>(3 * first_dense_ + i));
    const int64_t start = row * widths_[i];
    const bool is_variable = IsVariable(wanted_.dense_shapes[i]);
    if (found.feature.dtype != DataType::kInvalid) {
      Copy(found.feature, out.dtype(), &out, start);
    }
    if (is_variable || found.feature.dtype == DataType::kInvalid) {
      CopyDefault(*wanted_.dense_defaults[i], widths_[i] - found.count,
                  is_variable, &out, start + found.count);
    }
  }
  for (size_t i = 0; i < wanted_.ragged.size(); ++i) {
    const size_t slot = first_ragged_ + i;
    Tensor& values = c_.output(
        static_cast<int>(3 * first_dense_ + wanted_.dense.size() + i));
    Copy(At(row, slot).feature, values.dtype(), &values, starts_[slot][row]);
  }
}

Status ExampleParser::Run() {
  for (size_t slot = 0; slot < slots_; ++slot) {
    slots_of_[KeyOf(slot)].push_back(slot);
  }
  found_.resize(rows_ * slots_);
  starts_.resize(slots_);
  widths_.resize(wanted_.dense.size());
  GK_RETURN_IF_ERROR(ForRows([&](int64_t row) { return Find(row); }));
  for (size_t i = 0; i < wanted_.sparse.size(); ++i) {
    GK_RETURN_IF_ERROR(AllocateSparse(i));
  }
  for (size_t i = 0; i < wanted_.dense.size(); ++i) {
    GK_RETURN_IF_ERROR(AllocateDense(i));
  }
  for (size_t i = 0; i < wanted_.ragged.size(); ++i) {
    GK_RETURN_IF_ERROR(AllocateRagged(i));
  }
  return ForRows([&](int64_t row) {
    Fill(row);
    return OkStatus();
  });
}

}  // namespace

Status CheckWanted(const FeaturesWanted& w) {
  const auto fits = [](std::string_view what, std::string_view types,
                       size_t keys, size_t given) {
    if (keys == given) return OkStatus();
    return InvalidArgument("Expected len({}) == len({}) but got: {} vs. {}",
                           what, types, keys, given);
  };
  GK_RETURN_IF_ERROR(fits("sparse_keys", "sparse_types", w.sparse.size(),
                          w.sparse_types.size()));
  GK_RETURN_IF_ERROR(fits("dense_keys", "dense_types", w.dense.size(),
                          w.dense_defaults.size()));
  GK_RETURN_IF_ERROR(fits("dense_keys", "dense_shapes", w.dense.size(),
                          w.dense_shapes.size()));
  GK_RETURN_IF_ERROR(fits("ragged_keys", "ragged_value_types", w.ragged.size(),
                          w.ragged_types.size()));
  GK_RETURN_IF_ERROR(fits("ragged_keys", "ragged_split_types", w.ragged.size(),
                          w.split_types.size()));
  for (size_t i = 0; i < w.dense.size(); ++i) {
    const PartialTensorShape& shape = w.dense_shapes[i];
    const TensorShape& given = w.dense_defaults[i]->shape();
    bool is_known = !shape.unknown_rank();
    int64_t product = 1;
    for (int k = 0; is_known && k < shape.rank(); ++k) {
      if (shape.dim(k) < 0) {
        is_known = k == 0;
      } else if (__builtin_mul_overflow(product, shape.dim(k), &product)) {
        return InvalidArgument("dense_shapes[{}] has too many elements: {}", i,
                               shape.DebugString());
      }
    }
    if (!is_known) {
      return InvalidArgument(
          "dense_shapes[{}] has unknown rank or unknown inner dimensions: {}",
          i, shape.DebugString());
    }
    const int64_t n = w.dense_defaults[i]->num_elements();
    if (IsVariable(shape)) {
      if (n == 1) continue;
      return InvalidArgument(
          "dense_shape[{}] is a variable length shape: {}, therefore "
          "def_value[{}] must contain a single element (the padding element).  "
          "But its shape is: {}",
          i, shape.DebugString(), i, given.DebugString());
    }
    if (n > 0 && !shape.IsCompatibleWith(given)) {
      return InvalidArgument(
          "def_value[{}].shape() == {} is not compatible with "
          "dense_shapes_[{}] "
          "== {}",
          i, given.DebugString(), i, shape.DebugString());
    }
  }
  return OkStatus();
}

Status ParseExamples(KernelContext& c, const Tensor& serialized,
                     const Tensor* names, const FeaturesWanted& wanted) {
  return ExampleParser(c, serialized, names, wanted).Run();
}

}  // namespace gk
