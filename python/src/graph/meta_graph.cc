#include "python/src/graph/meta_graph.h"

#include "framework/variable.h"
#include "function/freeze_graph_def.h"
#include "graph/meta_graph.h"
#include "graph/sub_graph.h"
#include "graph/tensor_proto.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_error.h"
#include "python/src/tensors/tensor_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

template <class T>
T Must(StatusOr<T> value) {
  if (!value.ok()) Throw(value.status());
  return *std::move(value);
}

template <class Message>
nb::bytes BytesOf(const Message& message) {
  const std::string s = message.Serialize();
  return nb::bytes(s.data(), s.size());
}

proto::GraphDef GraphOfBytes(const nb::bytes& bytes) {
  proto::GraphDef graph;
  const Status parsed = graph.Parse({bytes.c_str(), bytes.size()});
  if (!parsed.ok()) Throw(parsed);
  return graph;
}

std::vector<std::string> Texts(nb::handle names) {
  std::vector<std::string> texts;
  for (nb::handle name : names) texts.push_back(nb::cast<std::string>(name));
  return texts;
}

}  // namespace

void AddMetaGraphFunctions(nb::module_& m) {
  m.def("_extract_sub_graph", [](nb::bytes graph, nb::handle names) {
    return BytesOf(Must(ExtractSubGraph(GraphOfBytes(graph), Texts(names))));
  });
  m.def("_remove_training_nodes", [](nb::bytes graph, nb::handle kept) {
    return BytesOf(RemoveTrainingNodes(GraphOfBytes(graph), Texts(kept)));
  });
  m.def("_freeze_graph_def", [](nb::bytes graph, nb::handle outputs,
                                nb::dict values) {
    std::map<std::string, Tensor> tensors;
    for (auto [name, value] : values) {
      const auto bytes = nb::cast<nb::bytes>(value);
      proto::TensorProto message;
      const Status parsed = message.Parse({bytes.c_str(), bytes.size()});
      if (!parsed.ok()) Throw(parsed);
      tensors[nb::cast<std::string>(name)] = Must(TensorFromProto(message));
    }
    return BytesOf(
        Must(FreezeGraphDef(GraphOfBytes(graph), Texts(outputs), tensors)));
  });
  m.def("_variable_handles", [](nb::bytes graph) {
    nb::list names;
    for (const std::string& name : VariableHandles(GraphOfBytes(graph))) {
      names.append(name);
    }
    return names;
  });
  m.def("_drop_value", [](nb::handle handle) {
    const Status dropped = DropValue(TensorOf(handle.ptr()));
    if (!dropped.ok()) Throw(dropped);
  });
  m.def("_reads_variable",
        [](const std::string& op) { return ReadsVariable(op); });
  m.def("_meta_graph", [](nb::bytes graph, const std::string& scope,
                          bool clear_devices, bool strip_default_attrs) {
    const MetaGraphOptions options{scope, clear_devices, strip_default_attrs};
    return BytesOf(Must(MetaGraphOf(GraphOfBytes(graph), options)));
  });
}

}  // namespace gk::py
