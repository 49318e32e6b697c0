// Translation by example: the graph that passes have left and the one that
// they were given run on the same random arguments and give the same bits.
//
// Only graphs whose effects can be repeated run: they change nothing but
// variables that they are given, which are made for each run. Bounded in
// nodes, elements and time; what does not fit is not run, and nothing is where
// no FunctionRunner is.
#ifndef GK_GRAPPLER_EXAMPLE_CHECK_H_
#define GK_GRAPPLER_EXAMPLE_CHECK_H_

#include <string_view>

#include "base/status.h"
#include "grappler/rewrite_graph.h"

namespace gk {

// OK if both do the same, or nothing can be said. An Internal error names
// `what`, the function and the result that differs.
Status CompareByExample(std::string_view what, const RewriteGraph& before,
                        const RewriteGraph& after);

// Whether what the loop's condition says of the values that are known where
// the loop begins, and random ones for the others, is that it goes on.
bool RunsByExample(const Node& loop);

}  // namespace gk

#endif  // GK_GRAPPLER_EXAMPLE_CHECK_H_
