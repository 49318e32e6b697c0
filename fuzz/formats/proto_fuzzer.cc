// Every kind of message: what is read is written and read again the same, and
// has a text. The first byte says which kind; the others are the message.
#include <iterator>
#include <string>
#include <string_view>

#include "driver/fuzz_target.h"
#include "proto/checkpoint.gk.h"
#include "proto/config.gk.h"
#include "proto/event.gk.h"
#include "proto/example.gk.h"
#include "proto/graph.gk.h"
#include "proto/saved_model.gk.h"
#include "proto/step_stats.gk.h"
#include "proto/tensor.gk.h"
#include "proto/well_known.gk.h"

namespace gk::fuzz {
namespace {

template <class M>
void Check(std::string_view bytes) {
  M message;
  if (!message.Parse(bytes).ok()) return;
  const std::string written = message.Serialize();
  M again;
  if (!again.Parse(written).ok()) Fail("what was written cannot be read");
  if (again.Serialize() != written) Fail("another message was read back");
  message.ToText();
  M copy = message;
  if (copy.Serialize() != written) Fail("a copy is another message");
}

using CheckFn = void (*)(std::string_view);

constexpr CheckFn kChecks[] = {
    Check<proto::GraphDef>,
    Check<proto::FunctionDefLibrary>,
    Check<proto::NodeDef>,
    Check<proto::OpList>,
    Check<proto::TensorProto>,
    Check<proto::SavedModel>,
    Check<proto::ConfigProto>,
    Check<proto::Event>,
    Check<proto::Example>,
    Check<proto::SequenceExample>,
    Check<proto::BundleHeaderProto>,
    Check<proto::BundleEntryProto>,
    Check<proto::TrackableObjectGraph>,
    Check<proto::SavedObjectGraph>,
    Check<proto::StepStats>,
    Check<proto::Any>,
    Check<proto::RunOptions>,
    Check<proto::RunMetadata>,
    Check<proto::TaggedRunMetadata>,
    Check<proto::CheckpointState>,
    Check<proto::VariableDef>,
    Check<proto::SaverDef>,
    Check<proto::FingerprintDef>,
    Check<proto::GraphDebugInfo>,
    Check<proto::StructuredValue>,
};

}  // namespace
}  // namespace gk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  gk::fuzz::kChecks[data[0] % std::size(gk::fuzz::kChecks)](bytes.substr(1));
  // Plain messages of a corpus are graphs.
  gk::fuzz::Check<gk::proto::GraphDef>(bytes);
  return 0;
}
