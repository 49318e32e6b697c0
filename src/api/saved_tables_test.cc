// Tables and files of programs in C++: saved with models, and in checkpoints.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "api/thrown_for_test.h"
#include "graphkiln/graphkiln.h"

namespace gk {
namespace {

namespace fs = std::filesystem;
using lookup::DenseHashTable;
using lookup::MutableHashTable;
using lookup::StaticHashTable;
using lookup::StaticVocabularyTable;
using lookup::TextFileInitializer;
using Ints = std::vector<int64_t>;

class SavedTablesTest : public ::testing::Test {
 protected:
  SavedTablesTest() {
    char name[] = "/tmp/gk-saved-tables-XXXXXX";
    folder_ = mkdtemp(name);
    words_ = folder_ + "/words";
    std::ofstream(words_) << "red\ngreen\nblue\n";
  }
  ~SavedTablesTest() override { fs::remove_all(folder_); }

  std::string folder_, words_;
};

Tensor Wide(int64_t value) { return Tensor(value); }
Tensor Words(const std::vector<std::string>& words) { return Tensor(words); }
TensorSpec Texts() { return {Shape({kUnknown}), DataType::kString, "keys"}; }

// A model whose function looks up in all its tables.
void SaveTables(const std::string& words, const std::string& folder) {
  Module model;
  const auto colors = model.track(
      "colors", StaticVocabularyTable(TextFileInitializer{words}, 1));
  const auto numbers = model.track(
      "numbers", std::vector{StaticHashTable(Words({"red", "black"}),
                                             Tensor({7.f, 8.f}), Tensor(0.f))});
  const auto seen =
      model.track("seen", MutableHashTable(DataType::kString, Wide(-1)));
  seen.insert(Tensor("red"), Wide(4));
  const auto pairs = model.track(
      "pairs", MutableHashTable(DataType::kInt64, Tensor({0.f, 0.f})));
  pairs.insert(Wide(5), Tensor({1.f, 2.f}));
  const auto dense = model.track(
      "dense", DenseHashTable(Tensor(""), Tensor("$"), Wide(-1), 8));
  dense.insert(Tensor("blue"), Wide(6));
  const auto find = function(
      [=](Tensor keys) {
        return std::map<std::string, Tensor>{
            {"color", colors.lookup(keys)},
            {"number", numbers[0].lookup(keys)},
            {"seen", seen.lookup(keys)},
            {"dense", dense.lookup(keys)},
            {"pair", pairs.lookup(Wide(5))}};
      },
      {.argument_names = {"keys"}});
  find.get_concrete_function(Texts());
  const auto note = function(
      [=](Tensor key, Tensor value) {
        seen.insert(key, value);
        return seen.size();
      },
      {.argument_names = {"key", "value"}});
  note(Tensor("green"), Wide(1));
  saved_model::save(model, folder,
                    {.functions = {{"find", find}, {"note", note}},
                     .signatures = {{"serving_default", find}}});
}

void ExpectTables(const saved_model::SavedModel& model, const Ints& seen) {
  const Tensor keys = Words({"red", "blue", "black", "green"});
  const auto found = model.function("find")(keys);
  EXPECT_EQ(found["color"].tensor().to_vector<int64_t>(), (Ints{0, 2, 3, 1}));
  EXPECT_EQ(found["number"].tensor().to_vector<float>(),
            (std::vector<float>{7, 0, 8, 0}));
  EXPECT_EQ(found["seen"].tensor().to_vector<int64_t>(), seen);
  EXPECT_EQ(found["dense"].tensor().to_vector<int64_t>(),
            (Ints{-1, 6, -1, -1}));
  EXPECT_EQ(found["pair"].tensor().to_vector<float>(),
            (std::vector<float>{1, 2}));
  const auto served = model.signature().CallByName({{"keys", keys}});
  EXPECT_EQ(served.at("seen").to_vector<int64_t>(), seen);
}

TEST_F(SavedTablesTest, AreMadeAndFilledAgain) {
  SaveTables(words_, folder_ + "/a");
  fs::remove(words_);
  fs::rename(folder_ + "/a", folder_ + "/moved");
  {
    const auto model = saved_model::load(folder_ + "/moved");
    ExpectTables(model, {4, -1, -1, 1});
    EXPECT_EQ(model.assets(), (std::map<std::string, std::string>{
                                  {"colors._table._initializer._filename",
                                   folder_ + "/moved/assets/words"}}));
    EXPECT_EQ(model.function("note")(Tensor("black"), Wide(9))
                  .tensor()
                  .item<int64_t>(),
              3);
    ExpectTables(model, {4, -1, 9, 1});
    saved_model::save(model, folder_ + "/again");
  }
  fs::remove_all(folder_ + "/moved");
  ExpectTables(saved_model::load(folder_ + "/again"), {4, -1, 9, 1});
}

TEST_F(SavedTablesTest, FilesAreCopied) {
  Module model;
  const auto first = model.track("first", saved_model::Asset(words_));
  fs::create_directory(folder_ + "/other");
  std::ofstream(folder_ + "/other/words") << "one";
  const auto second = model.track(
      "all", std::vector{saved_model::Asset(folder_ + "/other/words")})[0];
  const auto read = function([=](Tensor before) {
    return before + io::read_file(first.asset_path()) +
           io::read_file(second.asset_path());
  });
  read.get_concrete_function(TensorSpec{Shape(), DataType::kString});
  saved_model::save(model, folder_ + "/model", {.functions = {{"read", read}}});
  fs::remove(words_);
  fs::remove_all(folder_ + "/other");
  const auto loaded = saved_model::load(folder_ + "/model");
  EXPECT_EQ(loaded.function("read")(Tensor(">")).tensor().item<std::string>(),
            ">red\ngreen\nblue\none");
  EXPECT_EQ(loaded.assets().size(), 2u);

  const Error missing = Thrown([&] {
    saved_model::save(model, folder_ + "/none",
                      {.functions = {{"read", read}}});
  });
  EXPECT_EQ(missing.code(), ErrorCode::kNotFound);
  EXPECT_NE(std::string(missing.what()).find("/words"), std::string::npos);
  EXPECT_FALSE(saved_model::contains_saved_model(folder_ + "/none"));
}

TEST_F(SavedTablesTest, TablesHaveToBeInTheModule) {
  const MutableHashTable table(DataType::kString, Wide(-1));
  const auto find = function([=](Tensor keys) { return table.lookup(keys); });
  find.get_concrete_function(Texts());
  const Error untracked = Thrown([&] {
    saved_model::save(Module(), folder_, {.functions = {{"find", find}}});
  });
  EXPECT_EQ(untracked.code(), ErrorCode::kFailedPrecondition);
  EXPECT_NE(std::string(untracked.what()).find("'untracked' resource"),
            std::string::npos);
}

TEST_F(SavedTablesTest, CheckpointsHaveWhatChanges) {
  Module model;
  const auto seen =
      model.track("seen", MutableHashTable(DataType::kString, Wide(-1)));
  model.track("fixed",
              StaticHashTable(Words({"a"}), Tensor({1.f}), Tensor(0.f)));
  const DenseHashTable dense(Tensor(""), Tensor("$"), Wide(-1), 8);
  seen.insert(Words({"a", "b"}), stack({Wide(1), Wide(2)}));
  dense.insert(Tensor("c"), Wide(3));
  const Checkpoint checkpoint(model, {{"dense", dense}});
  const std::string path = checkpoint.save(folder_ + "/ckpt");
  const CheckpointReader reader(path);
  EXPECT_TRUE(reader.has_tensor("seen/.ATTRIBUTES/table-keys"));
  EXPECT_TRUE(reader.has_tensor("dense/.ATTRIBUTES/table-values"));
  seen.insert(Tensor("a"), Wide(10));
  seen.insert(Tensor("z"), Wide(11));
  dense.remove(Tensor("c"));
  checkpoint.restore(path).assert_consumed();
  EXPECT_EQ(seen.lookup(Words({"a", "b", "z"})).to_vector<int64_t>(),
            (Ints{1, 2, -1}));
  EXPECT_EQ(dense.lookup(Tensor("c")).item<int64_t>(), 3);
}

TEST_F(SavedTablesTest, ModulesTellThem) {
  Module model;
  model.track("words", StaticVocabularyTable(TextFileInitializer{words_}, 2));
  model.track("file", saved_model::Asset(words_));
  const auto table =
      model.track("seen", MutableHashTable(DataType::kString, Wide(-1)));
  model.track("same", table);
  std::vector<std::string> ways;
  for (const ModuleLeaf& leaf : model.flatten()) ways.push_back(leaf.path[0]);
  EXPECT_EQ(ways, (std::vector<std::string>{"file", "same", "words"}));
  EXPECT_TRUE(model.variables().empty());
}

}  // namespace
}  // namespace gk
