// Loops that do the work of two or three elementwise ops in one pass: what is
// made in between never leaves the processor's registers.
//
// The arithmetic is that of the ops, each rounding where it stood, so results
// are the same bits. Constant after the first call; thread-safe.
#ifndef GK_OPS_FUSED_TILES_H_
#define GK_OPS_FUSED_TILES_H_

#include "framework/op_record.h"

namespace gk {

// A loop for `second`, reading as its operand `position` what `first` makes;
// null if there is none. Takes the operands of `first`, then what `second`
// reads besides. May itself be the first of another pair.
TileFn FusedTile(TileFn first, TileFn second, int position);

}  // namespace gk

#endif  // GK_OPS_FUSED_TILES_H_
