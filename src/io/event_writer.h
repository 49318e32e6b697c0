// EventWriter: an event file, which programs that show a run's numbers read.
//
// It is a file of framed records (record_io.h), each a proto::Event; the first
// says which version of the format this is. Events wait in a queue: they are
// written, whole records only, once there are more than `max_queue`, when
// `flush_millis` have gone by, on Flush(), on Close() and when the program
// ends. A process that is killed leaves all that was written until then.
//
// Thread-safe. A forked child has none of its parent's writers: writing fails
// there, and nothing that waits is written twice.
#ifndef GK_IO_EVENT_WRITER_H_
#define GK_IO_EVENT_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "proto/event.gk.h"

namespace gk::io {

struct EventWriterOptions {
  int64_t max_queue = 10;
  int64_t flush_millis = 2 * 60 * 1000;
  std::string suffix = ".v2";  // of the file's name
};

class EventWriter {
 public:
  // Makes the folder, with those around it, and in it
  // "events.out.tfevents.<seconds>.<host>.<process>.<number><suffix>". Errors
  // are those of the file system.
  static StatusOr<std::unique_ptr<EventWriter>> Open(
      const std::string& folder, const EventWriterOptions& options = {});
  // Writes what waits and closes the file.
  ~EventWriter();
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  // FailedPrecondition once it is closed, or in a forked child. An error of
  // the thread that writes behind the program's back is that of the next call.
  Status Write(const proto::Event& event);
  // Of the bytes of an event.
  Status WriteBytes(std::string event);
  // What waits is in the file afterwards.
  Status Flush();
  // Once more: nothing is left to do.
  Status Close();
  // Flushes all that are open in this process; the first error.
  static Status FlushAll();
  const std::string& path() const;

 private:
  class State;
  explicit EventWriter(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

}  // namespace gk::io

#endif  // GK_IO_EVENT_WRITER_H_
