// Which functions of datasets may be run again where an iterator that was saved
// goes on. As TensorFlow has it: those that read files, tables and clocks, make
// datasets, print or check may; those that draw random numbers, read variables
// or call the host language may not.
#ifndef GK_DATA_REPEATED_EFFECTS_H_
#define GK_DATA_REPEATED_EFFECTS_H_

#include "framework/graph.h"

namespace gk {

// A node of the function, or of those that it calls, that may not be run
// again; null if all may. It lives as long as the function.
const Node* EffectOf(const GraphFunction& function);

}  // namespace gk

#endif  // GK_DATA_REPEATED_EFFECTS_H_
