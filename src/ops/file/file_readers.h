// ReaderResource: what handles of readers refer to, of graphs of version 1. It
// takes names of work, of files mostly, from a queue, and gives their records
// one after the other. Thread-safe: one call at a time reads.
#ifndef GK_OPS_FILE_FILE_READERS_H_
#define GK_OPS_FILE_FILE_READERS_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/process_mutex.h"
#include "framework/resource.h"
#include "ops/queue/queue.h"

namespace gk {

// The records of one piece of work.
class ReaderWork {
 public:
  virtual ~ReaderWork() = default;
  // False at the end. `last`: it is known that no other record follows.
  virtual StatusOr<bool> Next(std::string* key, std::string* value,
                              bool* last) = 0;
};
using ReaderWorkPtr = std::unique_ptr<ReaderWork>;

class ReaderResource final : public Resource {
 public:
  using OpenFn = std::function<StatusOr<ReaderWorkPtr>(const std::string&)>;

  // `type`: "TextLineReader", for messages. `has_state`: it can be saved.
  ReaderResource(std::string type, std::string name, bool has_state,
                 OpenFn open)
      : type_(std::move(type)),
        name_(std::move(name)),
        has_state_(has_state),
        open_(std::move(open)) {}

  std::string_view kind() const override { return "Reader"; }
  std::string_view type_name() const override {
    return "tensorflow::ReaderInterface";
  }

  // Up to n records of one piece of work, at least one; waits for work.
  // OutOfRange once the queue is closed and empty.
  Status Read(int64_t n, QueueResource* queue,
              const CancellationToken* cancellation,
              std::vector<std::string>* keys, std::vector<std::string>* values);
  Status Count(const CancellationToken* cancellation, int64_t* records,
               int64_t* completed);
  // A message ReaderBaseState of TensorFlow's. Unimplemented without a state.
  StatusOr<std::string> State(const CancellationToken* cancellation);
  Status Restore(const std::string& state,
                 const CancellationToken* cancellation);
  Status Reset(const CancellationToken* cancellation);

 private:
  struct Progress {
    int64_t started = 0, finished = 0, records = 0;
    std::string name;
  };
  class Turn;

  // Of the work that is going on; none if it had ended.
  Status ReadSome(int64_t n, std::vector<std::string>* keys,
                  std::vector<std::string>* values);
  Status Start(QueueResource* queue, const CancellationToken* cancellation);
  void Finish();

  const std::string type_, name_;
  const bool has_state_;
  const OpenFn open_;
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
  std::condition_variable_any changed_;
  bool is_taken_ = false;
  // Of whoever took it.
  Progress progress_;
  ReaderWorkPtr work_;  // null: none is going on
};

}  // namespace gk

#endif  // GK_OPS_FILE_FILE_READERS_H_
