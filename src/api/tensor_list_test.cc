// TensorLists: every method eagerly and staged, in branches and loops, with
// gradients; and what they refuse.
#include "api/same_gradient_for_test.h"

namespace {

using gk::DataType;
using gk::ErrorCode;
using gk::Slice;
using gk::Tensor;
using gk::TensorList;
using gk_test::ErrorOf;
using gk_test::ExpectHas;
using gk_test::ExpectSameWithGradient;

// The values of `f(n)` eagerly and traced, where `n` is 4.
template <class F>
void ExpectList(F f, const std::vector<int>& want) {
  EXPECT_EQ(f(Tensor(4)).template to_vector<int>(), want);
  EXPECT_EQ(gk::function(f)(Tensor(4)).template to_vector<int>(), want);
}

// 0, 1, 4, 9, ... below n * n.
TensorList Squares(const Tensor& n) {
  TensorList found(DataType::kInt32, {});
  Tensor i = 0;
  gk::carry(i, found).while_([&] { return i < n; },
                             [&] {
                               found.append(i * i);
                               i = i + 1;
                             });
  return found;
}

TEST(TensorListTest, GrowsInLoops) {
  ExpectList([](const Tensor& n) { return Squares(n).stack(); }, {0, 1, 4, 9});
  ExpectList(
      [](const Tensor& n) {
        const TensorList l = Squares(n);
        return gk::stack({l[0], l[-1], l[n - 2], l[n - 5], l.size()});
      },
      {0, 9, 4, 9, 4});
}

TEST(TensorListTest, ChangesInPlace) {
  ExpectList(
      [](const Tensor& n) {
        TensorList l = Squares(n);
        const TensorList before = l;
        l.set(-1, 7);
        l.set(n - 4, 5);
        l.insert(1, 6);
        l.insert(-1, 3);
        l.insert(n * 9, Tensor(8));  // 5 6 1 4 3 7 8
        const Tensor last = l.pop(), first = l.pop(0), inner = l.pop(n - 2);
        return gk::concat(
            {l.stack(), gk::stack({last, first, inner}), before.stack()}, 0);
      },
      {6, 1, 3, 7, 8, 5, 4, 0, 1, 4, 9});
}

TEST(TensorListTest, PartsAndErases) {
  ExpectList(
      [](const Tensor& n) {
        TensorList l = TensorList::of_rows(gk::range(n + 2));
        const TensorList odd = l.part(Slice(1, {}, 2));
        l.erase(Slice(n - 3, -2));
        TensorList none = l;
        none.clear();
        return gk::concat({odd.stack(), l.stack(), none.stack()}, 0);
      },
      {1, 3, 5, 0, 4, 5});
}

TEST(TensorListTest, StacksAndJoinsAlongAnyAxis) {
  ExpectList(
      [](const Tensor& n) {
        TensorList l(DataType::kInt32, {2});
        l.append(gk::stack({n, n + 1}));
        l.append(Tensor{1, 2});
        return gk::concat({gk::reshape(l.stack(1), {-1}), l.concat(),
                           l.concat(-1), gk::shape(l.stack())},
                          0);
      },
      {4, 1, 5, 2, 4, 5, 1, 2, 4, 5, 1, 2, 2, 2});
  ExpectList(
      [](const Tensor& n) {
        TensorList l(DataType::kInt32, {2, gk::kUnknown});
        l.append(gk::fill({2, 1}, n));
        l.append(Tensor{{1}, {2}});
        return gk::reshape(l.concat(1), {-1});
      },
      {4, 1, 4, 2});
}

TEST(TensorListTest, BranchesChangeIt) {
  ExpectList(
      [](const Tensor& n) {
        TensorList l = Squares(n);
        gk::carry(l).if_(
            n > 3, [&] { l.append(n); }, [&] { l.pop(); });
        gk::carry(l).if_(
            n > 5, [&] { l.append(n); }, [&] { l.pop(1); });
        return l.stack();
      },
      {0, 4, 9, 4});
}

TEST(TensorListTest, GradientsPass) {
  ExpectSameWithGradient([](const Tensor& x) {
    TensorList l(DataType::kDouble, {});
    Tensor i = 0, y = x;
    gk::carry(i, y, l).while_([&] { return i < 3; },
                              [&] {
                                y = y * x;
                                l.append(y);
                                i = i + 1;
                              });
    return gk::reduce_sum(l.stack() * l[-1]) + l.pop();
  }, 1.5);
}

TEST(TensorListTest, WhatIsNotThereIsAnErrorAlsoWhereNobodyAsksForIt) {
  const auto code = [](auto change) {
    const auto f = [&](const Tensor& n) {
      TensorList l = Squares(n);
      change(l, n);
      return l.size();
    };
    const ErrorCode now = ErrorOf([&] { f(Tensor(4)); }).code();
    EXPECT_EQ(ErrorOf([&] { gk::function(f)(Tensor(4)); }).code(), now);
    return now;
  };
  const auto expect = [&](auto change) {
    EXPECT_EQ(code(change), ErrorCode::kInvalidArgument);
  };
  expect([](TensorList& l, const Tensor&) { l.pop(4); });
  expect([](TensorList& l, const Tensor&) { l.pop(-5); });
  expect([](TensorList& l, const Tensor& n) { l.pop(n); });
  expect([](TensorList& l, const Tensor& n) { l.set(n, 1); });
  expect([](TensorList& l, const Tensor&) {
    l.clear();
    l.pop();
  });
  // Beyond 32 bits it is not what the lower ones say.
  expect([](TensorList& l, const Tensor& n) {
    l.pop(gk::cast(n, DataType::kInt64) * (int64_t{1} << 32));
  });
}

TEST(TensorListTest, WhatDoesNotFitIsAnError) {
  TensorList l(DataType::kInt32, {2});
  EXPECT_EQ(ErrorOf([&] {
              l.append(Tensor{1.f, 2.f});
            }).code(),
            ErrorCode::kTypeError);
  const gk::Error shape = ErrorOf([&] { l.append(Tensor{1, 2, 3}); });
  EXPECT_EQ(shape.code(), ErrorCode::kValueError);
  ExpectHas(shape.what(), "shape (3,), but the list's others have shape (2,)");
  EXPECT_EQ(ErrorOf([&] {
              l.set(Slice(1, 2), Tensor{1, 2});
            }).code(),
            ErrorCode::kTypeError);
  EXPECT_EQ(ErrorOf([&] { l.concat(3); }).code(), ErrorCode::kValueError);
  EXPECT_EQ(ErrorOf([&] { l.stack(3); }).code(), ErrorCode::kValueError);
  EXPECT_EQ(ErrorOf([] { TensorList().size(); }).code(),
            ErrorCode::kValueError);
  EXPECT_EQ(l.dtype(), DataType::kInt32);
  EXPECT_EQ(l.element_shape(), gk::Shape({2}));
  EXPECT_EQ(l.size().item<int>(), 0);
}

}  // namespace
