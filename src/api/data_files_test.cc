// Datasets of what is in files: records, lines, fields; writing records.
#include <filesystem>

#include "api/same_gradient_for_test.h"

namespace {

using gk::Dataset;
using gk::DataType;
using gk::ErrorCode;
using gk::Tensor;
using gk_test::ErrorOf;
using gk_test::ExpectHas;
using Texts = std::vector<std::string>;

class DataFilesTest : public ::testing::Test {
 protected:
  DataFilesTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~DataFilesTest() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const {
    return folder_ + "/" + name;
  }
  std::string Write(const std::string& name, const std::string& bytes) const {
    gk::io::gfile::GFile file(Path(name), "wb");
    file.write(bytes);
    file.close();
    return Path(name);
  }
  std::string Records(const std::string& name, const Texts& records,
                      const gk::io::TFRecordOptions& options = {}) const {
    gk::io::TFRecordWriter writer(Path(name), options);
    for (const std::string& record : records) writer.write(record);
    writer.close();
    return Path(name);
  }
  static Texts All(const Dataset& dataset) {
    Texts all;
    for (Tensor t : dataset) all.push_back(t.item<std::string>());
    return all;
  }

  const std::string folder_ = ::testing::TempDir() + "gk_data_files";
};

TEST_F(DataFilesTest, RecordsOfSeveralFiles) {
  const Texts records{"one", "", std::string(100000, 'x')};
  const std::string a = Records("a", records), b = Records("b", {"last"});
  Texts all = records;
  all.push_back("last");
  EXPECT_EQ(All(gk::TFRecordDataset(Tensor(Texts{a, b}))), all);
  EXPECT_EQ(All(gk::TFRecordDataset(
                Dataset::from_tensor_slices(Tensor(Texts{a, b})))),
            all);
  EXPECT_EQ(All(gk::TFRecordDataset(Tensor(a), {.buffer_size = 7})), records);
  EXPECT_EQ(
      All(gk::TFRecordDataset(Tensor(Texts{a, b}), {.num_parallel_reads = 2})),
      (Texts{"one", "last", "", std::string(100000, 'x')}));
}

TEST_F(DataFilesTest, CompressedRecords) {
  for (const char* type : {"ZLIB", "GZIP"}) {
    const std::string path = Records(
        type, {"a", "b"}, {.compression_type = type, .compression_level = 9});
    EXPECT_EQ(
        All(gk::TFRecordDataset(Tensor(path), {.compression_type = type})),
        (Texts{"a", "b"}));
    EXPECT_EQ(ErrorOf([&] { All(gk::TFRecordDataset(Tensor(path))); }).code(),
              ErrorCode::kDataLoss);
  }
  EXPECT_EQ(
      ErrorOf([&] { Records("x", {}, {.compression_type = "X"}); }).code(),
      ErrorCode::kInvalidArgument);
  EXPECT_EQ(ErrorOf([&] {
              Records("x", {},
                      {.compression_type = "GZIP", .compression_level = 77});
            }).code(),
            ErrorCode::kInvalidArgument);
}

TEST_F(DataFilesTest, WritersOfDatasetsAndClosedOnes) {
  gk::TFRecordWriter(Path("d"), "GZIP")
      .write(Dataset::range(3).map([](Tensor x) { return gk::as_string(x); }));
  EXPECT_EQ(
      All(gk::TFRecordDataset(Tensor(Path("d")), {.compression_type = "GZIP"})),
      (Texts{"0", "1", "2"}));
  EXPECT_EQ(ErrorOf([&] {
              gk::TFRecordWriter(Path("d")).write(Dataset::range(3));
            }).code(),
            ErrorCode::kTypeError);
  gk::io::TFRecordWriter writer(Path("e"));
  writer.write("a");
  writer.flush();
  EXPECT_EQ(All(gk::TFRecordDataset(Tensor(Path("e")))), Texts{"a"});
  writer.close();
  writer.close();
  EXPECT_EQ(ErrorOf([&] { writer.write("b"); }).code(),
            ErrorCode::kFailedPrecondition);
}

TEST_F(DataFilesTest, DamagedRecordsAreSaidAndTheNextFileComes) {
  const std::string path = Records("a", {"first", "second"});
  std::string bytes;
  {
    gk::io::MappedFile whole(path);
    bytes = whole.bytes();
  }
  bytes[14] ^= 1;
  const std::string bad = Write("bad", bytes), good = Records("b", {"good"});
  gk::Iterator it(gk::TFRecordDataset(Tensor(Texts{bad, good})));
  const gk::Error e = ErrorOf([&] { it.get_next(); });
  EXPECT_EQ(e.code(), ErrorCode::kDataLoss);
  ExpectHas(e.what(), bad + ": corrupted record at 0");
  EXPECT_EQ(it.get_next().get<Tensor>().item<std::string>(), "good");
}

TEST_F(DataFilesTest, LinesAndRecordsOfOneLength) {
  const std::string lines = Write("lines", "one\r\ntwo\n\nlast");
  EXPECT_EQ(All(gk::TextLineDataset(Tensor(lines))),
            (Texts{"one", "two", "", "last"}));
  const std::string fixed = Write("fixed", "HabcdefFF");
  EXPECT_EQ(All(gk::FixedLengthRecordDataset(
                Tensor(fixed), 3, {.header_bytes = 1, .footer_bytes = 2})),
            (Texts{"abc", "def"}));
  EXPECT_EQ(ErrorOf([&] {
              All(gk::FixedLengthRecordDataset(Tensor(fixed), 4));
            }).code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(
      ErrorOf([&] { All(gk::TextLineDataset(Tensor(Path("none")))); }).code(),
      ErrorCode::kNotFound);
  EXPECT_EQ(ErrorOf([&] { gk::TextLineDataset(Dataset::range(2)); }).code(),
            ErrorCode::kTypeError);
}

TEST_F(DataFilesTest, NamesOfFiles) {
  Write("b.txt", ""), Write("a.txt", ""), Write("c.bin", "");
  const Tensor pattern(Path("*.txt"));
  const Texts names{Path("a.txt"), Path("b.txt")};
  EXPECT_EQ(All(Dataset::list_files(pattern, {.shuffle = false})), names);
  Texts shuffled = All(Dataset::list_files(pattern, {.seed = 1}));
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, names);
  const gk::Error e =
      ErrorOf([&] { Dataset::list_files(Tensor(Path("*.nothing"))); });
  EXPECT_EQ(e.code(), ErrorCode::kInvalidArgument);
  ExpectHas(e.what(), "No files matched pattern: " + Path("*.nothing"));
}

TEST_F(DataFilesTest, FieldsOfRecords) {
  const std::string path =
      Write("a.csv", "n,x,name\n1,0.5,\"a,\"\"b\"\n2,,c\nz,1,d\n3,4,e\n");
  const gk::CsvDataset rows(Tensor(path),
                            {DataType::kInt32, Tensor(7.0f), DataType::kString},
                            {.header = true});
  using Row = std::tuple<Tensor, Tensor, Tensor>;
  gk::Iterator it(rows);
  auto next = [&] { return it.get_next().get<Row>(); };
  Row row = next();
  EXPECT_EQ(std::get<0>(row).item<int32_t>(), 1);
  EXPECT_EQ(std::get<2>(row).item<std::string>(), "a,\"b");
  EXPECT_EQ(std::get<1>(next()).item<float>(), 7);
  const gk::Error e = ErrorOf(next);
  EXPECT_EQ(e.code(), ErrorCode::kInvalidArgument);
  ExpectHas(e.what(), path + ": Field 0 in record is not a valid int32: z");
  EXPECT_EQ(std::get<0>(next()).item<int32_t>(), 3);
  const gk::CsvDataset column(Tensor(path), {DataType::kString},
                              {.select_cols = {2}});
  gk::Iterator names(column);
  EXPECT_EQ(std::get<0>(names.get_next().get<std::tuple<Tensor>>())
                .item<std::string>(),
            "name");
}

TEST_F(DataFilesTest, BatchesOfNamedColumns) {
  const std::string path = Write("a.csv", "b,a,label\n1,0.5,x\n2,,y\n");
  const Dataset batches = gk::make_csv_dataset(
      {Path("*.csv")}, 2,
      {.label_name = "label", .num_epochs = 1, .shuffle = false});
  using Batch = std::pair<std::map<std::string, Tensor>, Tensor>;
  int count = 0;
  for (Batch batch : batches) {
    ++count;
    EXPECT_EQ(batch.first.at("b").to_vector<int32_t>(),
              (std::vector<int32_t>{1, 2}));
    EXPECT_EQ(batch.first.at("a").to_vector<float>(),
              (std::vector<float>{0.5f, 0}));
    EXPECT_EQ(batch.second.to_vector<std::string>(), (Texts{"x", "y"}));
  }
  EXPECT_EQ(count, 1);
  const auto fails = [&](gk::CsvBatchOptions options) {
    return ErrorOf([&] { gk::make_csv_dataset({path}, 2, options); }).code();
  };
  EXPECT_EQ(fails({.label_name = "none"}), ErrorCode::kValueError);
  EXPECT_EQ(fails({.select_columns = {{int64_t{9}}}}), ErrorCode::kValueError);
  EXPECT_EQ(ErrorOf([&] { gk::make_csv_dataset({Path("*.x")}, 2); }).code(),
            ErrorCode::kValueError);
}

TEST_F(DataFilesTest, SavedAndLoaded) {
  using Numbers = std::vector<int64_t>;
  const auto numbers = [](const Dataset& d) {
    Numbers all;
    for (Tensor t : d) all.push_back(t.item<int64_t>());
    return all;
  };
  const std::string path = Path("saved");
  for (const char* compression : {"", "GZIP"}) {
    Dataset::range(4).save(path, compression);
    const Dataset loaded =
        Dataset::load(path, gk::LoadOptions{.compression = compression});
    EXPECT_EQ(numbers(loaded), (Numbers{0, 1, 2, 3}));
    EXPECT_EQ(loaded.cardinality().item<int64_t>(), 4);
  }
  Dataset::range(5).save(path, [](Tensor x) { return x % 2; });
  const auto in_order = [](Dataset shards) {
    return shards.flat_map([](Dataset shard) { return shard; });
  };
  EXPECT_EQ(numbers(Dataset::load(path, in_order)), (Numbers{0, 2, 4, 1, 3}));

  Dataset::range(2)
      .map([](Tensor x) { return std::pair(x, gk::as_string(x)); })
      .save(path);
  for (std::pair<Tensor, Tensor> p : Dataset::load(path)) {
    EXPECT_EQ(std::to_string(p.first.item<int64_t>()),
              p.second.item<std::string>());
  }
  EXPECT_EQ(ErrorOf([&] { Dataset::load(Path("none")); }).code(),
            ErrorCode::kNotFound);
  EXPECT_EQ(ErrorOf([&] { Dataset::range(2).save(path, "other"); }).code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(ErrorOf([&] {
              Dataset::range(2).save(path,
                                     [](Tensor x) { return gk::as_string(x); });
            }).code(),
            ErrorCode::kTypeError);
}

TEST_F(DataFilesTest, InTracedFunctions) {
  const std::string path = Records("a", {"1", "2", "3"});
  auto total = gk::function([](Tensor files) {
    return gk::TFRecordDataset(files).reduce(
        Tensor(0), [](Tensor sum, Tensor record) {
          return sum + gk::strings::to_number(record, DataType::kInt32);
        });
  });
  EXPECT_EQ(total(Tensor(path)).item<int32_t>(), 6);
}

}  // namespace
