// ResourceManager: the resources of the process that have names. Two handles
// made of one container, kind and name refer to one resource.
//
// It lives until it is erased, or its container is dropped, and as long as
// somebody has a handle. Thread-safe; a search takes a lock for as long as a
// map's search takes.
#ifndef GK_FRAMEWORK_RESOURCE_MANAGER_H_
#define GK_FRAMEWORK_RESOURCE_MANAGER_H_

#include <atomic>
#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "base/status.h"
#include "framework/resource.h"

namespace gk {

// The container of those that name none.
inline constexpr std::string_view kDefaultContainer = "localhost";
// Of those that only handles know.
inline constexpr std::string_view kAnonymousContainer = "Anonymous";
// The name that asks for a resource of one's own.
inline constexpr std::string_view kAnonymousName =
    "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

// A resource that handles no longer refer to once it was erased.
class NamedResource : public Resource {
 public:
  bool is_erased() const { return is_erased_.load(std::memory_order_relaxed); }
  void set_erased() { is_erased_.store(true, std::memory_order_relaxed); }

 private:
  std::atomic<bool> is_erased_{false};
};

class ResourceManager {
 public:
  // Which resource: names of different kinds ("table", "queue") are apart.
  struct Key {
    std::string container;  // empty: the default one
    std::string name;
    std::string_view kind;  // lives for ever
    // Would nothing be lost with it? Such a one may go when nobody has a
    // handle.
    bool (*is_void)(const Resource&) = [](const Resource&) { return false; };
  };

  static ResourceManager& Get();

  // The one of this name, made if there is none. One that `fits` refuses is
  // replaced. `make` runs without a lock: where two threads meet, both make
  // one and get the first.
  StatusOr<Ref<Resource>> FindOrMake(
      Key key, FunctionRef<StatusOr<Ref<Resource>>()> make,
      FunctionRef<bool(const Resource&)> fits = [](const Resource&) {
        return true;
      });

  // The one of this name and mangled type name; NotFound if there is none.
  StatusOr<Ref<Resource>> Find(const std::string& container,
                               const std::string& name, std::string_view type);

  // Handles of this name refer to a new resource from now on; those that are
  // there, to a NamedResource, too (Now). False if it is not known by this
  // name.
  bool Erase(const std::string& container, const std::string& name,
             Resource* resource);
  // What a handle refers to now: its resource, or, if that was erased, one of
  // its type that has the name since. NotFound if none has.
  StatusOr<Ref<Resource>> Now(const ResourceHandle& handle);
  // All of a container.
  void Drop(std::string_view container);

 private:
  ResourceManager() = default;
  class Names;
  Names& names();
};

// "N10tensorflow3VarE" of "tensorflow::Var": as TensorFlow's errors and files
// have it.
std::string MangledName(std::string_view type);

// NotFound that says that the resource of a handle does not exist.
Status MissingResource(const ResourceHandle& handle);

}  // namespace gk

#endif  // GK_FRAMEWORK_RESOURCE_MANAGER_H_
