// The library's switches; apart, as its inner headers and the public ones are
// not for one file.
#include "grappler/optimize.h"
#include "runtime/plan.h"

namespace fuzz {

void SetPasses(bool on);
void SetLowering(bool on);

void SetPasses(bool on) { gk::SetGraphPasses(on); }
void SetLowering(bool on) { gk::SetControlFlowLowering(on); }

}  // namespace fuzz
