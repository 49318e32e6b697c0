// Loops over sparse matrices in compressed rows: where each row begins, then
// the column and value of each entry, row by row.
//
// Raw memory; columns are within the matrix. Sums do not depend on threads.
#ifndef GK_KERNELS_CSR_H_
#define GK_KERNELS_CSR_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "base/thread_pool.h"

namespace gk {

template <class T>
struct CsrView {
  const int32_t* first;  // of each row, and behind the last
  const int32_t* columns;
  const T* values;
  int64_t rows, width;

  int64_t Entries() const { return rows == 0 ? 0 : first[rows]; }
};

template <class T>
T ConjugateIf(bool yes, const T& v) {
  if constexpr (std::is_floating_point_v<T>) {
    return v;
  } else {
    return yes ? std::conj(v) : v;
  }
}

// Nanoseconds of a row that has its share of so much work.
inline int64_t CsrRowCost(int64_t work, int64_t rows) {
  return 20 + work / std::max<int64_t>(rows, 1);
}

// out [rows, width], zeros before; the last of equal places counts.
template <class T>
void CsrToDense(const CsrView<T>& a, T* out) {
  TurnPoll poll;
  for (int64_t row = 0; row < a.rows; ++row) {
    poll();
    for (int32_t k = a.first[row]; k < a.first[row + 1]; ++k) {
      out[row * a.width + a.columns[k]] = a.values[k];
    }
  }
}

// Where the rows of the transpose begin: first [width + 1].
template <class T>
void CountColumns(const CsrView<T>& a, int32_t* first) {
  std::fill_n(first, a.width + 1, int32_t{0});
  const int64_t n = a.Entries();
  for (int64_t k = 0; k < n; ++k) ++first[a.columns[k] + 1];
  for (int64_t c = 0; c < a.width; ++c) first[c + 1] += first[c];
}

// Its entries, those of each row sorted.
template <class T>
void TransposeCsr(const CsrView<T>& a, bool conjugate, const int32_t* first,
                  int32_t* columns, T* values) {
  std::vector<int32_t> next(first, first + a.width);
  TurnPoll poll;
  for (int64_t row = 0; row < a.rows; ++row) {
    poll();
    for (int32_t k = a.first[row]; k < a.first[row + 1]; ++k) {
      const int32_t to = next[a.columns[k]]++;
      columns[to] = static_cast<int32_t>(row);
      values[to] = ConjugateIf(conjugate, a.values[k]);
    }
  }
}

// What is multiplied: a matrix, or its transpose with memory of its own.
template <class T>
struct OwnCsr {
  std::vector<int32_t> first, columns;
  std::vector<T> values;
  CsrView<T> view;

  // Not transposed it is the matrix itself, whatever `conjugate` says.
  OwnCsr(const CsrView<T>& a, bool transpose, bool conjugate) : view(a) {
    if (transpose) {
      first.resize(a.width + 1);
      columns.resize(a.Entries());
      values.resize(a.Entries());
      CountColumns(a, first.data());
      TransposeCsr(a, conjugate, first.data(), columns.data(), values.data());
      view = {first.data(), columns.data(), values.data(), a.width, a.rows};
    }
  }
};

// The transpose of a dense matrix, or a copy.
template <class T>
void CopyTransposed(const T* from, int64_t rows, int64_t columns,
                    bool transpose, bool conjugate, T* to) {
  constexpr int64_t kBlock = 32;
  TurnPoll poll;
  for (int64_t i = 0; i < rows; i += kBlock) {
    for (int64_t j = 0; j < columns; j += kBlock) {
      poll();
      const int64_t i_end = std::min(i + kBlock, rows);
      const int64_t j_end = std::min(j + kBlock, columns);
      for (int64_t r = i; r < i_end; ++r) {
        for (int64_t c = j; c < j_end; ++c) {
          to[transpose ? c * rows + r : r * columns + c] =
              ConjugateIf(conjugate, from[r * columns + c]);
        }
      }
    }
  }
}

// out [rows, columns] = a times b [width, columns].
template <class T>
void CsrTimesDense(const CsrView<T>& a, const T* b, int64_t columns, T* out,
                   ThreadPool& pool) {
  const int64_t work = a.Entries() * columns;
  pool.ParallelRange(
      a.rows, CsrRowCost(work, a.rows), [&](int64_t row, int64_t last) {
        TurnPoll poll;
        for (; row < last; ++row) {
          poll();
          T* const to = out + row * columns;
          std::fill_n(to, columns, T(0));
          for (int32_t k = a.first[row]; k < a.first[row + 1]; ++k) {
            poll();
            const T v = a.values[k];
            const T* const with = b + a.columns[k] * columns;
            for (int64_t j = 0; j < columns; ++j) to[j] += v * with[j];
          }
        }
      });
}

// Sums up terms of one row at a time, by column.
template <class T>
class RowSums {
 public:
  // `terms`: about how many a row has. Of few a list is sorted, which takes
  // less than an array of all columns.
  RowSums(int64_t width, int64_t terms)
      : dense_(width <= std::max(kDense, kDensePerTerm * terms)) {
    if (dense_) {
      sums_.resize(width);
      seen_.resize(width);
    }
  }

