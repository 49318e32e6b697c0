#include "ops/fused_tiles.h"

#include <map>
#include <tuple>
#include <type_traits>

#include "ops/elementwise.h"
#include "ops/fused_arithmetic.h"

namespace gk {
namespace {

using namespace arithmetic;

template <auto F, class... In>
using LoopOf = internal::TileStamp<
    TileBody<std::remove_const_t<decltype(F)>, float, In...>>;

template <auto F>
constexpr int kArity = std::is_invocable_v<decltype(F), float>          ? 1
                       : std::is_invocable_v<decltype(F), float, float> ? 2
                                                                        : 3;

// The loop that the record of an op has whose arithmetic is F, or a pair's.
template <auto F>
TileFn Loop() {
  if constexpr (kArity<F> == 1) {
    return LoopOf<F, float>::Best();
  } else if constexpr (kArity<F> == 2) {
    return LoopOf<F, float, float>::Best();
  } else {
    return LoopOf<F, float, float, float>::Best();
  }
}

// `Second`, whose operand number kPosition is what `First` makes of the
// operands that come first.
template <auto First, auto Second, int kPosition>
struct Pair {
  static constexpr int kInputs = kArity<First> + kArity<Second> - 1;

  GK_INLINE float operator()(float x, float y) const requires(kInputs == 2) {
    if constexpr (kArity<Second> == 1) {
      return Second(First(x, y));
    } else {
      return Join(First(x), y);
    }
  }
  GK_INLINE float operator()(float x, float y, float z) const
      requires(kInputs == 3) {
    if constexpr (kArity<Second> == 1) {
      return Second(First(x, y, z));
    } else {
      return Join(First(x, y), z);
    }
  }

 private:
  static GK_INLINE float Join(float made, float z) {
    return kPosition == 0 ? Second(made, z) : Second(z, made);
  }
};

class Table {
 public:
  Table() {
    AddPair<kMultiply, kAdd>();
    AddPair<kMultiply, kSubtract>();
    AddPair<kMultiply, kMultiply>();
    AddPair<kAdd, kAdd>();
    AddPair<kAdd, kMultiply>();
    AddPair<kSubtract, kMultiply>();
    AddPair<kSubtract, kAdd>();
    AddPair<kNegate, kMultiply>();
    AddUnary<kRelu>();
    AddUnary<kExp>();
    AddUnary<kSigmoid>();
    AddUnary<kTanh>();
  }

  TileFn Find(TileFn first, TileFn second, int position) const {
    const auto it = pairs_.find({first, second, position});
    return it == pairs_.end() ? nullptr : it->second;
  }

 private:
  template <auto First, auto Second, int kPosition>
  void Add() {
    pairs_[{Loop<First>(), Loop<Second>(), kPosition}] =
        Loop<Pair<First, Second, kPosition>{}>();
  }
  template <auto First, auto Second>
  void AddPair() {
    Add<First, Second, 0>();
    Add<First, Second, 1>();
  }
  // After a sum, a product, a difference, a * b + c and c + a * b.
  template <auto F>
  void AddUnary() {
    Add<kAdd, F, 0>();
    Add<kMultiply, F, 0>();
    Add<kSubtract, F, 0>();
    Add<Pair<kMultiply, kAdd, 0>{}, F, 0>();
    Add<Pair<kMultiply, kAdd, 1>{}, F, 0>();
  }

  std::map<std::tuple<TileFn, TileFn, int>, TileFn> pairs_;
};

}  // namespace

TileFn FusedTile(TileFn first, TileFn second, int position) {
  static const Table* const table = new Table;
  return table->Find(first, second, position);
}

}  // namespace gk
