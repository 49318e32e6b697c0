// SliceFiles: a checkpoint of TensorFlow's first format. Each of its files is
// one sorted table: what tensors there are, and a message of numbers for every
// slice of one. (BundleReader reads them where there is no bundle.)
#ifndef GK_CHECKPOINT_SLICE_FILES_H_
#define GK_CHECKPOINT_SLICE_FILES_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/tensor_slice.h"
#include "framework/tensor.h"
#include "io/file_system.h"
#include "proto/saved_slices.gk.h"

namespace gk {

class SliceFiles {
 public:
  // The files of a name, or of a pattern of them, as one for all pieces; none
  // if there are none.
  static StatusOr<std::vector<std::string>> Find(const std::string& pattern);
  // Opens those; they are read as they are now, whatever happens to their
  // names. DataLoss, with the name, of what is no such file.
  static StatusOr<std::unique_ptr<SliceFiles>> Open(
      const std::vector<std::string>& paths);

  struct Tensors {
    DataType dtype = DataType::kInvalid;
    TensorShape shape;
    std::vector<TensorSlice> slices;
    std::vector<int> files;  // in which of them each slice is
  };
  const std::map<std::string, Tensors>& tensors() const { return tensors_; }

  // A slice that `tensors` names; `part` is its shape. DataLoss, with the name
  // of the file, if it is not there or has another number of elements.
  StatusOr<Tensor> Read(const std::string& name, const TensorSlice& slice,
                        int file, DataType dtype,
                        const TensorShape& part) const;

 private:
  struct File {
    std::string path;
    std::unique_ptr<io::MappedFile> bytes;
  };
  Status ReadMeta(int file);
  Status AddTensor(const proto::SavedSliceMeta& meta, int file);

  std::vector<File> files_;
  std::map<std::string, Tensors> tensors_;
};

// Writes one file, which replaces an older one as a whole. InvalidArgument if
// parts of one tensor do not fit one another or are there twice, or if one is
// longer than a message may be; Unimplemented for types that messages have no
// numbers for.
Status WriteSliceFile(const std::string& path,
                      const std::vector<SliceToWrite>& slices);

}  // namespace gk

#endif  // GK_CHECKPOINT_SLICE_FILES_H_
