// Structs with a spec of their own.
#include "graphkiln/extension_type.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "graphkiln/graphkiln.h"

enum class Unit { kPiece, kGram };

struct Money {
  gk::Tensor amount;
  std::string currency;
};
GK_EXTENSION_TYPE(Money, amount, currency)

struct Basket {
  Money price;
  gk::RaggedTensor rows;
  gk::SparseTensor marks;
  std::tuple<gk::Tensor, gk::Tensor> two;
  std::map<std::string, gk::Tensor> named;
  Unit unit = Unit::kPiece;
  bool open = false;
  double factor = 0;
};
GK_EXTENSION_TYPE(Basket, price, rows, marks, two, named, unit, open, factor)
// Made of no tensors.
struct Tag {
  std::string text;
};
GK_EXTENSION_TYPE(Tag, text)

namespace {

using gk::Dataset;
using gk::DataType;
using gk::kUnknown;
using gk::RaggedTensor;
using gk::Shape;
using gk::SparseTensor;
using gk::Tensor;
using gk::TypeSpec;

Basket ThreeBaskets() {
  return {{{1.f, 2.f, 3.f}, "EUR"},
          RaggedTensor::from_row_lengths(Tensor{1, 2, 3}, Tensor{2, 0, 1}),
          SparseTensor({{0, 1}, {2, 0}}, {5.f, 6.f}, {3, 2}),
          {{1, 2, 3}, {{1.f}, {2.f}, {3.f}}},
          {{"a", {true, false, true}}},
          Unit::kGram,
          true,
          0.1};
}

TEST(ExtensionTypeTest, HasASpecOfItsOwn) {
  const TypeSpec spec = gk::type_spec_from_value(Money{{1.f, 2.f}, "EUR"});
  EXPECT_EQ(spec.kind, TypeSpec::Kind::kExtension);
  EXPECT_EQ(spec.to_string(),
            "Money.Spec(amount=TensorSpec(shape=(2,), dtype=float32), "
            "currency='EUR')");
  EXPECT_EQ(spec.field("amount").shape, Shape({2}));
  EXPECT_THROW(static_cast<void>(spec.field("currency")), gk::Error);
  EXPECT_THROW(static_cast<void>(spec.field("none")), gk::Error);
  const TypeSpec basket = gk::type_spec_from_value(ThreeBaskets());
  EXPECT_EQ(
      basket.to_string(),
      "Basket.Spec(price=Money.Spec(amount=TensorSpec(shape=(3,), "
      "dtype=float32), currency='EUR'), rows=RaggedTensorSpec(shape=(3, None), "
      "dtype=int32, ragged_rank=1, row_splits_dtype=int32), "
      "marks=SparseTensorSpec(shape=(3, 2), dtype=float32), "
      "two=(TensorSpec(shape=(3,), dtype=int32), TensorSpec(shape=(3, 1), "
      "dtype=float32)), named={'a': TensorSpec(shape=(3,), dtype=bool)}, "
      "unit=1, open=true, factor=0.1)");
  EXPECT_EQ(basket.flatten().size(), 9u);
  EXPECT_EQ(basket.field("rows").ragged_rank, 1);
  EXPECT_EQ(basket.field("price").field("amount").shape, Shape({3}));
}

TEST(ExtensionTypeTest, BranchesAndLoopsKeepFieldsThatAreNoTensors) {
  auto f = [](const char* other) {
    return gk::function([other](const Tensor& x) {
      return gk::cond(
                 x > 0,
                 [&] {
                   return Money{x, "EUR"};
                 },
                 [&] {
                   return Money{-x, other};
                 })
          .amount;
    });
  };
  EXPECT_EQ(f("EUR")(Tensor(-2)).item<int>(), 2);
  try {
    f("USD")(Tensor(1));
    ADD_FAILURE();
  } catch (const gk::Error& e) {
    EXPECT_EQ(e.code(), gk::ErrorCode::kTypeError);
    EXPECT_NE(
        std::string(e.what()).find("No common supertype of 'EUR' and 'USD'."),
        std::string::npos)
        << e.what();
  }
  auto loop = [](const Tensor& x) {
    return gk::while_loop([](const Money& m) { return m.amount < 9; },
                          [](const Money& m) {
                            return Money{m.amount + 1, m.currency + "!"};
                          },
                          Money{x, "EUR"})
        .amount;
  };
  for (const bool traced : {false, true}) {
    try {
      traced ? gk::function(loop)(Tensor(1)) : loop(Tensor(1));
      ADD_FAILURE();
    } catch (const gk::Error& e) {
      EXPECT_EQ(e.code(), gk::ErrorCode::kTypeError);
      EXPECT_NE(std::string(e.what()).find(
                    "No common supertype of 'EUR' and 'EUR!'."),
                std::string::npos)
          << e.what();
    }
  }
}

TEST(ExtensionTypeTest, SpecsAreRelated) {
  const auto spec = [](const Tensor& amount, const char* currency) {
    return gk::type_spec_from_value(Money{amount, currency});
  };
  const TypeSpec two = spec({1.f, 2.f}, "EUR"), one = spec({1.f}, "EUR");
  EXPECT_EQ(two, spec({3.f, 4.f}, "EUR"));
  EXPECT_FALSE(two.is_compatible_with(one));
  const auto both = two.most_specific_common_supertype(one);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->field("amount").shape, Shape({kUnknown}));
  EXPECT_TRUE(one.is_subtype_of(*both));
  EXPECT_FALSE(both->is_subtype_of(one));
  EXPECT_TRUE(both->is_compatible_with(two));
  for (const TypeSpec& other :
       {spec({1.f, 2.f}, "USD"), spec({1, 2}, "EUR"),
        TypeSpec(gk::TensorSpec{{2}, DataType::kFloat})}) {
    EXPECT_FALSE(two.is_compatible_with(other));
    EXPECT_FALSE(two.most_specific_common_supertype(other));
    EXPECT_FALSE(two == other);
  }
}

