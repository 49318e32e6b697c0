// TensorArrays: every method eagerly and staged, in loops and branches, as
// arguments and results of functions, with gradients; and what they refuse.
#include "api/same_gradient_for_test.h"

namespace {

using gk::DataType;
using gk::ErrorCode;
using gk::Tensor;
using gk::TensorArray;
using gk_test::ErrorOf;
using gk_test::ExpectHas;
using gk_test::ExpectSameWithGradient;

constexpr DataType kDouble = DataType::kDouble;

// The values of `f()` eagerly and traced.
template <class F>
void ExpectBoth(F f, const std::vector<int>& want) {
  EXPECT_EQ(f().template to_vector<int>(), want);
  EXPECT_EQ(gk::function(f)().template to_vector<int>(), want);
}

TEST(TensorArrayTest, WritesAndReads) {
  ExpectBoth(
      [] {
        TensorArray ta(DataType::kInt32, 3);
        ta = ta.write(2, 7).write(0, Tensor(5));
        return gk::stack({ta.read(0), ta.read(1), ta.read(2), ta.size()});
      },
      {5, 0, 7, 3});
}

TEST(TensorArrayTest, AWriteInATraceThatNobodyUsesIsAnError) {
  const auto lost = [](auto write) {
    return ErrorOf([&] {
      gk::function([&] {
        const TensorArray ta(DataType::kInt32, 2);
        write(ta);
        return ta.stack();
      })();
    });
  };
  const gk::Error e = lost(
      [](const TensorArray& ta) { const TensorArray unused = ta.write(0, 7); });
  EXPECT_EQ(e.code(), ErrorCode::kValueError);
  ExpectHas(e.what(), "The result of TensorArray.write at ");
  ExpectHas(e.what(), "tensor_array_test.cc");
  ExpectHas(e.what(),
            "was never used, so what it wrote is lost. Keep the "
            "array it returns: `ta = ta.write(...)`.");
  ExpectHas(lost([](const TensorArray& ta) {
              (void)ta.write(0, 7).scatter(Tensor({1}), Tensor({8}));
            }).what(),
            "TensorArray.scatter");
  ExpectHas(lost([](const TensorArray& ta) {
              (void)ta.unstack(Tensor({1, 2}));
            }).what(),
            "TensorArray.unstack");
  ExpectHas(lost([](const TensorArray& ta) {
              (void)ta.split(Tensor({1, 2}), Tensor({1, 1}));
            }).what(),
            "TensorArray.split");
}

TEST(TensorArrayTest, StacksGathersAndScatters) {
  ExpectBoth(
      [] {
        const TensorArray ta = TensorArray(DataType::kInt32, 3)
                                   .unstack(Tensor({4, 5, 6}))
                                   .scatter(Tensor({2, 0}), Tensor({8, 9}));
        return gk::concat({ta.stack(), ta.gather(Tensor({1, 1, 2}))}, 0);
      },
      {9, 5, 8, 5, 5, 8});
}

TEST(TensorArrayTest, SplitsAndConcatenates) {
  ExpectBoth(
      [] {
        const TensorArray ta =
            TensorArray(DataType::kInt32, 2, {.infer_shape = false})
                .split(Tensor({1, 2, 3}), Tensor({1, 2}));
        return ta.concat();
      },
      {1, 2, 3});
  ExpectBoth(
      [] {
        TensorArray ta(DataType::kInt32, 2,
                       {.clear_after_read = false, .infer_shape = false});
        ta = ta.write(0, Tensor({1})).write(1, Tensor({2, 3}));
        return gk::concat({ta.concat(), ta.read(1)}, 0);
      },
      {1, 2, 3, 2, 3});
}

TEST(TensorArrayTest, GrowsIfDynamic) {
  ExpectBoth(
      [] {
        TensorArray ta(DataType::kInt32, 0, {.dynamic_size = true});
        ta = ta.write(3, 2);
        return gk::concat({ta.stack(), gk::reshape(ta.size(), {1})}, 0);
      },
      {0, 0, 0, 2, 4});
}

TEST(TensorArrayTest, KnowsItself) {
  for (bool traced : {false, true}) {
    std::string text;
    auto look = [&] {
      const TensorArray ta(DataType::kFloat, 2,
                           {.dynamic_size = true,
                            .element_shape = {gk::kUnknown, 3}});
      EXPECT_EQ(ta.dtype(), DataType::kFloat);
      EXPECT_TRUE(ta.dynamic_size());
      EXPECT_EQ(ta.element_shape(), gk::Shape({gk::kUnknown, 3}));
      text = ta.to_string();
      const TensorArray after = ta.write(0, gk::ones({2, 3}));
      EXPECT_EQ(after.element_shape(), gk::Shape({2, 3}));
      return after.size();
    };
    EXPECT_EQ((traced ? gk::function(look)() : look()).item<int>(), 2);
    EXPECT_EQ(text, "TensorArray(dtype=float32, element_shape=(None, 3))");
  }
  EXPECT_EQ(TensorArray().to_string(), "TensorArray()");
}

TEST(TensorArrayTest, IdentityHoldsTheSame) {
  ExpectBoth(
      [] {
        const TensorArray ta =
            TensorArray(DataType::kInt32, 2).unstack(Tensor({4, 5}));
        return ta.identity().write(0, 7).stack();
      },
      {7, 5});
  ExpectSameWithGradient(
      [](const Tensor& x) {
        const TensorArray ta = TensorArray(kDouble, 2).write(0, x);
        return gk::reduce_sum(ta.identity().write(1, x * x).stack());
      },
      1.2);
}

TEST(TensorArrayTest, CloseDropsTheElements) {
  TensorArray ta(kDouble, 2);
  ta = ta.write(0, 1.0);
  ta.close();
  EXPECT_EQ(ta.size().item<int>(), 0);
  auto traced = gk::function([](const Tensor& x) {
    const TensorArray ta = TensorArray(kDouble, 1).write(0, x);
    const Tensor y = ta.read(0);
    ta.close();
    return y;
  });
  EXPECT_EQ(traced(Tensor(2.0)).item<double>(), 2);
}

TEST(TensorArrayTest, GradientsNeedNoArray) {
  const gk::Error e =
      ErrorOf([] { (void)TensorArray(kDouble, 1).grad("loss"); });
  EXPECT_EQ(e.code(), ErrorCode::kUnimplemented);
  ExpectHas(e.what(), "gk::GradientTape");
}

TEST(TensorArrayTest, LoopsCarryThem) {
  auto f = [](const Tensor& x) {
    auto [i, y, ta] = gk::while_loop(
        [](const Tensor& i, const Tensor&, const TensorArray&) {
          return i < 4;
        },
        [&](const Tensor& i, const Tensor& y, const TensorArray& ta) {
          return std::tuple(i + 1, y * x, ta.write(i, gk::sin(y)));
        },
        std::tuple(0, x, TensorArray(kDouble, 4)));
    EXPECT_EQ(ta.element_shape(), gk::Shape());
    return gk::reduce_sum(ta.stack() * ta.stack());
  };
  // Reading clears; stacking does not.
  ExpectSameWithGradient(f, 1.2);
}

TEST(TensorArrayTest, LoopsReadThem) {
  auto f = [](const Tensor& x) {
    const TensorArray rows =
        TensorArray(kDouble, 3).unstack(gk::stack({x, x * x, gk::exp(x)}));
    auto [i, y] = gk::while_loop(
        [](const Tensor& i, const Tensor&) { return i < 3; },
        [&](const Tensor& i, const Tensor& y) {
          return std::tuple(i + 1, y * rows.read(i) + 1);
        },
        std::tuple(0, x));
    return y;
  };
  ExpectSameWithGradient(f, 0.8);
}

TEST(TensorArrayTest, BranchesReturnThem) {
  auto f = [](const Tensor& x) {
    const TensorArray base = TensorArray(kDouble, 2).write(0, x);
    const TensorArray ta = gk::cond(
        x > 0, [&] { return base.write(1, x * x); },
        [&] { return base.write(1, gk::sin(x)); });
    return gk::reduce_sum(ta.stack() * 3);
  };
  ExpectSameWithGradient(f, 1.2);
  ExpectSameWithGradient(f, -1.2);
  auto fresh = gk::function([](const Tensor& x) {
    return gk::cond(
               x > 0,
               [&] {
                 return TensorArray(kDouble, gk::cast(x, DataType::kInt32))
                     .write(0, x);
               },
               [&] { return TensorArray(kDouble, 3).write(0, x); })
        .size();
  });
  EXPECT_EQ(fresh(Tensor(2.0)).item<int>(), 2);
  EXPECT_EQ(fresh(Tensor(-2.0)).item<int>(), 3);
}

TEST(TensorArrayTest, FunctionsTakeAndReturnThem) {
  auto f = gk::function([](const TensorArray& ta, const Tensor& x) {
    return std::pair(ta.write(1, x), ta.read(0));
  });
  TensorArray ta = TensorArray(kDouble, 2).write(0, 4.0);
  auto [after, first] = f(ta, Tensor(6.0));
  EXPECT_EQ(first.item<double>(), 4);
  EXPECT_EQ(after.stack().to_vector<double>(), (std::vector<double>{4, 6}));
  auto [again, second] = f(after, Tensor(7.0));
  EXPECT_EQ(second.item<double>(), 4);
  EXPECT_EQ(again.read(1).item<double>(), 7);
  EXPECT_EQ(f.tracing_count(), 1);
  const TensorArray other(DataType::kFloat, 1);
  EXPECT_NO_THROW(gk::function([](const TensorArray& t) {
                    return t.size();
                  })(other));
}

TEST(TensorArrayTest, AnOlderEagerArrayIsAnError) {
  const TensorArray old(kDouble, 2);
  const int line = __LINE__ + 1;
  const TensorArray now = old.write(0, 1.0);
  const gk::Error e = ErrorOf([&] { old.read(0); });
  EXPECT_EQ(e.code(), ErrorCode::kValueError);
  ExpectHas(e.what(), "write at ");
  ExpectHas(e.what(), "tensor_array_test.cc:" + std::to_string(line));
  ExpectHas(e.what(), "Keep the array it returns: `ta = ta.write(...)`");
  EXPECT_EQ(now.read(0).item<double>(), 1);
}

TEST(TensorArrayTest, EagerElementsAreClearedAfterReading) {
  const TensorArray ta = TensorArray(kDouble, 1).write(0, 1.0);
  ta.read(0);
  const gk::Error e = ErrorOf([&] { ta.read(0); });
  EXPECT_EQ(e.code(), ErrorCode::kInvalidArgument);
  ExpectHas(e.what(),
            "Could not read index 0 twice because it was cleared after a "
            "previous read (perhaps try setting clear_after_read = false?)");
}

TEST(TensorArrayTest, WhatDoesNotFitIsAnError) {
  const TensorArray ta(kDouble, 2, {.element_shape = gk::Shape()});
  auto code = [](auto body) { return ErrorOf(body).code(); };
  EXPECT_EQ(code([&] { (void)ta.write(2, 1.0); }), ErrorCode::kOutOfRange);
  EXPECT_EQ(code([&] { (void)ta.write(-1, 1.0); }), ErrorCode::kOutOfRange);
  EXPECT_EQ(code([&] { ta.read(2); }), ErrorCode::kOutOfRange);
  EXPECT_EQ(code([&] { ta.read(-1); }), ErrorCode::kOutOfRange);
  EXPECT_EQ(code([&] { ta.read(Tensor(0.0f)); }), ErrorCode::kTypeError);
  EXPECT_EQ(code([&] { ta.gather(Tensor({0, 5})); }), ErrorCode::kOutOfRange);
  EXPECT_EQ(code([&] { (void)ta.write(0, Tensor(1)); }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code([&] { (void)ta.write(0, Tensor({1.0, 2.0})); }),
            ErrorCode::kValueError);
  EXPECT_EQ(code([&] { (void)ta.unstack(Tensor({1.0, 2.0, 3.0})); }),
            ErrorCode::kValueError);
  EXPECT_EQ(code([&] { (void)ta.unstack(Tensor(1.0)); }),
            ErrorCode::kValueError);
  EXPECT_EQ(code([&] { (void)ta.scatter(Tensor({0}), Tensor({1.0, 2.0})); }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code([&] { (void)ta.split(Tensor({1.0}), Tensor({2, 3})); }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code([&] { ta.concat(); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code([&] { TensorArray(kDouble, Tensor(1.5f)); }),
            ErrorCode::kTypeError);
  EXPECT_EQ(code([&] { TensorArray(kDouble, Tensor({1, 2})); }),
            ErrorCode::kValueError);
  EXPECT_EQ(code([&] { TensorArray(kDouble, Tensor(2000000000)); }),
            ErrorCode::kResourceExhausted);
  EXPECT_EQ(code([&] { TensorArray().size(); }), ErrorCode::kValueError);
  const TensorArray grows(kDouble, 0, {.dynamic_size = true});
  EXPECT_EQ(code([&] { (void)grows.write(2000000000, 1.0); }),
            ErrorCode::kResourceExhausted);
}

TEST(TensorArrayTest, AFailedWriteChangesNothing) {
  const TensorArray ta(kDouble, 2);
  EXPECT_EQ(ErrorOf([&] {
              (void)ta.scatter(Tensor({0, 9}), Tensor({1.0, 2.0}));
            }).code(),
            ErrorCode::kOutOfRange);
  EXPECT_EQ(ErrorOf([&] {
              (void)ta.split(Tensor({1.0, 2.0, 3.0}), Tensor({1, 3}));
            }).code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(ta.element_shape(), gk::Shape::UnknownRank());
  EXPECT_EQ(ta.write(0, 5.0).write(1, 6.0).stack().to_vector<double>(),
            (std::vector<double>{5, 6}));
}

TEST(TensorArrayTest, ASpecStandsForAnArrayInTracing) {
  auto sum = gk::function(
      [](const TensorArray& ta) { return gk::reduce_sum(ta.stack()); });
  const gk::TensorArraySpec spec{.element_shape = {2}, .dtype = kDouble};
  EXPECT_EQ(sum.get_concrete_function(spec).inputs().size(), 1);
  const TensorArray ta =
      TensorArray(kDouble, 2, {.element_shape = {2}})
          .unstack(gk::stack({Tensor({1.0, 2.0}), Tensor({3.0, 4.0})}));
  EXPECT_EQ(sum(ta).item<double>(), 10);
  EXPECT_EQ(sum.tracing_count(), 1);
  EXPECT_EQ(ErrorOf([&] { sum(spec); }).code(), ErrorCode::kTypeError);
}

TEST(TensorArrayTest, WhatDoesNotFitIsAnErrorInFunctions) {
  auto code = [](auto body) {
    auto f = gk::function(body);
    return ErrorOf([&] { f(Tensor(5)); }).code();
  };
  EXPECT_EQ(code([](const Tensor& i) {
              return TensorArray(kDouble, 2).write(i, 1.0).stack();
            }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code([](const Tensor& i) {
              return TensorArray(kDouble, 2).read(i);
            }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code([](const Tensor& i) {
              return TensorArray(kDouble, 2).write(0, i).stack();
            }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code([](const Tensor&) {
              return TensorArray(kDouble, 2, {.element_shape = {2}})
                  .write(0, 1.0)
                  .stack();
            }),
            ErrorCode::kValueError);
  EXPECT_EQ(code([](const Tensor& i) {
              return gk::cond(
                         i > 0, [] { return TensorArray(kDouble, 1); },
                         [] { return TensorArray(DataType::kFloat, 1); })
                  .size();
            }),
            ErrorCode::kTypeError);
}

}  // namespace
