#include "function/specs/shape_invariants.h"

#include <gtest/gtest.h>

namespace gk {
namespace {

using Shapes = std::vector<PartialTensorShape>;

TEST(ShapeInvariants, OfWholeValues) {
  const TypeSpec ragged =
      TypeSpec::Ragged(DataType::kInt32, PartialTensorShape({2, -1}), {});
  EXPECT_EQ(InvariantShapes(ragged, PartialTensorShape({-1, -1}), "Ragged"),
            (Shapes{PartialTensorShape({-1}), PartialTensorShape({-1})}));
  EXPECT_EQ(InvariantShapes(ragged, PartialTensorShape({3, -1}), "Ragged"),
            (Shapes{PartialTensorShape({-1}), PartialTensorShape({4})}));
  const TypeSpec sparse =
      TypeSpec::Sparse(DataType::kInt32, PartialTensorShape({2, 3}));
  EXPECT_EQ(InvariantShapes(sparse, PartialTensorShape({-1, -1}), "Sparse"),
            (Shapes{PartialTensorShape({-1, 2}), PartialTensorShape({-1}),
                    PartialTensorShape({2})}));
  EXPECT_THROW(
      InvariantShapes(TypeSpec::Slices(DataType::kInt32, PartialTensorShape()),
                      PartialTensorShape({-1}), "Slices"),
      Error);
}

TEST(ShapeInvariants, OfSpecs) {
  const TypeSpec two = TypeSpec::Tensor(DataType::kInt32, TensorShape({2}));
  const TypeSpec any =
      TypeSpec::Tensor(DataType::kInt32, PartialTensorShape({-1}));
  EXPECT_EQ(InvariantShapes(two, any, "any", "two"),
            (Shapes{PartialTensorShape({-1})}));
  try {
    InvariantShapes(two, TypeSpec::Tensor(DataType::kFloat, any.shape), "any",
                    "two");
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.status().ToString(),
              TypeError("TypeSpec any is not compatible with two").ToString());
  }
}

}  // namespace
}  // namespace gk
