// Graphs in files, and whether two of them are equal.
#ifndef GK_GRAPH_GRAPH_FILE_H_
#define GK_GRAPH_GRAPH_FILE_H_

#include <string>
#include <string_view>

#include "base/status.h"
#include "proto/graph.gk.h"

namespace gk {

// Writes `data` to a file in `folder`, which is made if it is not there, and
// gives the file's path. Readers see the old file or the whole new one.
StatusOr<std::string> WriteToFolder(const std::string& folder,
                                    const std::string& name,
                                    std::string_view data);

// Empty if both have equal nodes, in any order, and libraries; versions are
// not compared. Else what differs.
std::string DifferenceOf(const proto::GraphDef& expected,
                         const proto::GraphDef& actual);

}  // namespace gk

#endif  // GK_GRAPH_GRAPH_FILE_H_
