#include "ops/fused_tiles.h"

#include <map>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "framework/op_registry.h"
#include "kernels/math.h"
#include "ops/elementwise.h"

namespace gk {
namespace {

// What the records of these ops say about floats.
struct Add {
  static constexpr const char* kOp = "AddV2";
  static constexpr bool kCommutes = true;
  GK_INLINE float operator()(float x, float y) const { return x + y; }
};
struct Mul {
  static constexpr const char* kOp = "Mul";
  static constexpr bool kCommutes = true;
  GK_INLINE float operator()(float x, float y) const { return x * y; }
};
struct Sub {
  static constexpr const char* kOp = "Sub";
  static constexpr bool kCommutes = false;
  GK_INLINE float operator()(float x, float y) const { return x - y; }
};
struct Neg {
  static constexpr const char* kOp = "Neg";
  GK_INLINE float operator()(float x) const { return -x; }
};
struct Relu {
  static constexpr const char* kOp = "Relu";
  GK_INLINE float operator()(float x) const { return x < 0.0f ? 0.0f : x; }
};
struct Exp {
  static constexpr const char* kOp = "Exp";
  GK_INLINE float operator()(float x) const { return math::Exp(x); }
};
struct Sigmoid {
  static constexpr const char* kOp = "Sigmoid";
  GK_INLINE float operator()(float x) const { return math::Sigmoid(x); }
};
struct Tanh {
  static constexpr const char* kOp = "Tanh";
  GK_INLINE float operator()(float x) const { return math::Tanh(x); }
};

template <class First, class Second, int kPosition>
struct Pair {
  GK_INLINE float operator()(float x, float y) const {
    if constexpr (std::is_invocable_v<Second, float>) {
      return Second()(First()(x, y));
    } else {
      return Join(First()(x), y);
    }
  }
  GK_INLINE float operator()(float x, float y, float z) const {
    if constexpr (std::is_invocable_v<Second, float>) {
      return Second()(First()(x, y, z));
    } else {
      return Join(First()(x, y), z);
    }
  }

 private:
  static GK_INLINE float Join(float made, float z) {
    return kPosition == 0 ? Second()(made, z) : Second()(z, made);
  }
};

class Table {
 public:
  Table() {
    AddPair<Mul, Add>();
    AddPair<Mul, Sub>();
    AddPair<Mul, Mul>();
    AddPair<Add, Add>();
    AddPair<Add, Mul>();
    AddPair<Sub, Mul>();
    AddPair<Sub, Add>();
    AddPair<Neg, Mul>();
    AddUnary<Relu>();
    AddUnary<Exp>();
    AddUnary<Sigmoid>();
    AddUnary<Tanh>();
  }

  TileFn Find(TileFn first, TileFn second, int position) const {
    const auto it = pairs_.find({first, second, position});
    return it == pairs_.end() ? nullptr : it->second;
  }

 private:
  template <class F>
  static TileFn Of() {
    static const TileFn fn = [] {
      const OpRecord* op = OpRegistry::Get().Find(F::kOp);
      const TileKernel* tile = op->kernel.tile(DataType::kFloat, AttrMap());
      return tile->fn;
    }();
    return fn;
  }
  template <class F, class... In>
  static TileFn Loop() {
    return internal::TileStamp<TileBody<F, float, In...>>::Best();
  }

  template <class First, class Second>
  void AddPair() {
    if constexpr (std::is_invocable_v<First, float>) {
      AddLoops<First, Second, float, float>();
    } else {
      AddLoops<First, Second, float, float, float>();
    }
  }
  template <class First, class Second, class... In>
  void AddLoops() {
    const TileFn left = Loop<Pair<First, Second, 0>, In...>();
    pairs_[{Of<First>(), Of<Second>(), 0}] = left;
    pairs_[{Of<First>(), Of<Second>(), 1}] =
        Second::kCommutes ? left : Loop<Pair<First, Second, 1>, In...>();
  }

  // After a sum, a product, a difference and a * b + c.
  template <class F>
  void AddUnary() {
    using Affine = Pair<Mul, Add, 0>;
    pairs_[{Of<Add>(), Of<F>(), 0}] = Loop<Pair<Add, F, 0>, float, float>();
    pairs_[{Of<Mul>(), Of<F>(), 0}] = Loop<Pair<Mul, F, 0>, float, float>();
    pairs_[{Of<Sub>(), Of<F>(), 0}] = Loop<Pair<Sub, F, 0>, float, float>();
    pairs_[{pairs_.at({Of<Mul>(), Of<Add>(), 0}), Of<F>(), 0}] =
        Loop<Pair<Affine, F, 0>, float, float, float>();
  }

  std::map<std::tuple<TileFn, TileFn, int>, TileFn> pairs_;
};

}  // namespace

TileFn FusedTile(TileFn first, TileFn second, int position) {
  static const Table* const table = new Table;
  return table->Find(first, second, position);
}

}  // namespace gk
