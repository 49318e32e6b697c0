#include "function/baked_values.h"

#include <algorithm>
#include <iterator>

#include "base/format.h"
#include "function/host_words.h"
#include "function/trace_cache.h"

namespace gk {

OnBakedChange OnBakedChangeNamed(std::string_view word) {
  const auto at = std::ranges::find(kOnBakedChange, word);
  return at == std::end(kOnBakedChange)
             ? OnBakedChange::kIgnore
             : static_cast<OnBakedChange>(1 + (at - kOnBakedChange));
}

std::string BakedChangesText(std::string_view name,
                             std::span<const BakedChange> changes,
                             const HostWords& words) {
  std::string text;
  for (const BakedChange& change : changes) {
    text += Format(
        "{}{} was {} when {} was traced and is {} now; the trace goes on with "
        "the earlier value. It is read at {}. Make it a {} or an argument to "
        "let it change.",
        text.empty() ? "" : "\n", change.name, change.before, name, change.now,
        words.call_site(change.read), words.variable);
  }
  return text;
}

Status DropStale(std::span<const BakedChange> changes, BakedValues* values) {
  for (const BakedChange& change : changes) {
    for (const auto& cache : change.caches) {
      for (const Ref<Trace>& trace : cache->traces()) {
        GK_ASSIGN_OR_RETURN(const std::vector<BakedChange> own,
                            values->ChangesOf(*trace));
        if (!own.empty()) cache->Drop(trace.get());
      }
    }
  }
  return OkStatus();
}

}  // namespace gk
