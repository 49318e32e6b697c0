// Datasets of programs in C++ that functions of saved models capture.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "api/thrown_for_test.h"
#include "graphkiln/graphkiln.h"

namespace gk {
namespace {

namespace fs = std::filesystem;

class SavedDatasetsTest : public ::testing::Test {
 protected:
  SavedDatasetsTest() {
    char name[] = "/tmp/gk-saved-datasets-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~SavedDatasetsTest() override { fs::remove_all(folder_); }

  std::string folder_;
};

// Which elements come, and in which order.
auto Digits(const Dataset& data) {
  return function(
      [=] {
        return data.reduce(Tensor(int64_t{0}), [](Tensor all, Tensor x) {
          return all * Tensor(int64_t{10}) + x;
        });
      },
      {.name = "digits"});
}

TEST_F(SavedDatasetsTest, ShufflesCachesAndVariablesOfMaps) {
  Module model;
  const Variable step = model.track("step", Variable(Tensor(int64_t{1})));
  const Dataset data = model.track(
      "data", Dataset::range(5)
                  .shuffle(5, {.seed = 3})
                  .map([=](Tensor x) { return x + step.read_value(); })
                  .cache());
  const auto digits = Digits(data);
  const int64_t now = digits().item<int64_t>();
  saved_model::save(model, folder_, {.functions = {{"digits", digits}}});
  const saved_model::SavedModel loaded = saved_model::load(folder_);
  EXPECT_EQ(loaded.function("digits")().tensor().item<int64_t>(), now);
  // Once more.
  saved_model::save(loaded, folder_ + "/again");
  EXPECT_EQ(saved_model::load(folder_ + "/again")
                .function("digits")()
                .tensor()
                .item<int64_t>(),
            now);
}

TEST_F(SavedDatasetsTest, FilesGoAlong) {
  const std::string numbers = folder_ + "/numbers";
  std::ofstream(numbers) << "4\n7\n";
  Module model;
  const TextLineDataset lines(numbers);
  const std::vector<Dataset> tracked =
      model.track("data", std::vector<Dataset>{lines.map([](Tensor x) {
                    return strings::to_number(x, DataType::kInt64);
                  })});
  const auto digits = Digits(tracked[0]);
  EXPECT_EQ(digits().item<int64_t>(), 47);
  saved_model::save(model, folder_ + "/model",
                    {.functions = {{"digits", digits}}});
  fs::remove(numbers);
  const auto loaded = saved_model::load(folder_ + "/model");
  EXPECT_EQ(loaded.function("digits")().tensor().item<int64_t>(), 47);
}

TEST_F(SavedDatasetsTest, ThoseThatNobodyTracksAreNamed) {
  const auto digits = Digits(Dataset::range(3));
  digits();
  const Error error = Thrown([&] {
    saved_model::save(Module(), folder_, {.functions = {{"digits", digits}}});
  });
  EXPECT_NE(std::string(error.what()).find("untracked"), std::string::npos)
      << error.what();
}

TEST_F(SavedDatasetsTest, ModulesTellThem) {
  Module model;
  const Dataset data = model.track("data", Dataset::range(3));
  const auto leaves = model.flatten();
  ASSERT_EQ(leaves.size(), 1u);
  EXPECT_EQ(leaves[0].path, std::vector<std::string>{"data"});
  EXPECT_EQ(std::get<Dataset>(leaves[0].value).cardinality().item<int64_t>(),
            3);
  EXPECT_TRUE(model.variables().empty());
}

}  // namespace
}  // namespace gk
