#include "graph/picture.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/html.h"
#include "base/run_program.h"
#include "framework/tensor_text.h"

namespace gk {
namespace {

constexpr int kLayoutSeconds = 20;
// Layout takes more than linear time; larger graphs are shown as text.
constexpr int kMaxDrawn = 1500;
constexpr size_t kMaxConstant = 24;  // characters of a constant's value
constexpr int kMaxShownOutputs = 4;

// A function that a node names in an attribute.
struct Callee {
  std::string attr;
  std::string name;
  const Graph* body;
};

std::vector<Callee> CalleesOf(const Node& node) {
  std::vector<Callee> found;
  const auto add = [&](const std::string& attr, const FunctionAttr& f) {
    if (f.definition) found.push_back({attr, f.name, &f.definition->graph()});
  };
  for (const auto& [name, value] : node.attrs()) {
    if (const auto* f = std::get_if<FunctionAttr>(&value)) add(name, *f);
    if (const auto* l = std::get_if<std::vector<FunctionAttr>>(&value)) {
      for (const FunctionAttr& f : *l) add(name, f);
    }
  }
  return found;
}

// The graph, then what it calls.
struct Part {
  std::string name;
  const Graph* graph;
};
std::vector<Part> PartsOf(const Graph& graph, std::string_view name) {
  std::vector<Part> parts{{std::string(name), &graph}};
  std::vector<size_t> pending{0};
  while (!pending.empty()) {
    const Graph& next = *parts[pending.back()].graph;
    pending.pop_back();
    for (const auto& node : next.nodes()) {
      for (const Callee& callee : CalleesOf(*node)) {
        const bool known =
            std::any_of(parts.begin() + 1, parts.end(),
                        [&](const Part& p) { return p.name == callee.name; });
        if (known) continue;
        pending.push_back(parts.size());
        parts.push_back({callee.name, callee.body});
      }
    }
  }
  return parts;
}

std::string OutputText(const Node::OutputInfo& info) {
  return Format("{} {}", DataTypeName(info.dtype), info.shape.PythonString());
}

// "[0.5, 0.5, 0.5, ...": what fits of a constant's value.
std::string ShortValueText(const Tensor& value) {
  std::string text;
  bool quoted = false;
  for (const char c : BothEndsText(value, kMaxConstant / 2)) {
    quoted ^= c == '"';
    if (quoted || std::isspace(static_cast<unsigned char>(c)) == 0) {
      text += c;
    } else if (!text.ends_with(", ")) {
      text += ", ";
    }
  }
  size_t at = kMaxConstant - 1;
  if (text.size() <= kMaxConstant) return text;
  while (at > 0 && (text[at] & 0xC0) == 0x80) --at;  // whole characters
  return text.substr(0, at) + "…";
}

// Lines below the op's type and name.
std::vector<std::string> Details(const Node& node) {
  if (node.op().Has(kConstant)) {
    return {ShortValueText(node.attr<Tensor>("value")),
            OutputText(node.output(0))};
  }
  std::vector<std::string> lines;
  for (int i = 0; i < std::min(node.num_outputs(), kMaxShownOutputs); ++i) {
    lines.push_back(OutputText(node.output(i)));
  }
  if (node.num_outputs() > kMaxShownOutputs) {
    lines.push_back(Format("… {} outputs", node.num_outputs()));
  }
  return lines;
}

const char* Color(const Node& node) {
  const OpRecord& op = node.op();
  if (op.Has(kPlaceholder)) return "#cfe3f7";
  if (op.Has(kConstant)) return "#e6e6e6";
  if (op.Has(kIdentity) || op.Has(kOnlyOrders)) return "#ffffff";
  if (!CalleesOf(node).empty()) return "#f6d6a8";
  bool state = false;
  for (const Output& o : node.inputs()) {
    state |= o.node->output(o.index).dtype == DataType::kResource;
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    state |= node.output(i).dtype == DataType::kResource;
  }
  return state ? "#f3c2c2" : "#dcefd6";
}

class Drawing {
 public:
  explicit Drawing(std::vector<Part> parts) : parts_(std::move(parts)) {
    for (size_t p = 0; p < parts_.size(); ++p) {
      const std::string owner = p == 0 ? "n" : Format("f{}", p - 1);
      for (const auto& node : parts_[p].graph->nodes()) {
        ids_[node.get()] = Format("{}_{}", owner, ids_.size());
      }
    }
  }

  std::string Text() {
    text_ =
        "digraph {\n"
        "  compound=true; rankdir=TB; nodesep=0.25; ranksep=0.35;\n"
        "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", "
        "fontsize=11, color=\"#666666\", margin=\"0.12,0.06\"];\n"
        "  edge [color=\"#555555\", arrowsize=0.7, fontname=\"Helvetica\", "
        "fontsize=9];\n";
    AddPart(*parts_[0].graph, "  ");
    for (size_t p = 1; p < parts_.size(); ++p) {
      text_ += Format("  subgraph cluster_{} {{\n", p - 1);
      text_ += Format(
          "    label=<<B>{}</B>>; fontname=\"Helvetica\"; fontsize=11;\n"
          "    style=\"rounded\"; color=\"#999999\"; bgcolor=\"#fafafa\";\n",
          EscapedHtml(parts_[p].name));
      AddPart(*parts_[p].graph, "    ");
      text_ += "  }\n";
    }
    for (const Part& part : parts_) {
      for (const auto& node : part.graph->nodes()) AddCalls(*node);
    }
    return text_ + "}\n";
  }

