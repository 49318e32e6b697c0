// Stamps one kernel body for several instruction set levels.
//
// A body is a struct with a static, always-inline Run(). Stamp<Body, Sig>
// compiles it once per level through function target attributes, so no file
// is ever compiled for a newer CPU as a whole (shared inline functions would
// leak newer instructions to everybody). Pick the pointer once, when a plan
// or a table is built; calling it then costs nothing extra.
#ifndef GK_KERNELS_ISA_H_
#define GK_KERNELS_ISA_H_

#include <cstdint>

#define GK_INLINE inline __attribute__((always_inline))

#if defined(__x86_64__)
#define GK_TARGET_V2 __attribute__((target("arch=x86-64-v2"), flatten))
#define GK_TARGET_V3 __attribute__((target("arch=x86-64-v3"), flatten))
#define GK_TARGET_V4 \
  __attribute__((target("arch=x86-64-v4,prefer-vector-width=512"), flatten))
#else
#define GK_TARGET_V2 __attribute__((flatten))
#define GK_TARGET_V3 __attribute__((flatten))
#define GK_TARGET_V4 __attribute__((flatten))
#undef GK_ISA_V3
#undef GK_ISA_V4
#ifndef GK_ISA_V2
#define GK_ISA_V2 1
#endif
#endif

#ifdef GK_ISA_V2
#define GK_STAMPS_V2 true
#else
#define GK_STAMPS_V2 false
#endif
#ifdef GK_ISA_V3
#define GK_STAMPS_V3 true
#else
#define GK_STAMPS_V3 false
#endif
#ifdef GK_ISA_V4
#define GK_STAMPS_V4 true
#else
#define GK_STAMPS_V4 false
#endif

namespace gk {

inline constexpr bool kStampsV2 = GK_STAMPS_V2, kStampsV3 = GK_STAMPS_V3,
                      kStampsV4 = GK_STAMPS_V4;

enum class Isa : uint8_t { kV2, kV3, kV4 };

// The best level that is both built in and supported by this CPU. The
// environment variable GK_ISA (v2, v3, v4) can lower it. Constant after the
// first call; thread-safe.
Isa CurrentIsa();

template <class Body, class Signature>
struct Stamp;

template <class Body, class R, class... Args>
struct Stamp<Body, R(Args...)> {
  using Fn = R (*)(Args...);

  // Levels cost compile time: `kMax` caps those stamped where the newer ones
  // gain nothing (narrow integers past v3) or speed does not matter (v2).
  template <Isa kMax = Isa::kV4>
  static Fn For(Isa isa) {
    if constexpr (kMax >= Isa::kV4 && kStampsV4) {
      if (isa >= Isa::kV4) return &V4;
    }
    if constexpr (kMax >= Isa::kV3 && kStampsV3) {
      if (isa >= Isa::kV3) return &V3;
    }
    if constexpr (kStampsV2) {
      return &V2;
    } else {
      return &V3;  // Development builds stamp v3 alone.
    }
  }
  template <Isa kMax = Isa::kV4>
  static Fn Best() {
    static const Fn fn = For<kMax>(CurrentIsa());
    return fn;
  }
  // That level alone, for bodies made for its registers; the CPU must have it.
  template <Isa kLevel>
  static Fn Only() {
    if constexpr (kLevel == Isa::kV4 && kStampsV4) {
      return &V4;
    } else if constexpr ((kLevel >= Isa::kV3 && kStampsV3) || !kStampsV2) {
      return &V3;
    } else {
      return &V2;
    }
  }

 private:
  GK_TARGET_V2 static R V2(Args... args) { return Body::Run(args...); }
  GK_TARGET_V3 static R V3(Args... args) { return Body::Run(args...); }
  GK_TARGET_V4 static R V4(Args... args) { return Body::Run(args...); }
};

}  // namespace gk

#endif  // GK_KERNELS_ISA_H_
