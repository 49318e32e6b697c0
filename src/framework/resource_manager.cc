#include "framework/resource_manager.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "base/down_cast.h"
#include "base/process_mutex.h"

namespace gk {

class ResourceManager::Names {
 public:
  using Dropped = std::vector<Ref<Resource>>;  // released after the lock
  using Place = std::tuple<std::string, std::string, std::string_view>;

  using IsVoid = bool (*)(const Resource&);

  Ref<Resource> Find(const Place& place,
                     FunctionRef<bool(const Resource&)> fits) {
    const std::lock_guard lock(mutex_);
    const auto it = resources_.find(place);
    if (it == resources_.end() || !fits(*it->second.resource)) return {};
    return it->second.resource;
  }

  // What is there and fits, else `made`, which takes its place.
  Ref<Resource> Keep(Place place, Ref<Resource> made, IsVoid is_void,
                     FunctionRef<bool(const Resource&)> fits,
                     Dropped* dropped) {
    const std::lock_guard lock(mutex_);
    Named& known = resources_[std::move(place)];
    if (known.resource && fits(*known.resource)) return known.resource;
    dropped->push_back(std::exchange(known.resource, made));
    known.is_void = is_void;
    if (resources_.size() > swept_at_) DropUnused(dropped);
    return made;
  }

  // One whose type's name `is_it` knows, whatever kind of name it has.
  Ref<Resource> FindTyped(const std::string& container, const std::string& name,
                          FunctionRef<bool(std::string_view type)> is_it) {
    const std::lock_guard lock(mutex_);
    auto it = resources_.lower_bound({container, name, {}});
    for (; it != resources_.end() && std::get<0>(it->first) == container &&
           std::get<1>(it->first) == name;
         ++it) {
      const Ref<Resource>& found = it->second.resource;
      if (is_it(found->type_name())) return found;
    }
    return {};
  }

  bool Erase(const std::string& container, const std::string& name,
             const Resource* resource, Dropped* dropped) {
    const std::lock_guard lock(mutex_);
    auto it = resources_.lower_bound({container, name, {}});
    for (; it != resources_.end() && std::get<0>(it->first) == container &&
           std::get<1>(it->first) == name;
         ++it) {
      if (it->second.resource.get() != resource) continue;
      dropped->push_back(std::move(it->second.resource));
      resources_.erase(it);
      return true;
    }
    return false;
  }

  void Drop(std::string_view container, Dropped* dropped) {
    const std::lock_guard lock(mutex_);
    auto it = resources_.lower_bound({std::string(container), "", {}});
    while (it != resources_.end() && std::get<0>(it->first) == container) {
      dropped->push_back(std::move(it->second.resource));
      it = resources_.erase(it);
    }
  }

 private:
  struct Named {
    Ref<Resource> resource;
    IsVoid is_void = nullptr;
  };

  // Names that nobody has a handle to, of resources with nothing in them, take
  // no memory for ever.
  void DropUnused(Dropped* dropped) {
    for (auto it = resources_.begin(); it != resources_.end();) {
      const Named& named = it->second;
      if (named.resource->RefCountIsOne() && named.is_void(*named.resource)) {
        dropped->push_back(std::move(it->second.resource));
        it = resources_.erase(it);
      } else {
        ++it;
      }
    }
    swept_at_ = std::max(kSweepAt, 2 * resources_.size());
  }

  static constexpr size_t kSweepAt = 1024;
  ProcessMutex mutex_;
  std::map<Place, Named> resources_;
  size_t swept_at_ = kSweepAt;
};

std::string MangledName(std::string_view type) {
  std::string mangled = "N";
  while (!type.empty()) {
    const size_t end = std::min(type.find("::"), type.size());
    mangled += std::to_string(end);
    mangled += type.substr(0, end);
    type.remove_prefix(std::min(end + 2, type.size()));
  }
  return mangled + "E";
}

ResourceManager& ResourceManager::Get() {
  static ResourceManager manager;
  return manager;
}

ResourceManager::Names& ResourceManager::names() {
  // Threads may still run when the process ends.
  static auto* const all = new Names;
  return *all;
}

StatusOr<Ref<Resource>> ResourceManager::FindOrMake(
    Key key, FunctionRef<StatusOr<Ref<Resource>>()> make,
    FunctionRef<bool(const Resource&)> fits) {
  if (key.container.empty()) key.container = kDefaultContainer;
  Names::Place place{std::move(key.container), std::move(key.name), key.kind};
  if (Ref<Resource> known = names().Find(place, fits)) return known;
  GK_ASSIGN_OR_RETURN(Ref<Resource> made, make());
  Names::Dropped dropped;
  return names().Keep(std::move(place), std::move(made), key.is_void, fits,
                      &dropped);
}

bool ResourceManager::Erase(const std::string& container,
                            const std::string& name, Resource* resource) {
  Names::Dropped dropped;
  if (!names().Erase(container, name, resource, &dropped)) return false;
  if (auto* named = DownCast<NamedResource>(resource)) named->set_erased();
  return true;
}

StatusOr<Ref<Resource>> ResourceManager::Now(const ResourceHandle& handle) {
  auto* const named = DownCast<NamedResource>(handle.resource());
  if (named == nullptr || !named->is_erased()) {
    return Ref<Resource>(handle.resource());
  }
  Ref<Resource> found = names().FindTyped(
      handle.container(), handle.name(),
      [&](std::string_view type) { return type == named->type_name(); });
  if (found) return found;
  return MissingResource(handle);
}

StatusOr<Ref<Resource>> ResourceManager::Find(const std::string& container,
                                              const std::string& name,
                                              std::string_view type) {
  Ref<Resource> found =
      names().FindTyped(container, name, [&](std::string_view t) {
        return MangledName(t) == type;
      });
  if (found) return found;
  return NotFound("Resource {}/{}/{} does not exist.", container, name, type);
}

Status MissingResource(const ResourceHandle& handle) {
  return NotFound(
      "Resource {}/{}/{} does not exist.", handle.container(), handle.name(),
      handle.resource() ? MangledName(handle.resource()->type_name()) : "none");
}

void ResourceManager::Drop(std::string_view container) {
  Names::Dropped dropped;
  names().Drop(container, &dropped);
}

}  // namespace gk
