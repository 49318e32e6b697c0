// Checkpoints of the first format: written, read, in pieces, damaged.
#include "checkpoint/slice_files.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "checkpoint/bundle_files.h"
#include "checkpoint/bundle_names.h"
#include "checkpoint/bundle_reader.h"
#include "io/files.h"
#include "proto/sstable.h"

namespace gk {
namespace {

class SliceFilesTest : public ::testing::Test {
 protected:
  SliceFilesTest() {
    char name[] = "/tmp/gk-slices-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~SliceFilesTest() override { std::filesystem::remove_all(folder_); }
  std::string Path(const std::string& name) { return folder_ + "/" + name; }

  std::string folder_;
};

SliceToWrite SliceOf(const std::string& name, const TensorShape& full,
                     const std::string& slice, const Tensor& value) {
  return {name, full,
          slice.empty() ? TensorSlice::Whole(full.rank())
                        : ValueOrThrow(TensorSlice::Parse(slice)),
          value};
}

Tensor Rows(std::vector<float> values) {
  const auto n = static_cast<int64_t>(values.size()) / 2;
  return Tensor::OfValues<float>(values, {n, 2});
}

TEST_F(SliceFilesTest, PiecesOfSeveralFilesBecomeOneTensor) {
  ThrowIfError(
      WriteSliceFile(Path("m-00000-of-00002"),
                     {SliceOf("w", {3, 2}, "1,2:-", Rows({3, 4, 5, 6}))}));
  ThrowIfError(WriteSliceFile(
      Path("m-00001-of-00002"),
      {SliceOf("w", {3, 2}, "0,1:-", Rows({1, 2})),
       SliceOf("s", {}, "", Tensor::Scalar<std::string>("word"))}));
  const std::string pattern = ShardsPattern(Path("m"), 2);
  EXPECT_TRUE(CheckpointExists(pattern));
  EXPECT_FALSE(CheckpointExists(Path("m")));
  EXPECT_FALSE(CheckpointExists(folder_));
  const auto reader = ValueOrThrow(BundleReader::Open(pattern));
  EXPECT_EQ(reader->tensors().size(), 2u);
  const Tensor w = ValueOrThrow(reader->Read("w"));
  EXPECT_EQ(w.shape(), TensorShape({3, 2}));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(w.data<float>()[i], 1.0f + i);
  EXPECT_EQ(ValueOrThrow(reader->Read("s")).scalar<std::string>(), "word");
  const Tensor part = ValueOrThrow(
      reader->ReadSlice("w", ValueOrThrow(TensorSlice::Parse("1,2:1,1"))));
  EXPECT_EQ(part.data<float>()[1], 6);
  EXPECT_EQ(reader->Read("v").status().code(), Code::kNotFound);
}

TEST_F(SliceFilesTest, WhatDoesNotFitIsNotWritten) {
  const Tensor row = Rows({1, 2});
  const std::string path = Path("m");
  const auto code = [&](std::vector<SliceToWrite> slices) {
    return WriteSliceFile(path, slices).code();
  };
  EXPECT_EQ(code({SliceOf("w", {3, 2}, "0,2:-", row)}), Code::kInvalidArgument);
  EXPECT_EQ(code({SliceOf("w", {3, 2}, "0,1:-", row),
                  SliceOf("w", {4, 2}, "1,1:-", row)}),
            Code::kInvalidArgument);
  EXPECT_EQ(code({SliceOf("w", {3, 2}, "0,1:-", row),
                  SliceOf("w", {3, 2}, "0,1:-", row)}),
            Code::kInvalidArgument);
  EXPECT_EQ(
      code({SliceOf("v", {}, "",
                    ValueOrThrow(Tensor::Zeros(DataType::kVariant, {})))}),
      Code::kUnimplemented);
  EXPECT_FALSE(ValueOrThrow(io::Exists(path)));
}

// A table whose blocks are whole and whose messages lie.
void WriteTable(const std::string& path, const std::string& meta,
                const std::string& key, const std::string& entry) {
  proto::TableWriter table;
  ThrowIfError(table.Add("", meta));
  if (!key.empty()) ThrowIfError(table.Add(key, entry));
  ThrowIfError(io::WriteFile(path, table.Finish()));
}

TEST_F(SliceFilesTest, FilesThatLieAreDamaged) {
  proto::SavedTensorSlices head, entry;
  proto::SavedSliceMeta& meta = head.meta.mut().tensor.emplace_back();
  meta.name = "w";
  meta.type = proto::DataType::DT_FLOAT;
  meta.shape.mut().dim.resize(2);
  meta.shape.mut().dim[0].size = int64_t{1} << 40;
  meta.shape.mut().dim[1].size = 2;
  meta.slice.push_back(TensorSlice::Whole(2).ToProto());
  entry.data.mut().data.mut().float_val = {1, 2};
  const std::string path = Path("m"), key = TensorSlice::Whole(2).Key("w");
  const auto read = [&] {
    WriteTable(path, head.Serialize(), key, entry.Serialize());
    const auto reader = BundleReader::Open(path);
    return reader.ok() ? (*reader)->Read("w").status() : reader.status();
  };
  Status s = read();
  EXPECT_EQ(s.code(), Code::kDataLoss);
  EXPECT_NE(s.message().find("m: slice \"-:-\" of tensor \"w\": it has 2"),
            std::string::npos)
      << s.message();
  meta.shape.mut().dim[0].size = 1;
  EXPECT_TRUE(read().ok());
  meta.slice[0] = ValueOrThrow(TensorSlice::Parse("5,1:-")).ToProto();
  EXPECT_EQ(read().code(), Code::kDataLoss);
  meta.slice.clear();
  EXPECT_EQ(read().code(), Code::kDataLoss);
  meta.slice.push_back(TensorSlice::Whole(1).ToProto());
  EXPECT_EQ(read().code(), Code::kDataLoss);
  meta.slice[0] = TensorSlice::Whole(2).ToProto();
  meta.type = static_cast<proto::DataType>(99);
  EXPECT_EQ(read().code(), Code::kDataLoss);
  meta.type = proto::DataType::DT_FLOAT;
  head.meta.mut().versions.mut().min_consumer = 7;
  EXPECT_EQ(read().code(), Code::kDataLoss);
  WriteTable(path, "\xff\xff", "", "");
  EXPECT_EQ(BundleReader::Open(path).status().code(), Code::kDataLoss);
}

}  // namespace
}  // namespace gk
