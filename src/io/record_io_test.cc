#include "io/record_io.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "proto/crc32c.h"

namespace gk::io {
namespace {

class RecordIoTest : public ::testing::Test {
 protected:
  std::string path_ =
      ::testing::TempDir() + "records_" +
      ::testing::UnitTest::GetInstance()->current_test_info()->name();

  void TearDown() override { std::remove(path_.c_str()); }

  void WriteRecords(const std::vector<std::string>& records, bool append) {
    RecordWriter writer = ValueOrThrow(RecordWriter::Open(path_, append));
    for (const std::string& record : records) {
      ASSERT_TRUE(writer.Write(record).ok());
    }
    ASSERT_TRUE(writer.Close().ok());
    EXPECT_EQ(writer.Write("x").code(), Code::kFailedPrecondition);
  }
  std::string Contents() {
    std::ifstream in(path_, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }
  void Replace(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }
};

TEST_F(RecordIoTest, RoundTrip) {
  std::vector<std::string> records = {"one", "", std::string(3000000, 'x')};
  WriteRecords(records, false);
  WriteRecords({"appended"}, true);
  records.push_back("appended");
  RecordReader reader = ValueOrThrow(RecordReader::Open(path_));
  std::string got;
  for (const std::string& want : records) {
    ASSERT_TRUE(reader.Read(&got).ok());
    EXPECT_EQ(got, want);
  }
  EXPECT_EQ(reader.Read(&got).code(), Code::kOutOfRange);
  EXPECT_EQ(reader.offset(), 4 * 16 + 3 + 3000000 + 8u);
}

TEST_F(RecordIoTest, EveryFlippedByteIsSeen) {
  WriteRecords({"some data"}, false);
  const std::string good = Contents();
  ASSERT_EQ(good.size(), 25u);
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 4;
    Replace(bad);
    RecordReader reader = ValueOrThrow(RecordReader::Open(path_));
    std::string got;
    EXPECT_EQ(reader.Read(&got).code(), Code::kDataLoss) << i;
    EXPECT_EQ(reader.offset(), 0u);
  }
}

TEST_F(RecordIoTest, GrowingFileIsReadOn) {
  WriteRecords({"some data"}, false);
  const std::string good = Contents();
  for (size_t n = 1; n < good.size(); ++n) {
    Replace(good.substr(0, n));
    RecordReader reader = ValueOrThrow(RecordReader::Open(path_));
    std::string got;
    const Code ends = n < 12 ? Code::kOutOfRange : Code::kDataLoss;
    ASSERT_EQ(reader.Read(&got).code(), ends) << n;
    std::ofstream(path_, std::ios::binary | std::ios::app) << good.substr(n);
    ASSERT_TRUE(reader.Read(&got).ok()) << n;
    EXPECT_EQ(got, "some data");
  }
}

TEST_F(RecordIoTest, HugeLengthClaimsNoMemory) {
  std::string header(8, '\x7f');
  uint32_t crc = proto::MaskedCrc32c(header);
  header.append(reinterpret_cast<const char*>(&crc), 4);
  Replace(header + "short");
  RecordReader reader = ValueOrThrow(RecordReader::Open(path_));
  std::string got;
  EXPECT_EQ(reader.Read(&got).code(), Code::kDataLoss);
}

TEST_F(RecordIoTest, MissingFile) {
  EXPECT_EQ(RecordReader::Open(path_).status().code(), Code::kNotFound);
  EXPECT_FALSE(RecordWriter::Open("/nonexistent/x").ok());
}

}  // namespace
}  // namespace gk::io
