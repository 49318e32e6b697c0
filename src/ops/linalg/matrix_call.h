// What kernels of matrices share: batches of them, half precision computed as
// float, work cut over the threads.
#ifndef GK_OPS_LINALG_MATRIX_CALL_H_
#define GK_OPS_LINALG_MATRIX_CALL_H_

#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "framework/kernel_context.h"

namespace gk {

// A call's inputs and outputs in a dtype that kernels compute in. On the
// stack of one kernel.
class MatrixCall {
 public:
  explicit MatrixCall(KernelContext& c);
  MatrixCall(const MatrixCall&) = delete;
  MatrixCall& operator=(const MatrixCall&) = delete;

  const Tensor& in(int i) const { return inputs_[i]; }
  // Makes output i, zeros: where the op's dtype is a half, one of floats.
  Status Out(int i, DataType dtype, const TensorShape& shape, Tensor** out);
  // The results in the op's own dtype.
  Status Finish();

 private:
  KernelContext& c_;
  Status status_;                         // of making the inputs
  DataType narrow_ = DataType::kInvalid;  // kInvalid: nothing is narrow
  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
};

// "Input tensor 0 must have rank >= 2, got 1", "Input matrix must be square."
Status CheckMatrix(const Tensor& t, int i);
Status CheckSquare(const Tensor& t, int i);

inline int64_t RowsOf(const Tensor& t) { return t.dim(t.rank() - 2); }
inline int64_t ColumnsOf(const Tensor& t) { return t.dim(t.rank() - 1); }
// The dims before the matrix; `more` are put behind them.
TensorShape BatchOf(const Tensor& t, std::initializer_list<int64_t> more = {});
// BatchOf, as MakeShape: InvalidArgument where there are too many elements.
StatusOr<TensorShape> BatchWith(const Tensor& t,
                                std::initializer_list<int64_t> more);

// Two inputs whose batches broadcast: which matrix of each every matrix of the
// output is of. Errors are those of the products of stacks.
struct BatchPairs {
  TensorShape batch;
  std::vector<int64_t> a, b;
};
StatusOr<BatchPairs> PairBatches(const Tensor& a, const Tensor& b);

// Calls fn(i) for 0 ... n - 1, each about `cost` operations; InvalidArgument
// with `error` if any returns false. ResourceExhausted where memory ends.
Status ForMatrices(int64_t n, int64_t cost, FunctionRef<bool(int64_t)> fn,
                   std::string_view error = {});

// Calls fn(T()) for the type that kernels compute in.
template <class Fn>
Status VisitMatrixType(KernelContext& c, DataType dtype, Fn&& fn) {
  const bool known = VisitType<float, double, complex64, complex128>(
      dtype, static_cast<Fn&&>(fn));
  return known ? OkStatus() : c.NoKernel();
}

}  // namespace gk

#endif  // GK_OPS_LINALG_MATRIX_CALL_H_
