#include "graph/graph_file.h"

#include <map>

#include "base/format.h"
#include "io/files.h"
#include "io/path.h"

namespace gk {

StatusOr<std::string> WriteToFolder(const std::string& folder,
                                    const std::string& name,
                                    std::string_view data) {
  GK_RETURN_IF_ERROR(io::MakeDirectories(folder));
  const std::string path = io::JoinPaths({folder, name});
  GK_RETURN_IF_ERROR(io::WriteFile(path, data));
  return path;
}

namespace {

// By name, as they are written.
template <class Messages, class NameOf>
std::map<std::string, std::string> Written(const Messages& messages,
                                           NameOf name_of) {
  std::map<std::string, std::string> written;
  for (const auto& message : messages) {
    written[name_of(message)] = message.Serialize();
  }
  return written;
}

std::string Missing(const std::map<std::string, std::string>& from,
                    const std::map<std::string, std::string>& in) {
  std::string names;
  for (const auto& [name, node] : from) {
    if (in.contains(name)) continue;
    names += (names.empty() ? "'" : ", '") + name + "'";
  }
  return "[" + names + "]";
}

std::string TextOfNode(const proto::GraphDef& graph, std::string_view name) {
  for (const proto::NodeDef& node : graph.node) {
    if (node.name == name) return node.ToText();
  }
  return {};
}

}  // namespace

std::string DifferenceOf(const proto::GraphDef& expected,
                         const proto::GraphDef& actual) {
  const auto node_name = [](const proto::NodeDef& n) { return n.name; };
  const auto theirs = Written(expected.node, node_name);
  const auto ours = Written(actual.node, node_name);
  const std::string missing = Missing(theirs, ours);
  const std::string extra = Missing(ours, theirs);
  if (missing != "[]" || extra != "[]") {
    return Format("Graphs differ: missing nodes {}, additional {}", missing,
                  extra);
  }
  for (const auto& [name, node] : theirs) {
    if (ours.at(name) == node) continue;
    return Format("Node {} differs:\n{}\nagainst:\n{}", name,
                  TextOfNode(expected, name), TextOfNode(actual, name));
  }
  const auto function_name = [](const proto::FunctionDef& f) {
    return f.signature->name;
  };
  return Written(expected.library->function, function_name) ==
                 Written(actual.library->function, function_name)
             ? ""
             : "Function libraries differ";
}

}  // namespace gk