TEST(ExtensionTypeTest, ComparesItsTensors) {
  const Money a{{1.f, 2.f}, "EUR"};
  EXPECT_TRUE(gk::equal(a, a).item<bool>());
  EXPECT_FALSE(gk::equal(a, Money{{1.f, 3.f}, "EUR"}).item<bool>());
  EXPECT_FALSE(gk::equal(a, Money{{1.f, 2.f}, "USD"}).item<bool>());
  EXPECT_FALSE(gk::equal(a, Money{{1.f}, "EUR"}).item<bool>());
  EXPECT_TRUE(gk::equal(ThreeBaskets(), ThreeBaskets()).item<bool>());
  auto f = gk::function(
      [](const Money& x, const Money& y) { return gk::equal(x, y); });
  EXPECT_TRUE(f(a, a).item<bool>());
}

TEST(ExtensionTypeTest, FunctionsTakeAndReturnThem) {
  auto add = gk::function([](const Money& a, const Money& b) {
    return Money{a.amount + b.amount, a.currency + "/" + b.currency};
  });
  const Money sum = add(Money{1.5f, "EUR"}, Money{2.f, "USD"});
  EXPECT_EQ(sum.amount.item<float>(), 3.5f);
  EXPECT_EQ(sum.currency, "EUR/USD");
  EXPECT_EQ(add(Money{2.5f, "EUR"}, Money{2.f, "USD"}).amount.item<float>(),
            4.5f);
  EXPECT_EQ(add.tracing_count(), 1);
  add(Money{2.5f, "USD"}, Money{2.f, "USD"});  // another type
  EXPECT_EQ(add.tracing_count(), 2);

  auto same = gk::function([](const Basket& b) { return b; });
  const Basket given = ThreeBaskets(), back = same(given);
  EXPECT_TRUE(gk::equal(given, back).item<bool>());
  EXPECT_EQ(back.unit, Unit::kGram);
  EXPECT_TRUE(back.open);
  EXPECT_EQ(back.factor, 0.1);
}

