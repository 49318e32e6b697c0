// Readers of graphs of version 1: the records of files whose names a queue
// gives.
#include <algorithm>
#include <utility>

#include "framework/op_registry.h"
#include "io/compression.h"
#include "io/files.h"
#include "io/record_io.h"
#include "ops/file/file_readers.h"
#include "ops/int32_attrs.h"
#include "ops/named_resource.h"

namespace gk {
namespace {

std::string KeyOf(const std::string& name, uint64_t place) {
  return Format("{}:{}", name, place);
}

// ---- What is read ----

// One record: the file, or its name.
class WholeWork final : public ReaderWork {
 public:
  WholeWork(std::string name, bool reads)
      : name_(std::move(name)), reads_(reads) {}
  StatusOr<bool> Next(std::string* key, std::string* value,
                      bool* last) override {
    *last = true;
    *key = *value = name_;
    if (reads_) {
      GK_ASSIGN_OR_RETURN(*value, io::ReadFile(name_));
    }
    return true;
  }

 private:
  const std::string name_;
  const bool reads_;
};

template <bool kReads>
StatusOr<ReaderWorkPtr> OpenWhole(const std::string& name) {
  return ReaderWorkPtr(new WholeWork(name, kReads));
}

class LinesWork final : public ReaderWork {
 public:
  LinesWork(std::string name, io::BufferedReader file)
      : name_(std::move(name)), file_(std::move(file)) {}
  // A file that ends sooner has no more lines.
  Status Skip(int64_t lines) {
    std::string line;
    for (; line_ < lines; ++line_) {
      GK_ASSIGN_OR_RETURN(const bool more, file_.ReadLine(&line));
      if (!more) break;
    }
    return OkStatus();
  }
  StatusOr<bool> Next(std::string* key, std::string* value, bool*) override {
    GK_ASSIGN_OR_RETURN(const bool more, file_.ReadLine(value));
    if (more) *key = KeyOf(name_, static_cast<uint64_t>(++line_));
    return more;
  }

 private:
  const std::string name_;
  io::BufferedReader file_;
  int64_t line_ = 0;  // how many were read
};

class RecordsWork final : public ReaderWork {
 public:
  RecordsWork(std::string name, io::RecordReader file)
      : name_(std::move(name)), file_(std::move(file)) {}
  StatusOr<bool> Next(std::string* key, std::string* value, bool*) override {
    const uint64_t offset = file_.offset();
    const Status status = file_.Read(value);
    if (status.code() == Code::kOutOfRange) return false;
    GK_RETURN_IF_ERROR(status);
    *key = KeyOf(name_, offset);
    return true;
  }

 private:
  const std::string name_;
  io::RecordReader file_;
};

// Records of one length.
struct Lengths {
  uint64_t header = 0, record = 0, footer = 0, hop = 0;
  io::Compression compression = io::Compression::kNone;
};

class LengthsWork final : public ReaderWork {
 public:
  LengthsWork(std::string name, const Lengths& lengths)
      : name_(std::move(name)), lengths_(lengths) {}
  Status Open() {
    GK_ASSIGN_OR_RETURN(io::BufferedReader file,
                        io::OpenInflated(name_, lengths_.compression));
    if (lengths_.compression == io::Compression::kNone) {
      GK_ASSIGN_OR_RETURN(const io::FileStatistics facts, io::Stat(name_));
      size_ = static_cast<uint64_t>(facts.length);
      file_ = std::make_unique<io::BufferedReader>(std::move(file));
    } else {  // how much it holds is known at its end
      GK_ASSIGN_OR_RETURN(bytes_, file.ReadRest());
      size_ = bytes_.size();
    }
    return OkStatus();
  }
  StatusOr<bool> Next(std::string* key, std::string* value, bool*) override {
    const uint64_t end = size_ - std::min(size_, lengths_.footer);
    const uint64_t at = start_ + lengths_.header;
    if (end < lengths_.record || at > end - lengths_.record) return false;
    if (file_ != nullptr) {
      if (file_->offset() != at) file_->Seek(at);
      GK_ASSIGN_OR_RETURN(*value, file_->Read(lengths_.record));
      if (value->size() < lengths_.record) return false;  // it was cut
    } else {
      *value = bytes_.substr(at, lengths_.record);
    }
    *key = KeyOf(name_, record_++);
    start_ += lengths_.hop;
    return true;
  }

