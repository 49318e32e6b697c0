// BundleWriter: writes tensors as a checkpoint (TensorFlow's tensor bundle).
//
// The data go to a file that no older checkpoint of that prefix names, and are
// on the disk before the index, which is renamed over the old one, names them:
// whoever reads sees the old checkpoint or the new one, whole, whenever the
// writer is killed. What a killed one left is removed by the next writer of the
// prefix. Not thread-safe.
#ifndef GK_CHECKPOINT_BUNDLE_WRITER_H_
#define GK_CHECKPOINT_BUNDLE_WRITER_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "checkpoint/tensor_slice.h"
#include "framework/tensor.h"
#include "io/file_system.h"
#include "proto/checkpoint.gk.h"

namespace gk {

class BundleWriter {
 public:
  // Makes the folder of `prefix` if it is not there. What is added goes to the
  // first of so many data files.
  static StatusOr<BundleWriter> Create(const std::string& prefix,
                                       int num_shards = 1);

  // InvalidArgument for a name that was added before. Unimplemented for
  // variants and resources.
  Status Add(const std::string& name, const Tensor& value);
  // A part of a tensor of shape `full`. The parts are added in any order.
  Status AddSlice(const std::string& name, const TensorShape& full,
                  const TensorSlice& slice, const Tensor& part);
  // What is added from now on goes to the next data file.
  Status NextShard();
  // Puts the checkpoint in place. Without it nothing is to be seen.
  Status Finish();

 private:
  explicit BundleWriter(std::string prefix) : prefix_(std::move(prefix)) {}
  Status AddOne(const std::string& key, const std::string& name,
                const Tensor& value);
  Status OpenShard();
  Status CloseShard();

  std::string prefix_;
  int num_shards_ = 1;  // that the names of the files say
  int shard_ = 0;       // the one that is written
  std::unique_ptr<io::WritableFile> data_;
  int64_t offset_ = 0;
  std::map<std::string, proto::BundleEntryProto> entries_;
};

// Puts checkpoints together: one that has all their tensors, in their data
// files under new names. Their indices are deleted. A partitioned tensor may be
// spread over several. InvalidArgument if two have the same tensor.
Status MergeBundles(const std::vector<std::string>& prefixes,
                    const std::string& merged);

}  // namespace gk

#endif  // GK_CHECKPOINT_BUNDLE_WRITER_H_
