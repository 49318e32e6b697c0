#include "ops/fused_tiles.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "framework/op_registry.h"
#include "gtest/gtest.h"

namespace gk {
namespace {

TileFn Tile(const char* op) {
  return OpRegistry::Get()
      .Find(op)
      ->kernel.tile(DataType::kFloat, AttrMap())
      ->fn;
}

constexpr const char* kBinary[] = {"AddV2", "Sub", "Mul"};
constexpr const char* kUnary[] = {"Neg", "Relu", "Exp", "Sigmoid", "Tanh"};

class Values {
 public:
  explicit Values(float scale) {
    const float odd[] = {0.0f,
                         -0.0f,
                         1.0f,
                         -1.5f,
                         3.25f,
                         -88.0f,
                         1e-40f,
                         std::numeric_limits<float>::infinity(),
                         -std::numeric_limits<float>::infinity(),
                         std::numeric_limits<float>::max()};
    for (int i = 0; i < kN; ++i) {
      values_[i] = i % 3 == 0 ? odd[(i / 3) % 10] * scale
                              : scale * static_cast<float>(i - kN / 2) / 7;
    }
  }
  static constexpr int kN = 103;
  const float* data() const { return values_; }

 private:
  float values_[kN];
};

bool SameBits(float a, float b) {
  return a == b ? std::signbit(a) == std::signbit(b)
                : std::isnan(a) && std::isnan(b);
}

// The operands of `first`, then what `second` reads besides.
void Check(const char* first, bool first_unary, const char* second,
           bool second_unary, int position, int* found) {
  const TileFn fused = FusedTile(Tile(first), Tile(second), position);
  if (fused == nullptr) return;
  ++*found;
  SCOPED_TRACE(std::string(first) + ", " + second);
  static const Values x(1.0f), y(-0.75f), z(2.5f);
  const int n = Values::kN;
  const float* operands[3] = {x.data(), y.data(), z.data()};
  std::vector<float> made(n), want(n), got(n);
  const void* in[3] = {operands[0], operands[1], nullptr};
  ASSERT_EQ(Tile(first)(made.data(), in, n, nullptr), 0);
  const float* other = operands[first_unary ? 1 : 2];
  in[position] = made.data();
  if (!second_unary) in[1 - position] = other;
  ASSERT_EQ(Tile(second)(want.data(), in, n, nullptr), 0);
  const void* all[3] = {operands[0], operands[1], operands[2]};
  ASSERT_EQ(fused(got.data(), all, n, nullptr), 0);
  for (int i = 0; i < n; ++i) {
    EXPECT_TRUE(SameBits(want[i], got[i]))
        << i << ": " << want[i] << " but " << got[i];
  }
}

TEST(FusedTiles, ArePairsOfWhatRecordsHave) {
  int found = 0;
  for (const char* second : kBinary) {
    for (const int position : {0, 1}) {
      for (const char* first : kBinary) {
        Check(first, false, second, false, position, &found);
      }
      for (const char* first : kUnary) {
        Check(first, true, second, false, position, &found);
      }
    }
  }
  for (const char* second : kUnary) {
    for (const char* first : kBinary) {
      Check(first, false, second, true, 0, &found);
    }
  }
  // Eight pairs of two that the second reads at either place, four functions
  // after a sum, a product and a difference: none is lost to another loop.
  EXPECT_EQ(found, 8 * 2 + 4 * 3);
  EXPECT_EQ(FusedTile(Tile("Exp"), Tile("Tanh"), 0), nullptr);
}

TEST(FusedTiles, AreFirstsOfPairsAgain) {
  for (const int position : {0, 1}) {
    const TileFn affine = FusedTile(Tile("Mul"), Tile("AddV2"), position);
    for (const char* op : {"Relu", "Exp", "Sigmoid", "Tanh"}) {
      EXPECT_NE(FusedTile(affine, Tile(op), 0), nullptr) << op;
    }
  }
}

}  // namespace
}  // namespace gk
