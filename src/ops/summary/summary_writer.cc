#include "ops/summary/summary_writer.h"

#include <mutex>
#include <utility>

#include "base/process_mutex.h"

namespace gk {

Status SummaryWriterResource::Open(const std::string& folder,
                                   const io::EventWriterOptions& options) {
  if (writer().ok()) return OkStatus();
  // Files are opened without the lock. Where two threads meet, the first stays.
  GK_ASSIGN_OR_RETURN(std::shared_ptr<io::EventWriter> made,
                      io::EventWriter::Open(folder, options));
  const std::lock_guard lock(ProcessMutex::Of(this));
  if (writer_ == nullptr) writer_.swap(made);
  return OkStatus();
}

StatusOr<std::shared_ptr<io::EventWriter>> SummaryWriterResource::writer()
    const {
  const std::lock_guard lock(ProcessMutex::Of(this));
  if (writer_ != nullptr) return writer_;
  return NotFound(
      "Resource localhost/{}/N10tensorflow22SummaryWriterInterfaceE does not "
      "exist. The writer of summaries was closed, or not yet opened",
      name_);
}

Status SummaryWriterResource::Close() {
  GK_ASSIGN_OR_RETURN(std::shared_ptr<io::EventWriter> closing, writer());
  {
    const std::lock_guard lock(ProcessMutex::Of(this));
    if (writer_ == closing) writer_.reset();
  }
  return closing->Close();
}

}  // namespace gk
