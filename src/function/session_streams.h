// Random streams of a session: all its runs of an op draw from one stream,
// those in functions too.
#ifndef GK_FUNCTION_SESSION_STREAMS_H_
#define GK_FUNCTION_SESSION_STREAMS_H_

#include <string>

#include "proto/graph.gk.h"

namespace gk {

// Names the streams of a graph's random ops, by the session and the ops' places
// in the graph. Of functions that draw each node which calls one, or has one as
// its branch or its body, gets a copy: TensorFlow's runs have the function's
// nodes in the place of the call, and so a stream for each place, whatever has
// become of the function in between (gradients give it more results).
void NameStreams(const std::string& session, proto::GraphDef* graph);

}  // namespace gk

#endif  // GK_FUNCTION_SESSION_STREAMS_H_