TEST(ExtensionTypeTest, BranchesAndLoopsCarryThem) {
  auto f = gk::function([](Money m, const Tensor& n) {
    m = gk::cond(
        n > 2,
        [&] {
          return Money{m.amount * 2.f, "EUR"};
        },
        [&] {
          return Money{-m.amount, "EUR"};
        });
    gk::carry(m).for_range(n, [&](const Tensor&) { m.amount += 1.f; });
    return m;
  });
  EXPECT_EQ(f(Money{5.f, "USD"}, 3).amount.item<float>(), 13);
  EXPECT_EQ(f(Money{5.f, "USD"}, 1).amount.item<float>(), -4);
  EXPECT_EQ(f(Money{5.f, "USD"}, 1).currency, "EUR");
  const Money eager =
      gk::while_loop([](const Money& m) { return m.amount < 10.f; },
                     [](const Money& m) {
                       return Money{m.amount + 4.f, m.currency};
                     },
                     Money{1.f, "EUR"});
  EXPECT_EQ(eager.amount.item<float>(), 13);
  // Plain values are the same in all branches.
  auto differs = gk::function([](const Money& m) {
    return gk::cond(
        m.amount > 2.f,
        [&] {
          return Money{m.amount, "EUR"};
        },
        [&] {
          return Money{m.amount, "USD"};
        });
  });
  EXPECT_THROW(differs(Money{5.f, "USD"}), gk::Error);
}

