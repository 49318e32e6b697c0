#include "ops/feature_columns.h"

#include <algorithm>

#include "base/thread_pool.h"
#include "framework/text_memory.h"

namespace gk {
namespace {

constexpr int64_t kNanosecondsPerRow = 300;

CrossColumn ColumnOf(const Tensor& values) {
  CrossColumn column;
  if (values.dtype() == DataType::kString) {
    column.texts = values.data<std::string>();
  } else {
    column.numbers = values.data<int64_t>();
  }
  return column;
}

}  // namespace

Status FeatureColumns::NewFirst(int64_t** first) {
  GK_ASSIGN_OR_RETURN(const TensorShape shape,
                      TensorShape::Make(std::vector<int64_t>{rows_ + 1}));
  GK_ASSIGN_OR_RETURN(Tensor made, Tensor::Zeros(DataType::kInt64, shape));
  *first = made.data<int64_t>();
  first_.push_back(std::move(made));
  return OkStatus();
}

Status FeatureColumns::AddDense(const Tensor& matrix) {
  int64_t* first;
  GK_RETURN_IF_ERROR(NewFirst(&first));
  for (int64_t row = 0; row <= rows_; ++row) first[row] = row * matrix.dim(1);
  CrossColumn column = ColumnOf(matrix);
  column.first = first;
  columns_.push_back(std::move(column));
  return OkStatus();
}

Status FeatureColumns::AddSplit(const Tensor& values, const Tensor& splits) {
  int64_t* first;
  GK_RETURN_IF_ERROR(NewFirst(&first));
  if (splits.dtype() == DataType::kInt32) {
    std::ranges::copy(splits.flat<int32_t>(), first);
  } else {
    std::ranges::copy(splits.flat<int64_t>(), first);
  }
  CrossColumn column = ColumnOf(values);
  column.first = first;
  columns_.push_back(std::move(column));
  return OkStatus();
}

Status FeatureColumns::AddSparse(const Tensor& indices, const Tensor& values) {
  int64_t* first;
  GK_RETURN_IF_ERROR(NewFirst(&first));
  const int64_t n = indices.dim(0), rank = indices.dim(1);
  const int64_t* const at = indices.data<int64_t>();
  bool ordered = true;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t row = at[i * rank];
    if (row < 0 || row >= rows_) {
      return InvalidArgument("indices[{}] is of row {}, and there are {} rows",
                             i, row, rows_);
    }
    ++first[row + 1];
    ordered = ordered && (i == 0 || at[(i - 1) * rank] <= row);
  }
  for (int64_t row = 0; row < rows_; ++row) first[row + 1] += first[row];
  CrossColumn column = ColumnOf(values);
  column.first = first;
  if (!ordered) {
    column.order.resize(n);
    for (int64_t i = 0; i < n; ++i) column.order[i] = i;
    std::ranges::stable_sort(column.order, {},
                             [&](int64_t i) { return at[i * rank]; });
  }
  columns_.push_back(std::move(column));
  return OkStatus();
}

Status FeatureColumns::Count() {
  int64_t* ends;
  GK_RETURN_IF_ERROR(NewFirst(&ends));
  ends_ = first_.back();
  if (!CountCrosses(columns_, rows_, ends)) {
    return InvalidArgument("Too many crosses: more than 64 bits count");
  }
  return OkStatus();
}

Status FeatureColumns::OutputHashes(KernelContext& c, int i,
                                    const CrossHash& how) const {
  GK_ASSIGN_OR_RETURN(const TensorShape shape,
                      TensorShape::Make(std::vector<int64_t>{size()}));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(i, DataType::kInt64, shape, &out));
  ThreadPool& pool = ThreadPool::Global();
  std::vector<std::vector<uint64_t>> hashes;
  for (const CrossColumn& column : columns_) {
    std::vector<uint64_t>& of = hashes.emplace_back(column.first[rows_]);
    pool.ParallelRange(static_cast<int64_t>(of.size()), 20,
                       [&](int64_t begin, int64_t end) {
                         for (int64_t k = begin; k < end; ++k) {
                           of[k] = how.OfValue(column, column.ValueAt(k));
                         }
                       });
  }
  int64_t* const made = out->data<int64_t>();
  pool.ParallelRange(rows_, kNanosecondsPerRow, [&](int64_t row, int64_t last) {
    for (; row < last; ++row) {
      int64_t at = ends()[row];
      if (at == ends()[row + 1]) continue;
      ForEachCross(columns_, row, [&](std::span<const int64_t> places) {
        made[at++] = HashCross(how, hashes, places);
      });
    }
  });
  return OkStatus();
}

Status FeatureColumns::OutputTexts(KernelContext& c, int i,
                                   std::string_view sep) const {
  GK_ASSIGN_OR_RETURN(const TensorShape shape,
                      TensorShape::Make(std::vector<int64_t>{size()}));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(i, DataType::kString, shape, &out));
  std::string* const made = out->data<std::string>();
  const auto fill = [&](int64_t row, int64_t last) {
    for (; row < last; ++row) {
      int64_t at = ends()[row];
      if (at == ends()[row + 1]) continue;
      ForEachCross(columns_, row, [&](std::span<const int64_t> places) {
        std::string& text = made[at++];
        for (size_t k = 0; k < places.size(); ++k) {
          if (k > 0) text += sep;
          columns_[k].AppendText(places[k], &text);
        }
        CountText(static_cast<int64_t>(text.size()));
      });
    }
  };
  ThreadPool::Global().ParallelRange(rows_, kNanosecondsPerRow, fill);
  return OkStatus();
}

}  // namespace gk
