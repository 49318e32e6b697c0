#include "function/specs/spec_fields.h"

#include <gtest/gtest.h>

namespace gk {
namespace {

class Tag final : public LanguageValue {
 public:
  explicit Tag(std::string text) : text_(std::move(text)) {}
  bool Equals(const LanguageValue& other) const override {
    return text_ == static_cast<const Tag&>(other).text_;
  }
  std::string Text() const override { return text_; }

 private:
  std::string text_;
};

constexpr char kPoint = 0, kOther = 0;

// Point(x=<tensor>, rows=[<ragged>], size=<shape>, tag=<plain>)
TypeSpec Point(PartialTensorShape x, const std::string& tag = "a",
               bool stacks = true, const void* identity = &kPoint) {
  SpecFields fields;
  fields.structure =
      Structure::Of({.kind = Structure::Kind::kAttrs,
                     .name = "Point.Spec",
                     .keys = {{"sx", "x"},
                              {"srows", "rows"},
                              {"ssize", "size"},
                              {"stag", "tag"}}},
                    {Structure::Leaf(), Structure::List({Structure::Leaf()}),
                     Structure::Leaf(), Structure::Leaf()});
  fields.parts = {
      SpecPart::Of(TypeSpec::Tensor(DataType::kFloat, std::move(x))),
      SpecPart::Of(TypeSpec::Ragged(DataType::kInt32,
                                    PartialTensorShape({3, kUnknownDim}), {})),
      SpecPart::OfShape(PartialTensorShape({3, 5})),
      SpecPart::OfPlain(MakeRef<Tag>(tag))};
  return TypeSpec::Of(
      MakeRef<ExtensionSpec>("Point", identity, stacks, std::move(fields)));
}

TEST(SpecFieldsTest, Text) {
  EXPECT_EQ(Point(PartialTensorShape({3})).Text(),
            "Point.Spec(x=TensorSpec(shape=(3,), dtype=tf.float32, name=None), "
            "rows=[RaggedTensorSpec(TensorShape([3, None]), tf.int32, 1, "
            "tf.int64)], size=TensorShape([3, 5]), tag=a)");
}

TEST(SpecFieldsTest, Relations) {
  const TypeSpec three = Point(PartialTensorShape({3})),
                 any = Point(PartialTensorShape({kUnknownDim})),
                 tagged = Point(PartialTensorShape({3}), "b"),
                 other = Point(PartialTensorShape({3}), "a", true, &kOther);
  EXPECT_TRUE(three == Point(PartialTensorShape({3})));
  EXPECT_FALSE(three == any);
  EXPECT_FALSE(three == tagged);
  EXPECT_TRUE(three.IsSubtypeOf(any));
  EXPECT_FALSE(any.IsSubtypeOf(three));
  EXPECT_TRUE(any.IsCompatibleWith(three));
  EXPECT_FALSE(three.IsCompatibleWith(Point(PartialTensorShape({4}))));
  EXPECT_TRUE(*three.Common(Point(PartialTensorShape({4}))) == any);
  for (const TypeSpec& wrong : {tagged, other}) {
    EXPECT_FALSE(three.IsSubtypeOf(wrong));
    EXPECT_FALSE(three.IsCompatibleWith(wrong));
    EXPECT_FALSE(three.Common(wrong));
  }
}

TEST(SpecFieldsTest, StacksAndRows) {
  const TypeSpec point = Point(PartialTensorShape({3}));
  ASSERT_TRUE(point.has_encoder());
  EXPECT_EQ(point.Parts().size(), 2u);
  EXPECT_EQ(point.Tensors().size(), 3u);
  const TypeSpec stacked = point.Batched(7);
  EXPECT_EQ(stacked.Parts()[0].shape, PartialTensorShape({7, 3}));
  EXPECT_EQ(stacked.Parts()[1].ragged_rank, 2);
  EXPECT_NE(stacked.Text().find("size=TensorShape([7, 3, 5])"),
            std::string::npos);
  EXPECT_TRUE(stacked.Row() == point);
  EXPECT_EQ(point.Row().Parts()[1].ragged_rank, 0);
  EXPECT_THROW(point.Row().Row(), Error);  // x is a scalar there
  // Those that do not stack are moved in tensors.
  const TypeSpec plain = Point(PartialTensorShape({3}), "a", /*stacks=*/false);
  EXPECT_FALSE(plain.has_encoder());
  EXPECT_EQ(plain.Parts().size(), 3u);
  EXPECT_THROW(static_cast<void>(plain.Batched(2)), Error);
}

// A value of one tensor x is stacked as a tensor of twice the rank of x.
class Twice final : public SpecEncoding {
 public:
  using SpecEncoding::SpecEncoding;
  SpecEncodingRef With(ElementSpec spec) const override {
    return std::make_shared<Twice>(std::move(spec));
  }
  SpecFields Decoded() const override {
    const PartialTensorShape& shape = spec().leaves[0].shape;
    PartialTensorShape half = shape;
    while (half.rank() > shape.rank() / 2) half.RemoveDim(half.rank() - 1);
    return {Structure::Leaf(),
            {SpecPart::Of(TypeSpec::Tensor(DataType::kFloat, half))}};
  }
};

TEST(SpecFieldsTest, StacksOfEncodings) {
  const auto one = [](PartialTensorShape x, PartialTensorShape encoding) {
    SpecFields fields{Structure::Leaf(),
                      {SpecPart::Of(TypeSpec::Tensor(DataType::kFloat, x))}};
    ElementSpec as{Structure::Leaf(),
                   {TypeSpec::Tensor(DataType::kFloat, encoding)}};
    return TypeSpec::Of(MakeRef<ExtensionSpec>(
        "One", &kPoint, /*stacks=*/true, std::move(fields),
        std::make_shared<Twice>(std::move(as))));
  };
  const TypeSpec spec =
      one(PartialTensorShape({2}), PartialTensorShape({3, 4}));
  EXPECT_EQ(spec.Parts()[0].shape, PartialTensorShape({3, 4}));
  EXPECT_EQ(spec.Tensors()[0].shape, PartialTensorShape({2}));
  const TypeSpec stacked = spec.Batched(7).Batched(8);
  EXPECT_EQ(stacked.Parts()[0].shape, PartialTensorShape({8, 7, 3, 4}));
  EXPECT_EQ(stacked.Tensors()[0].shape, PartialTensorShape({8, 7}));
  EXPECT_EQ(stacked.Row().Parts()[0].shape, PartialTensorShape({7, 3, 4}));
  const TypeSpec both =
      *spec.Common(one(PartialTensorShape({2}), PartialTensorShape({3, 5})));
  EXPECT_EQ(both.Parts()[0].shape, PartialTensorShape({3, kUnknownDim}));
  EXPECT_FALSE(
      spec.Common(one(PartialTensorShape({2}), PartialTensorShape({3})))
          ->Parts()[0]
          .shape.rank() == 2);
}

}  // namespace
}  // namespace gk
