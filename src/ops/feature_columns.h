// Columns of features that ops cross: tensors of numbers or texts, dense,
// sparse or with rows given by splits; and the crosses as tensors.
#ifndef GK_OPS_FEATURE_COLUMNS_H_
#define GK_OPS_FEATURE_COLUMNS_H_

#include <string_view>
#include <vector>

#include "framework/kernel_context.h"
#include "kernels/feature_cross.h"

namespace gk {

class FeatureColumns {
 public:
  explicit FeatureColumns(int64_t rows) : rows_(rows) {}

  int64_t rows() const { return rows_; }
  const int64_t* ends() const { return ends_.data<int64_t>(); }
  int64_t size() const { return ends()[rows_]; }

  // A matrix with a row for each of them.
  Status AddDense(const Tensor& matrix);
  // Values in the order of their rows, of which `splits` tells the begins.
  Status AddSplit(const Tensor& values, const Tensor& splits);
  // Values of a sparse matrix, in each row as they come. InvalidArgument if
  // one is in no row.
  Status AddSparse(const Tensor& indices, const Tensor& values);

  // Counts the crosses: to be called once all are added. InvalidArgument if
  // there are too many.
  Status Count();
  // Output i: all crosses, row by row.
  Status OutputHashes(KernelContext& c, int i, const CrossHash& how) const;
  Status OutputTexts(KernelContext& c, int i, std::string_view sep) const;

 private:
  // Memory for the begins of rows.
  Status NewFirst(int64_t** first);

  int64_t rows_;
  std::vector<CrossColumn> columns_;
  TensorVector first_;
  Tensor ends_;
};

}  // namespace gk

#endif  // GK_OPS_FEATURE_COLUMNS_H_
