// Lookup tables, eagerly and captured by functions.
#include "graphkiln/lookup.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "api/same_gradient_for_test.h"

namespace {

using gk::DataType;
using gk::ErrorCode;
using gk::Tensor;
using gk_test::ErrorOf;
using Ints = std::vector<int64_t>;

Tensor Wide(std::vector<int64_t> values) {
  return gk::ops::Cast(gk::stack([&] {
                         std::vector<Tensor> parts;
                         for (int64_t v : values) parts.push_back(Tensor(v));
                         return parts;
                       }()),
                       DataType::kInt64);
}
Tensor TextKeys(std::vector<std::string> values) {
  std::vector<Tensor> parts;
  for (const std::string& v : values) parts.push_back(Tensor(v));
  return gk::stack(parts);
}

TEST(LookupTest, StaticTables) {
  const gk::lookup::StaticHashTable table(TextKeys({"a", "b"}), Wide({7, 8}),
                                          Tensor(int64_t{-1}));
  EXPECT_EQ(table.lookup(TextKeys({"b", "c"})).to_vector<int64_t>(),
            (Ints{8, -1}));
  EXPECT_EQ(table.size().item<int64_t>(), 2);
  const auto f = gk::function([&](Tensor keys) { return table.lookup(keys); });
  EXPECT_EQ(f(TextKeys({"a", "q"})).to_vector<int64_t>(), (Ints{7, -1}));
  EXPECT_EQ(table.export_values().first.num_elements(), 2);
  const gk::lookup::KeyValueTensorInitializer content{TextKeys({"a"}),
                                                      Wide({5})};
  EXPECT_EQ(gk::lookup::StaticHashTable(content, Tensor(int64_t{0}))
                .lookup(TextKeys({"a"}))
                .item<int64_t>(),
            5);
}

TEST(LookupTest, VocabularyTables) {
  const gk::lookup::StaticVocabularyTable table(TextKeys({"a", "b"}),
                                                Wide({0, 1}), 2);
  EXPECT_EQ(table.size().item<int64_t>(), 4);
  const auto ids = table.lookup(TextKeys({"b", "zz"})).to_vector<int64_t>();
  EXPECT_EQ(ids[0], 1);
  EXPECT_GE(ids[1], 2);
}

TEST(LookupTest, ChangingTables) {
  const gk::lookup::MutableHashTable table(DataType::kString,
                                           Tensor(int64_t{-1}));
  table.insert(TextKeys({"a", "b"}), Wide({1, 2}));
  table.remove(TextKeys({"a"}));
  EXPECT_EQ(table.lookup(TextKeys({"a", "b"})).to_vector<int64_t>(),
            (Ints{-1, 2}));
  EXPECT_EQ(
      table.lookup(TextKeys({"a"}), Tensor(int64_t{5})).to_vector<int64_t>(),
      (Ints{5}));
  const gk::lookup::experimental::DenseHashTable dense(
      Tensor(int64_t{0}), Tensor(int64_t{-1}), Tensor(int64_t{-5}), 4);
  dense.insert(Wide({11, 12, 13}), Wide({1, 2, 3}));
  dense.remove(Wide({12}));
  EXPECT_EQ(dense.lookup(Wide({11, 12})).to_vector<int64_t>(), (Ints{1, -5}));
  EXPECT_EQ(dense.size().item<int64_t>(), 2);
}

TEST(LookupTest, TablesOfFiles) {
  const std::string path =
      std::filesystem::temp_directory_path() / "graphkiln_lookup_test_words";
  std::ofstream(path) << "emerson\nlake\n";
  const auto table = gk::lookup::StaticHashTable::from_text_file(
      path, {}, Tensor(int64_t{-1}));
  const gk::lookup::StaticHashTable same(
      gk::lookup::TextFileInitializer{
          path, {.key_index = gk::lookup::TextFileIndex::WHOLE_LINE}},
      Tensor(int64_t{-1}));
  std::remove(path.c_str());
  EXPECT_EQ(same.lookup(TextKeys({"lake", "?"})).to_vector<int64_t>(),
            (Ints{1, -1}));
  EXPECT_EQ(table.lookup(TextKeys({"lake", "?"})).to_vector<int64_t>(),
            (Ints{1, -1}));
}

}  // namespace
