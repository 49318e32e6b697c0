// Datasets of what is in files: what both faces make of the names of files.
//
// Called on the thread that builds. Functions throw Error.
#ifndef GK_FUNCTION_DATASET_FILES_H_
#define GK_FUNCTION_DATASET_FILES_H_

#include <optional>

#include "function/dataset_steps.h"

namespace gk::steps {

// How files are read; null tensors are arguments that nobody gave.
struct FileReading {
  enum class Kind : uint8_t { kTFRecord, kTextLine, kFixedLength };
  Kind kind = Kind::kTFRecord;
  Tensor compression_type;    // a string
  Tensor buffer_size;         // of bytes
  Tensor num_parallel_reads;  // null: one file after the other
  // Of kFixedLength.
  Tensor record_bytes, header_bytes, footer_bytes;
};

// Files by their names, strings of any shape; TypeError for other tensors.
TypedDataset FileNames(const Tensor& names);
// TypeError unless elements are scalar strings; `described` elements by their
// type and shape, as messages show them.
void CheckFileNames(const ElementSignature& e, Text type, Text shape);
// What is in the files that the elements of `files` name.
TypedDataset ReadFiles(const TypedDataset& files, const FileReading& how);

// The rows, of scalars that `e` describes, that a query of a database gives.
TypedDataset SqlRows(const Tensor& driver_name, const Tensor& data_source_name,
                     const Tensor& query, const ElementSignature& e);

// The names of the files that patterns, a scalar or a vector, describe.
// InvalidArgument if there are none.
TypedDataset ListFiles(const Tensor& patterns, bool shuffle,
                       std::optional<int64_t> seed);

// Writes the elements, scalar strings, to a file of framed records.
void WriteRecords(const TypedDataset& d, const Tensor& filename,
                  const Tensor& compression_type);

}  // namespace gk::steps

#endif  // GK_FUNCTION_DATASET_FILES_H_