 private:
  const std::string name_;
  const Lengths lengths_;
  std::unique_ptr<io::BufferedReader> file_;
  std::string bytes_;  // of a compressed file
  uint64_t size_ = 0;
  uint64_t start_ = 0;  // of the next record, behind the header
  uint64_t record_ = 0;
};

// ---- Readers are made ----

Status OutputReader(KernelContext& c, std::string type, bool has_state,
                    ReaderResource::OpenFn open) {
  return OutputResource(
      c, "reader", {}, [&](const std::string& name) -> StatusOr<Ref<Resource>> {
        return Ref<Resource>(
            MakeRef<ReaderResource>(type, name, has_state, std::move(open)));
      });
}

Status ComputeWholeReader(KernelContext& c) {
  return OutputReader(c, "WholeFileReader", true, OpenWhole<true>);
}

Status ComputeIdentityReader(KernelContext& c) {
  return OutputReader(c, "IdentityReader", true, OpenWhole<false>);
}

Status ComputeLineReader(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"skip_header_lines"}));
  const auto skipped = c.attr<int64_t>("skip_header_lines");
  if (skipped < 0) {
    return InvalidArgument("skip_header_lines must be >= 0 not {}", skipped);
  }
  return OutputReader(
      c, "TextLineReader", false,
      [skipped](const std::string& name) -> StatusOr<ReaderWorkPtr> {
        GK_ASSIGN_OR_RETURN(io::BufferedReader file,
                            io::BufferedReader::Open(name));
        auto work = std::make_unique<LinesWork>(name, std::move(file));
        GK_RETURN_IF_ERROR(work->Skip(skipped));
        return ReaderWorkPtr(std::move(work));
      });
}

Status ComputeRecordReader(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(
      const io::Compression compression,
      io::CompressionOf(c.attr<std::string>("compression_type")));
  return OutputReader(
      c, "TFRecordReader", false,
      [compression](const std::string& name) -> StatusOr<ReaderWorkPtr> {
        GK_ASSIGN_OR_RETURN(io::BufferedReader file,
                            io::OpenInflated(name, compression));
        return ReaderWorkPtr(
            new RecordsWork(name, io::RecordReader(name, std::move(file))));
      });
}

Status ComputeLengthReader(KernelContext& c) {
  Lengths lengths;
  const std::pair<const char*, uint64_t*> all[] = {
      {"header_bytes", &lengths.header},
      {"record_bytes", &lengths.record},
      {"footer_bytes", &lengths.footer},
      {"hop_bytes", &lengths.hop}};
  for (const auto& [name, length] : all) {
    GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {name}));
    const auto given = c.attr<int64_t>(name);
    if (given < 0) {
      return InvalidArgument("{} must be >= 0 not {}", name, given);
    }
    *length = static_cast<uint64_t>(given);
  }
  if (lengths.record == 0) {
    return InvalidArgument("record_bytes must be > 0, or no file would end");
  }
  if (lengths.hop == 0) lengths.hop = lengths.record;
  GK_ASSIGN_OR_RETURN(lengths.compression,
                      io::CompressionOf(c.attr<std::string>("encoding")));
  return OutputReader(
      c, "FixedLengthRecordReader", false,
      [lengths](const std::string& name) -> StatusOr<ReaderWorkPtr> {
        auto work = std::make_unique<LengthsWork>(name, lengths);
        GK_RETURN_IF_ERROR(work->Open());
        return ReaderWorkPtr(std::move(work));
      });
}

// ---- and used ----

