// Datasets: what each method makes, specs, nesting, errors; in traced
// functions too.
#include <array>
#include <map>
#include <optional>

#include "api/same_gradient_for_test.h"

namespace {

using gk::Dataset;
using gk::DataType;
using gk::ErrorCode;
using gk::Shape;
using gk::Tensor;
using gk_test::ErrorOf;
using gk_test::ExpectHas;
using TensorPair = std::pair<Tensor, Tensor>;
using Numbers = std::vector<int64_t>;
using NumberRows = std::vector<Numbers>;

int64_t Number(const Tensor& t) {
  return gk::cast(t, DataType::kInt64).item<int64_t>();
}
Numbers All(const Dataset& dataset) {
  Numbers all;
  for (Tensor t : dataset) all.push_back(Number(t));
  return all;
}
NumberRows AllRows(const Dataset& dataset) {
  NumberRows all;
  for (Tensor t : dataset) {
    all.push_back(gk::cast(t, DataType::kInt64).to_vector<int64_t>());
  }
  return all;
}

template <class F>
void ExpectFails(F&& f, ErrorCode code, const std::string& part) {
  const gk::Error e = ErrorOf(f);
  EXPECT_EQ(e.code(), code);
  ExpectHas(e.what(), part);
}

struct Example {
  Tensor image, label;
};

TEST(DatasetTest, Sources) {
  EXPECT_EQ(All(Dataset::range(3)), (Numbers{0, 1, 2}));
  EXPECT_EQ(All(Dataset::range(1, 8, 3)), (Numbers{1, 4, 7}));
  EXPECT_EQ(All(Dataset::range(3, 0, -1)), (Numbers{3, 2, 1}));
  EXPECT_EQ(AllRows(Dataset::from_tensors(Tensor({1, 2}))),
            (NumberRows{{1, 2}}));
  EXPECT_EQ(All(Dataset::from_tensor_slices(Tensor({4, 5}))), (Numbers{4, 5}));
  const Dataset random = Dataset::random(1).take(2);
  EXPECT_EQ(All(random).size(), 2u);
  for (int64_t x : All(random)) EXPECT_TRUE(x >= 0 && x < (int64_t{1} << 32));
}

TEST(DatasetTest, ElementsNestAsTheValuesThatTheyAreMadeOf) {
  const auto pairs =
      Dataset::from_tensor_slices(std::pair(Tensor({1, 2}), Tensor({3, 4})));
  Numbers seen;
  for (TensorPair p : pairs) {
    seen.push_back(Number(p.first));
    seen.push_back(Number(p.second));
  }
  EXPECT_EQ(seen, (Numbers{1, 3, 2, 4}));
  EXPECT_EQ(pairs.element_spec().to_string(),
            "(TensorSpec(shape=(), dtype=int32), "
            "TensorSpec(shape=(), dtype=int32))");

  const auto examples = Dataset::from_tensors(Example{Tensor(1.5f), Tensor(2)});
  for (Example e : examples) {
    EXPECT_EQ(e.image.item<float>(), 1.5f);
    EXPECT_EQ(Number(e.label), 2);
  }
  // The fields of a struct, one by one.
  EXPECT_EQ(All(examples.map([](Tensor, Tensor label) { return label; })),
            (Numbers{2}));

  using Named = std::map<std::string, std::vector<Tensor>>;
  const auto named = Dataset::from_tensors(
      Named{{"a", {Tensor(1), Tensor(2)}}, {"b", {Tensor(3)}}});
  EXPECT_EQ(All(named.map([](const Named& m) {
              return m.at("a")[1] * 10 + m.at("b")[0];
            })),
            (Numbers{23}));
}

TEST(DatasetTest, MapsAndFilters) {
  const Dataset squares = Dataset::range(5).map([](Tensor x) { return x * x; });
  EXPECT_EQ(All(squares), (Numbers{0, 1, 4, 9, 16}));
  EXPECT_EQ(All(Dataset::range(5).map([](Tensor x) { return x + 1; },
                                      {.num_parallel_calls = 2})),
            (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(All(squares.filter([](Tensor x) { return x > 3; })),
            (Numbers{4, 9, 16}));
  EXPECT_EQ(All(squares.take_while([](Tensor x) { return x < 4; })),
            (Numbers{0, 1}));
  const auto both = squares.map([](Tensor x) { return std::pair(x, -x); });
  EXPECT_EQ(All(both.map([](Tensor a, Tensor b) { return a - b; })),
            (Numbers{0, 2, 8, 18, 32}));
  EXPECT_EQ(All(both.map([](const TensorPair& p) { return p.second; })),
            (Numbers{0, -1, -4, -9, -16}));
}

TEST(DatasetTest, FunctionsCaptureWhatTheyUse) {
  const gk::Variable v(Tensor(int64_t{10}));
  const Tensor one(int64_t{1});
  const Dataset sums =
      Dataset::range(2).map([&](Tensor x) { return x + v.value() + one; });
  EXPECT_EQ(All(sums), (Numbers{11, 12}));
  v.assign(Tensor(int64_t{20}));
  EXPECT_EQ(All(sums), (Numbers{21, 22}));
}

TEST(DatasetTest, FunctionsMakeVariablesInTheirFirstTrace) {
  std::optional<gk::Variable> v;
  int traces = 0;
  const auto scaled = [&](Tensor x) {
    ++traces;
    if (!v) v.emplace(Tensor(int64_t{3}));
    return x * v->value();
  };
  const Dataset products = Dataset::range(3).map(scaled);
  EXPECT_EQ(traces, 2);
  EXPECT_EQ(All(products), (Numbers{0, 3, 6}));
  v->assign(Tensor(int64_t{5}));
  EXPECT_EQ(All(products), (Numbers{0, 5, 10}));
  EXPECT_EQ(All(Dataset::range(2).map(scaled)), (Numbers{0, 5}));
  EXPECT_EQ(traces, 3);
  EXPECT_THROW(Dataset::range(2).map([](Tensor x) {
    return x * gk::Variable(Tensor(int64_t{3})).value();
  }),
               gk::Error);
}

TEST(DatasetTest, FlatMapsAndInterleaves) {
  EXPECT_EQ(All(Dataset::range(4).flat_map(
                [](Tensor x) { return Dataset::range(x); })),
            (Numbers{0, 0, 1, 0, 1, 2}));
  auto twice = [](Tensor x) { return Dataset::from_tensors(x).repeat(2); };
  EXPECT_EQ(All(Dataset::range(2).interleave(twice, {.cycle_length = 2})),
            (Numbers{0, 1, 0, 1}));
  EXPECT_EQ(All(Dataset::range(2).interleave(twice, {.cycle_length = 2,
                                                     .block_length = 2,
                                                     .num_parallel_calls = 2})),
            (Numbers{0, 0, 1, 1}));
}

TEST(DatasetTest, ScansAndReduces) {
  const int64_t zero = 0;
  EXPECT_EQ(All(Dataset::range(4).scan(zero,
                                       [](Tensor sum, Tensor x) {
                                         sum = sum + x;
                                         return std::pair(sum, sum * 2);
                                       })),
            (Numbers{0, 2, 6, 12}));
  EXPECT_EQ(Number(Dataset::range(5).reduce(
                zero, [](Tensor sum, Tensor x) { return sum + x; })),
            10);
  // A state that grows has a shape that is not known.
  const Tensor rows =
      Dataset::range(3).reduce(Tensor(Numbers()), [](Tensor seen, Tensor x) {
        return gk::concat({seen, gk::reshape(x, {1})}, 0);
      });
  EXPECT_EQ(rows.to_vector<int64_t>(), (Numbers{0, 1, 2}));
  const TensorPair ends = Dataset::range(3).enumerate(5).reduce(
      std::pair(Tensor(zero), Tensor(zero)),
      [](TensorPair state, Tensor i, Tensor x) {
        return std::pair(state.first + i, state.second + x);
      });
  EXPECT_EQ(Number(ends.first), 18);
  EXPECT_EQ(Number(ends.second), 3);
}

TEST(DatasetTest, Counters) {
  EXPECT_EQ(All(Dataset::counter().take(3)), (Numbers{0, 1, 2}));
  const Dataset ints = Dataset::counter(7, -2).take(3);
  EXPECT_EQ(All(ints), (Numbers{7, 5, 3}));
  EXPECT_EQ(ints.element_spec().to_string(),
            "TensorSpec(shape=(), dtype=int32)");
  const Dataset floats = Dataset::counter(0.5f).take(2);
  EXPECT_EQ(floats.reduce(0.f, [](Tensor sum, Tensor x) { return sum + x; })
                .item<float>(),
            2.f);
}

TEST(DatasetTest, CardinalityThatIsSaid) {
  const Dataset few = Dataset::range(9).filter([](Tensor x) { return x < 2; });
  const Dataset two = few.assert_cardinality(2);
  EXPECT_EQ(Number(two.cardinality()), 2);
  EXPECT_EQ(All(two), (Numbers{0, 1}));
  ExpectFails([&] { All(few.assert_cardinality(3)); },
              ErrorCode::kFailedPrecondition,
              "expected to contain 3 elements but contained only 2 elements");
}

TEST(DatasetTest, GroupsByReducers) {
  const gk::Reducer count(
      [](Tensor key) { return std::pair(key, Tensor(int64_t{0})); },
      [](TensorPair state, Tensor x) {
        return std::pair(state.first, state.second + x);
      },
      [](Tensor key, Tensor sum) { return key * 100 + sum; });
  EXPECT_EQ(All(Dataset::range(6).group_by_reducer(
                [](Tensor x) { return x % 2; }, count)),
            (Numbers{6, 109}));
}

TEST(DatasetTest, BucketsByLength) {
  const Dataset rows = Dataset::range(1, 5).map(
      [](Tensor n) { return gk::fill(gk::reshape(n, {1}), n); });
  auto length = [](Tensor row) { return gk::size(row); };
  EXPECT_EQ(
      AllRows(rows.bucket_by_sequence_length(
          length, {.bucket_boundaries = {3}, .bucket_batch_sizes = {2, 2}})),
      (NumberRows{{1, 0, 2, 2}, {3, 3, 3, 0, 4, 4, 4, 4}}));
  EXPECT_EQ(AllRows(rows.take(3).bucket_by_sequence_length(
                length, {.bucket_boundaries = {3, 6},
                         .bucket_batch_sizes = {2, 2, 1},
                         .padding_values = {Tensor(int64_t{9})},
                         .pad_to_bucket_boundary = true})),
            (NumberRows{{1, 9, 2, 2}, {3, 3, 3, 9, 9}}));
  EXPECT_EQ(
      AllRows(rows.bucket_by_sequence_length(length, {.bucket_boundaries = {},
                                                      .bucket_batch_sizes = {1},
                                                      .no_padding = true})),
      (NumberRows{{1}, {2, 2}, {3, 3, 3}, {4, 4, 4, 4}}));
  ExpectFails(
      [&] {
        rows.bucket_by_sequence_length(
            length, {.bucket_boundaries = {3}, .bucket_batch_sizes = {2}});
      },
      ErrorCode::kValueError,
      "`len(bucket_batch_sizes)=1` and `len(bucket_boundaries)=1`");
  ExpectFails(
      [&] {
        AllRows(rows.bucket_by_sequence_length(
            length, {.bucket_boundaries = {3},
                     .bucket_batch_sizes = {2, 2},
                     .pad_to_bucket_boundary = true}));
      },
      ErrorCode::kInvalidArgument,
      "elements must have length < max(bucket_boundaries)");
  ExpectFails(
      [&] {
        rows.group_by_window([](Tensor row) { return row; },
                             [](Tensor, Dataset group) { return group; }, 2);
      },
      ErrorCode::kValueError,
      "Invalid `key_func`. `key_func` must return a single `tf.int64` scalar "
      "tensor");
}

TEST(DatasetTest, FunctionsLoseNoWrites) {
  ExpectFails(
      [] {
        Dataset::range(2).map([](Tensor x) {
          const gk::TensorArray array(gk::DataType::kInt64, 1);
          const gk::TensorArray unused = array.write(0, x);
          return x;
        });
      },
      ErrorCode::kValueError, "was never used, so what it wrote is lost");
}

TEST(DatasetTest, BatchesAndRows) {
  const Dataset five = Dataset::range(5);
  EXPECT_EQ(AllRows(five.batch(2)), (NumberRows{{0, 1}, {2, 3}, {4}}));
  const Dataset even = five.batch(2, {.drop_remainder = true});
  EXPECT_EQ(AllRows(even), (NumberRows{{0, 1}, {2, 3}}));
  EXPECT_EQ(five.batch(2).element_spec().leaves[0].shape,
            Shape({gk::kUnknown}));
  EXPECT_EQ(even.element_spec().leaves[0].shape, Shape({2}));
  EXPECT_EQ(AllRows(five.batch(3, {.num_parallel_calls = 2})),
            (NumberRows{{0, 1, 2}, {3, 4}}));
  EXPECT_EQ(All(even.unbatch()), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(AllRows(five.batch(2).rebatch(3)), (NumberRows{{0, 1, 2}, {3, 4}}));
}

TEST(DatasetTest, PadsBatches) {
  const Dataset rows = Dataset::range(1, 4).map(
      [](Tensor n) { return gk::fill(gk::reshape(n, {1}), n); });
  EXPECT_EQ(AllRows(rows.padded_batch(2)),
            (NumberRows{{1, 0, 2, 2}, {3, 3, 3}}));
  const Dataset wide = rows.padded_batch(
      3, {.padded_shapes = {Shape({4})}, .padding_values = {int64_t{-1}}});
  EXPECT_EQ(AllRows(wide),
            (NumberRows{{1, -1, -1, -1, 2, 2, -1, -1, 3, 3, 3, -1}}));
  EXPECT_EQ(wide.element_spec().leaves[0].shape, Shape({gk::kUnknown, 4}));
  ExpectHas(ErrorOf([&] {
              Dataset::from_tensors(Tensor({1, 2}))
                  .padded_batch(1, {.padded_shapes = {Shape({1})}});
            }).what(),
            "The padded shape (1,) is not compatible with the shape (2,)");
}

TEST(DatasetTest, WindowsAreDatasets) {
  NumberRows seen;
  for (Dataset w : Dataset::range(5).window(3, {.shift = 2})) {
    seen.push_back(All(w));
  }
  EXPECT_EQ(seen, (NumberRows{{0, 1, 2}, {2, 3, 4}, {4}}));
  EXPECT_EQ(AllRows(Dataset::range(4).window(2).flat_map(
                [](Dataset w) { return w.batch(2); })),
            (NumberRows{{0, 1}, {2, 3}}));
  EXPECT_EQ(Dataset::range(4).window(2).element_spec().to_string(),
            "DatasetSpec(TensorSpec(shape=(), dtype=int64))");
  // A window of each component.
  const Dataset pairs = Dataset::range(4).enumerate(10).window(2);
  EXPECT_EQ(All(pairs.flat_map(
                [](Dataset i, Dataset x) { return i.concatenate(x); })),
            (Numbers{10, 11, 0, 1, 12, 13, 2, 3}));
}

TEST(DatasetTest, WindowsOfLists) {
  const Dataset lists =
      Dataset::from_tensors(std::vector<Tensor>{Tensor(1), Tensor(2)});
  for (std::vector<Dataset> w : lists.repeat(2).window(2)) {
    ASSERT_EQ(w.size(), 2u);
    int sum = 0;
    for (Tensor t : w[1]) sum += t.item<int>();
    EXPECT_EQ(sum, 4);
  }
}

TEST(DatasetTest, RaggedBatches) {
  const Dataset rows = Dataset::range(1, 4).map([](Tensor n) {
    return std::pair(std::vector<Tensor>{n}, gk::fill(gk::reshape(n, {1}), n));
  });
  const Dataset batches = rows.ragged_batch(
      2, {.drop_remainder = true, .row_splits_dtype = gk::DataType::kInt32});
  EXPECT_EQ(batches.element_spec().leaves[1],
            gk::RaggedTensorSpec({2, gk::kUnknown}, gk::DataType::kInt64, 1,
                                 gk::DataType::kInt32));
  int seen = 0;
  for (std::pair<std::vector<Tensor>, gk::RaggedTensor> p : batches) {
    ++seen;
    EXPECT_EQ(p.first[0].to_vector<int64_t>(), (Numbers{1, 2}));
    EXPECT_EQ(p.second.to_text(-1).item<std::string>(), "[[1], [2, 2]]");
  }
  EXPECT_EQ(seen, 1);
  std::vector<std::string> texts;
  for (gk::RaggedTensor x :
       Dataset::range(1, 4)
           .map([](Tensor n) { return gk::fill(gk::reshape(n, {1}), n); })
           .ragged_batch(2)) {
    texts.push_back(x.to_text(-1).item<std::string>());
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"[[1], [2, 2]]", "[[3, 3, 3]]"}));
  gk::ElementSpec any = Dataset::range(2).element_spec();
  any.leaves[0].shape = gk::Shape::UnknownRank();
  const Dataset unknown =
      Dataset::from_variant(Dataset::range(2).to_variant(), any);
  ExpectFails([&] { unknown.ragged_batch(2); }, ErrorCode::kValueError,
              "Converting a tensor of unknown rank to a ragged tensor");
}

TEST(DatasetTest, SparseBatches) {
  const Dataset rows = Dataset::range(1, 3).map(
      [](Tensor n) { return gk::fill(gk::reshape(n, {1}), n); });
  const Dataset batches = rows.sparse_batch(2, {3});
  EXPECT_EQ(batches.element_spec().leaves[0],
            gk::SparseTensorSpec({gk::kUnknown, 3}, gk::DataType::kInt64));
  for (gk::SparseTensor x : batches) {
    EXPECT_EQ(gk::sparse::to_dense(x).to_vector<int64_t>(),
              (Numbers{1, 0, 0, 2, 2, 0}));
  }
  ExpectFails(
      [&] {
        Dataset::zip({rows, rows}).sparse_batch(2, {3});
      },
      ErrorCode::kTypeError, "`dense_to_sparse_batch` requires");
}

TEST(DatasetTest, GroupsByWindow) {
  EXPECT_EQ(AllRows(Dataset::range(6).group_by_window(
                [](Tensor x) { return x % 2; },
                [](Tensor, Dataset group) { return group.batch(2); }, 2)),
            (NumberRows{{0, 2}, {1, 3}, {4}, {5}}));
}

TEST(DatasetTest, SelectsAndRepeats) {
  const Dataset five = Dataset::range(5);
  EXPECT_EQ(All(five.take(2)), (Numbers{0, 1}));
  EXPECT_EQ(All(five.skip(3)), (Numbers{3, 4}));
  EXPECT_EQ(All(five.take(2).repeat(2)), (Numbers{0, 1, 0, 1}));
  EXPECT_EQ(All(five.shard(2, 1)), (Numbers{1, 3}));
  EXPECT_EQ(All(five.prefetch(2).cache()), (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(All(five.take(1).concatenate(five.skip(4))), (Numbers{0, 4}));
  EXPECT_EQ(All(Dataset::from_tensor_slices(Tensor({1, 2, 1, 3})).unique()),
            (Numbers{1, 2, 3}));
  Numbers shuffled = All(five.shuffle(5, {.seed = 3}));
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(All(Dataset::range(3)
                    .map([](Tensor x) { return gk::math::floordiv(4, x); })
                    .ignore_errors()),
            (Numbers{4, 2}));
}

TEST(DatasetTest, ChoosesAndSamples) {
  const std::vector<Dataset> parts{Dataset::range(3), Dataset::range(10, 13)};
  EXPECT_EQ(
      All(Dataset::choose_from_datasets(parts, Dataset::range(2).repeat(2))),
      (Numbers{0, 10, 1, 11}));
  Numbers drawn = All(Dataset::sample_from_datasets(parts, {.seed = 1}));
  std::sort(drawn.begin(), drawn.end());
  EXPECT_EQ(drawn, (Numbers{0, 1, 2, 10, 11, 12}));
  EXPECT_EQ(All(Dataset::sample_from_datasets(parts,
                                              {.weights = Tensor({1.0f, 0.0f}),
                                               .stop_on_empty_dataset = true})),
            (Numbers{0, 1, 2}));
}

TEST(DatasetTest, WeightsOfEachDraw) {
  const std::vector<Dataset> parts{Dataset::range(3), Dataset::range(10, 13)};
  const Dataset turns = Dataset::range(4).map([](Tensor i) {
    const Tensor odd = gk::cast(i % 2, DataType::kFloat);
    return gk::stack({1.0f - odd, odd});
  });
  EXPECT_EQ(
      All(Dataset::sample_from_datasets(parts, {.weights_of_draws = &turns})),
      (Numbers{0, 10, 1, 11}));
}

TEST(DatasetTest, ResamplesByClass) {
  const Dataset uneven =
      Dataset::range(2000)
          .map([](Tensor x) { return gk::cast(x % 10 >= 7, DataType::kInt32); })
          .cache();
  auto share = [](const Dataset& d) {
    double ones = 0, all = 0;
    for (TensorPair p : d) {
      EXPECT_EQ(Number(p.first), Number(p.second));
      ones += static_cast<double>(Number(p.first));
      ++all;
    }
    return ones / all;
  };
  auto self = [](Tensor x) { return x; };
  const Tensor even({0.5f, 0.5f});
  EXPECT_NEAR(share(uneven.rejection_resample(self, even, {0.7f, 0.3f}, 1)),
              0.5, 0.05);
  EXPECT_NEAR(share(uneven.rejection_resample(self, even, {}, 1)), 0.5, 0.08);
  EXPECT_NEAR(
      share(uneven.rejection_resample(self, {0.7f, 0.3f}, {0.7f, 0.3f}, 1)),
      0.3, 0.05);
}

TEST(DatasetTest, Cardinality) {
  auto count = [](const Dataset& d) { return Number(d.cardinality()); };
  EXPECT_EQ(count(Dataset::range(7).batch(3)), 3);
  EXPECT_EQ(count(Dataset::range(7).repeat()), gk::kInfiniteCardinality);
  EXPECT_EQ(count(Dataset::range(7).filter([](Tensor x) { return x > 1; })),
            gk::kUnknownCardinality);
  EXPECT_EQ(Number(Dataset::from_tensors(Tensor(5)).get_single_element()), 5);
}

TEST(DatasetTest, InTracedFunctions) {
  auto sum = gk::function([](Tensor n) {
    return Dataset::range(n)
        .map([&](Tensor x) { return x * n; })
        .filter([](Tensor x) { return x > 0; })
        .reduce(int64_t{0}, [](Tensor total, Tensor x) { return total + x; });
  });
  EXPECT_EQ(Number(sum(Tensor(int64_t{4}))), 4 * (1 + 2 + 3));
  EXPECT_EQ(Number(sum(Tensor(int64_t{3}))), 3 * (1 + 2));
  EXPECT_EQ(sum.tracing_count(), 1);
  const gk::Error error = ErrorOf([] {
    gk::function([] {
      for (Tensor x : Dataset::range(3)) return x;
      return Tensor(int64_t{0});
    })();
  });
  ExpectHas(error.what(), "use reduce()");
}

TEST(DatasetTest, IteratorsAndOptionals) {
  const Dataset two = Dataset::range(2);
  const gk::Iterator it(two);
  EXPECT_EQ(it.get_next().get<Tensor>().item<int64_t>(), 0);
  const gk::Optional one = it.get_next_as_optional();
  EXPECT_TRUE(one.has_value().item<bool>());
  EXPECT_EQ(one.get_value().get<Tensor>().item<int64_t>(), 1);
  const gk::Optional none = it.get_next_as_optional();
  EXPECT_FALSE(none.has_value().item<bool>());
  EXPECT_EQ(ErrorOf([&] { none.get_value(); }).code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(ErrorOf([&] { it.get_next(); }).code(), ErrorCode::kOutOfRange);

  const auto pair =
      gk::Optional::from_value(std::pair(Tensor(1), Tensor(2.5f)));
  const auto [a, b] = pair.get_value().get<std::pair<Tensor, Tensor>>();
  EXPECT_EQ(a.item<int>(), 1);
  EXPECT_EQ(b.item<float>(), 2.5f);
  EXPECT_FALSE(
      gk::Optional::empty(pair.element_spec()).has_value().item<bool>());
}

TEST(DatasetTest, GradientsGoThroughOptionals) {
  // Of the sum of cubes, twice; the ragged tensor is in a variant.
  const auto derivatives = [](Tensor x) {
    gk::GradientTape second;
    second.watch(x);
    gk::GradientTape first;
    first.watch(x);
    const auto held = gk::Optional::from_value(std::tuple(
        gk::RaggedTensor::from_row_lengths(x, {2, 0, 1}), x, Tensor("a")));
    const auto [rows, whole, text] =
        held.get_value().get<std::tuple<gk::RaggedTensor, Tensor, Tensor>>();
    const Tensor y =
        gk::reduce_sum(rows.flat_values() * rows.flat_values() * whole);
    const Tensor d = first.gradient(y, x);
    return std::pair(d, second.gradient(d, x));
  };
  const Tensor x = {1.f, 2.f, 3.f};
  for (const auto& [d, dd] : {derivatives(x), gk::function(derivatives)(x)}) {
    EXPECT_EQ(d.to_vector<float>(), (std::vector{3.f, 12.f, 27.f}));
    EXPECT_EQ(dd.to_vector<float>(), (std::vector{6.f, 12.f, 18.f}));
  }
}

TEST(DatasetTest, IteratorsInTracedFunctions) {
  const gk::Iterator it(Dataset::range(3));
  auto next = gk::function([&it](Tensor scale) {
    return it.get_next_as_optional().get_value().get<Tensor>() * scale;
  });
  const Tensor ten = gk::cast(Tensor(10), DataType::kInt64);
  EXPECT_EQ(next(ten).item<int64_t>(), 0);
  EXPECT_EQ(it.get_next().get<Tensor>().item<int64_t>(), 1);
  EXPECT_EQ(next(ten).item<int64_t>(), 20);
}

TEST(DatasetTest, Variants) {
  const Dataset two = Dataset::range(2);
  const Dataset same =
      Dataset::from_variant(two.to_variant(), two.element_spec());
  EXPECT_EQ(same.cardinality().item<int64_t>(), 2);
  EXPECT_EQ(ErrorOf([&] {
              Dataset::from_variant(Tensor(1), two.element_spec());
            }).code(),
            ErrorCode::kTypeError);
}

TEST(DatasetTest, Errors) {
  auto code = [](auto f) { return ErrorOf(f).code(); };
  const Dataset three = Dataset::range(3);
  EXPECT_EQ(code([&] { three.filter([](Tensor x) { return x; }); }),
            ErrorCode::kValueError);
  EXPECT_EQ(code([&] { three.flat_map([](Tensor x) { return x; }); }),
            ErrorCode::kTypeError);
  EXPECT_EQ(code([&] { three.map([](Tensor a, Tensor) { return a; }); }),
            ErrorCode::kTypeError);
  EXPECT_EQ(code([&] { three.unbatch(); }), ErrorCode::kValueError);
  EXPECT_EQ(code([&] { three.batch(0); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code([&] { three.batch(1.5f); }), ErrorCode::kTypeError);
  EXPECT_EQ(code([&] { three.concatenate(three.batch(1).enumerate()); }),
            ErrorCode::kTypeError);
  EXPECT_EQ(
      code([&] {
        Dataset::from_tensor_slices(std::pair(Tensor({1, 2}), Tensor({3})));
      }),
      ErrorCode::kValueError);
  EXPECT_EQ(code([&] {
              three.reduce(0, [](Tensor s, Tensor x) {
                return gk::cast(s, DataType::kInt64) + x;
              });
            }),
            ErrorCode::kTypeError);
  EXPECT_EQ(code([&] { Dataset().take(1); }), ErrorCode::kValueError);
  EXPECT_EQ(code([&] {
              for (TensorPair p : three) p = {};
            }),
            ErrorCode::kTypeError);
  ExpectHas(ErrorOf([&] {
              for (Dataset d : three) d = {};
            }).what(),
            "which is not a dataset");
  ExpectHas(
      ErrorOf([&] {
        three.map([](Tensor x) { return gk::math::floordiv(1, x); }).begin();
      }).what(),
      "passed to MapDataset transformation");
}

}  // namespace
