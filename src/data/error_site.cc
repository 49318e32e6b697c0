#include "data/error_site.h"

namespace gk {
namespace {

ErrorSiteHooks current;

}  // namespace

void SetErrorSiteHooks(ErrorSiteHooks hooks) { current = hooks; }

ErrorSite TakeErrorSite() {
  return current.take == nullptr ? nullptr : current.take();
}

void PutErrorSite(const ErrorSite& site) {
  if (site != nullptr && current.put != nullptr) current.put(site);
}

}  // namespace gk
