// Kernels of complex numbers whose loops go by their parts
// (kernels/math/quick_complex.h).
#ifndef GK_OPS_COMPLEX_TILES_H_
#define GK_OPS_COMPLEX_TILES_H_

#include "kernels/math/quick_complex.h"
#include "ops/elementwise.h"

namespace gk {

template <class F, int kArity>
struct PartsFor {
  static constexpr auto kFunction =
      kCalled<[](auto... z) { return math::ByParts<F>(z...); }>;
  using Table = internal::TileTable<kFunction, kArity, ComplexTypes, kSlowLoop>;
  static constexpr DataTypeSet kTypes = Table::kTypes;

  static const TileKernel* Find(DataType t, const AttrMap& attrs) {
    if (t != DataType::kComplex64) return Table::Find(t, attrs);
    static const TileKernel kernel = [&] {
      TileKernel k = *Table::Find(DataType::kComplex64, attrs);
      using Loop = math::PartsTileBody<F, kArity>;
      k.fn = internal::TileStamp<Loop>::template For<Isa::kV4>(CurrentIsa());
      k.cost_ns = 3;
      return k;
    }();
    return &kernel;
  }
};

}  // namespace gk

#endif  // GK_OPS_COMPLEX_TILES_H_
