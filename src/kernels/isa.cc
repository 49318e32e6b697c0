#include "kernels/isa.h"

#include <cstdlib>
#include <cstring>

namespace gk {
namespace {

Isa Detect() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  Isa best = Isa::kV2;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    best = Isa::kV3;
  }
  if (best == Isa::kV3 && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    best = Isa::kV4;
  }
#else
  Isa best = Isa::kV2;
#endif
  if (const char* wish = std::getenv("GK_ISA")) {
    Isa limit = best;
    if (std::strcmp(wish, "v2") == 0) limit = Isa::kV2;
    if (std::strcmp(wish, "v3") == 0) limit = Isa::kV3;
    if (limit < best) best = limit;
  }
  return best;
}

}  // namespace

Isa CurrentIsa() {
  static const Isa isa = Detect();
  return isa;
}

}  // namespace gk
