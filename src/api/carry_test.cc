// carry: branches and loops that assign C++ variables.
#include <limits>
#include <source_location>

#include "api/same_gradient_for_test.h"

namespace {

using gk::ErrorCode;
using gk::Tensor;
using gk_test::ErrorOf;
using gk_test::ExpectHas;
using gk_test::ExpectSameWithGradient;

std::string Here(int line) {
  return "carry_test.cc:" + std::to_string(line);
}

TEST(CarryTest, WhileAssigns) {
  auto collatz = [](Tensor n) {
    Tensor steps = 0;
    gk::carry(n, steps).while_([&] { return n > 1; },
                               [&] {
                                 n = gk::cond(
                                     gk::equal(n % 2, 0),
                                     [&] { return gk::math::floordiv(n, 2); },
                                     [&] { return n * 3 + 1; });
                                 steps = steps + 1;
                               });
    return std::pair(n, steps);
  };
  auto staged = gk::function(collatz);
  for (int n : {1, 6, 27}) {
    auto [end, steps] = collatz(Tensor(n));
    auto [end2, steps2] = staged(Tensor(n));
    EXPECT_EQ(end.item<int>(), 1);
    EXPECT_EQ(end2.item<int>(), 1);
    EXPECT_EQ(steps.item<int>(), steps2.item<int>());
  }
  EXPECT_EQ(staged(Tensor(27)).second.item<int>(), 111);
  EXPECT_EQ(staged.tracing_count(), 1);
}

TEST(CarryTest, GradientsOfAllForms) {
  ExpectSameWithGradient(
      [](const Tensor& x) {
        Tensor y = x, z = x * x;
        gk::carry(y, z).if_(
            x > 0, [&] { y = y * z; }, [&] { z = gk::sin(z); });
        gk::carry(y).if_(y > 1, [&] { y = y * y; });
        return y + z;
      },
      1.4);
  ExpectSameWithGradient(
      [](const Tensor& x) {
        Tensor y = x;
        gk::carry(y).for_range(4, [&](const Tensor& i) {
          y = y * x + gk::cast(i, gk::DataType::kDouble);
        });
        return y;
      },
      0.9);
  ExpectSameWithGradient(
      [](const Tensor& x) {
        Tensor y = x;
        const Tensor xs = gk::stack({x, x * 2, gk::exp(x)});
        gk::carry(y).for_each(xs, [&](const Tensor& row) {
          y = y * row + gk::sin(row);
        });
        return y;
      },
      0.6);
}

TEST(CarryTest, RowsAreNumberedIfAsked) {
  auto f = [](const Tensor& x) {
    Tensor sum = 0;
    gk::carry(sum).for_each(std::pair(x, x * 2),
                            [&](const auto& row, Tensor i) {
                              sum = sum + row.second * i;
                              return i < 2;
                            });
    return sum;
  };
  const Tensor x{4, 5, 6, 7};
  EXPECT_EQ(f(x).item<int>(), 10 + 24);
  EXPECT_EQ(gk::function(f)(x).item<int>(), 10 + 24);
}

TEST(CarryTest, RangesLikeThoseOfPython) {
  auto numbers = [](const gk::Argument& begin, const gk::Argument& end,
                    int64_t step) {
    gk::TensorArray out(gk::DataType::kInt64, 0, {.dynamic_size = true,
                                                  .element_shape = {}});
    Tensor n = 0;
    gk::carry(out, n).for_range(begin, end, step, [&](const Tensor& i) {
      out = out.write(n, gk::cast(i, gk::DataType::kInt64));
      n = n + 1;
    });
    return out.stack();
  };
  struct Case {
    int64_t begin, end, step;
  };
  const int64_t top = std::numeric_limits<int32_t>::max();
  for (const Case& c :
       std::initializer_list<Case>{{0, 5, 1}, {2, 9, 3}, {9, 2, -3}, {5, 5, 1},
                                   {5, 0, 1}, {0, 5, -1}, {-3, 3, 2},
                                   {top - 3, top, 2}}) {
    std::vector<int64_t> want;
    for (int64_t i = c.begin; c.step > 0 ? i < c.end : i > c.end; i += c.step) {
      want.push_back(i);
    }
    EXPECT_EQ(numbers(c.begin, c.end, c.step).to_vector<int64_t>(), want);
    auto staged = gk::function([&](const Tensor& a, const Tensor& b) {
      return numbers(a, b, c.step);
    });
    EXPECT_EQ(staged(Tensor(c.begin), Tensor(c.end)).to_vector<int64_t>(),
              want);
    EXPECT_EQ(staged(Tensor(static_cast<int32_t>(c.begin)),
                     Tensor(static_cast<int32_t>(c.end)))
                  .to_vector<int64_t>(),
              want);
  }
  EXPECT_EQ(ErrorOf([&] { numbers(0, 1, 0); }).code(), ErrorCode::kValueError);
  EXPECT_EQ(ErrorOf([&] { numbers(0, 1.5, 1); }).code(),
            ErrorCode::kTypeError);
  EXPECT_EQ(ErrorOf([&] { numbers(0, Tensor({1, 2}), 1); }).code(),
            ErrorCode::kValueError);
}

TEST(CarryTest, FalseEndsTheLoop) {
  gk::Variable asked(0);
  auto f = [&](const Tensor& stop) {
    Tensor sum = 0, last = -1;
    gk::carry(sum, last).for_range(10, [&](const Tensor& i) {
      last = i;
      sum = sum + i;
      return i < stop;
    });
    Tensor n = 0;
    gk::carry(n).while_(
        [&] {
          asked.assign_add(1);
          return n < 100;
        },
        [&] {
          n = n + 1;
          return n < stop;
        });
    Tensor rows = 0;
    gk::carry(rows).for_each(gk::range(8), [&](const Tensor& i) {
      rows = rows + 1;
      return i < stop;
    });
    return gk::stack({sum, last, n, rows});
  };
  const std::vector<int> want{6, 3, 3, 4};
  EXPECT_EQ(f(Tensor(3)).to_vector<int>(), want);
  EXPECT_EQ(asked.value().item<int>(), 3);
  asked.assign(0);
  EXPECT_EQ(gk::function(f)(Tensor(3)).to_vector<int>(), want);
  EXPECT_EQ(asked.value().item<int>(), 3);
}

struct Model {
  Tensor h;
  std::vector<Tensor> all;
  int layers = 2;
};

}  // namespace