 private:
  void AddPart(const Graph& graph, const char* indent) {
    for (const auto& node : graph.nodes()) {
      text_ += Format("{}{} [label=<<B>{}</B>", indent, ids_[node.get()],
                      EscapedHtml(node->type()));
      if (node->name() != node->type()) {
        text_ += "<BR/>" + EscapedHtml(node->name());
      }
      for (const std::string& line : Details(*node)) {
        text_ += "<BR/><FONT POINT-SIZE=\"9\">" + EscapedHtml(line) + "</FONT>";
      }
      text_ += Format(">, fillcolor=\"{}\"];\n", Color(*node));
    }
    for (const auto& node : graph.nodes()) {
      const std::string& id = ids_[node.get()];
      for (const Output& o : node->inputs()) {
        const std::string label =
            o.index == 0 ? "" : Format(" [label=\":{}\"]", o.index);
        text_ += Format("{}{} -> {}{};\n", indent, ids_[o.node], id, label);
      }
      for (const Node* before : node->control_inputs()) {
        text_ +=
            Format("{}{} -> {} [style=dashed];\n", indent, ids_[before], id);
      }
    }
  }

  void AddCalls(const Node& node) {
    for (const Callee& callee : CalleesOf(node)) {
      size_t at = 1;
      while (parts_[at].name != callee.name) ++at;
      const auto& inside = parts_[at].graph->nodes();
      if (inside.empty()) continue;
      text_ += Format(
          "  {} -> {} [lhead=cluster_{}, style=dotted, label=\"{}\", "
          "constraint=true];\n",
          ids_[&node], ids_[inside[0].get()], at - 1, callee.attr);
    }
  }

  std::vector<Part> parts_;
  std::unordered_map<const Node*, std::string> ids_;
  std::string text_;
};

std::string NodeLine(const Node& node) {
  std::string text = Format("{} = {}(", node.name(), node.type());
  const char* separator = "";
  for (const Output& o : node.inputs()) {
    text += separator + o.node->name();
    if (o.index > 0) text += Format(":{}", o.index);
    separator = ", ";
  }
  for (const Node* c : node.control_inputs()) {
    text += Format("{}^{}", separator, c->name());
    separator = ", ";
  }
  text += ")";
  separator = " calls ";
  for (const Callee& callee : CalleesOf(node)) {
    text += separator + callee.name;
    separator = ", ";
  }
  separator = "  -> ";
  for (const std::string& line : Details(node)) {
    text += separator + line;
    separator = ", ";
  }
  return text;
}

}  // namespace

std::string GraphDot(const Graph& graph) {
  return Drawing(PartsOf(graph, "")).Text();
}

std::optional<std::string> GraphSvg(const Graph& graph, WaitFn wait) {
  std::vector<Part> parts = PartsOf(graph, "");
  int size = 0;
  for (const Part& part : parts) size += part.graph->num_nodes();
  if (size > kMaxDrawn) return std::nullopt;
  const std::string text = Drawing(std::move(parts)).Text();
  std::optional<std::string> drawn;
  wait([&] { drawn = RunProgram({"dot", "-Tsvg"}, text, kLayoutSeconds); });
  const size_t begin = drawn ? drawn->find("<svg") : std::string::npos;
  if (begin == std::string::npos) return std::nullopt;
  return drawn->substr(begin);
}

std::string GraphLayers(const Graph& graph, std::string_view name) {
  std::string text;
  for (const Part& part : PartsOf(graph, name.empty() ? "graph" : name)) {
    text += part.name + ":\n";
    std::vector<size_t> depth(part.graph->num_nodes());
    std::vector<std::vector<const Node*>> layers;
    for (const auto& node : part.graph->nodes()) {  // producers come first
      size_t& own = depth[node->id()];
      for (const Output& o : node->inputs()) {
        own = std::max(own, depth[o.node->id()] + 1);
      }
      for (const Node* c : node->control_inputs()) {
        own = std::max(own, depth[c->id()] + 1);
      }
      if (layers.size() <= own) layers.resize(own + 1);
      layers[own].push_back(node.get());
    }
    for (size_t i = 0; i < layers.size(); ++i) {
      for (const Node* node : layers[i]) {
        const std::string number = std::to_string(i);
        text += "  " +
                std::string(number.size() < 3 ? 3 - number.size() : 0, ' ') +
                number + "  " + NodeLine(*node) + "\n";
      }
    }
  }
  return text;
}

std::string GraphHtml(const Graph& graph, std::string_view name, WaitFn wait) {
  if (const std::optional<std::string> drawing = GraphSvg(graph, wait)) {
    // Wide graphs scroll; their colours are made for a white page.
    return "<div style=\"overflow-x:auto;background:white;color:black;"
           "display:inline-block;max-width:100%\">" +
           *drawing + "</div>";
  }
  return "<pre>" + EscapedHtml(GraphLayers(graph, name)) + "</pre>";
}

}  // namespace gk
