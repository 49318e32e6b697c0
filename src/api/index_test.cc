// What stands between a tensor's brackets, operators, memory of others.
#include <graphkiln/graphkiln.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

namespace {

using Integers = std::vector<int32_t>;

gk::Tensor Counted(const gk::Shape& shape) {
  Integers values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i);
  return gk::Tensor(values, shape);
}

TEST(Index, TakesPositionsSlicesAndNewDimensions) {
  const gk::Tensor x = Counted({2, 3, 4});
  EXPECT_EQ(x[1].shape(), gk::Shape({3, 4}));
  EXPECT_EQ((x[{1, 2}].to_vector<int32_t>()), (Integers{20, 21, 22, 23}));
  EXPECT_EQ((x[{1, 2, 3}].item<int32_t>()), 23);
  EXPECT_EQ((x[{-1, -1, -1}].item<int32_t>()), 23);
  EXPECT_EQ((x[{0, gk::Slice(1, 3), 0}].to_vector<int32_t>()),
            (Integers{4, 8}));
  EXPECT_EQ((x[{gk::ellipsis, 0}].shape()), gk::Shape({2, 3}));
  EXPECT_EQ((x[{gk::newaxis, gk::ellipsis}].shape()), gk::Shape({1, 2, 3, 4}));
  EXPECT_EQ((x[{0, 0, gk::Slice({}, {}, -1)}].to_vector<int32_t>()),
            (Integers{3, 2, 1, 0}));
  EXPECT_EQ((x[{0, 0, gk::Slice({}, 2)}].to_vector<int32_t>()),
            (Integers{0, 1}));
  EXPECT_EQ((x[{0, 0, gk::Slice(-2, {})}].to_vector<int32_t>()),
            (Integers{2, 3}));
  EXPECT_EQ(x[gk::Slice()].shape(), x.shape());
}

TEST(Index, TakesTensors) {
  const gk::Tensor x = Counted({4});
  EXPECT_EQ(x[gk::Tensor(2)].item<int32_t>(), 2);
  EXPECT_EQ(x[gk::Slice(gk::Tensor(int64_t{1}), 3)].to_vector<int32_t>(),
            (Integers{1, 2}));
  EXPECT_EQ((x[x > 1].to_vector<int32_t>()), (Integers{2, 3}));
  auto f = gk::function([](gk::Tensor t, gk::Tensor i) {
    return t[gk::Slice(i, i + 2)] * t[i];
  });
  EXPECT_EQ(f(x, gk::Tensor(1)).to_vector<int32_t>(), (Integers{1, 2}));
  EXPECT_EQ(f(x, gk::Tensor(2)).to_vector<int32_t>(), (Integers{4, 6}));
}

TEST(Index, HasGradients) {
  const gk::Tensor x = {1.f, 2.f, 3.f};
  gk::GradientTape tape;
  tape.watch(x);
  const gk::Tensor y = x[0] * 2.f + gk::reduce_sum(x[gk::Slice(1, 3)]);
  EXPECT_EQ(tape.gradient(y, x).to_vector<float>(),
            (std::vector<float>{2, 1, 1}));
}

TEST(Index, RefusesWhatIsNoIndex) {
  const gk::Tensor x = Counted({2, 2});
  EXPECT_THROW(x[2], gk::Error);
  EXPECT_THROW(x[-3], gk::Error);
  EXPECT_THROW((x[{0, 0, 0}]), gk::Error);
  EXPECT_THROW(x[gk::Tensor(1.5f)], gk::Error);
  EXPECT_THROW((x[{gk::Tensor({1, 2})}]), gk::Error);
  EXPECT_THROW((x[{gk::ellipsis, gk::ellipsis}]), gk::Error);
}

TEST(Operators, AssignAndCombine) {
  gk::Tensor x = {1.f, 2.f};
  const gk::Tensor before = x;
  x += 1;
  x *= x;
  x -= gk::Tensor({1.f, 1.f});
  x /= 2;
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1.5f, 4}));
  EXPECT_EQ(before.to_vector<float>(), (std::vector<float>{1, 2}));
  gk::Tensor n = {7, 9};
  n %= 4;
  EXPECT_EQ(n.to_vector<int32_t>(), (Integers{3, 1}));
  const gk::Tensor yes = x > 2.f, no = !yes;
  EXPECT_EQ((yes || no).to_vector<bool>(), (std::vector<bool>{true, true}));
  EXPECT_EQ((yes && no).to_vector<bool>(), (std::vector<bool>{false, false}));
  EXPECT_EQ((yes & yes).to_vector<bool>(), (std::vector<bool>{false, true}));
  EXPECT_EQ((yes ^ yes).to_vector<bool>(), (std::vector<bool>{false, false}));
  EXPECT_EQ((n | 4).to_vector<int32_t>(), (Integers{7, 5}));
  EXPECT_EQ((n & 1).to_vector<int32_t>(), (Integers{1, 1}));
  EXPECT_EQ((n ^ 1).to_vector<int32_t>(), (Integers{2, 0}));
  EXPECT_EQ((~n).to_vector<int32_t>(), (Integers{-4, -2}));
}

TEST(FromBlob, SharesMemoryUntilTheLastTensorGoes) {
  const Integers memory = {1, 2, 3, 4};
  int released = 0;
  {
    const gk::Tensor x =
        gk::Tensor::FromBlob(memory.data(), {2, 2}, [&] { ++released; });
    EXPECT_EQ(x.data<int32_t>(), memory.data());
    const gk::Tensor rows = gk::reshape(x, {4});
    EXPECT_EQ(gk::reduce_sum(rows).item<int32_t>(), 10);
    gk::Tensor y = x;
    y += 1;
    EXPECT_EQ(memory[0], 1);
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

TEST(FromBlob, ReleasesWhatItRefuses) {
  int released = 0;
  const float one = 1;
  EXPECT_THROW(gk::Tensor::FromBlob(&one, gk::Shape({gk::kUnknown}),
                                    [&] { ++released; }),
               gk::Error);
  EXPECT_THROW(gk::Tensor::FromBlob(static_cast<const float*>(nullptr), {1},
                                    [&] { ++released; }),
               gk::Error);
  EXPECT_EQ(released, 2);
}

}  // namespace