StatusOr<Ref<ReaderResource>> ReaderOf(KernelContext& c) {
  return ResourceOf<ReaderResource>(c.input(0), "reader");
}

Status Read(KernelContext& c, int64_t n, std::vector<std::string>* keys,
            std::vector<std::string>* values) {
  GK_ASSIGN_OR_RETURN(const Ref<ReaderResource> reader, ReaderOf(c));
  GK_ASSIGN_OR_RETURN(const Ref<QueueResource> queue,
                      ResourceOf<QueueResource>(c.input(1), "queue"));
  return reader->Read(n, queue.get(), c.cancellation(), keys, values);
}

Status ComputeRead(KernelContext& c) {
  std::vector<std::string> keys, values;
  GK_RETURN_IF_ERROR(Read(c, 1, &keys, &values));
  c.set_output(0, Tensor::Scalar(std::move(keys[0])));
  c.set_output(1, Tensor::Scalar(std::move(values[0])));
  return OkStatus();
}

Status ComputeReadUpTo(KernelContext& c) {
  if (c.input(2).rank() != 0) {
    return InvalidArgument("num_records must be a scalar, but had shape: {}",
                           c.input(2).shape().DebugString());
  }
  const auto n = c.input(2).scalar<int64_t>();
  if (n < 1) return InvalidArgument("num_records must be positive, not {}", n);
  std::vector<std::string> keys, values;
  GK_RETURN_IF_ERROR(Read(c, n, &keys, &values));
  c.set_output(0, Tensor::Vector<std::string>(keys));
  c.set_output(1, Tensor::Vector<std::string>(values));
  return OkStatus();
}

template <bool kRecords>
Status ComputeCount(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<ReaderResource> reader, ReaderOf(c));
  int64_t records = 0, completed = 0;
  GK_RETURN_IF_ERROR(reader->Count(c.cancellation(), &records, &completed));
  c.set_output(0, Tensor::Scalar(kRecords ? records : completed));
  return OkStatus();
}

Status ComputeState(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<ReaderResource> reader, ReaderOf(c));
  GK_ASSIGN_OR_RETURN(std::string state, reader->State(c.cancellation()));
  c.set_output(0, Tensor::Scalar(std::move(state)));
  return OkStatus();
}

Status ComputeRestore(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<ReaderResource> reader, ReaderOf(c));
  const Tensor& state = c.input(1);
  if (state.rank() != 0) {
    return InvalidArgument("Reader state must be scalar, but had shape: {}",
                           state.shape().DebugString());
  }
  return reader->Restore(state.scalar<std::string>(), c.cancellation());
}

Status ComputeReset(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<ReaderResource> reader, ReaderOf(c));
  return reader->Reset(c.cancellation());
}

Status ScalarsOfScalars(InferenceContext& c) {
  PartialTensorShape unused;
  for (int i = 0; i < c.num_inputs(); ++i) {
    GK_RETURN_IF_ERROR(c.WithRank(i, 0, &unused));
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, TensorShape());
  return OkStatus();
}

Status VectorsOfScalars(InferenceContext& c) {
  GK_RETURN_IF_ERROR(ScalarsOfScalars(c));
  c.set_output(0, {kUnknownDim});
  c.set_output(1, {kUnknownDim});
  return OkStatus();
}

constexpr uint64_t kMakeTraits = kStateful | kNoGradient;
constexpr uint64_t kUseTraits =
    kStateful | kReadsResource | kWritesResource | kNoGradient;
#define NAMED "container: string = ''; shared_name: string = ''"

