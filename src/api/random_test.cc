// The same seeds give the same numbers as in Python: the table that
// tests/python/test_random_numbers.py draws, too.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "graphkiln/graphkiln.h"

namespace {

using gk::DataType;
using gk::Tensor;
using Tensors = std::vector<Tensor>;

Tensors Twice(const std::function<Tensor()>& draw) {
  Tensors drawn;
  for (int i = 0; i < 2; ++i) drawn.push_back(draw());
  return drawn;
}

Tensors Generated(int64_t seed) {
  const auto g = gk::random::Generator::from_seed(seed);
  Tensors drawn = {g.uniform({2}), g.normal({2}),
                   g.uniform({2}, -5, 5, DataType::kInt32)};
  g.skip(7);
  drawn.push_back(g.truncated_normal({2}));
  drawn.push_back(g.make_seeds(2));
  drawn.push_back(g.state().value());
  for (const auto& part : g.split(2)) drawn.push_back(part.uniform({1}));
  return drawn;
}

Tensors Initial(int64_t seed) {
  namespace i = gk::initializers;
  Tensors drawn;
  for (const i::Initializer& make :
       {i::random_uniform(-0.05, 0.05, seed), i::random_normal(2, 3, seed),
        i::truncated_normal(0, 0.05, seed), i::glorot_uniform(seed),
        i::glorot_normal(seed), i::he_uniform(seed), i::he_normal(seed),
        i::lecun_uniform(seed), i::lecun_normal(seed),
        i::variance_scaling(0.5, "fan_out", "untruncated_normal", seed)}) {
    drawn.push_back(make({2, 3}));
  }
  return drawn;
}

Tensors Drawn(const std::string& name, int64_t seed) {
  namespace r = gk::random;
  static const std::map<std::string, std::function<Tensors(int64_t)>> programs =
      {
          {"uniform",
           [](int64_t) { return Twice([] { return r::uniform({2}); }); }},
          {"limits",
           [](int64_t) { return Tensors{r::uniform({3}, -2.0, 5.0)}; }},
          {"integers",
           [](int64_t) {
             return Tensors{r::uniform({3}, -9, 9, DataType::kInt32),
                            r::uniform({2}, 0, int64_t{1} << 40,
                                       DataType::kInt64)};
           }},
          {"normal",
           [](int64_t) {
             return Tensors{r::normal({3}), r::normal({2}, 1.0, 2.0)};
           }},
          {"truncated",
           [](int64_t) { return Tensors{r::truncated_normal({3})}; }},
          {"own_seed",
           [](int64_t) {
             return Twice([] {
               return r::uniform({2}, 0, gk::None(), DataType::kFloat, 7);
             });
           }},
          {"shuffle",
           [](int64_t) { return Tensors{r::shuffle(gk::range(6))}; }},
          {"categorical",
           [](int64_t) {
             return Tensors{r::categorical(Tensor({{0.0f, 1.0f, 2.0f}}), 5)};
           }},
          {"gamma",
           [](int64_t) {
             return Tensors{r::gamma({2}, Tensor({0.5f, 3.0f}), 2.0)};
           }},
          {"poisson",
           [](int64_t) {
             return Tensors{r::poisson({3}, Tensor({1.0f, 20.0f}))};
           }},
          {"traced",
           [](int64_t) {
             return Twice(gk::function([] { return r::uniform({2}); }));
           }},
          {"traced_parts",
           [](int64_t) {
             return Twice(gk::function([] {
               return gk::concat({r::uniform({1}), r::normal({1}),
                                  r::uniform({1}, 0, gk::None(),
                                             DataType::kFloat, 3)},
                                 0);
             }));
           }},
          {"stateless",
           [](int64_t s) {
             return Tensors{r::stateless_uniform({2}, {s, 1}),
                            r::stateless_normal({2}, {s, 2}, 3.0, 0.5),
                            r::split({s, 4}), r::fold_in({s, 5}, 6)};
           }},
          {"generator", Generated},
          {"initializers", Initial},
      };
  r::set_seed(seed);
  return programs.at(name)(seed);
}

std::vector<double> NumbersOf(const Tensors& drawn) {
  std::vector<double> numbers;
  for (const Tensor& t : drawn) {
    const Tensor wide = gk::cast(t, DataType::kDouble);
    for (double x : wide.flat<double>()) numbers.push_back(x);
  }
  return numbers;
}

std::vector<double> Parsed(const char* text) {
  std::istringstream words(text);
  std::vector<double> numbers;
  for (double x; words >> x;) numbers.push_back(x);
  return numbers;
}

struct Row {
  const char* name;
  int64_t seed;
  const char* numbers;
};
#define ROW(name, seed, numbers) {name, seed, numbers},
constexpr Row kRows[] = {
#include "api/random_numbers_for_test.inc"
};

TEST(RandomTest, DrawsPythonsNumbers) {
  for (const Row& row : kRows) {
    EXPECT_EQ(NumbersOf(Drawn(row.name, row.seed)), Parsed(row.numbers))
        << row.name << " of " << row.seed;
  }
}

TEST(RandomTest, SetSeedInAFunctionIsOfItsGraph) {
  gk::random::set_seed(1);
  auto f = gk::function([] {
    gk::random::set_seed(5);
    return gk::random::uniform({2});
  });
  f();
  const Tensor first = gk::random::uniform({2});
  gk::random::set_seed(1);
  EXPECT_EQ(NumbersOf({gk::random::uniform({2})}), NumbersOf({first}));
}

TEST(RandomTest, WithoutASeedNumbersDiffer) {
  gk::random::set_seed(std::nullopt);
  EXPECT_NE(NumbersOf({gk::random::uniform({4})}),
            NumbersOf({gk::random::uniform({4})}));
  const auto g = gk::random::Generator::from_non_deterministic_state();
  EXPECT_NE(NumbersOf({g.uniform({4})}), NumbersOf({g.uniform({4})}));
}

TEST(RandomTest, WrongArgumentsAreErrors) {
  EXPECT_THROW(gk::random::uniform({2}, 0, gk::None(), DataType::kInt32),
               gk::Error);
  EXPECT_THROW(gk::random::normal({2}, 0, 1, DataType::kInt32), gk::Error);
  EXPECT_THROW(gk::random::uniform({2}, Tensor(1.0)), gk::Error);
  EXPECT_THROW(gk::random::Generator::from_state(Tensor({1, 2})), gk::Error);
  EXPECT_THROW(gk::initializers::variance_scaling(-1), gk::Error);
  EXPECT_THROW(gk::initializers::variance_scaling(1, "fan"), gk::Error);
}

TEST(Random, StatesOfAlgorithms) {
  using gk::random::Algorithm;
  using gk::random::Generator;
  EXPECT_EQ(gk::random::create_rng_state(5).to_vector<int64_t>(),
            std::vector<int64_t>({5, 0, 0}));
  EXPECT_EQ(gk::random::create_rng_state(5, Algorithm::kThreeFry).shape(),
            gk::Shape({2}));
  EXPECT_EQ(Generator::from_seed(1, Algorithm::kAutoSelect).algorithm(),
            Algorithm::kPhilox);
  const Generator g = Generator::from_seed(1);
  g.reset_from_key_counter(gk::Tensor(7), gk::Tensor({1, 2}));
  EXPECT_EQ(g.state().value().to_vector<int64_t>(),
            std::vector<int64_t>({1, 2, 7}));
  EXPECT_THROW(Generator::from_state(gk::random::create_rng_state(5),
                                     Algorithm::kThreeFry),
               gk::Error);
}

TEST(Random, TheGlobalGeneratorIsShared) {
  gk::random::set_global_generator(gk::random::Generator::from_seed(7));
  const Tensor drawn = gk::random::get_global_generator().uniform({2});
  EXPECT_EQ(
      drawn.to_vector<float>(),
      gk::random::Generator::from_seed(7).uniform({2}).to_vector<float>());
  EXPECT_NE(drawn.to_vector<float>(),
            gk::random::get_global_generator().uniform({2}).to_vector<float>());
}

TEST(Random, GeneratorsMayBeTheFirstThingOfAProgram) {
  // Each in a process of its own.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  using gk::random::Generator;
  const auto exits = testing::ExitedWithCode(0);
  EXPECT_EXIT((Generator::from_seed(7), std::exit(0)), exits, "");
  EXPECT_EXIT((Generator::from_key_counter(1, {1, 2}), std::exit(0)), exits,
              "");
  EXPECT_EXIT((Generator::from_non_deterministic_state(), std::exit(0)), exits,
              "");
  EXPECT_EXIT((gk::random::get_global_generator(), std::exit(0)), exits, "");
}

}  // namespace
