// Datasets of what is in files, and files of records.
//
//   {
//     gk::io::TFRecordWriter writer("a.tfrecord");
//     writer.write("first");
//     writer.write("second");
//     writer.close();
//   }
//   for (gk::Tensor record : gk::TFRecordDataset("a.tfrecord")) ...
//
// A file is opened when its first element is asked for. Whoever asks for an
// element gets what is wrong with a file as Error: NotFound and the like,
// DataLoss, which names the file and the record, for one that is damaged. The
// records of the next file come behind that.
#ifndef GRAPHKILN_DATA_FILES_H_
#define GRAPHKILN_DATA_FILES_H_

#include <graphkiln/dataset.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gk {
GK_API_NAMESPACE {
  // How TFRecordDataset and TextLineDataset read files.
  struct FileReadOptions {
    // "ZLIB", "GZIP", or "" for files that are not compressed. For others,
    // iterating throws InvalidArgument.
    std::string compression_type = "";
    // How many bytes are read at a time; nothing: as is best.
    std::optional<int64_t> buffer_size = {};
    // How many files are read at a time, whose elements take turns; kAutotune:
    // as many as there are CPUs; nothing: one file after the other.
    std::optional<int64_t> num_parallel_reads = {};
  };
  // How FixedLengthRecordDataset reads them.
  struct FixedLengthReadOptions {
    // What stands before the records of each file, and behind them.
    int64_t header_bytes = 0, footer_bytes = 0;
    // As those of FileReadOptions.
    std::string compression_type = "";
    std::optional<int64_t> buffer_size = {};
    std::optional<int64_t> num_parallel_reads = {};
  };

  // The records of files of framed records, strings. `filenames`: strings of
  // any shape, or a dataset of scalar ones. Throws Error (TypeError) if they
  // are something else.
  class GK_EXPORT TFRecordDataset : public Dataset {
   public:
    // Of files whose names are known.
    explicit TFRecordDataset(const Tensor& filenames,
                             const FileReadOptions& options = {});
    // Of files whose names are the elements of a dataset.
    explicit TFRecordDataset(const Dataset& filenames,
                             const FileReadOptions& options = {});
  };

  // The lines of files, strings without the characters that end them. Takes and
  // throws what TFRecordDataset does.
  class GK_EXPORT TextLineDataset : public Dataset {
   public:
    // Of files whose names are known.
    explicit TextLineDataset(const Tensor& filenames,
                             const FileReadOptions& options = {});
    // Of files whose names are the elements of a dataset.
    explicit TextLineDataset(const Dataset& filenames,
                             const FileReadOptions& options = {});
  };

  // The records of files of records of one length, strings. Takes and throws
  // what TFRecordDataset does; iterating throws InvalidArgument for a file
  // whose length is no multiple of it.
  class GK_EXPORT FixedLengthRecordDataset : public Dataset {
   public:
    // Of files whose names are known.
    FixedLengthRecordDataset(const Tensor& filenames, int64_t record_bytes,
                             const FixedLengthReadOptions& options = {});
    // Of files whose names are the elements of a dataset.
    FixedLengthRecordDataset(const Dataset& filenames, int64_t record_bytes,
                             const FixedLengthReadOptions& options = {});
  };

  // The rows that a query of a database gives, tuples of scalars: text or
  // bytes, integers of at most 64 bits but uint32 and uint64, bool or double.
  // SQLite is loaded from the system when the first row is asked for. Throws
  // Error (InvalidArgument) for another driver than "sqlite" and for other
  // types; iterating throws it if there is no such file, the query is none, or
  // gives another number of columns. What is NULL is 0 or empty.
  class GK_EXPORT SqlDataset : public Dataset {
   public:
    // Of the columns, in the order of the query.
    SqlDataset(const std::string& driver_name,
               const std::string& data_source_name, const std::string& query,
               const std::vector<DataType>& output_types);
  };

  // Writes a dataset of scalar strings to a file of framed records.
  class GK_EXPORT TFRecordWriter {
   public:
    // `compression_type`: as that of FileReadOptions.
    explicit TFRecordWriter(std::string filename,
                            std::string compression_type = "")
        : filename_(std::move(filename)),
          compression_type_(std::move(compression_type)) {}
    // In place of what the file held. Throws Error: TypeError for datasets of
    // something else, and what making an element or writing it does.
    void write(const Dataset& dataset) const;

   private:
    std::string filename_, compression_type_;
  };

  namespace io {

  // How records are compressed; numbers are zlib's own.
  struct TFRecordOptions {
    // "ZLIB", "GZIP", or "" for no compression.
    std::string compression_type = "";
    // 0, not at all, to 9; nothing: zlib's choice.
    std::optional<int64_t> compression_level = {};
    // 1 to 9: how much memory is used.
    std::optional<int64_t> mem_level = {};
    // 0 (Z_DEFAULT_STRATEGY) to 4 (Z_FIXED).
    std::optional<int64_t> compression_strategy = {};
    // 9 to 15: how far back what is the same is looked for.
    std::optional<int64_t> window_bits = {};
  };

  // Writes records to a file, one by one. Copies are the same file; threads may
  // share it.
  class GK_EXPORT TFRecordWriter {
   public:
    // In place of what the file held. Throws Error: NotFound and the like,
    // InvalidArgument for options that there are not.
    explicit TFRecordWriter(const std::string& path,
                            const TFRecordOptions& options = {});
    // Throws Error: FailedPrecondition once it is closed, ResourceExhausted if
    // the disk is full.
    void write(std::string_view record);
    // Readers see what was written.
    void flush();
    // Once more: nothing is left to do. A writer that nobody closes is closed
    // with its last copy; what goes wrong then is not told.
    void close();

   private:
    struct Rep;
    std::shared_ptr<Rep> rep_;
  };

  }  // namespace io
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_DATA_FILES_H_
