// Pictures of graphs: Graphviz text, SVG where `dot` is installed, and a view
// in plain text, layer by layer. Functions that a graph calls, directly or not,
// are drawn with it.
#ifndef GK_GRAPH_PICTURE_H_
#define GK_GRAPH_PICTURE_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "framework/graph.h"

namespace gk {

// In Graphviz's language; functions as clusters.
std::string GraphDot(const Graph& graph);
// Calls its argument, which waits for a program and looks at no graph: whoever
// holds a lock of the host language lets it go meanwhile.
using WaitFn = FunctionRef<void(FunctionRef<void()>)>;

// A drawing; nullopt where `dot` is not installed, takes too long, or the graph
// is too large to lay out.
std::optional<std::string> GraphSvg(const Graph& graph, WaitFn wait);
// The ops in layers, by the length of the longest way that leads to them.
std::string GraphLayers(const Graph& graph, std::string_view name);
// A part of a page: the graph and each function, to be unfolded, drawn apart
// and with buttons to zoom; nodes lead to what they call. As text where there
// is no drawing.
std::string GraphHtml(const Graph& graph, std::string_view name, WaitFn wait);

}  // namespace gk

#endif  // GK_GRAPH_PICTURE_H_
