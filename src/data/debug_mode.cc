#include "data/debug_mode.h"

#include <atomic>

namespace gk {
namespace {

std::atomic<bool> debug_mode{false};

}  // namespace

bool DatasetDebugMode() { return debug_mode.load(std::memory_order_relaxed); }
void EnableDatasetDebugMode() { debug_mode = true; }

}  // namespace gk