const OpRecord kRecords[] = {
    {.name = "WholeFileReaderV2",
     .inputs = "",
     .outputs = "reader_handle: resource",
     .attrs = NAMED,
     .traits = kMakeTraits,
     .shape = ScalarsOfScalars,
     .kernel = {.compute = ComputeWholeReader},
     .doc = "A reader whose records are whole files; their keys the names."},

    {.name = "IdentityReaderV2",
     .inputs = "",
     .outputs = "reader_handle: resource",
     .attrs = NAMED,
     .traits = kMakeTraits,
     .shape = ScalarsOfScalars,
     .kernel = {.compute = ComputeIdentityReader},
     .doc = "A reader that gives what the queue has, as keys and values."},

    {.name = "TextLineReaderV2",
     .inputs = "",
     .outputs = "reader_handle: resource",
     .attrs = "skip_header_lines: int = 0; " NAMED,
     .traits = kMakeTraits,
     .shape = ScalarsOfScalars,
     .kernel = {.compute = ComputeLineReader},
     .doc = "A reader of the lines of files; keys are \"file:line\", from 1."},

    {.name = "TFRecordReaderV2",
     .inputs = "",
     .outputs = "reader_handle: resource",
     .attrs = NAMED "; compression_type: string = ''",
     .traits = kMakeTraits,
     .shape = ScalarsOfScalars,
     .kernel = {.compute = ComputeRecordReader},
     .doc = "A reader of files of records; keys are \"file:offset\"."},

    {.name = "FixedLengthRecordReaderV2",
     .inputs = "",
     .outputs = "reader_handle: resource",
     .attrs = "header_bytes: int = 0; record_bytes: int; footer_bytes: int = "
              "0; hop_bytes: int = 0; " NAMED "; encoding: string = ''",
     .traits = kMakeTraits,
     .shape = ScalarsOfScalars,
     .kernel = {.compute = ComputeLengthReader},
     .doc = "A reader of records of one length; keys are \"file:record\", from "
            "0. Each begins `hop_bytes` behind the one before it, or where "
            "that ends."},

    {.name = "ReaderReadV2",
     .inputs = "reader_handle: resource; queue_handle: resource",
     .outputs = "key: string; value: string",
     .traits = kUseTraits,
     .shape = ScalarsOfScalars,
     .kernel = {.compute = ComputeRead},
     .doc = "The next record; waits for the queue if there is none."},

    {.name = "ReaderReadUpToV2",
     .inputs = "reader_handle: resource; queue_handle: resource; num_records: "
               "int64",
     .outputs = "keys: string; values: string",
     .traits = kUseTraits,
     .shape = VectorsOfScalars,
     .kernel = {.compute = ComputeReadUpTo},
     .doc = "The next records, up to `num_records` of one file."},

    {.name = "ReaderNumRecordsProducedV2",
     .inputs = "reader_handle: resource",
     .outputs = "records_produced: int64",
     .traits = kUseTraits,
     .shape = ScalarsOfScalars,
     .kernel = {.compute = ComputeCount<true>},
     .doc = "How many records the reader gave."},

    {.name = "ReaderNumWorkUnitsCompletedV2",
     .inputs = "reader_handle: resource",
     .outputs = "units_completed: int64",
     .traits = kUseTraits,
     .shape = ScalarsOfScalars,
     .kernel = {.compute = ComputeCount<false>},
     .doc = "How many files the reader has read to their ends."},

    {.name = "ReaderSerializeStateV2",
     .inputs = "reader_handle: resource",
     .outputs = "state: string",
     .traits = kUseTraits,
     .shape = ScalarsOfScalars,
     .kernel = {.compute = ComputeState},
     .doc = "Where the reader is, of those that can tell."},

    {.name = "ReaderRestoreStateV2",
     .inputs = "reader_handle: resource; state: string",
     .outputs = "",
     .traits = kUseTraits,
     .shape = ScalarsOfScalars,
     .kernel = {.compute = ComputeRestore},
     .doc = "Brings the reader to where it was."},

    {.name = "ReaderResetV2",
     .inputs = "reader_handle: resource",
     .outputs = "",
     .traits = kUseTraits,
     .shape = ScalarsOfScalars,
     .kernel = {.compute = ComputeReset},
     .doc = "Brings the reader to its beginning."},
};

}  // namespace

GK_REGISTER_OPS(file_reading)

}  // namespace gk
