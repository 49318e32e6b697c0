// The attribute of nodes of several functions that are one node of a program's
// graph, which parts of it run: its text names the state that they share.
#ifndef GK_RUNTIME_SHARED_STATE_ATTR_H_
#define GK_RUNTIME_SHARED_STATE_ATTR_H_

namespace gk {

inline constexpr char kSharedStateAttr[] = "_shared_state";

}  // namespace gk

#endif  // GK_RUNTIME_SHARED_STATE_ATTR_H_
