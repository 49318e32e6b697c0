#include "graphkiln/data_files.h"

#include "api/dataset_parts.h"
#include "function/dataset_files.h"
#include "io/record_file.h"

namespace gk::api {
namespace {

using steps::FileReading;

InnerTensor Int64Value(std::optional<int64_t> value) {
  return value ? InnerTensor::Scalar(*value) : InnerTensor();
}

template <class Options>
FileReading ReadingOf(FileReading::Kind kind, const Options& options) {
  FileReading how;
  how.kind = kind;
  how.compression_type = InnerTensor::Scalar(options.compression_type);
  how.buffer_size = Int64Value(options.buffer_size);
  if (options.num_parallel_reads) {
    how.num_parallel_reads =
        ConstantHere(Int64Value(options.num_parallel_reads));
  }
  return how;
}
FileReading FixedReading(int64_t record_bytes,
                         const FixedLengthReadOptions& options) {
  FileReading how = ReadingOf(FileReading::Kind::kFixedLength, options);
  how.record_bytes = InnerTensor::Scalar(record_bytes);
  how.header_bytes = InnerTensor::Scalar(options.header_bytes);
  how.footer_bytes = InnerTensor::Scalar(options.footer_bytes);
  return how;
}

template <class Make>
Dataset Read(Make&& reading, const Tensor& filenames) {
  return Guarded([&] {
    EnsureReady();
    return Made(steps::ReadFiles(steps::FileNames(Inner(filenames)), reading()),
                ScalarSpec(InnerType::kString));
  });
}
template <class Make>
Dataset Read(Make&& reading, const Dataset& filenames) {
  return Guarded([&] {
    EnsureReady();
    const TypedDataset files = Typed(filenames);
    const auto text = [&] { return filenames.element_spec().to_string(); };
    steps::CheckFileNames(files.elements, text, text);
    return Made(steps::ReadFiles(files, reading()),
                ScalarSpec(InnerType::kString));
  });
}

}  // namespace

TFRecordDataset::TFRecordDataset(const Tensor& filenames,
                                 const FileReadOptions& options)
    : Dataset(
          Read([&] { return ReadingOf(FileReading::Kind::kTFRecord, options); },
               filenames)) {}
TFRecordDataset::TFRecordDataset(const Dataset& filenames,
                                 const FileReadOptions& options)
    : Dataset(
          Read([&] { return ReadingOf(FileReading::Kind::kTFRecord, options); },
               filenames)) {}

TextLineDataset::TextLineDataset(const Tensor& filenames,
                                 const FileReadOptions& options)
    : Dataset(
          Read([&] { return ReadingOf(FileReading::Kind::kTextLine, options); },
               filenames)) {}
TextLineDataset::TextLineDataset(const Dataset& filenames,
                                 const FileReadOptions& options)
    : Dataset(
          Read([&] { return ReadingOf(FileReading::Kind::kTextLine, options); },
               filenames)) {}

FixedLengthRecordDataset::FixedLengthRecordDataset(
    const Tensor& filenames, int64_t record_bytes,
    const FixedLengthReadOptions& options)
    : Dataset(Read([&] { return FixedReading(record_bytes, options); },
                   filenames)) {}
FixedLengthRecordDataset::FixedLengthRecordDataset(
    const Dataset& filenames, int64_t record_bytes,
    const FixedLengthReadOptions& options)
    : Dataset(Read([&] { return FixedReading(record_bytes, options); },
                   filenames)) {}

Dataset Dataset::list_files(const Tensor& file_pattern,
                            const ListFilesOptions& options) {
  return Guarded([&] {
    EnsureReady();
    return Made(
        steps::ListFiles(Inner(file_pattern), options.shuffle, options.seed),
        ScalarSpec(InnerType::kString));
  });
}

SqlDataset::SqlDataset(const std::string& driver_name,
                       const std::string& data_source_name,
                       const std::string& query,
                       const std::vector<DataType>& output_types)
    : Dataset(Guarded([&] {
        EnsureReady();
        ElementSignature e;
        std::vector<Spec> columns;
        for (const DataType type : output_types) {
          e.types.push_back(Inner(type));
          e.shapes.push_back(TensorShape());
          columns.push_back(ScalarSpec(Inner(type)));
        }
        const auto text = [](const std::string& value) {
          return ConstantHere(InnerTensor::Scalar(value));
        };
        return Made(steps::SqlRows(text(driver_name), text(data_source_name),
                                   text(query), e),
                    TupleOf(columns));
      })) {}

void TFRecordWriter::write(const Dataset& dataset) const {
  Guarded([&] {
    EnsureReady();
    const auto text = [](const std::string& value) {
      return ConstantHere(InnerTensor::Scalar(value));
    };
    steps::WriteRecords(Typed(dataset), text(filename_),
                        text(compression_type_));
  });
}

namespace io {

struct TFRecordWriter::Rep {
  std::shared_ptr<::gk::io::RecordFile> file;
};

TFRecordWriter::TFRecordWriter(const std::string& path,
                               const TFRecordOptions& options) {
  Guarded([&] {
    ::gk::io::RecordFileOptions inner;
    inner.compression_type = options.compression_type;
    inner.level = options.compression_level;
    inner.mem_level = options.mem_level;
    inner.strategy = options.compression_strategy;
    inner.window_bits = options.window_bits;
    rep_ = std::make_shared<Rep>(
        Rep{ValueOrThrow(::gk::io::RecordFile::Open(path, inner))});
  });
}
void TFRecordWriter::write(std::string_view record) {
  Guarded([&] { ThrowIfError(rep_->file->Write(record)); });
}
void TFRecordWriter::flush() {
  Guarded([&] { ThrowIfError(rep_->file->Flush()); });
}
void TFRecordWriter::close() {
  Guarded([&] { ThrowIfError(rep_->file->Close()); });
}

}  // namespace io
}  // namespace gk::api