  void Add(int32_t column, const T& value) {
    if (!dense_) {
      terms_.emplace_back(column, value);
    } else if (seen_[column]) {
      sums_[column] += value;
    } else {
      seen_[column] = true;
      sums_[column] = value;
      touched_.push_back(column);
    }
  }

  // Calls emit(column, sum) in the order of columns and begins a new row.
  template <class Emit>
  void Finish(Emit&& emit) {
    if (dense_) {
      std::ranges::sort(touched_);
      for (const int32_t column : touched_) {
        emit(column, sums_[column]);
        seen_[column] = false;
      }
      touched_.clear();
      return;
    }
    std::ranges::stable_sort(terms_, {}, [](const auto& t) { return t.first; });
    for (size_t i = 0; i < terms_.size();) {
      const int32_t column = terms_[i].first;
      T sum = terms_[i].second;
      for (++i; i < terms_.size() && terms_[i].first == column; ++i) {
        sum += terms_[i].second;
      }
      emit(column, sum);
    }
    terms_.clear();
  }

 private:
  static constexpr int64_t kDense = 2048, kDensePerTerm = 64;
  const bool dense_;
  std::vector<T> sums_;
  std::vector<char> seen_;
  std::vector<int32_t> touched_;
  std::vector<std::pair<int32_t, T>> terms_;
};

// Goes over rows whose terms `add(row, sums)` gives. Counts the entries of
// each into counts[row], or, if these are null, writes them from first[row]
// on.
template <class T, class Add>
void SumRows(int64_t rows, int64_t width, int64_t work, Add&& add,
             int64_t* counts, const int32_t* first, int32_t* columns, T* values,
             ThreadPool& pool) {
  pool.ParallelRange(
      rows, CsrRowCost(4 * work, rows), [&](int64_t row, int64_t last) {
        RowSums<T> sums(width, work / std::max<int64_t>(rows, 1));
        TurnPoll poll;
        for (; row < last; ++row) {
          poll();
          add(row, sums);
          if (counts != nullptr) {
            int64_t n = 0;
            sums.Finish([&](int32_t, const T&) { ++n; });
            counts[row] = n;
            continue;
          }
          int32_t at = first[row];
          sums.Finish([&](int32_t column, const T& sum) {
            columns[at] = column;
            values[at++] = sum;
          });
        }
      });
}

// The terms of row `row` of alpha a + beta b, and of a b.
template <class T>
void AddScaledRow(const CsrView<T>& a, const T& alpha, int64_t row,
                  RowSums<T>& sums) {
  for (int32_t k = a.first[row]; k < a.first[row + 1]; ++k) {
    sums.Add(a.columns[k], alpha * a.values[k]);
  }
}
template <class T>
void AddProductRow(const CsrView<T>& a, const CsrView<T>& b, int64_t row,
                   RowSums<T>& sums) {
  TurnPoll poll;
  for (int32_t k = a.first[row]; k < a.first[row + 1]; ++k) {
    poll();
    AddScaledRow(b, a.values[k], a.columns[k], sums);
  }
}

// Products that a b takes.
template <class T>
int64_t ProductWork(const CsrView<T>& a, const CsrView<T>& b) {
  int64_t work = 0;
  const int64_t n = a.Entries();
  for (int64_t k = 0; k < n; ++k) {
    work += b.first[a.columns[k] + 1] - b.first[a.columns[k]];
  }
  return work;
}

// Of the entries of each row alone.
template <class T>
void CsrSoftmax(const CsrView<T>& a, T* out) {
  TurnPoll poll;
  for (int64_t row = 0; row < a.rows; ++row) {
    poll();
    const int32_t begin = a.first[row], end = a.first[row + 1];
    if (begin == end) continue;
    const T most = *std::max_element(a.values + begin, a.values + end);
    T sum = 0;
    for (int32_t k = begin; k < end; ++k) {
      out[k] = std::exp(a.values[k] - most);
      sum += out[k];
    }
    for (int32_t k = begin; k < end; ++k) out[k] /= sum;
  }
}

// out[k] = s (g - sum of s g in the row) at the entries of s; where g has none
// it is zero.
template <class T>
void CsrSoftmaxGrad(const CsrView<T>& s, const CsrView<T>& g, T* out) {
  std::vector<std::pair<int32_t, T>> row_of_g;
  const auto column = [](const auto& entry) { return entry.first; };
  TurnPoll poll;
  for (int64_t row = 0; row < s.rows; ++row) {
    poll();
    row_of_g.clear();
    for (int32_t k = g.first[row]; k < g.first[row + 1]; ++k) {
      row_of_g.emplace_back(g.columns[k], g.values[k]);
    }
    std::ranges::stable_sort(row_of_g, {}, column);
    T sum = 0;
    for (int32_t k = s.first[row]; k < s.first[row + 1]; ++k) {
      const auto at =
          std::ranges::lower_bound(row_of_g, s.columns[k], {}, column);
      const bool found = at != row_of_g.end() && at->first == s.columns[k];
      out[k] = found ? at->second : T(0);
      sum += s.values[k] * out[k];
    }
    for (int32_t k = s.first[row]; k < s.first[row + 1]; ++k) {
      out[k] = s.values[k] * (out[k] - sum);
    }
  }
}

}  // namespace gk

#endif  // GK_KERNELS_CSR_H_
