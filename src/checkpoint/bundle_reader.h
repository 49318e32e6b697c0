// BundleReader: the tensors of a checkpoint (TensorFlow's tensor bundle; where
// there is none of that name, the files of its first format, SliceFiles).
//
// Opening reads the index whole; a data file is opened when a tensor of it is
// asked for, and stays so: a checkpoint that is deleted or replaced meanwhile
// is read as it was. Every tensor's checksum is verified. Thread-safe.
#ifndef GK_CHECKPOINT_BUNDLE_READER_H_
#define GK_CHECKPOINT_BUNDLE_READER_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "checkpoint/slice_files.h"
#include "checkpoint/tensor_slice.h"
#include "framework/tensor.h"
#include "io/file_system.h"
#include "proto/checkpoint.gk.h"

namespace gk {

class BundleReader {
 public:
  // `prefix` may be a pattern of files of the first format, and is whatever
  // names them. NotFound if there is no checkpoint of that prefix; DataLoss of
  // a damaged index.
  static StatusOr<std::shared_ptr<BundleReader>> Open(
      const std::string& prefix);

  const std::string& prefix() const { return prefix_; }
  int num_shards() const { return num_shards_; }
  // The names of the files that its index says tensors are in.
  std::vector<std::string> DataFiles() const;

  struct TensorInfo {
    DataType dtype = DataType::kInvalid;
    TensorShape shape;
    std::vector<TensorSlice> slices;  // of partitioned variables
    int32_t shard = 0;
    int64_t offset = 0, size = 0;
    uint32_t masked_crc = 0;
  };
  // All tensors by name, partitioned ones once.
  const std::map<std::string, TensorInfo>& tensors() const { return tensors_; }
  bool Contains(const std::string& name) const {
    return tensors_.contains(name);
  }
  // NotFound: "Key NAME not found in checkpoint".
  StatusOr<const TensorInfo*> Find(const std::string& name) const;

  // The whole tensor, put together of its slices if it was partitioned.
  StatusOr<Tensor> Read(const std::string& name) const;
  // A part of it. One that was written as such is read alone.
  StatusOr<Tensor> ReadSlice(const std::string& name,
                             const TensorSlice& slice) const;

  // Parts of partitioned tensors, by their keys in the index.
  const std::map<std::string, TensorInfo>& parts() const { return parts_; }

 private:
  explicit BundleReader(std::string prefix) : prefix_(std::move(prefix)) {}
  Status ReadIndex(std::string_view file);
  void TakeSlices(std::unique_ptr<SliceFiles> files);
  Status ReadHeader(std::string_view value);
  StatusOr<Tensor> ReadOne(const std::string& name,
                           const TensorInfo& info) const;
  StatusOr<const TensorInfo*> PartOf(const std::string& name,
                                     const TensorInfo& info,
                                     const TensorSlice& slice) const;
  StatusOr<Tensor> ReadPart(const std::string& name, const TensorInfo& part,
                            const TensorSlice& slice) const;
  struct DataFile {
    std::unique_ptr<io::RandomAccessFile> file;
    uint64_t length = 0;
  };
  StatusOr<const DataFile*> Open(int shard) const;

  const std::string prefix_;
  int num_shards_ = 0;
  std::map<std::string, TensorInfo> tensors_, parts_;
  std::unique_ptr<SliceFiles> slice_files_;  // in place of a bundle's
  mutable std::mutex mutex_;                 // of the files
  mutable std::map<int, DataFile> files_;
};

}  // namespace gk

#endif  // GK_CHECKPOINT_BUNDLE_READER_H_
