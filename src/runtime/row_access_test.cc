#include "runtime/row_access.h"

#include <gtest/gtest.h>

#include "graph/function_for_test.h"

namespace gk {
namespace {

constexpr DataType kL = DataType::kInt64;

// x[i : i + 1 : stride], the dimension dropped, unless it says otherwise.
struct Slice {
  DataType dtype = kF;
  PartialTensorShape shape = TensorShape{4, 3};
  DataType index = kI;
  PartialTensorShape index_shape = TensorShape{1};
  PartialTensorShape end_shape = TensorShape{1};
  int stride = 1;  // 0: unknown
  AttrMap attrs = {};

  std::optional<RowAccess> Access() const {
    TestFunction b;
    const Output x = b.Arg(dtype, shape), i = b.Arg(index, index_shape),
                 end = b.Arg(index, end_shape);
    const Output step =
        stride == 0 ? b.Arg(index, TensorShape{1})
        : index == kI
            ? b.Const(Tensor::Vector<int32_t>(std::vector<int32_t>{stride}))
            : b.Const(Tensor::Vector<int64_t>(std::vector<int64_t>{stride}));
    AttrMap all = attrs;
    if (!all.Find("shrink_axis_mask")) {
      all.Set("shrink_axis_mask", int64_t{1});
    }
    const Output y = b.Add("StridedSlice", {x, i, end, step}, std::move(all));
    return RowAccessOf(*y.node);
  }
};

TEST(RowAccess, OfEitherIndexType) {
  const std::optional<RowAccess> narrow = Slice{}.Access(),
                                 wide = Slice{.index = kL}.Access();
  ASSERT_TRUE(narrow && wide);
  EXPECT_EQ(narrow->num_bytes, 12);
  const float x[4][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}};
  for (int64_t k : {0, 2, 3, -1, -4}) {
    const int32_t k32 = k;
    float a[3], c[3];
    const void *in32[] = {x, &k32}, *in64[] = {x, &k};
    ASSERT_EQ(narrow->tile(a, in32, narrow->num_bytes, &narrow->params), 0);
    ASSERT_EQ(wide->tile(c, in64, wide->num_bytes, &wide->params), 0);
    for (int j = 0; j < 3; ++j) {
      EXPECT_EQ(a[j], x[(k + 4) % 4][j]);
      EXPECT_EQ(c[j], a[j]);
    }
  }
  // What is no row leaves everything as it is.
  for (int64_t k : {4, -5}) {
    const int32_t k32 = k;
    float a[3] = {-1, -1, -1};
    const void *in32[] = {x, &k32}, *in64[] = {x, &k};
    EXPECT_NE(narrow->tile(a, in32, narrow->num_bytes, &narrow->params), 0);
    EXPECT_NE(wide->tile(a, in64, wide->num_bytes, &wide->params), 0);
    EXPECT_EQ(a[0], -1);
  }
}

TEST(RowAccess, OfWhatIsKnownAndPlain) {
  EXPECT_TRUE((Slice{.dtype = DataType::kComplex128}.Access()));
  EXPECT_TRUE((Slice{.shape = TensorShape{4}}.Access())) << "elements";
  EXPECT_FALSE((Slice{.dtype = DataType::kString}.Access()));
  EXPECT_FALSE((Slice{.dtype = DataType::kVariant}.Access()));
  EXPECT_FALSE((Slice{.shape = {-1, 3}}.Access()));
  EXPECT_FALSE((Slice{.shape = PartialTensorShape()}.Access()));
  EXPECT_FALSE((Slice{.index_shape = {-1}}.Access()));
  EXPECT_FALSE((Slice{.index_shape = PartialTensorShape()}.Access()));
  EXPECT_FALSE((Slice{.end_shape = {-1}}.Access()));
}

TEST(RowAccess, OfOneStep) {
  EXPECT_FALSE((Slice{.stride = 2}.Access()));
  EXPECT_FALSE((Slice{.index = kL, .stride = 2}.Access()));
  EXPECT_FALSE((Slice{.stride = 0}.Access())) << "unknown";
}

TEST(RowAccess, WithoutOtherMasks) {
  const auto with = [](const char* mask, int64_t bits) {
    return Slice{.attrs = {{mask, bits}}}.Access().has_value();
  };
  EXPECT_TRUE(with("end_mask", 1)) << "one is taken, whatever the end";
  EXPECT_FALSE(with("begin_mask", 1));
  EXPECT_FALSE(with("shrink_axis_mask", 0));
  EXPECT_FALSE(with("new_axis_mask", 1));
  EXPECT_FALSE(with("ellipsis_mask", 1));
}

// A shape that somebody declared otherwise, and other ops.
TEST(RowAccess, OfRowsAsTheyAre) {
  TestFunction b;
  const Output x = b.Arg(kF, TensorShape{4, 3});
  const Output at = b.Arg(kI, TensorShape{1});
  const Output one = b.Const(Tensor::Vector<int32_t>(std::vector{1}));
  const Output y = b.Add("StridedSlice", {x, at, at, one},
                         {{"shrink_axis_mask", int64_t{1}}});
  ASSERT_TRUE(RowAccessOf(*y.node));
  y.node->mutable_output(0).shape = TensorShape{5};
  EXPECT_FALSE(RowAccessOf(*y.node));
  y.node->mutable_output(0).shape = PartialTensorShape();
  EXPECT_FALSE(RowAccessOf(*y.node));
  EXPECT_FALSE(RowAccessOf(*b.Add("Neg", {x}).node));
}

}  // namespace
}  // namespace gk
