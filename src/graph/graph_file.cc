#include "graph/graph_file.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>

#include "base/format.h"

namespace gk {

StatusOr<std::string> WriteToFolder(const std::string& folder,
                                    const std::string& name,
                                    std::string_view data) {
  const std::filesystem::path path = std::filesystem::path(folder) / name;
  const std::string own = Format("{}.tmp{}", path.string(), getpid());
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (!failed) {
    std::ofstream out(own, std::ios::binary);
    out.write(data.data(), static_cast<std::streamsize>(data.size()));
    out.close();
    if (!out) failed = std::make_error_code(std::errc::io_error);
  }
  if (!failed) std::filesystem::rename(own, path, failed);
  if (!failed) return path.string();
  std::error_code unused;
  std::filesystem::remove(own, unused);
  const std::string why =
      Format("{} cannot be written: {}", path.string(), failed.message());
  return failed == std::errc::permission_denied
             ? Status(Code::kPermissionDenied, why)
             : Status(Code::kUnavailable, why);
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
