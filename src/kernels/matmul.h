// Matrix products prepared once and run often: c (+)= op(a) op(b).
//
// MatMul is immutable after Create() and shared by reference count; Run() is
// thread-safe and allocates nothing once warm. Matrices are dense and row
// major; a is m x k (k x m when transposed), b is k x n (n x k), c is m x n.
// Slices depend on the description alone, so results are bitwise equal for
// any number of threads. Create() of a large float product costs up to 0.3 ms.
#ifndef GK_KERNELS_MATMUL_H_
#define GK_KERNELS_MATMUL_H_

#include <cstdint>
#include <memory>

#include "base/status.h"
#include "kernels/element_type.h"
#include "kernels/parallel.h"
#include "kernels/part_done.h"

namespace gk {

struct MatMulDesc {
  ElementType type = ElementType::kFloat;
  int64_t m = 0, k = 0, n = 0;
  // Matrices in c, and in a and b: there either `batch`, or 1 for a matrix
  // that all share, or any number when Run() gets index tables.
  int64_t batch = 1, batch_a = 1, batch_b = 1;
  bool transpose_a = false, transpose_b = false;
  // Complex types only; with a transpose this is the adjoint.
  bool conjugate_a = false, conjugate_b = false;
  // Epilogue: c = relu(c + bias), bias with n elements. Not for complex relu.
  bool bias = false, relu = false;
  // Adds onto what c holds.
  bool accumulate = false;

  bool operator==(const MatMulDesc&) const = default;
};

// Operands of one run. The index tables, of `batch` entries each, name the
// matrix of a and b for each matrix of c (general broadcasting); null means
// the same number, or 0 where there is a single matrix.
struct MatMulArgs {
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  const void* bias = nullptr;
  const int64_t* a_index = nullptr;
  const int64_t* b_index = nullptr;
};

class MatMul {
 public:
  static StatusOr<std::shared_ptr<MatMul>> Create(const MatMulDesc& desc);
  virtual ~MatMul() = default;

  // Whoever wants to work on parts of c is told of them, if they come in parts.
  Status Run(const MatMulArgs& args, Parallel parallel = {},
             const PartDone* done = nullptr) {
    return done != nullptr ? DoRunInParts(args, parallel, *done)
                           : DoRun(args, parallel);
  }
  const MatMulDesc& desc() const { return desc_; }

 protected:
  explicit MatMul(const MatMulDesc& desc) : desc_(desc) {}
  virtual Status DoRun(const MatMulArgs& args, Parallel parallel) = 0;
  virtual Status DoRunInParts(const MatMulArgs& args, Parallel parallel,
                              PartDone) {
    return DoRun(args, parallel);
  }

  const MatMulDesc desc_;
};

// A shared MatMul from a bounded cache of recently used ones, for callers
// without a plan. Thread-safe; a repeat of this thread's last description
// takes no lock.
StatusOr<std::shared_ptr<MatMul>> GetMatMul(const MatMulDesc& desc);

}  // namespace gk

#endif  // GK_KERNELS_MATMUL_H_
