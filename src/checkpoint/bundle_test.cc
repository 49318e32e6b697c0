// Checkpoints as files: written, read, damaged, merged, replaced.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>
#include <vector>

#include "checkpoint/bundle_files.h"
#include "checkpoint/bundle_index.h"
#include "checkpoint/bundle_names.h"
#include "checkpoint/bundle_reader.h"
#include "checkpoint/bundle_writer.h"
#include "data/iterator_state.h"
#include "framework/allocator.h"
#include "graph/tensor_proto.h"
#include "io/files.h"

namespace gk {
namespace {

class BundleTest : public ::testing::Test {
 protected:
  BundleTest() {
    char name[] = "/tmp/gk-bundle-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~BundleTest() override { std::filesystem::remove_all(folder_); }
  std::string Path(const std::string& name) { return folder_ + "/" + name; }

  std::string folder_;
};

Tensor Floats(std::vector<float> values, const TensorShape& shape) {
  return Tensor::OfValues<float>(values, shape);
}

void WriteOne(const std::string& prefix, const std::string& name,
              const Tensor& value) {
  BundleWriter writer = ValueOrThrow(BundleWriter::Create(prefix));
  ThrowIfError(writer.Add(name, value));
  ThrowIfError(writer.Finish());
}

TEST_F(BundleTest, NumbersAndStringsComeBack) {
  const std::string prefix = Path("a/b/ckpt");
  BundleWriter writer = ValueOrThrow(BundleWriter::Create(prefix));
  const std::vector<std::string> words = {"", "ab", std::string(300, 'x'),
                                          std::string("\0z", 2)};
  EXPECT_TRUE(writer.Add("words", Tensor::Vector<std::string>(words)).ok());
  EXPECT_TRUE(writer.Add("w", Floats({1, 2, 3, 4, 5, 6}, {2, 3})).ok());
  EXPECT_TRUE(writer.Add("empty", Floats({}, {0, 3})).ok());
  EXPECT_TRUE(
      writer.Add("half", Tensor::Scalar<bfloat16>(bfloat16(1.5f))).ok());
  EXPECT_EQ(writer.Add("w", Floats({1}, {1})).code(), Code::kInvalidArgument);
  EXPECT_EQ(writer.Add("v", ValueOrThrow(Tensor::Zeros(DataType::kVariant, {})))
                .code(),
            Code::kUnimplemented);
  // Nothing is to be seen before it is whole.
  EXPECT_FALSE(BundleExists(prefix));
  EXPECT_TRUE(writer.Finish().ok());
  const auto reader = ValueOrThrow(BundleReader::Open(prefix));
  EXPECT_EQ(reader->tensors().size(), 4u);
  const Tensor read = ValueOrThrow(reader->Read("words"));
  EXPECT_EQ(std::vector<std::string>(read.flat<std::string>().begin(),
                                     read.flat<std::string>().end()),
            words);
  EXPECT_EQ(ValueOrThrow(reader->Read("w")).flat<float>()[5], 6);
  EXPECT_EQ(ValueOrThrow(reader->Read("empty")).dim(1), 3);
  EXPECT_EQ(reader->Read("none").status().message(),
            "Key none not found in checkpoint " + prefix);
}

TEST_F(BundleTest, StatesOfIteratorsComeBack) {
  const std::string prefix = Path("states");
  Tensor states = ValueOrThrow(Tensor::Zeros(DataType::kVariant, {2}));
  const std::string large(1000, 's');
  states.data<Variant>()[0] =
      Variant(MakeRef<IteratorStateVariant>(std::string()));
  states.data<Variant>()[1] = Variant(MakeRef<IteratorStateVariant>(large));
  WriteOne(prefix, "ITERATOR", states);
  const auto reader = ValueOrThrow(BundleReader::Open(prefix));
  const Tensor read = ValueOrThrow(reader->Read("ITERATOR"));
  ASSERT_EQ(read.shape(), TensorShape({2}));
  const auto bytes = [&](int i) {
    return read.data<Variant>()[i].As<IteratorStateVariant>()->bytes();
  };
  EXPECT_EQ(bytes(0), "");
  EXPECT_EQ(bytes(1), large);
  // A letter of the state is another one.
  const std::string file = prefix + ".data-00000-of-00001";
  std::string damaged = ValueOrThrow(io::ReadFile(file));
  damaged[damaged.find("sss") + 500] = 't';
  ThrowIfError(io::WriteFile(file, damaged));
  EXPECT_EQ(ValueOrThrow(BundleReader::Open(prefix))
                ->Read("ITERATOR")
                .status()
                .code(),
            Code::kDataLoss);
}

TEST_F(BundleTest, ThreadsMaySaveUnderOnePrefix) {
  const std::string prefix = Path("one");
  std::vector<std::thread> threads;
  std::atomic<int> failed = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) {
        if (!WriteBundleIndex(prefix, 1, {}).ok()) ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
}

// A file of five gigabytes with a hole, which takes a few kilobytes of a disk.
TEST_F(BundleTest, TensorsFarInLongFilesAreFound) {
  constexpr int64_t kFar = int64_t{5} << 30;
  const std::string prefix = Path("long");
  const Tensor value = Floats({1, 2, 3, 4, 5, 6}, {2, 3});
  WriteOne(prefix, "w", value);
  const auto info =
      *ValueOrThrow(ValueOrThrow(BundleReader::Open(prefix))->Find("w"));
  proto::BundleEntryProto entry;
  entry.dtype = static_cast<proto::DataType>(info.dtype);
  entry.shape = ShapeToProto(info.shape);
  entry.offset = kFar;
  entry.size = info.size;
  entry.crc32c = info.masked_crc;
  ThrowIfError(WriteBundleIndex(prefix, 1, {{"w", entry}}));
  const std::string data = BundleDataName(prefix, 0, 1);
  {
    std::fstream file(data, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(kFar);
    file.write(static_cast<const char*>(value.raw_data()), info.size);
  }
  const auto reader = ValueOrThrow(BundleReader::Open(prefix));
  const Tensor read = ValueOrThrow(reader->Read("w"));
  EXPECT_EQ(std::memcmp(read.raw_data(), value.raw_data(), info.size), 0);
  std::filesystem::resize_file(data, kFar + info.size - 1);
  const auto shorter = ValueOrThrow(BundleReader::Open(prefix))->Read("w");
  EXPECT_EQ(shorter.status().code(), Code::kOutOfRange)
      << shorter.status().message();
}

TEST_F(BundleTest, PartsMakeAWhole) {
  const std::string prefix = Path("parts");
  BundleWriter writer = ValueOrThrow(BundleWriter::Create(prefix));
  const TensorShape full({3, 2});
  const auto add = [&](const char* slice, std::vector<float> values,
                       const TensorShape& shape) {
    return writer.AddSlice("p", full, ValueOrThrow(TensorSlice::Parse(slice)),
                           Floats(std::move(values), shape));
  };
  EXPECT_TRUE(add("1,2:-", {3, 4, 5, 6}, {2, 2}).ok());
  EXPECT_TRUE(add("0,1:-", {1, 2}, {1, 2}).ok());
  EXPECT_FALSE(add("0,1:-", {1, 2, 3}, {1, 3}).ok());
  EXPECT_TRUE(writer.Finish().ok());
  const auto reader = ValueOrThrow(BundleReader::Open(prefix));
  const Tensor whole = ValueOrThrow(reader->Read("p"));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(whole.flat<float>()[i], i + 1);
  const Tensor column = ValueOrThrow(
      reader->ReadSlice("p", ValueOrThrow(TensorSlice::Parse("1,2:1,1"))));
  EXPECT_EQ(column.shape(), TensorShape({2, 1}));
  EXPECT_EQ(column.flat<float>()[0], 4);
  EXPECT_EQ(column.flat<float>()[1], 6);
}

TEST_F(BundleTest, GapsAreTold) {
  const std::string prefix = Path("gap");
  BundleWriter writer = ValueOrThrow(BundleWriter::Create(prefix));
  EXPECT_TRUE(writer
                  .AddSlice("p", TensorShape({3}),
                            ValueOrThrow(TensorSlice::Parse("0,1")),
                            Floats({1}, {1}))
                  .ok());
  EXPECT_TRUE(writer.Finish().ok());
  const auto reader = ValueOrThrow(BundleReader::Open(prefix));
  EXPECT_EQ(reader->Read("p").status().code(), Code::kDataLoss);
}

TEST_F(BundleTest, DamageNamesTensorAndFile) {
  const std::string prefix = Path("damaged");
  WriteOne(prefix, "some/key", Floats({1, 2, 3, 4}, {4}));
  const std::string data = BundleDataName(prefix, 0, 1);
  {
    std::fstream file(data, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(5);
    file.put('\x55');
  }
  const auto reader = ValueOrThrow(BundleReader::Open(prefix));
  const Status read = reader->Read("some/key").status();
  EXPECT_EQ(read.code(), Code::kDataLoss);
  EXPECT_NE(read.message().find("Checksum does not match: stored"),
            std::string::npos);
  EXPECT_NE(read.message().find("some/key"), std::string::npos);
  EXPECT_NE(read.message().find(data), std::string::npos);
  std::filesystem::resize_file(data, 7);
  const auto again = ValueOrThrow(BundleReader::Open(prefix));
  EXPECT_EQ(again->Read("some/key").status().code(), Code::kOutOfRange);
  std::filesystem::resize_file(BundleIndexName(prefix), 60);
  EXPECT_FALSE(BundleReader::Open(prefix).ok());
  EXPECT_EQ(BundleReader::Open(Path("absent")).status().code(),
            Code::kNotFound);
}

TEST_F(BundleTest, LargeTensorsAreReadByParts) {
  const std::string prefix = Path("large");
  // No whole number of parts.
  constexpr int64_t kCount = (int64_t{3} << 20) + 11;
  std::vector<float> values(kCount);
  for (int64_t i = 0; i < kCount; ++i) values[i] = static_cast<float>(i);
  WriteOne(prefix, "v", Floats(values, {kCount}));
  const std::string data = BundleDataName(prefix, 0, 1);
  const auto reader = ValueOrThrow(BundleReader::Open(prefix));
  const Tensor read = ValueOrThrow(reader->Read("v"));
  EXPECT_TRUE(std::ranges::equal(read.flat<float>(), values));
  // Cut off while it is open: an error, and no signal.
  std::filesystem::resize_file(data, 5 << 20);
  EXPECT_EQ(reader->Read("v").status().code(), Code::kOutOfRange);
  WriteOne(prefix, "v", Floats(values, {kCount}));
  const auto other = ValueOrThrow(BundleReader::Open(prefix));
  for (const auto at : {std::ios::off_type{7}, std::ios::off_type{9 << 20}}) {
    std::fstream file(BundleDataName(prefix, 0, other->num_shards()),
                      std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file.put('\x55');
    file.close();
    EXPECT_EQ(other->Read("v").status().code(), Code::kDataLoss);
  }
}

// Of all sizes, in memory of blocks and beside it: the file is what its index
// says, and large ones begin where a page does.
TEST_F(BundleTest, LargeTensorsBeginAtPages) {
  const std::string prefix = Path("sizes");
  const std::vector<int64_t> counts = {
      3,       1, (1 << 14) - 1, 1 << 14,      (1 << 18) + 5, 1 << 20, 5 << 18,
      3 << 20, 7, 1 << 18,       (2 << 20) + 1};
  std::map<std::string, Tensor> values;
  BundleWriter writer = ValueOrThrow(BundleWriter::Create(prefix));
  for (const int64_t count : counts) {
    for (const size_t at : {size_t{0}, size_t{64}}) {
      const Ref<Buffer> memory = NewPooledBuffer(count * sizeof(float) + at);
      Tensor value = Tensor::FromBuffer(DataType::kFloat, TensorShape({count}),
                                        memory, at);
      for (int64_t i = 0; i < count; ++i) {
        value.data<float>()[i] = static_cast<float>(i * 7 + count % 1000);
      }
      const std::string name = Format("{}:{}", count, at);
      values[name] = value;
      ThrowIfError(writer.Add(name, value));
    }
  }
  ThrowIfError(writer.Finish());
  const auto reader = ValueOrThrow(BundleReader::Open(prefix));
  const std::string data =
      ValueOrThrow(io::ReadFile(BundleDataName(prefix, 0, 1)));
  for (const auto& [name, value] : values) {
    const auto info = *ValueOrThrow(reader->Find(name));
    const auto size = static_cast<size_t>(value.byte_size());
    if (size >= 64 << 10) {
      EXPECT_EQ(info.offset % 4096, 0) << name;
    }
    ASSERT_LE(info.offset + size, data.size()) << name;
    EXPECT_EQ(std::memcmp(data.data() + info.offset, value.raw_data(), size), 0)
        << name;
    const Tensor read = ValueOrThrow(reader->Read(name));
    EXPECT_EQ(std::memcmp(read.raw_data(), value.raw_data(), size), 0) << name;
  }
}

TEST_F(BundleTest, EveryByteOfAnIndexMayBeWrong) {
  const std::string prefix = Path("index");
  WriteOne(prefix, "key", Floats({1, 2}, {2}));
  const std::string good = ValueOrThrow(io::ReadFile(BundleIndexName(prefix)));
  for (size_t i = 0; i < good.size(); ++i) {
    for (const int bit : {0, 3, 7}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      ThrowIfError(io::WriteFile(BundleIndexName(prefix), bad));
      const auto reader = BundleReader::Open(prefix);
      if (!reader.ok()) continue;
      const auto value = (*reader)->Read("key");
      if (value.ok()) {
        EXPECT_EQ(value->flat<float>()[1], 2);
      }
    }
  }
}

// A reader keeps what it has opened; whoever opens sees one or the other.
TEST_F(BundleTest, AnOldCheckpointStaysWholeUntilTheNewOneIs) {
  const std::string prefix = Path("again");
  WriteOne(prefix, "v", Floats({1}, {1}));
  const auto old = ValueOrThrow(BundleReader::Open(prefix));
  {
    BundleWriter killed = ValueOrThrow(BundleWriter::Create(prefix));
    EXPECT_TRUE(killed.Add("v", Floats({2}, {1})).ok());
  }
  const auto before = ValueOrThrow(BundleReader::Open(prefix));
  EXPECT_EQ(ValueOrThrow(before->Read("v")).flat<float>()[0], 1);
  for (int i = 3; i < 6; ++i) {
    WriteOne(prefix, "v", Floats({static_cast<float>(i)}, {1}));
    const auto now = ValueOrThrow(BundleReader::Open(prefix));
    EXPECT_EQ(ValueOrThrow(now->Read("v")).flat<float>()[0], i);
    EXPECT_EQ(ValueOrThrow(before->Read("v")).flat<float>()[0], 1);
  }
  // Nothing is left of the others.
  EXPECT_EQ(ValueOrThrow(io::List(folder_)).size(), 2u);
  EXPECT_TRUE(DeleteBundle(prefix).ok());
  EXPECT_TRUE(ValueOrThrow(io::List(folder_)).empty());
}

TEST_F(BundleTest, SeveralBecomeOne) {
  WriteOne(Path("x"), "x", Floats({1}, {1}));
  WriteOne(Path("y"), "y", Floats({2}, {1}));
  EXPECT_TRUE(MergeBundles({Path("x"), Path("y")}, Path("both")).ok());
  const auto both = ValueOrThrow(BundleReader::Open(Path("both")));
  EXPECT_EQ(both->num_shards(), 2);
  EXPECT_EQ(ValueOrThrow(both->Read("x")).flat<float>()[0], 1);
  EXPECT_EQ(ValueOrThrow(both->Read("y")).flat<float>()[0], 2);
  EXPECT_FALSE(BundleExists(Path("x")));
  WriteOne(Path("x"), "x", Floats({3}, {1}));
  EXPECT_EQ(MergeBundles({Path("x"), Path("both")}, Path("again")).code(),
            Code::kInvalidArgument);
}

TEST(TensorSliceTest, TextsThatAreNoSlices) {
  for (const char* text :
       {"-:", "1", "1,", ",1", "1,0", "a,1", "-1,2", "1,2,"}) {
    EXPECT_FALSE(TensorSlice::Parse(text).ok()) << text;
  }
  SliceOfShape out;
  EXPECT_FALSE(ParseShapeAndSlice("10", &out).ok());
  EXPECT_FALSE(ParseShapeAndSlice("10 5,6", &out).ok());
  EXPECT_FALSE(ParseShapeAndSlice("x 0,1", &out).ok());
  EXPECT_TRUE(ValueOrThrow(ParseShapeAndSlice("10 5,5", &out)));
  EXPECT_FALSE(ValueOrThrow(ParseShapeAndSlice("", &out)));
}

}  // namespace
}  // namespace gk
