// Softmax, log-softmax, cross entropy and their gradients, row by row.
//
// Matrices are [rows, cols], contiguous. T: half, bfloat16 (computed in
// float), float, double. The row's maximum is subtracted first. Outputs may
// be the inputs themselves, but may not overlap them otherwise. Results do
// not depend on the number of threads. Thread-safe.
#ifndef GK_KERNELS_SOFTMAX_H_
#define GK_KERNELS_SOFTMAX_H_

#include <cstdint>

#include "base/thread_pool.h"

namespace gk {

template <class T>
void Softmax(int64_t rows, int64_t cols, const T* x, T* y,
             ThreadPool& pool = ThreadPool::Global());
template <class T>
void LogSoftmax(int64_t rows, int64_t cols, const T* x, T* y,
                ThreadPool& pool = ThreadPool::Global());

// dx = y * (dy - sum(dy * y)), where y is the softmax.
template <class T>
void SoftmaxGrad(int64_t rows, int64_t cols, const T* y, const T* dy, T* dx,
                 ThreadPool& pool = ThreadPool::Global());
// dx = dy - exp(y) * sum(dy), where y is the log-softmax.
template <class T>
void LogSoftmaxGrad(int64_t rows, int64_t cols, const T* y, const T* dy, T* dx,
                    ThreadPool& pool = ThreadPool::Global());

// loss[r] = sum(labels * (logsumexp(x) - x)); backprop = softmax - labels.
template <class T>
void SoftmaxCrossEntropy(int64_t rows, int64_t cols, const T* logits,
                         const T* labels, T* loss, T* backprop,
                         ThreadPool& pool = ThreadPool::Global());

// The same for one class a row. Returns -1, or the first row whose label is
// outside [0, cols); then nothing has been written. Label: int32_t, int64_t.
template <class T, class Label>
int64_t SparseSoftmaxCrossEntropy(int64_t rows, int64_t cols, const T* logits,
                                  const Label* labels, T* loss, T* backprop,
                                  ThreadPool& pool = ThreadPool::Global());

}  // namespace gk

#endif  // GK_KERNELS_SOFTMAX_H_
