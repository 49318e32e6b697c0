// Elements in the files of a folder, as TensorFlow's Dataset.save has them.
//
// The folder holds "snapshot.metadata", a SnapshotMetadataRecord, and the
// folder of a run, in which each shard has one:
// "00000000.shard/00000000.snapshot", a file of framed records with a
// TensorProto for each component of each element. The metadata says that it is
// finalized once all are there; it is replaced as a whole, so that who reads
// finds the old elements or the new ones.
//
// A run that may be gone on with has two files more until it is finished: the
// folder's "unfinished_run" names it, and its "order" has a record for each
// element, in the order in which they came, that says the shard.
#ifndef GK_OPS_DATA_SAVED_ELEMENTS_H_
#define GK_OPS_DATA_SAVED_ELEMENTS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/captured_function.h"
#include "data/dataset.h"
#include "io/compression.h"
#include "io/record_io.h"
#include "proto/snapshot.gk.h"

namespace gk {

// Of a saved dataset's files; "AUTO" is none, as in TensorFlow's.
StatusOr<io::Compression> SavedCompression(std::string_view name);

// Not thread-safe.
class ElementsWriter {
 public:
  // Makes the folder, with those around it.
  static StatusOr<ElementsWriter> Open(std::string folder,
                                       std::vector<DataType> types,
                                       io::Compression compression);
  // The same, of a run that may be gone on with; what is there of an older one
  // goes.
  static StatusOr<ElementsWriter> OpenResumable(std::string folder,
                                                std::vector<DataType> types,
                                                io::Compression compression);
  // Goes on with an unfinished run, behind its first `most` elements at the
  // latest: `passed` says behind how many. What the run wrote behind them goes.
  static StatusOr<ElementsWriter> GoOn(std::string folder,
                                       std::vector<DataType> types,
                                       io::Compression compression,
                                       int64_t most, int64_t* passed);
  ElementsWriter(ElementsWriter&&) = default;
  ElementsWriter& operator=(ElementsWriter&&) = default;

  // InvalidArgument for a shard below 0.
  Status Write(int64_t shard, const TensorVector& element);
  // In the place of an element came an error.
  Status WriteNone();
  // Now they are there.
  Status Finish();
  // They will not be: what was written of them goes.
  void Abandon();

 private:
  ElementsWriter(std::string folder, proto::SnapshotMetadataRecord metadata,
                 io::Compression compression)
      : folder_(std::move(folder)),
        metadata_(std::move(metadata)),
        compression_(compression) {}

  // An element as it is in a file: a record for each component.
  Status WriteRecords(int64_t shard, const std::vector<std::string>& records);
  Status WriteOrder(int64_t shard);
  std::string RunFolder() const;

  std::string folder_;
  proto::SnapshotMetadataRecord metadata_;
  io::Compression compression_;
  std::map<int64_t, io::RecordWriter> shards_;
  std::optional<io::RecordWriter> order_;  // of one that may be gone on with
};

// NotFound if nothing is saved there, FailedPrecondition if it is not complete,
// DataLoss for what is no such folder, InvalidArgument for elements of other
// types.
StatusOr<proto::SnapshotMetadataRecord> ReadSavedMetadata(
    const std::string& folder, const std::vector<DataType>& types);
// An iterator of `user`, in its context, over what `reader` makes of a dataset
// of the datasets of the shards.
StatusOr<IteratorPtr> ReadSaved(const Dataset& user, const std::string& folder,
                                const proto::SnapshotMetadataRecord& metadata,
                                io::Compression compression,
                                const CapturedFunction& reader,
                                const ContextRef& context,
                                const CancellationToken* cancellation);

// The shard of an element, by a function.
Status ShardOf(const CapturedFunction& f, const TensorVector& element,
               const CancellationToken* cancellation, int64_t* shard);

}  // namespace gk

#endif  // GK_OPS_DATA_SAVED_ELEMENTS_H_
