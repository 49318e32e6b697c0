// The resource behind the handles of writers of summaries: an event file, once
// one is opened.
#ifndef GK_OPS_SUMMARY_SUMMARY_WRITER_H_
#define GK_OPS_SUMMARY_SUMMARY_WRITER_H_

#include <memory>
#include <string>

#include "framework/resource_manager.h"
#include "io/event_writer.h"

namespace gk {

// Thread-safe.
class SummaryWriterResource final : public NamedResource {
 public:
  explicit SummaryWriterResource(std::string name) : name_(std::move(name)) {}

  std::string_view kind() const override { return "SummaryWriter"; }
  std::string_view type_name() const override {
    return "tensorflow::SummaryWriterInterface";
  }

  // Does nothing if it is open.
  Status Open(const std::string& folder, const io::EventWriterOptions& options);
  // NotFound unless it is open.
  StatusOr<std::shared_ptr<io::EventWriter>> writer() const;
  // Writes what waits; it may be opened again. NotFound unless it is open.
  Status Close();

 private:
  const std::string name_;
  std::shared_ptr<io::EventWriter> writer_;  // under ProcessMutex::Of(this)
};

}  // namespace gk

#endif  // GK_OPS_SUMMARY_SUMMARY_WRITER_H_
