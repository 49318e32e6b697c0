#include "ops/summary/summary_kind.h"

#include "proto/event.gk.h"

namespace gk {

std::string SummaryMetadataOf(const SummaryKind& kind,
                              const std::string& description) {
  proto::SummaryMetadata metadata;
  proto::SummaryMetadata_PluginData& plugin = metadata.plugin_data.mut();
  plugin.plugin_name = kind.plugin;
  plugin.content = kind.content;
  metadata.summary_description = description;
  return metadata.Serialize();
}

}  // namespace gk
