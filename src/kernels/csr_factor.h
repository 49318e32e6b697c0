// Cholesky factors of sparse matrices in compressed rows.
//
// Raw memory; callers have checked that permutations name each row once.
#ifndef GK_KERNELS_CSR_FACTOR_H_
#define GK_KERNELS_CSR_FACTOR_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "kernels/csr.h"

namespace gk {

// An order of the rows of a square matrix, of which the lower half counts,
// that leaves its factors few entries (approximate minimum degree).
void MinimumDegreeOrder(int64_t n, const int32_t* first, const int32_t* columns,
                        int32_t* order);

// L with P a P^H = L L^H where row i of P a is row order[i] of a, row after
// row with sorted columns. The lower half of `a` counts.
template <class T>
class SparseCholesky {
 public:
  SparseCholesky(const CsrView<T>& a, const int32_t* order)
      : n_(static_cast<int32_t>(a.rows)), parent_(n_, -1), mark_(n_, -1) {
    Permute(a, order);
    FindParents();
    CountColumns();
  }

  // Of L.
  int64_t Entries() const { return n_ == 0 ? 0 : begins_[n_]; }

  // False if `a` is not positive definite. first [n + 1], the others as many as
  // there are entries.
  bool Factor(int32_t* first, int32_t* columns, T* values);

 private:
  using Real = decltype(std::abs(T()));

  // The lower half of P a P^H, by rows.
  void Permute(const CsrView<T>& a, const int32_t* order) {
    std::vector<int32_t> place(n_);
    for (int32_t i = 0; i < n_; ++i) place[order[i]] = i;
    const auto each = [&](auto&& fn) {
      for (int32_t row = 0; row < n_; ++row) {
        for (int32_t k = a.first[row]; k < a.first[row + 1]; ++k) {
          if (a.columns[k] > row) continue;
          const int32_t i = place[row], j = place[a.columns[k]];
          fn(std::max(i, j), std::min(i, j), ConjugateIf(i < j, a.values[k]));
        }
      }
    };
    first_.assign(n_ + 1, 0);
    each([&](int32_t i, int32_t, const T&) { ++first_[i + 1]; });
    for (int32_t i = 0; i < n_; ++i) first_[i + 1] += first_[i];
    columns_.resize(first_[n_]);
    values_.resize(first_[n_]);
    std::vector<int32_t> next(first_.begin(), first_.end() - 1);
    each([&](int32_t i, int32_t j, const T& v) {
      columns_[next[i]] = j;
      values_[next[i]++] = v;
    });
  }

  // The elimination tree: the parent of a column is the first row below its
  // diagonal in which L has an entry.
  void FindParents() {
    std::vector<int32_t> above(n_, -1);
    TurnPoll poll;
    for (int32_t row = 0; row < n_; ++row) {
      poll();
      for (int32_t k = first_[row]; k < first_[row + 1]; ++k) {
        for (int32_t i = columns_[k]; i >= 0 && i < row;) {
          const int32_t next = above[i];
          above[i] = row;
          if (next < 0) parent_[i] = row;
          i = next;
        }
      }
    }
  }

  // The columns before the diagonal in which row `row` of L has entries,
  // sorted, into reached_.
  void Reach(int32_t row) {
    reached_.clear();
    mark_[row] = row;
    for (int32_t k = first_[row]; k < first_[row + 1]; ++k) {
      for (int32_t i = columns_[k]; mark_[i] != row; i = parent_[i]) {
        mark_[i] = row;
        reached_.push_back(i);
      }
    }
    std::ranges::sort(reached_);
  }

  void CountColumns() {
    begins_.assign(n_ + 1, 0);
    TurnPoll poll;
    for (int32_t row = 0; row < n_; ++row) {
      poll();
      Reach(row);
      ++begins_[row + 1];
      for (const int32_t i : reached_) ++begins_[i + 1];
    }
    for (int32_t i = 0; i < n_; ++i) begins_[i + 1] += begins_[i];
    std::ranges::fill(mark_, -1);
  }

  const int32_t n_;
  std::vector<int32_t> first_, columns_;  // of P a P^H
  std::vector<T> values_;
  std::vector<int32_t> parent_, mark_, reached_;
  std::vector<int64_t> begins_;  // of the columns of L
};

template <class T>
bool SparseCholesky<T>::Factor(int32_t* first, int32_t* columns, T* values) {
  // L by columns as it grows row by row, the diagonal first.
  std::vector<int32_t> rows(Entries());
  std::vector<T> l(Entries()), x(n_);
  std::vector<int64_t> next(begins_.begin(), begins_.end() - 1);
  int32_t made = 0;
  TurnPoll poll;
  for (int32_t row = 0; row < n_; ++row) {
    poll();
    Reach(row);
    Real diagonal = 0;
    for (int32_t k = first_[row]; k < first_[row + 1]; ++k) {
      if (columns_[k] == row) {
        diagonal += std::real(values_[k]);
      } else {
        x[columns_[k]] += ConjugateIf(true, values_[k]);
      }
    }
    first[row] = made;
    for (const int32_t i : reached_) {
      poll();
      const T y = x[i] / l[begins_[i]];
      x[i] = T(0);
      for (int64_t p = begins_[i] + 1; p < next[i]; ++p) {
        x[rows[p]] -= l[p] * y;
      }
      diagonal -= std::norm(y);
      const T entry = ConjugateIf(true, y);
      rows[next[i]] = row;
      l[next[i]++] = entry;
      columns[made] = i;
      values[made++] = entry;
    }
    if (diagonal <= 0) return false;
    rows[next[row]] = row;
    l[next[row]++] = T(std::sqrt(diagonal));
    columns[made] = row;
    values[made++] = T(std::sqrt(diagonal));
  }
  first[n_] = made;
  return true;
}

}  // namespace gk

#endif  // GK_KERNELS_CSR_FACTOR_H_
