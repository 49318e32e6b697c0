// Datasets that remember: iterators that are saved and restored, snapshots,
// fingerprints; rows of databases.
#include <dlfcn.h>

#include <filesystem>

#include "api/same_gradient_for_test.h"

namespace {

using gk::Dataset;
using gk::DataType;
using gk::ErrorCode;
using gk::Tensor;
using gk_test::ErrorOf;
using gk_test::ExpectHas;
using Numbers = std::vector<int64_t>;

class DatasetStateTest : public ::testing::Test {
 protected:
  DatasetStateTest() { std::filesystem::remove_all(folder_); }
  ~DatasetStateTest() override { std::filesystem::remove_all(folder_); }

  static Numbers Rest(gk::Iterator& it) {
    Numbers all;
    for (;;) {
      const gk::Optional next = it.get_next_as_optional();
      if (!next.has_value().item<bool>()) return all;
      all.push_back(next.get_value().get<Tensor>().item<int64_t>());
    }
  }
  static Numbers All(const Dataset& dataset) {
    gk::Iterator it(dataset);
    return Rest(it);
  }

  const std::string folder_ = ::testing::TempDir() + "gk_dataset_state";
};

TEST_F(DatasetStateTest, AnIteratorGoesOnWhereItWasSaved) {
  const Dataset d = Dataset::range(4).shuffle(4).repeat(3).prefetch(2);
  for (int at = 0; at <= 12; ++at) {
    gk::Iterator it(d);
    for (int i = 0; i < at; ++i) it.get_next();
    const Tensor state = it.save();
    const Numbers rest = Rest(it);
    EXPECT_EQ(rest.size(), static_cast<size_t>(12 - at));
    gk::Iterator other(d);
    other.restore(state);
    EXPECT_EQ(Rest(other), rest) << at;
  }
}

TEST_F(DatasetStateTest, AStateOfAnotherDataset) {
  const gk::Iterator plain(Dataset::range(4));
  const gk::Iterator shuffled(Dataset::range(4).shuffle(4));
  const Tensor state = plain.save();
  const gk::Error error = ErrorOf([&] { shuffled.restore(state); });
  EXPECT_EQ(error.code(), ErrorCode::kDataLoss);
  ExpectHas(error.what(), "another dataset");
}

TEST_F(DatasetStateTest, Snapshots) {
  const Dataset d = Dataset::range(5).snapshot(folder_);
  const Numbers all{0, 1, 2, 3, 4};
  EXPECT_EQ(All(d), all);
  EXPECT_EQ(All(d), all);
  EXPECT_FALSE(std::filesystem::is_empty(folder_));
  const Dataset sharded = Dataset::range(5).snapshot(
      folder_ + "/sharded", [](Tensor x) { return x % int64_t{2}; }, "GZIP");
  EXPECT_EQ(All(sharded), all);
  EXPECT_EQ(All(sharded).size(), 5u);
  EXPECT_EQ(ErrorOf([&] { d.snapshot(folder_, "XZ"); }).code(),
            ErrorCode::kInvalidArgument);
}

TEST_F(DatasetStateTest, SavingGoesOnWhereItWasInterrupted) {
  const std::string saved = folder_ + "/saved",
                    progress = folder_ + "/progress";
  for (const int64_t offset : {0, 100}) {
    const Dataset numbers =
        Dataset::range(6).map([=](const Tensor& x) { return x + offset; });
    gk::Iterator it(
        numbers.saving(saved, [](const Tensor& x) { return x % int64_t{2}; }));
    gk::Checkpoint checkpoint({{"it", it}});
    gk::CheckpointManager manager(checkpoint, progress);
    manager.restore_or_initialize();
    if (offset > 0) {
      EXPECT_EQ(Rest(it), (Numbers{104, 105}));
      continue;
    }
    for (int i = 0; i < 4; ++i) {
      it.get_next();
      manager.save();
    }
    EXPECT_EQ(ErrorOf([&] { Dataset::load(saved); }).code(),
              ErrorCode::kNotFound);
  }
  Numbers all = All(Dataset::load(saved));
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (Numbers{0, 1, 2, 3, 104, 105}));
}

TEST_F(DatasetStateTest, Fingerprints) {
  const auto of = [](int64_t n, int64_t size) {
    return Dataset::range(n).batch(size).fingerprint().item<uint64_t>();
  };
  EXPECT_EQ(of(3, 2), of(3, 2));
  EXPECT_NE(of(3, 2), of(4, 2));
  EXPECT_NE(of(3, 2), of(3, 1));
}

TEST_F(DatasetStateTest, Databases) {
  EXPECT_EQ(ErrorOf([] {
              gk::SqlDataset("mysql", "a", "select 1", {DataType::kInt64});
            }).code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(ErrorOf([] {
              gk::SqlDataset("sqlite", "a", "select 1", {DataType::kFloat});
            }).code(),
            ErrorCode::kInvalidArgument);
  if (dlopen("libsqlite3.so.0", RTLD_NOW) == nullptr) {
    GTEST_SKIP() << "no SQLite: " << dlerror();
  }
  // A database of its own that no file holds.
  const gk::SqlDataset d("sqlite",
                         ":memory:", "select 1, 'one' union select 2, null",
                         {DataType::kInt64, DataType::kString});
  std::string all;
  for (const std::pair<Tensor, Tensor> row : d) {
    all += std::to_string(row.first.item<int64_t>()) +
           row.second.item<std::string>();
  }
  EXPECT_EQ(all, "1one2");
  const gk::Iterator wrong(
      gk::SqlDataset("sqlite", ":memory:", "select", {DataType::kInt64}));
  EXPECT_EQ(ErrorOf([&] { wrong.get_next(); }).code(),
            ErrorCode::kInvalidArgument);
}

}  // namespace