GK_TRACE_STRUCTURE(Model, h, all)

namespace {

TEST(CarryTest, StructsKeepFieldsThatAreNotListed) {
  auto f = [](const Tensor& x) {
    Model m{x, {x, x * 2}, 5};
    gk::carry(m).for_range(3, [&] {
      m.h = m.h + m.all[1];
      m.all[0] = m.all[0] * 2;
    });
    EXPECT_EQ(m.layers, 5);
    return m.h + m.all[0];
  };
  EXPECT_EQ(f(Tensor(1)).item<int>(), 15);
  EXPECT_EQ(gk::function(f)(Tensor(1)).item<int>(), 15);
}

TEST(CarryTest, AnErrorNamesBothPlacesAndLeavesTheVariables) {
  int enters = 0, repeats = 0;
  auto f = gk::function([&](const Tensor& x) {
    Tensor n = 0, y = x;
    enters = __LINE__ + 1;
    const auto carried = gk::carry(n, y);
    try {
      repeats = __LINE__ + 1;
      carried.for_range(3, [&] { y = gk::stack({y, y}); });
    } catch (const gk::Error&) {
      EXPECT_EQ(y.shape(), gk::Shape());
      throw;
    }
    return y;
  });
  const gk::Error e = ErrorOf([&] { f(Tensor(1.0)); });
  EXPECT_EQ(e.code(), ErrorCode::kValueError);
  ExpectHas(e.what(), "Input tensor `loop_vars[1]` enters the loop");
  ExpectHas(e.what(), "the loop variables enter at ");
  ExpectHas(e.what(), Here(enters));
  ExpectHas(e.what(), Here(repeats));
}

TEST(CarryTest, AWrapperPassesItsPlaceOn) {
  auto repeat = [](Tensor& y, gk::Place where = gk::Place::current()) {
    gk::carry(y).at(where).for_range(
        2, [&] { y = gk::cast(y, gk::DataType::kInt32); }, {}, where);
  };
  const int line = __LINE__ + 1;
  const gk::Error e = ErrorOf([&] { Tensor y = 1.0f; repeat(y); });
  EXPECT_EQ(e.code(), ErrorCode::kTypeError);
  ExpectHas(e.what(), "enter at ");
  ExpectHas(e.what(), Here(line));
  const std::source_location here = std::source_location::current();
  EXPECT_EQ(gk::Place(here).line(), here.line());
}

TEST(CarryTest, WhatIsNotCarriedIsOutOfScopeAfterwards) {
  auto f = gk::function([](const Tensor& x) {
    Tensor y = x, other = x;
    gk::carry(y).for_range(3, [&] {
      y = y * 2;
      other = y;
    });
    return y + other;
  });
  const gk::Error e = ErrorOf([&] { f(Tensor(1.0)); });
  EXPECT_EQ(e.code(), ErrorCode::kTypeError);
  ExpectHas(e.what(), "is out of scope");
  ExpectHas(e.what(), "list the variable in gk::carry");
}

TEST(CarryTest, OptionsAreThoseOfWhileLoop) {
  auto f = gk::function([](const Tensor& x) {
    Tensor y = x;
    gk::carry(y).while_([] { return true; }, [&] { y = gk::concat({y, y}, 0); },
                        {.maximum_iterations = 3,
                         .shape_invariants = {{gk::kUnknown}}});
    return y;
  });
  EXPECT_EQ(f(Tensor({1.0f})).num_elements(), 8);
}

}  // namespace
