#include "kernels/csr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernels/csr_factor.h"

namespace gk {
namespace {

// A matrix of a dense one's elements that are not zero.
struct Made {
  std::vector<int32_t> first{0}, columns;
  std::vector<double> values;
  int64_t rows, width;

  Made(int64_t rows, const std::vector<double>& dense)
      : rows(rows), width(static_cast<int64_t>(dense.size()) / rows) {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < width; ++j) {
        if (dense[i * width + j] == 0) continue;
        columns.push_back(static_cast<int32_t>(j));
        values.push_back(dense[i * width + j]);
      }
      first.push_back(static_cast<int32_t>(columns.size()));
    }
  }
  CsrView<double> view() const {
    return {first.data(), columns.data(), values.data(), rows, width};
  }
  std::vector<double> dense() const {
    std::vector<double> out(rows * width);
    CsrToDense(view(), out.data());
    return out;
  }
};

TEST(CsrTest, TransposesAndMultiplies) {
  const Made a(2, {0, 1, 0, 2, 0, 3});
  EXPECT_EQ(a.dense(), (std::vector<double>{0, 1, 0, 2, 0, 3}));
  const OwnCsr<double> turned(a.view(), true, false);
  std::vector<double> dense(6);
  CsrToDense(turned.view, dense.data());
  EXPECT_EQ(dense, (std::vector<double>{0, 2, 1, 0, 0, 3}));
  const std::vector<double> b{1, 2, 3, 4, 5, 6};
  std::vector<double> out(4);
  CsrTimesDense(a.view(), b.data(), 2, out.data(), ThreadPool::Global());
  EXPECT_EQ(out, (std::vector<double>{3, 4, 17, 22}));
}

TEST(CsrTest, SumsOfRowsAreTheSameEitherWay) {
  for (const int64_t width : {int64_t{5}, int64_t{1} << 30}) {
    RowSums<double> sums(width, 3);
    std::vector<std::pair<int32_t, double>> found;
    for (int round = 0; round < 2; ++round) {
      found.clear();
      sums.Add(4, 1);
      sums.Add(0, 2);
      sums.Add(4, 3);
      sums.Finish([&](int32_t at, double sum) { found.emplace_back(at, sum); });
      EXPECT_EQ(found,
                (std::vector<std::pair<int32_t, double>>{{0, 2}, {4, 4}}));
    }
  }
}

TEST(CsrTest, FactorsOfAnyOrder) {
  const Made a(4, {4, 1, 0, 0, 1, 5, 2, 0, 0, 2, 6, 1, 0, 0, 1, 3});
  std::vector<int32_t> order(4);
  MinimumDegreeOrder(4, a.first.data(), a.columns.data(), order.data());
  std::vector<int32_t> sorted = order;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, (std::vector<int32_t>{0, 1, 2, 3}));
  const std::vector<double> dense = a.dense();
  for (const auto& rows : {order, std::vector<int32_t>{3, 1, 0, 2}}) {
    SparseCholesky<double> factor(a.view(), rows.data());
    const int64_t n = factor.Entries();
    std::vector<int32_t> first(5), columns(n);
    std::vector<double> values(n), l(16);
    ASSERT_TRUE(factor.Factor(first.data(), columns.data(), values.data()));
    CsrToDense<double>({first.data(), columns.data(), values.data(), 4, 4},
                       l.data());
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        double sum = 0;
        for (int k = 0; k < 4; ++k) sum += l[i * 4 + k] * l[j * 4 + k];
        EXPECT_NEAR(sum, dense[rows[i] * 4 + rows[j]], 1e-12);
      }
    }
  }
}

TEST(CsrTest, WhatIsNotDefiniteHasNoFactor) {
  const Made a(2, {1, 0, 0, -1});
  const int32_t order[] = {0, 1};
  SparseCholesky<double> factor(a.view(), order);
  std::vector<int32_t> first(3), columns(2);
  std::vector<double> values(2);
  EXPECT_FALSE(factor.Factor(first.data(), columns.data(), values.data()));
}

}  // namespace
}  // namespace gk
