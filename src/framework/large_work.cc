#include "framework/large_work.h"

#include <algorithm>
#include <string>
#include <utility>

namespace gk {
namespace {

thread_local LargeWorkListener* innermost = nullptr;

}  // namespace

void LargeWorkListener::Note(DataType dtype, int64_t elements) {
  const int64_t size =
      IsObjectType(dtype) ? sizeof(std::string) : DataTypeSize(dtype);
  const int64_t large =
      static_cast<int64_t>(kLargeWorkBytes) / std::max<int64_t>(size, 1);
  if (elements >= large && innermost != nullptr) innermost->OnLargeWork();
}

LargeWorkListener::Scope::Scope(LargeWorkListener* listener)
    : outer_(std::exchange(innermost, listener)) {}
LargeWorkListener::Scope::~Scope() { innermost = outer_; }

}  // namespace gk
