#include "function/variant_cache.h"

#include <map>
#include <mutex>
#include <tuple>

#include "base/caught.h"
#include "base/process_mutex.h"
#include "base/thread_number.h"
#include "function/trace_latch.h"

namespace gk {

struct VariantCache::Key {
  VariantRequest::Kind kind;
  std::vector<uint64_t> others;  // the functions but for the first
  std::vector<bool> wanted;
  bool higher_order;

  friend bool operator<(const Key& a, const Key& b) {
    return std::tie(a.kind, a.higher_order, a.wanted, a.others) <
           std::tie(b.kind, b.higher_order, b.wanted, b.others);
  }
};

struct VariantCache::Variants {
  struct Slot {
    Ref<DifferentiableNode> made;  // null while `maker` makes it
    uint64_t maker = 0;            // its ThreadNumber()
  };
  ProcessMutex& mutex = ProcessMutex::Of(this);
  std::map<Key, Slot> slots;
  // Where other first functions keep what was made of this one, too.
  std::vector<std::pair<std::weak_ptr<Variants>, Key>> elsewhere;
};

namespace {

uint64_t NextId() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

}  // namespace

VariantCache::VariantCache()
    : id_(NextId()), variants_(std::make_shared<Variants>()) {}

VariantCache::~VariantCache() {
  std::vector<Ref<DifferentiableNode>> dying;
  for (auto& [owner, key] : variants_->elsewhere) {
    const std::shared_ptr<Variants> variants = owner.lock();
    if (variants == nullptr) continue;
    std::lock_guard lock(variants->mutex);
    auto it = variants->slots.find(key);
    if (it == variants->slots.end()) continue;
    dying.push_back(std::move(it->second.made));
    variants->slots.erase(it);
  }
}

VariantCache& VariantCache::Of(const GraphFunction& function) {
  std::atomic<RefCounted*>& slot = function.gradients();
  RefCounted* cache = slot.load(std::memory_order_acquire);
  if (cache == nullptr) {
    auto* made = new VariantCache();
    if (slot.compare_exchange_strong(cache, made, std::memory_order_acq_rel)) {
      return *made;
    }
    made->Unref();
  }
  return *static_cast<VariantCache*>(cache);
}

StatusOr<Ref<DifferentiableNode>> VariantCache::Get(
    VariantRequest request,
    FunctionRef<StatusOr<Ref<DifferentiableNode>>()> make) {
  const std::shared_ptr<Variants> variants =
      Of(*request.functions[0]).variants_;
  Key key{request.kind, {}, std::move(request.wanted), request.higher_order};
  for (const GraphFunction* f : request.functions.subspan(1)) {
    key.others.push_back(Of(*f).id_);
  }
  const uint64_t self = ThreadNumber();
  while (true) {
    uint64_t maker;
    {
      std::lock_guard lock(variants->mutex);
      auto [it, fresh] = variants->slots.try_emplace(key);
      if (it->second.made) return it->second.made;
      if (fresh || IsLeftBehind(it->second.maker)) {
        it->second.maker = self;
        break;
      }
      maker = it->second.maker;
    }
    if (maker == self) {
      return InvalidArgument("Function {} runs itself: it has no gradient",
                             request.functions[0]->name());
    }
    GK_ASSIGN_OR_RETURN(const bool waited, WaitForThread(maker, [&] {
                          std::lock_guard lock(variants->mutex);
                          auto it = variants->slots.find(key);
                          return it == variants->slots.end() ||
                                 it->second.made || it->second.maker != maker;
                        }));
    // That thread waits for this one: what it makes cannot be had.
    if (!waited) return make();
  }

  const auto give_up = [&] {
    {
      std::lock_guard lock(variants->mutex);
      variants->slots.erase(key);
    }
    WakeWaiters();
  };
  StatusOr<Ref<DifferentiableNode>> made = [&] {
    try {
      return make();
    } catch (...) {
      try {
        return StatusOr<Ref<DifferentiableNode>>(CaughtStatus());
      } catch (...) {
        give_up();
        throw;
      }
    }
  }();
  if (!made.ok()) {
    give_up();
    return made;
  }
  {
    std::lock_guard lock(variants->mutex);
    variants->slots[key].made = *made;
  }
  WakeWaiters();
  for (const GraphFunction* f : request.functions.subspan(1)) {
    const std::shared_ptr<Variants> other = Of(*f).variants_;
    if (other == variants) continue;
    std::lock_guard lock(other->mutex);
    other->elsewhere.emplace_back(variants, key);
  }
  return made;
}

void ShareGradientOriginals(const GraphFunction& function,
                            const GraphFunction& derived) {
  std::vector<Ref<Graph>> originals = VariantCache::Of(function).originals;
  originals.push_back(function.graph_ref());
  VariantCache::Of(derived).originals = std::move(originals);
}

}  // namespace gk
