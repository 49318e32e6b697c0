// Purity: what a node may do with memory that it is given, as far as plans
// ask. Stateless.
#ifndef GK_RUNTIME_PURITY_H_
#define GK_RUNTIME_PURITY_H_

#include "framework/graph.h"

namespace gk {

// Strings, resources or variants go in or come out.
bool HasObjects(const Node& node);

// A kernel that computes new elements and keeps nothing: it may be given
// arena memory to read and to write. Everything else may hold on to what it
// is given or return what lives elsewhere.
bool IsPure(const Node& node);

}  // namespace gk

#endif  // GK_RUNTIME_PURITY_H_
