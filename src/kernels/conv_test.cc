#include "kernels/conv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "base/half.h"
#include "base/thread_pool.h"
#include "kernels/isa.h"
#include "kernels/signals_for_test.h"

namespace gk {
namespace {

// The textbook loops; every pass visits the same products.
std::vector<double> Reference(const Conv2DDesc& d, const std::vector<double>& x,
                              const std::vector<double>& y, int64_t size) {
  std::vector<double> result(size, 0.0);
  const int64_t gi = d.group_in(), go = d.group_out();
  // One slice of the output, of the filter and of the input at a time.
  const auto add = [&](int64_t n, int64_t oz, int64_t fz, int64_t iz) {
    for (int64_t oy = 0; oy < d.out_h; ++oy)
      for (int64_t ox = 0; ox < d.out_w; ++ox)
        for (int64_t fy = 0; fy < d.filter_h; ++fy)
          for (int64_t fx = 0; fx < d.filter_w; ++fx) {
            const int64_t iy = oy * d.stride_h - d.pad_top + fy * d.dilation_h;
            const int64_t ix = ox * d.stride_w - d.pad_left + fx * d.dilation_w;
            if (iy < 0 || ix < 0 || iy >= d.in_h || ix >= d.in_w) continue;
            const int64_t i0 =
                (((n * d.in_d + iz) * d.in_h + iy) * d.in_w + ix) * d.in_c;
            const int64_t f0 =
                ((fz * d.filter_h + fy) * d.filter_w + fx) * gi * d.out_c;
            const int64_t o0 =
                (((n * d.out_d + oz) * d.out_h + oy) * d.out_w + ox) * d.out_c;
            for (int64_t o = 0; o < d.out_c; ++o)
              for (int64_t i = 0; i < gi; ++i) {
                const int64_t in = i0 + o / go * gi + i;
                const int64_t f = f0 + i * d.out_c + o, out = o0 + o;
                switch (d.pass) {
                  case ConvPass::kForward:
                    result[out] += x[in] * y[f];
                    break;
                  case ConvPass::kBackwardInput:
                    result[in] += x[out] * y[f];
                    break;
                  case ConvPass::kBackwardFilter:
                    result[f] += x[in] * y[out];
                    break;
                }
              }
          }
  };
  for (int64_t n = 0; n < d.batch; ++n)
    for (int64_t oz = 0; oz < d.out_d; ++oz)
      for (int64_t fz = 0; fz < d.filter_d; ++fz) {
        const int64_t iz = oz * d.stride_d - d.pad_front + fz * d.dilation_d;
        if (iz >= 0 && iz < d.in_d) add(n, oz, fz, iz);
      }
  return result;
}

template <class T>
void CheckOne(const Conv2DDesc& d, double tolerance, bool direct) {
  SCOPED_TRACE(testing::Message()
               << "pass " << int(d.pass) << " batch " << d.batch << " in "
               << d.in_h << "x" << d.in_w << "x" << d.in_c << " filter "
               << d.filter_h << "x" << d.filter_w << " out " << d.out_h << "x"
               << d.out_w << "x" << d.out_c << " groups " << d.groups
               << " stride " << d.stride_h << " dilation " << d.dilation_h
               << " pad " << d.pad_top << " direct " << direct);
  const int64_t sizes[] = {d.input_size(), d.filter_size(), d.output_size()};
  const int64_t nx = sizes[d.pass == ConvPass::kBackwardInput ? 2 : 0];
  const int64_t ny = sizes[d.pass == ConvPass::kBackwardFilter ? 2 : 1];
  const int64_t nr = sizes[d.pass == ConvPass::kForward         ? 2
                           : d.pass == ConvPass::kBackwardInput ? 0
                                                                : 1];
  std::mt19937 rng(nx * 7 + ny);
  std::uniform_int_distribution<int> values(-8, 8);
  std::vector<T> x(nx), y(ny), r(nr, T(77)), r2(nr, T(78));
  std::vector<double> wx(nx), wy(ny);
  for (int64_t i = 0; i < nx; ++i) x[i] = T(wx[i] = values(rng));
  for (int64_t i = 0; i < ny; ++i) y[i] = T(wy[i] = values(rng));
  auto made = direct ? Conv2D::CreateDirect(d) : Conv2D::Create(d);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  ASSERT_TRUE((*made)->Run(x.data(), y.data(), r.data()).ok());
  ThreadPool pool(2);
  ASSERT_TRUE(
      (*made)->Run(x.data(), y.data(), r2.data(), Parallel(&pool)).ok());
  if (nr > 0) {
    ASSERT_EQ(std::memcmp(r.data(), r2.data(), nr * sizeof(T)), 0);
  }
  const std::vector<double> want = Reference(d, wx, wy, nr);
  for (int64_t i = 0; i < nr; ++i) {
    ASSERT_NEAR(static_cast<double>(r[i]), want[i],
                tolerance * (1 + std::abs(want[i])))
        << i;
  }
}

Conv2DDesc Shape(int64_t batch, int64_t in_h, int64_t in_w, int64_t in_c,
                 int64_t f_h, int64_t f_w, int64_t out_c, int64_t stride,
                 int64_t dilation, bool same, int64_t groups = 1) {
  Conv2DDesc d{.batch = batch, .in_h = in_h, .in_w = in_w, .in_c = in_c};
  d.filter_h = f_h, d.filter_w = f_w, d.out_c = out_c, d.groups = groups;
  d.stride_h = d.stride_w = stride;
  d.dilation_h = d.dilation_w = dilation;
  const auto side = [&](int64_t in, int64_t taps, int64_t* pad) {
    const int64_t window = (taps - 1) * dilation + 1;
    if (!same) return std::max<int64_t>(0, (in - window) / stride + 1);
    const int64_t out = (in + stride - 1) / stride;
    *pad = std::max<int64_t>(0, (out - 1) * stride + window - in) / 2;
    return out;
  };
  d.out_h = side(in_h, f_h, &d.pad_top);
  d.out_w = side(in_w, f_w, &d.pad_left);
  return d;
}

template <class T>
void CheckAll(ElementType type, double tolerance) {
  Conv2DDesc uneven = Shape(2, 9, 8, 3, 3, 2, 4, 2, 1, true);
  uneven.stride_w = 3, uneven.out_w = 3, uneven.pad_left = 1;
  Conv2DDesc wide_pad = Shape(1, 4, 4, 2, 3, 3, 3, 1, 1, false);
  wide_pad.pad_top = wide_pad.pad_left = 5;
  wide_pad.out_h = wide_pad.out_w = 12;
  const Conv2DDesc shapes[] = {
      Shape(0, 5, 5, 2, 3, 3, 4, 1, 1, true),
      Shape(2, 5, 5, 0, 3, 3, 4, 1, 1, true),
      Shape(2, 5, 5, 3, 3, 3, 0, 1, 1, true),
      Shape(1, 2, 2, 3, 3, 3, 4, 1, 1, false),
      Shape(1, 1, 1, 1, 1, 1, 1, 1, 1, true),
      Shape(2, 5, 6, 3, 3, 3, 4, 1, 1, true),
      Shape(2, 9, 7, 3, 3, 2, 5, 2, 1, true),
      Shape(2, 11, 12, 4, 3, 3, 8, 1, 2, true),
      Shape(2, 11, 12, 4, 3, 3, 8, 3, 1, false),
      Shape(5, 14, 14, 16, 3, 3, 32, 1, 1, true),
      Shape(1, 40, 40, 16, 3, 3, 16, 1, 1, true),
      Shape(1, 41, 40, 16, 5, 5, 20, 2, 1, true),
      Shape(2, 7, 7, 6, 3, 3, 9, 1, 1, true, 3),
      Shape(2, 7, 7, 32, 3, 3, 32, 2, 1, true, 2),
      Shape(2, 7, 7, 5, 3, 3, 5, 1, 1, true, 5),
      Shape(2, 8, 7, 5, 3, 2, 15, 2, 1, true, 5),
      Shape(2, 8, 7, 20, 3, 3, 20, 1, 2, false, 20),
      Shape(2, 9, 13, 32, 3, 3, 32, 1, 1, true, 32),
      Shape(2, 9, 13, 32, 3, 5, 64, 1, 1, true, 32),
      Shape(1, 20, 19, 3, 3, 4, 6, 2, 1, true, 3),
      Shape(3, 12, 11, 40, 3, 3, 40, 2, 1, true, 40),
      Shape(1, 12, 11, 530, 2, 3, 530, 1, 2, true, 530),
      Shape(1, 7, 9, 2, 3, 3, 2, 1, 4, true, 2),
      Shape(1, 3, 2, 3, 3, 3, 3, 1, 1, true, 3),
      Shape(1, 5, 5, 3, 3, 3, 6, 1, 1, true, 3),
      Shape(3, 70, 4, 3, 3, 3, 3, 1, 1, true, 3),
      Shape(2, 67, 3, 2, 4, 2, 4, 1, 1, false, 2),
      Shape(4, 8, 8, 8, 1, 1, 24, 1, 1, false),
      uneven,
      wide_pad};
  for (Conv2DDesc d : shapes) {
    d.type = type;
    for (ConvPass pass : {ConvPass::kForward, ConvPass::kBackwardInput,
                          ConvPass::kBackwardFilter}) {
      d.pass = pass;
      CheckOne<T>(d, tolerance, false);
      CheckOne<T>(d, tolerance, true);
    }
  }
}

TEST(ConvTest, Float) { CheckAll<float>(ElementType::kFloat, 1e-5); }
TEST(ConvTest, Double) { CheckAll<double>(ElementType::kDouble, 1e-13); }
TEST(ConvTest, Half) { CheckAll<half>(ElementType::kHalf, 1e-3); }
TEST(ConvTest, BFloat16) { CheckAll<bfloat16>(ElementType::kBFloat16, 8e-3); }
TEST(ConvTest, Int32) { CheckAll<int32_t>(ElementType::kInt32, 0); }

// `d` with a depth.
Conv2DDesc Deep(Conv2DDesc d, int64_t in, int64_t taps, int64_t stride,
                int64_t dilation, int64_t pad) {
  d.in_d = in, d.filter_d = taps, d.stride_d = stride;
  d.dilation_d = dilation, d.pad_front = pad;
  d.out_d = (in + 2 * pad - (taps - 1) * dilation - 1) / stride + 1;
  return d;
}

TEST(ConvTest, Volumes) {
  const Conv2DDesc shapes[] = {
      Deep(Shape(2, 8, 8, 16, 3, 3, 16, 1, 1, true), 6, 3, 1, 1, 1),
      Deep(Shape(5, 9, 7, 8, 3, 2, 24, 2, 1, true), 7, 2, 2, 1, 0),
      Deep(Shape(1, 16, 17, 16, 3, 3, 16, 1, 2, true), 9, 3, 1, 2, 2),
      Deep(Shape(1, 33, 9, 3, 3, 3, 20, 1, 1, false), 1, 3, 1, 1, 1),
      Deep(Shape(1, 12, 12, 16, 1, 1, 32, 1, 1, false), 11, 4, 3, 1, 0),
      Deep(Shape(3, 10, 10, 32, 3, 3, 32, 1, 1, true, 2), 4, 3, 1, 1, 1)};
  int made = 0;
  for (Conv2DDesc d : shapes) {
    d.type = ElementType::kFloat;
    for (ConvPass pass : {ConvPass::kForward, ConvPass::kBackwardInput,
                          ConvPass::kBackwardFilter}) {
      d.pass = pass;
      if (Conv2D::Create(d).status().code() == Code::kUnimplemented) continue;
      ++made;
      CheckOne<float>(d, 1e-5, false);
    }
  }
  EXPECT_GT(made, 12);
  // The ops have another way for these.
  Conv2DDesc d = shapes[0];
  d.type = ElementType::kDouble;
  EXPECT_EQ(Conv2D::Create(d).status().code(), Code::kUnimplemented);
  d.type = ElementType::kFloat;
  d.dilation_d = 0;
  EXPECT_EQ(Conv2D::Create(d).status().code(), Code::kInvalidArgument);
}

// Shapes for minimal filtering: odd sizes, every padding, uneven channels.
std::vector<Conv2DDesc> MinimalFilteringShapes() {
  std::vector<Conv2DDesc> shapes;
  for (int64_t pad : {0, 1, 2}) {
    Conv2DDesc d = Shape(3, 13, 18, 21, 3, 3, 37, 1, 1, false);
    d.pad_top = d.pad_left = pad;
    d.out_h += 2 * pad, d.out_w += 2 * pad;
    shapes.push_back(d);
  }
  Conv2DDesc uneven = Shape(2, 16, 17, 16, 3, 3, 100, 1, 1, false);
  uneven.pad_left = 1, uneven.out_w = 17;  // padding after the image as well
  shapes.push_back(uneven);
  shapes.push_back(Shape(1, 20, 20, 100, 3, 3, 100, 1, 1, true));
  return shapes;
}

TEST(ConvTest, MinimalFilteringIsExactForSmallIntegers) {
  for (Conv2DDesc d : MinimalFilteringShapes()) {
    for (ConvPass pass : {ConvPass::kForward, ConvPass::kBackwardInput,
                          ConvPass::kBackwardFilter}) {
      d.pass = pass;
      CheckOne<float>(d, 0, false);
    }
  }
}

TEST(ConvTest, MinimalFilteringRoundsLikeADirectSum) {
  for (Conv2DDesc d : MinimalFilteringShapes()) {
    for (ConvPass pass : {ConvPass::kForward, ConvPass::kBackwardInput,
                          ConvPass::kBackwardFilter}) {
      d.pass = pass;
      const bool back = pass == ConvPass::kBackwardInput;
      const bool filter = pass == ConvPass::kBackwardFilter;
      std::mt19937 rng(7);
      std::normal_distribution<float> normal;
      std::vector<float> x(back ? d.output_size() : d.input_size());
      std::vector<float> y(filter ? d.output_size() : d.filter_size());
      for (float& v : x) v = normal(rng);
      for (float& v : y) v = normal(rng);
      std::vector<float> r(back     ? d.input_size()
                           : filter ? d.filter_size()
                                    : d.output_size());
      ASSERT_TRUE((*Conv2D::Create(d))->Run(x.data(), y.data(), r.data()).ok());
      const std::vector<double> want =
          Reference(d, {x.begin(), x.end()}, {y.begin(), y.end()}, r.size());
      // The sums have a deviation of 14 to 30. Without fused multiply-adds
      // each product is rounded as well as each sum.
      const double bound = CurrentIsa() == Isa::kV2 ? 2e-4 : 1e-4;
      for (size_t i = 0; i < r.size(); ++i) {
        ASSERT_NEAR(r[i], want[i], bound) << i;
      }
    }
  }
}

// What is not finite stays within the windows that see it.
TEST(ConvTest, InfinityAndNanReachOnlyTheirWindows) {
  Conv2DDesc d = Shape(1, 20, 21, 16, 3, 3, 24, 1, 1, true);
  for (float odd : {std::numeric_limits<float>::infinity(),
                    std::numeric_limits<float>::quiet_NaN()}) {
    for (ConvPass pass : {ConvPass::kForward, ConvPass::kBackwardInput}) {
      d.pass = pass;
      const bool back = pass == ConvPass::kBackwardInput;
      const int64_t from_c = back ? d.out_c : d.in_c;
      const int64_t to_c = back ? d.in_c : d.out_c;
      std::vector<float> x(20 * 21 * from_c, 1.0f);
      const std::vector<float> y(d.filter_size(), 1.0f);
      x[(7 * 21 + 8) * from_c + 3] = odd;
      std::vector<float> r(20 * 21 * to_c);
      ASSERT_TRUE((*Conv2D::Create(d))->Run(x.data(), y.data(), r.data()).ok());
      for (int64_t i = 0; i < static_cast<int64_t>(r.size()); ++i) {
        const int64_t row = i / to_c / 21, column = i / to_c % 21;
        const bool sees = std::abs(row - 7) <= 1 && std::abs(column - 8) <= 1;
        ASSERT_EQ(std::isfinite(r[i]), !sees) << row << " " << column;
      }
    }
  }
}

TEST(ConvTest, InfinityInOneChannelReachesItsFiltersOnly) {
  Conv2DDesc d = Shape(1, 20, 21, 16, 3, 3, 24, 1, 1, true);
  d.pass = ConvPass::kBackwardFilter;
  std::vector<float> x(d.input_size(), 1.0f), y(d.output_size(), 1.0f);
  x[(7 * 21 + 8) * 16 + 3] = std::numeric_limits<float>::infinity();
  std::vector<float> r(d.filter_size());
  ASSERT_TRUE((*Conv2D::Create(d))->Run(x.data(), y.data(), r.data()).ok());
  for (int64_t i = 0; i < d.filter_size(); ++i) {
    ASSERT_EQ(r[i] == std::numeric_limits<float>::infinity(), i / 24 % 16 == 3);
  }
}

// A handler needs room on the stack, in the midst of a kernel as elsewhere.
TEST(ConvTest, SignalsMeanwhile) {
  const OftenSignalled signals;
  const Conv2DDesc shapes[] = {Shape(2, 14, 14, 64, 1, 1, 64, 1, 1, false),
                               Shape(2, 14, 14, 32, 3, 3, 64, 1, 1, true),
                               Shape(2, 15, 15, 3, 7, 7, 20, 2, 1, true),
                               Shape(2, 15, 15, 64, 3, 3, 64, 1, 2, true, 2)};
  for (Conv2DDesc d : shapes) {
    for (ConvPass pass : {ConvPass::kForward, ConvPass::kBackwardInput,
                          ConvPass::kBackwardFilter}) {
      d.pass = pass;
      for (int i = 0; i < 20; ++i) CheckOne<float>(d, 1e-5, false);
    }
  }
  EXPECT_GT(signals.handled, 10);
}

TEST(ConvTest, RejectsBadDescriptions) {
  Conv2DDesc d = Shape(1, 5, 5, 4, 3, 3, 4, 1, 1, true);
  d.stride_h = 0;
  EXPECT_EQ(Conv2D::Create(d).status().code(), Code::kInvalidArgument);
  d = Shape(1, 5, 5, 4, 3, 3, 4, 1, 1, true);
  d.groups = 3;
  EXPECT_EQ(Conv2D::Create(d).status().code(), Code::kInvalidArgument);
  d.groups = 1;
  d.batch = d.in_h = d.in_w = int64_t{1} << 30;
  EXPECT_EQ(Conv2D::Create(d).status().code(), Code::kInvalidArgument);
}

TEST(ConvTest, CacheReturnsTheSameObject) {
  const Conv2DDesc d = Shape(1, 5, 5, 4, 3, 3, 4, 1, 1, true);
  EXPECT_EQ(GetConv2D(d)->get(), GetConv2D(d)->get());
}

}  // namespace
}  // namespace gk