TEST(ExtensionTypeTest, RowsOfThem) {
  const Money doubled = gk::map_fn(
      [](const Money& m) {
        return Money{m.amount * 2.f, m.currency};
      },
      Money{{1.f, 2.f, 3.f}, "EUR"});
  EXPECT_EQ(doubled.amount.to_vector<float>(), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(doubled.currency, "EUR");
}

TEST(ExtensionTypeTest, AreElementsOfDatasets) {
  const Dataset rows = Dataset::from_tensor_slices(ThreeBaskets());
  const TypeSpec& element = rows.element_spec().leaves[0];
  EXPECT_EQ(element.field("price").field("amount").shape, Shape());
  EXPECT_EQ(element.field("marks").shape, Shape({2}));
  std::vector<float> amounts;
  std::vector<int> values;
  for (Basket b : rows) {
    amounts.push_back(b.price.amount.item<float>());
    for (int v : b.rows.flat_values().to_vector<int>()) values.push_back(v);
    EXPECT_EQ(b.price.currency, "EUR");
    EXPECT_EQ(b.unit, Unit::kGram);
    EXPECT_EQ(b.factor, 0.1);
  }
  EXPECT_EQ(amounts, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(values, (std::vector<int>{1, 2, 3}));

  const Dataset twos = rows.batch(2);
  EXPECT_EQ(twos.element_spec().leaves[0].field("price").field("amount").shape,
            Shape({kUnknown}));
  std::vector<int> lengths;
  for (Basket b : twos) {
    lengths.push_back(static_cast<int>(b.rows.nrows().item<int>()));
    EXPECT_EQ(b.marks.shape().rank(), 2);
  }
  EXPECT_EQ(lengths, (std::vector<int>{2, 1}));
  const Basket whole = rows.batch(3).get_single_element();
  EXPECT_EQ(whole.rows.flat_values().to_vector<int>(),
            (std::vector<int>{1, 2, 3}));
  amounts.clear();
  for (Basket b : twos.unbatch()) {
    amounts.push_back(b.price.amount.item<float>());
  }
  EXPECT_EQ(amounts, (std::vector<float>{1, 2, 3}));

  // Functions of elements, beside others.
  const Dataset priced = rows.map([](const Basket& b) {
    return std::pair(Money{b.price.amount * 10.f, "USD"}, b.two);
  });
  float sum = 0;
  for (std::pair<Money, std::tuple<Tensor, Tensor>> p : priced) {
    sum += p.first.amount.item<float>() + std::get<0>(p.second).item<int>();
    EXPECT_EQ(p.first.currency, "USD");
  }
  EXPECT_EQ(sum, 66);
  const Money total =
      rows.reduce(Money{0.f, "EUR"}, [](const Money& m, const Basket& b) {
        return Money{m.amount + b.price.amount, m.currency};
      });
  EXPECT_EQ(total.amount.item<float>(), 6);
  // Of one type in one dataset; states keep theirs.
  EXPECT_THROW(static_cast<void>(Dataset::choose_from_datasets(
                   {Dataset::from_tensors(Money{1.f, "EUR"}),
                    Dataset::from_tensors(Money{1.f, "USD"})},
                   Dataset::range(2))),
               gk::Error);
  EXPECT_THROW(
      static_cast<void>(rows.map([](const Money& m) { return m.amount; })),
      gk::Error);
}

TEST(ExtensionTypeTest, RowsOfRaggedFieldsAreKept) {
  const auto flat = [](const Dataset& rows) {
    std::vector<int> values;
    for (Basket b : rows) {
      for (int v : b.rows.flat_values().to_vector<int>()) values.push_back(v);
    }
    return values;
  };
  const Dataset rows =
      Dataset::from_tensor_slices(ThreeBaskets()).map([](const Basket& b) {
        Basket more = b;
        more.rows = b.rows + Tensor(1);
        return more;
      });
  EXPECT_EQ(flat(rows), (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(flat(rows.batch(2)), (std::vector<int>{2, 3, 4}));
}

TEST(ExtensionTypeTest, ThoseWithoutTensorsAreElements) {
  const std::string pair =
      "(TensorSpec(shape=(), dtype=int32), Tag.Spec(text='a'))";
  const Dataset rows =
      Dataset::from_tensor_slices(std::tuple(Tensor{1, 2}, Tag{"a"}));
  EXPECT_EQ(rows.element_spec().to_string(), pair);
  for (std::tuple<Tensor, Tag> e : rows.batch(2)) {
    EXPECT_EQ(std::get<1>(e).text, "a");
  }
  const Dataset mapped = rows.map([](const Tensor& x, const Tag& t) {
    return std::tuple(Tag{t.text + "b"}, x, Tag{t.text}, Tag{"c"});
  });
  int seen = 0;
  for (std::tuple<Tag, Tensor, Tag, Tag> e : mapped) {
    EXPECT_EQ(std::get<0>(e).text, "ab");
    EXPECT_EQ(std::get<1>(e).item<int>(), ++seen);
    EXPECT_EQ(std::get<2>(e).text, "a");
    EXPECT_EQ(std::get<3>(e).text, "c");
  }
  EXPECT_EQ(seen, 2);
  const auto some = gk::Optional::from_value(std::pair(Tensor(1), Tag{"a"}));
  EXPECT_EQ(some.element_spec().to_string(), pair);
  // Of functions of the host.
  const auto call = [](const char* text) {
    return gk::py_function(
        [text](const Tensor& x) { return std::pair(x, Tag{text}); },
        std::tuple(Tensor(3)),
        {gk::TensorSpec{{}, DataType::kInt32}, gk::type_spec<Tag>("a")});
  };
  EXPECT_EQ(call("a").second.text, "a");
  EXPECT_THROW(static_cast<void>(call("b")), gk::Error);
}

TEST(ExtensionTypeTest, OptionalsHoldThem) {
  const auto some = gk::Optional::from_value(Money{1.f, "EUR"});
  const Money m = some.get_value();
  EXPECT_EQ(m.currency, "EUR");
  EXPECT_EQ(some.element_spec().to_string(),
            "Money.Spec(amount=TensorSpec(shape=(), dtype=float32), "
            "currency='EUR')");
}

}  // namespace
