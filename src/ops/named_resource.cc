#include "ops/named_resource.h"

#include <atomic>
#include <mutex>

#include "base/process_mutex.h"

namespace gk {
namespace {

// Of one node, whoever runs it.
struct NodeResource final : KernelState {
  Ref<Resource> resource;
  std::string name;
};

bool IsErased(const KernelState& state) {
  const auto* named = DownCast<const NamedResource>(
      static_cast<const NodeResource&>(state).resource.get());
  return named != nullptr && named->is_erased();
}

std::string FreshName() {
  static std::atomic<uint64_t> next{0};
  return "Resource-" +
         std::to_string(next.fetch_add(1, std::memory_order_relaxed));
}

}  // namespace

StatusOr<Ref<Resource>> FindOrMakeNamed(const KernelContext& c,
                                        std::string_view kind,
                                        MakeResourceFn make) {
  const std::string& name = c.attr<std::string>("shared_name");
  return ResourceManager::Get().FindOrMake(
      {c.attr<std::string>("container"), name, kind},
      [&] { return make(name); });
}

Status OutputResource(KernelContext& c, std::string_view kind, HandleData data,
                      MakeResourceFn make) {
  const auto give = [&](Ref<Resource> resource, std::string name,
                        std::string container) {
    c.set_output(0, Tensor::Scalar(
                        ResourceHandle(std::move(resource), std::move(name),
                                       std::move(data), std::move(container))));
    return OkStatus();
  };
  const std::string& shared = c.attr<std::string>("shared_name");
  std::string container = c.attr<std::string>("container");
  if (container.empty()) container = kDefaultContainer;
  if (!shared.empty()) {
    GK_ASSIGN_OR_RETURN(Ref<Resource> found, ResourceManager::Get().FindOrMake(
                                                 {container, shared, kind},
                                                 [&] { return make(shared); }));
    return give(std::move(found), shared, std::move(container));
  }
  if (SharedKernelState* node = c.shared_state()) {
    const std::lock_guard lock(ProcessMutex::Of(node));
    if (node->state == nullptr || IsErased(*node->state)) {
      auto state = std::make_unique<NodeResource>();
      state->name = FreshName();
      GK_ASSIGN_OR_RETURN(state->resource, make(state->name));
      node->state = std::move(state);
    }
    const auto& state = static_cast<const NodeResource&>(*node->state);
    return give(state.resource, state.name, std::move(container));
  }
  std::string name = FreshName();
  GK_ASSIGN_OR_RETURN(Ref<Resource> made, make(name));
  return give(std::move(made), std::move(name), "Anonymous");
}

}  // namespace gk
