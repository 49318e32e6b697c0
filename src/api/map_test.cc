// map_fn, vectorized_map, foldl, foldr and scan, eagerly and staged.
#include "api/same_gradient_for_test.h"

namespace {

using gk::ErrorCode;
using gk::Tensor;
using gk_test::ErrorOf;
using gk_test::ExpectHas;
using gk_test::ExpectSameWithGradient;

TEST(MapTest, FunctionsOfRows) {
  auto f = [](const Tensor& m) {
    auto [sums, positive] = gk::map_fn(
        [](const Tensor& row) {
          const Tensor sum = gk::reduce_sum(row);
          return std::pair(sum, sum > 0);
        },
        m);
    return std::pair(sums, positive);
  };
  auto staged = gk::function(f);
  const Tensor m{{1.0f, 2.0f}, {-3.0f, -4.0f}, {5.0f, 6.0f}};
  for (auto [sums, positive] : {f(m), staged(m)}) {
    EXPECT_EQ(sums.to_vector<float>(), (std::vector<float>{3, -7, 11}));
    EXPECT_EQ(positive.dtype(), gk::DataType::kBool);
    EXPECT_EQ(*(positive.data<bool>() + 1), false);
  }
  ExpectSameWithGradient(
      [](const Tensor& x) {
        return gk::reduce_sum(gk::map_fn(
            [&](const std::pair<Tensor, Tensor>& p) {
              return gk::sin(p.first) * p.second * x;
            },
            std::pair(gk::stack({x, x * x}), gk::stack({x * 3, x}))));
      },
      0.9);
}

TEST(MapTest, ShapesAreKnownAfterwards) {
  gk::Shape shape;
  auto f = gk::function([&](const Tensor& m) {
    const Tensor y = gk::map_fn([](const Tensor& r) { return r * 2; }, m);
    shape = y.shape();
    return y;
  });
  EXPECT_EQ(f(gk::ones({3, 2})).shape(), gk::Shape({3, 2}));
  EXPECT_EQ(shape, gk::Shape({3, 2}));
}

TEST(MapTest, UnknownAndZeroLengths) {
  auto square = [](const Tensor& m) {
    return gk::map_fn([](const Tensor& r) { return r * r; }, m);
  };
  gk::FunctionOptions options;
  options.input_signature = {{{{gk::kUnknown, 2}, gk::DataType::kFloat}}};
  auto staged = gk::function(square, options);
  EXPECT_EQ(staged(gk::ones({3, 2})).shape(), gk::Shape({3, 2}));
  EXPECT_EQ(staged(gk::ones({0, 2})).shape(), gk::Shape({0, 2}));
  EXPECT_EQ(square(gk::ones({0, 2})).shape(), gk::Shape({0, 2}));
  EXPECT_EQ(staged.tracing_count(), 1);
}

TEST(MapTest, TheFunctionIsTracedOnce) {
  int times = 0;
  auto f = gk::function([&](const Tensor& m) {
    return gk::map_fn(
        [&](const Tensor& row) {
          return gk::map_fn([&](const Tensor& x) {
            ++times;
            return x + 1;
          }, row);
        },
        m);
  });
  EXPECT_EQ(f(gk::zeros({2, 3})).to_vector<float>(), std::vector<float>(6, 1));
  EXPECT_EQ(times, 1);
}

TEST(MapTest, SharedRows) {
  auto f = [](const Tensor& rows, const Tensor& one) {
    return gk::vectorized_map(
        [](const std::pair<Tensor, Tensor>& p) {
          return gk::reduce_sum(p.first * p.second);
        },
        std::pair(rows, one));
  };
  const Tensor rows{{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}};
  const Tensor one{{10.0f, 1.0f}};
  const std::vector<float> want{12, 34, 56};
  EXPECT_EQ(f(rows, one).to_vector<float>(), want);
  EXPECT_EQ(gk::function(f)(rows, one).to_vector<float>(), want);
  EXPECT_EQ(f(one, one).to_vector<float>(), std::vector<float>({101}));
  EXPECT_EQ(ErrorOf([&] { f(rows, gk::ones({2, 2})); }).code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(ErrorOf([&] { f(rows, Tensor(1.0f)); }).code(),
            ErrorCode::kValueError);
  ExpectSameWithGradient(
      [](const Tensor& x) {
        return gk::reduce_sum(gk::vectorized_map(
            [](const std::pair<Tensor, Tensor>& p) {
              return gk::sin(p.first) * p.second;
            },
            std::pair(gk::stack({x, x * x, x + 1}), gk::stack({x * 3}))));
      },
      0.9);
}

TEST(FoldTest, FromTheLeftAndTheRight) {
  const Tensor xs{10, 3, 2};
  auto minus = [](const Tensor& a, const Tensor& x) { return a - x; };
  auto f = [&](const Tensor& xs) {
    return gk::stack({gk::foldl(minus, xs), gk::foldr(minus, xs),
                      gk::foldl(minus, xs, 100), gk::foldr(minus, xs, 0)});
  };
  const std::vector<int> want{5, -11, 85, -15};
  EXPECT_EQ(f(xs).to_vector<int>(), want);
  EXPECT_EQ(gk::function(f)(xs).to_vector<int>(), want);
  for (bool right : {false, true}) {
    ExpectSameWithGradient(
        [right](const Tensor& x) {
          const Tensor xs = gk::stack({x, x * 2, gk::exp(x)});
          auto step = [](const Tensor& a, const Tensor& b) {
            return gk::sin(a) * b;
          };
          return right ? gk::foldr(step, xs) : gk::foldl(step, xs, x);
        },
        0.7);
  }
}

TEST(ScanTest, AllStates) {
  auto plus = [](const Tensor& a, const Tensor& x) { return a + x; };
  auto f = [&](const Tensor& xs) {
    return gk::stack(
        {gk::scan(plus, xs), gk::scan(plus, xs, 10),
         gk::scan(plus, xs, gk::ScanOptions{.reverse = true}),
         gk::scan(plus, xs, 0, {.reverse = true})});
  };
  const std::vector<int> want{1, 3, 6, 11, 13, 16, 6, 5, 3, 6, 5, 3};
  const Tensor xs{1, 2, 3};
  EXPECT_EQ(f(xs).to_vector<int>(), want);
  EXPECT_EQ(gk::function(f)(xs).to_vector<int>(), want);
  ExpectSameWithGradient(
      [](const Tensor& x) {
        auto [a, b] = gk::scan(
            [](const std::pair<Tensor, Tensor>& s, const Tensor& r) {
              return std::pair(s.first * r, s.second + gk::sin(s.first));
            },
            gk::stack({x, x * x, gk::exp(x)}), std::pair(x, x));
        return gk::reduce_sum(a * b);
      },
      0.7);
}

TEST(FoldTest, RowsAndStatesThatDisagreeAreErrorsEagerlyAndTraced) {
  const Tensor x({1.0f, 2.0f, 3.0f});
  const auto add = [](Tensor a, Tensor b) { return a + b; };
  const auto widened = [](Tensor a, Tensor) {
    return gk::cast(a, gk::DataType::kDouble);
  };
  const auto pairs = [](Tensor a, std::pair<Tensor, Tensor>) { return a; };
  auto fold = [&] { return gk::foldl(widened, x, 0.0f); };
  auto unlike = [&] {
    return gk::scan(pairs, std::pair(x, Tensor({1, 2})), 0.0f);
  };
  auto of_scalar = [&] { return gk::foldr(add, Tensor(1.0f)); };
  auto message = [](auto f, ErrorCode code) {
    const gk::Error now = ErrorOf(f);
    auto traced = gk::function([&](const Tensor&) { return f(); });
    const gk::Error then = ErrorOf([&] { traced(Tensor(1)); });
    EXPECT_EQ(now.code(), code);
    EXPECT_EQ(then.code(), code);
    EXPECT_STREQ(now.what(), then.what());
    return std::string(now.what());
  };
  ExpectHas(message(fold, ErrorCode::kTypeError),
            "Loop var loop_vars[0] enters the loop with type float32 but has "
            "type float64 after 1 iteration.");
  ExpectHas(message(unlike, ErrorCode::kValueError),
            "Dimensions 3 and 2 are not compatible");
  ExpectHas(message(of_scalar, ErrorCode::kValueError),
            "elements in elems must be 1+ dimensional Tensors, not scalars");
}

TEST(MapTest, RowsOfRaggedAndSparseTensors) {
  auto f = [](const gk::RaggedTensor& x) {
    const gk::RaggedTensor twice =
        gk::map_fn([](const gk::RaggedTensor& row) { return row + row; }, x);
    const Tensor sums = gk::map_fn(
        [](const gk::RaggedTensor& row) {
          return gk::reduce_sum(row.flat_values());
        },
        x, {gk::TensorSpec{{}, gk::DataType::kInt32}});
    return std::tuple(twice.flat_values(), twice.row_splits(), sums);
  };
  const gk::RaggedTensor x = gk::ragged::constant<int>({{1, 2}, {}, {3}});
  for (const auto& [values, splits, sums] : {f(x), gk::function(f)(x)}) {
    EXPECT_EQ(values.to_vector<int>(), (std::vector<int>{2, 4, 6}));
    EXPECT_EQ(splits.to_vector<int64_t>(),
              (std::vector<int64_t>{0, 2, 2, 3}));
    EXPECT_EQ(sums.to_vector<int>(), (std::vector<int>{3, 0, 3}));
  }
  // Beside rows of tensors.
  const Tensor scaled = gk::map_fn(
      [](const std::pair<gk::RaggedTensor, Tensor>& p) {
        return gk::reduce_sum(p.first.flat_values()) * p.second;
      },
      std::pair(x, Tensor({10, 20, 30})),
      {gk::TensorSpec{{}, gk::DataType::kInt32}});
  EXPECT_EQ(scaled.to_vector<int>(), (std::vector<int>{30, 0, 90}));
  const gk::SparseTensor sparse = gk::SparseTensor::from_dense(
      Tensor{{0, 5}, {6, 0}});
  const gk::SparseTensor same =
      gk::map_fn([](const gk::SparseTensor& row) { return row; }, sparse);
  EXPECT_EQ(same.to_dense().to_vector<int>(),
            (std::vector<int>{0, 5, 6, 0}));
}

TEST(MapTest, ResultsThatAreRagged) {
  auto f = [](const Tensor& lengths) {
    const gk::RaggedTensor ranges = gk::map_fn(
        [](const Tensor& n) { return gk::RaggedTensor(gk::range(n)); },
        lengths, {gk::RaggedTensorSpec({gk::kUnknown}, gk::DataType::kInt32)});
    return std::pair(ranges.flat_values(), ranges.row_splits());
  };
  const Tensor lengths{2, 0, 3};
  for (const auto& [values, splits] : {f(lengths), gk::function(f)(lengths)}) {
    EXPECT_EQ(values.to_vector<int>(), (std::vector<int>{0, 1, 0, 1, 2}));
    EXPECT_EQ(splits.to_vector<int64_t>(),
              (std::vector<int64_t>{0, 2, 2, 5}));
  }
  ExpectSameWithGradient(
      [](const Tensor& x) {
        const gk::RaggedTensor y = gk::map_fn(
            [&](const Tensor& n) {
              return gk::RaggedTensor(
                  gk::sin(x) * gk::cast(gk::range(n), gk::DataType::kDouble));
            },
            Tensor({2, 0, 3}),
            {gk::RaggedTensorSpec({gk::kUnknown}, gk::DataType::kDouble)});
        return gk::reduce_sum(y.flat_values());
      },
      0.9);
}

// That a sparse argument has one row is not known while tracing.
TEST(MapTest, RowsThatSparseTensorsDoNotHave) {
  auto f = [](const gk::SparseTensor& sparse, const Tensor& tens) {
    return gk::vectorized_map(
        [](const std::pair<gk::SparseTensor, Tensor>& row) {
          return gk::reduce_sum(row.first.values()) * row.second;
        },
        std::pair(sparse, tens));
  };
  const gk::SparseTensor one = gk::SparseTensor::from_dense(Tensor{{0, 6, 7}});
  const gk::SparseTensor two =
      gk::SparseTensor::from_dense(Tensor{{0, 6}, {7, 0}});
  EXPECT_EQ(f(one, Tensor{1, 2}).to_vector<int>(), (std::vector<int>{13, 26}));
  const auto traced = gk::function(f);
  EXPECT_EQ(traced(two, Tensor{1, 2}).to_vector<int>(),
            (std::vector<int>{6, 14}));
  const gk::Error error = ErrorOf([&] {
    traced(one, Tensor{1, 2}).to_vector<int>();
  });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument) << error.what();
}

TEST(MapTest, SharedRowsOfRaggedAndSparseTensors) {
  const gk::RaggedTensor x = gk::ragged::constant<int>({{1, 2}, {}, {3}});
  const gk::RaggedTensor one = gk::ragged::constant<int>({{4, 5}});
  const Tensor dense{{0, 6, 7}};
  const Tensor tens{10, 20, 30};
  auto f = [](const gk::RaggedTensor& x, const gk::RaggedTensor& one,
              const Tensor& dense, const Tensor& tens) {
    return gk::vectorized_map(
        [](const std::tuple<gk::RaggedTensor, gk::RaggedTensor,
                            gk::SparseTensor, Tensor>& row) {
          const auto& [values, shared, sparse, ten] = row;
          const Tensor v = values.flat_values();
          return std::tuple(
              gk::reduce_sum(v) * ten,
              gk::RaggedTensor(gk::concat({v, shared.flat_values()}, 0)),
              sparse);
        },
        std::tuple(x, one, gk::SparseTensor::from_dense(dense), tens));
  };
  const auto check = [&](const auto& results) {
    const auto& [sums, both, same] = results;
    EXPECT_EQ(sums.template to_vector<int>(), (std::vector<int>{30, 0, 90}));
    EXPECT_EQ(both.flat_values().template to_vector<int>(),
              (std::vector<int>{1, 2, 4, 5, 4, 5, 3, 4, 5}));
    EXPECT_EQ(both.row_splits().template to_vector<int64_t>(),
              (std::vector<int64_t>{0, 4, 6, 9}));
    EXPECT_EQ(same.to_dense().template to_vector<int>(),
              (std::vector<int>{0, 6, 7, 0, 6, 7, 0, 6, 7}));
  };
  check(f(x, one, dense, tens));
  check(gk::function(f)(x, one, dense, tens));
  // Of tensors, and of no row.
  auto ranges = [](const Tensor& lengths) {
    return gk::vectorized_map(
        [](const Tensor& n) { return gk::RaggedTensor(gk::range(n)); },
        lengths);
  };
  for (const gk::RaggedTensor& r :
       {ranges(Tensor{2, 0}), gk::function(ranges)(Tensor{2, 0})}) {
    EXPECT_EQ(r.row_splits().to_vector<int64_t>(),
              (std::vector<int64_t>{0, 2, 2}));
  }
  EXPECT_EQ(ranges(gk::zeros({0}, gk::DataType::kInt32)).flat_values().shape(),
            gk::Shape({0}));
  EXPECT_EQ(ErrorOf([&] {
              f(x, one, dense, Tensor({1, 2}));
            }).code(),
            ErrorCode::kInvalidArgument);
  ExpectSameWithGradient(
      [](const Tensor& x) {
        const auto rows = gk::RaggedTensor::from_row_splits(
            gk::stack({x, x * x, x + 1}),
            Tensor(std::vector<int64_t>{0, 1, 3}));
        return gk::reduce_sum(gk::vectorized_map(
            [](const std::pair<gk::RaggedTensor, Tensor>& p) {
              return gk::reduce_sum(gk::sin(p.first.flat_values())) * p.second;
            },
            std::pair(rows, gk::stack({x * 3}))));
      },
      0.9);
}

TEST(MapTest, ResultsThatTheirSignatureDoesNotDescribeAreErrors) {
  const gk::RaggedTensor x = gk::ragged::constant<int>({{1, 2}, {}, {3}});
  auto sum = [](const gk::RaggedTensor& row) {
    return gk::reduce_sum(row.flat_values());
  };
  const gk::Error other = ErrorOf([&] { gk::map_fn(sum, x); });
  EXPECT_EQ(other.code(), ErrorCode::kTypeError);
  ExpectHas(other.what(), "not of the kinds of fn_output_signature=[Ragged");
  const gk::Error dtype = ErrorOf([&] {
    gk::map_fn(sum, x, {gk::TensorSpec{{}, gk::DataType::kFloat}});
  });
  EXPECT_EQ(dtype.code(), ErrorCode::kValueError);
  ExpectHas(dtype.what(), "its signature says TensorSpec(shape=(), ");
  const gk::IndexedSlices slices(Tensor{{1, 2}}, Tensor({0}));
  const gk::Error rows = ErrorOf([&] {
    gk::map_fn([](const gk::IndexedSlices& row) { return row; }, slices);
  });
  EXPECT_EQ(rows.code(), ErrorCode::kTypeError);
  ExpectHas(rows.what(), "The rows of IndexedSlicesSpec");
  const gk::Error collected = ErrorOf([&] {
    gk::map_fn([&](const Tensor&) { return slices; }, Tensor({1, 2}),
               {gk::IndexedSlicesSpec::from_value(slices)});
  });
  EXPECT_EQ(collected.code(), ErrorCode::kTypeError);
  ExpectHas(collected.what(), "cannot be collected");
}

TEST(MapTest, WhatIsNotARowIsAnError) {
  auto same = [](const Tensor& x) { return x; };
  auto both = [](const std::pair<Tensor, Tensor>& p) { return p.first; };
  auto plus = [](const Tensor& a, const Tensor& x) { return a + x; };
  auto code = [](auto body) {
    EXPECT_EQ(ErrorOf([&] { gk::function(body)(); }).code(),
              ErrorCode::kValueError);
    return ErrorOf(body).code();
  };
  EXPECT_EQ(code([&] { gk::map_fn(same, Tensor(1)); }),
            ErrorCode::kValueError);
  EXPECT_EQ(code([&] {
              gk::map_fn(both, std::pair(Tensor({1}), Tensor({1, 2})));
            }),
            ErrorCode::kValueError);
  EXPECT_EQ(code([&] {
              gk::map_fn([](const std::vector<Tensor>&) { return Tensor(1); },
                         std::vector<Tensor>());
            }),
            ErrorCode::kValueError);
  EXPECT_EQ(code([&] { gk::foldl(plus, Tensor(1)); }), ErrorCode::kValueError);
  EXPECT_EQ(code([&] { gk::scan(plus, Tensor(1), 0); }),
            ErrorCode::kValueError);
  EXPECT_EQ(ErrorOf([&] {
              gk::foldl([](const Tensor& a, const Tensor&) {
                return gk::cast(a, gk::DataType::kFloat);
              }, Tensor({1, 2}));
            }).code(),
            ErrorCode::kTypeError);
}

}  // namespace
