// What kinds of summaries there are, and what their events say of themselves,
// so that TensorBoard finds the page that shows them.
#ifndef GK_OPS_SUMMARY_SUMMARY_KIND_H_
#define GK_OPS_SUMMARY_SUMMARY_KIND_H_

#include <string>
#include <string_view>

namespace gk {

struct SummaryKind {
  std::string_view plugin;   // the page's name
  std::string_view content;  // what it wants to know
};

inline constexpr SummaryKind kScalarSummary{"scalars", ""};
inline constexpr SummaryKind kImageSummary{"images", ""};
inline constexpr SummaryKind kHistogramSummary{"histograms", ""};
inline constexpr SummaryKind kTextSummary{"text", ""};
// An AudioPluginData whose encoding is WAV.
inline constexpr SummaryKind kAudioSummary{"audio", "\x10\x0b"};
// A RunMetadata with graphs, and one with all that is known.
inline constexpr SummaryKind kRunGraphs{"graph_run_metadata_graph", "1"};
inline constexpr SummaryKind kRunMetadata{"graph_run_metadata", "1"};

// A serialized SummaryMetadata; the description may be Markdown.
std::string SummaryMetadataOf(const SummaryKind& kind,
                              const std::string& description = {});

}  // namespace gk

#endif  // GK_OPS_SUMMARY_SUMMARY_KIND_H_
