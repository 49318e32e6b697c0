#include "ops/file/file_readers.h"

#include "ops/queue/waiting.h"
#include "proto/wire.h"

namespace gk {
namespace {

// Numbers of the fields of ReaderBaseState.
enum Field : uint32_t { kStarted = 1, kFinished, kRecords, kName };

}  // namespace

// Others wait, without a lock that who holds it needs.
class ReaderResource::Turn {
 public:
  explicit Turn(ReaderResource* reader) : reader_(reader) {}
  Turn(const Turn&) = delete;
  ~Turn() {
    if (!has_) return;
    const std::lock_guard lock(reader_->mutex_);
    reader_->is_taken_ = false;
    reader_->changed_.notify_all();
  }
  Status Take(const CancellationToken* cancellation) {
    Waiting waiting(cancellation);
    Waiting::Lock lock(reader_->mutex_);
    while (reader_->is_taken_) {
      GK_RETURN_IF_ERROR(waiting.Once(lock, reader_->changed_));
    }
    has_ = reader_->is_taken_ = true;
    return OkStatus();
  }

 private:
  ReaderResource* const reader_;
  bool has_ = false;
};

Status ReaderResource::Read(int64_t n, QueueResource* queue,
                            const CancellationToken* cancellation,
                            std::vector<std::string>* keys,
                            std::vector<std::string>* values) {
  Turn turn(this);
  GK_RETURN_IF_ERROR(turn.Take(cancellation));
  while (keys->empty()) {
    if (work_ == nullptr) {
      GK_RETURN_IF_ERROR(Start(queue, cancellation));
    }
    const Status status = ReadSome(n, keys, values);
    if (!status.ok()) {
      Finish();
      return status;
    }
  }
  return OkStatus();
}

Status ReaderResource::ReadSome(int64_t n, std::vector<std::string>* keys,
                                std::vector<std::string>* values) {
  while (static_cast<int64_t>(keys->size()) < n) {
    std::string key, value;
    bool last = false;
    GK_ASSIGN_OR_RETURN(const bool more, work_->Next(&key, &value, &last));
    if (more) {
      keys->push_back(std::move(key));
      values->push_back(std::move(value));
      ++progress_.records;
    }
    if (!more || last) {
      Finish();
      break;
    }
  }
  return OkStatus();
}

Status ReaderResource::Start(QueueResource* queue,
                             const CancellationToken* cancellation) {
  std::vector<TensorVector> tuples;
  GK_RETURN_IF_ERROR(queue->Dequeue(1, false, &tuples, cancellation));
  const TensorVector& tuple = tuples[0];
  if (tuple.size() != 1) {
    return InvalidArgument("Expected single component queue");
  }
  if (tuple[0].dtype() != DataType::kString) {
    return InvalidArgument("Expected queue with single string component");
  }
  if (tuple[0].num_elements() != 1) {
    return InvalidArgument("Expected to dequeue a one-element string tensor");
  }
  progress_.name = tuple[0].data<std::string>()[0];
  GK_ASSIGN_OR_RETURN(work_, open_(progress_.name));
  ++progress_.started;
  return OkStatus();
}

void ReaderResource::Finish() {
  work_ = nullptr;
  progress_.finished = progress_.started;
}

Status ReaderResource::Count(const CancellationToken* cancellation,
                             int64_t* records, int64_t* completed) {
  Turn turn(this);
  GK_RETURN_IF_ERROR(turn.Take(cancellation));
  *records = progress_.records;
  *completed = progress_.finished;
  return OkStatus();
}

StatusOr<std::string> ReaderResource::State(
    const CancellationToken* cancellation) {
  if (!has_state_) return Unimplemented("Reader SerializeState");
  Turn turn(this);
  GK_RETURN_IF_ERROR(turn.Take(cancellation));
  proto::Writer writer;  // from the back
  if (!progress_.name.empty()) {
    writer.Bytes(progress_.name);
    writer.Tag(kName, proto::kBytes);
  }
  const std::pair<Field, int64_t> counts[] = {{kRecords, progress_.records},
                                              {kFinished, progress_.finished},
                                              {kStarted, progress_.started}};
  for (const auto& [field, count] : counts) {
    if (count == 0) continue;
    writer.Varint(static_cast<uint64_t>(count));
    writer.Tag(field, proto::kVarint);
  }
  return writer.str();
}

Status ReaderResource::Restore(const std::string& state,
                               const CancellationToken* cancellation) {
  if (!has_state_) return Unimplemented("Reader RestoreState");
  Progress read;
  proto::Reader reader(state);
  while (!reader.done()) {
    uint32_t tag = 0;
    uint64_t count = 0;
    std::string_view name;
    bool good = reader.Tag(&tag);
    const uint32_t field = tag >> 3;
    if (good && (tag & 7) == proto::kVarint && field <= kRecords) {
      good = reader.Varint(&count);
      (field == kStarted    ? read.started
       : field == kFinished ? read.finished
                            : read.records) = static_cast<int64_t>(count);
    } else if (good && tag == (kName << 3 | proto::kBytes)) {
      good = reader.Bytes(&name);
      read.name = name;
    } else {
      good = good && reader.Skip(tag);
    }
    if (!good) {
      return InvalidArgument("Could not parse state for {} '{}': {}", type_,
                             name_, state);
    }
  }
  if (read.started < 0 || read.finished < 0 || read.records < 0) {
    return InvalidArgument(
        "Unexpected negative value when restoring in {} '{}'", type_, name_);
  }
  if (read.started != read.finished) {
    return InvalidArgument(
        "Inconsistent work started vs. finished when restoring in {} '{}'",
        type_, name_);
  }
  Turn turn(this);
  GK_RETURN_IF_ERROR(turn.Take(cancellation));
  work_ = nullptr;
  progress_ = std::move(read);
  return OkStatus();
}

Status ReaderResource::Reset(const CancellationToken* cancellation) {
  Turn turn(this);
  GK_RETURN_IF_ERROR(turn.Take(cancellation));
  work_ = nullptr;
  progress_ = {};
  return OkStatus();
}

}  // namespace gk
