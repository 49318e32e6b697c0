// Where a function failed is known to the layer that runs functions, for each
// thread by itself. Whoever runs one in the background hands that on with the
// error; whoever takes an error for something else (the end of a sequence)
// drops it.
#ifndef GK_DATA_ERROR_SITE_H_
#define GK_DATA_ERROR_SITE_H_

#include <memory>

namespace gk {

using ErrorSite = std::shared_ptr<const void>;

struct ErrorSiteHooks {
  ErrorSite (*take)() = nullptr;
  void (*put)(const ErrorSite& site) = nullptr;
};
// Set once at start.
void SetErrorSiteHooks(ErrorSiteHooks hooks);

// The site of the last failure on this thread, which forgets it; null if
// there is none.
ErrorSite TakeErrorSite();
// Makes it that of this thread.
void PutErrorSite(const ErrorSite& site);

}  // namespace gk

#endif  // GK_DATA_ERROR_SITE_H_
