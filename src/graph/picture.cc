#include "graph/picture.h"

#include <algorithm>
#include <atomic>
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
// Of pages: with more nodes functions are folded up at first.
constexpr int kMaxOpen = 60;
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

  // All parts, functions as clusters.
  std::string Text() {
    text_ = kHead;
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

  // One part alone. `links`: nodes that call functions lead to
  // "#LINKS1,LINKS2".
  std::string TextOf(size_t part, std::string_view links) {
    text_ = kHead;
    links_ = links;
    AddPart(*parts_[part].graph, "  ");
    return text_ + "}\n";
  }

 private:
  static constexpr char kHead[] =
      "digraph {\n"
      "  compound=true; rankdir=TB; nodesep=0.25; ranksep=0.35;\n"
      "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", "
      "fontsize=11, color=\"#666666\", margin=\"0.12,0.06\"];\n"
      "  edge [color=\"#555555\", arrowsize=0.7, fontname=\"Helvetica\", "
      "fontsize=9];\n";

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
      text_ += Format(">, fillcolor=\"{}\"", Color(*node));
      if (const auto callees = CalleesOf(*node);
          !links_.empty() && !callees.empty()) {
        std::string calls, ids;
        for (const Callee& callee : callees) {
          const char* separator = calls.empty() ? "" : ", ";
          calls += Format("{}{}: {}", separator, callee.attr, callee.name);
          ids += Format("{}{}{}", ids.empty() ? "" : ",", links_,
                        NumberOf(callee.name));
        }
        text_ +=
            Format(", URL=\"#{}\", tooltip=\"{}\"", ids, EscapedHtml(calls));
      }
      text_ += "];\n";
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
      const size_t at = NumberOf(callee.name);
      const auto& inside = parts_[at].graph->nodes();
      if (inside.empty()) continue;
      text_ += Format(
          "  {} -> {} [lhead=cluster_{}, style=dotted, label=\"{}\", "
          "constraint=true];\n",
          ids_[&node], ids_[inside[0].get()], at - 1, callee.attr);
    }
  }

  size_t NumberOf(const std::string& function) const {
    size_t at = 1;
    while (parts_[at].name != function) ++at;
    return at;
  }

  std::vector<Part> parts_;
  std::unordered_map<const Node*, std::string> ids_;
  std::string text_, links_;
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

// The nodes by the length of the longest way that leads to them.
std::string LayersOf(const Graph& graph) {
  std::string text;
  std::vector<size_t> depth(graph.num_nodes());
  std::vector<std::vector<const Node*>> layers;
  for (const auto& node : graph.nodes()) {  // producers come first
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
  return text;
}

// The drawings that `dot` makes of these texts, in one run; empty without it.
std::vector<std::string> Drawn(const std::string& texts, WaitFn wait) {
  std::optional<std::string> drawn;
  wait([&] { drawn = RunProgram({"dot", "-Tsvg"}, texts, kLayoutSeconds); });
  std::vector<std::string> drawings;
  constexpr std::string_view kBegin = "<svg", kEnd = "</svg>";
  for (size_t at = 0; drawn;) {
    const size_t begin = drawn->find(kBegin, at);
    if (begin == std::string::npos) break;
    const size_t end = drawn->find(kEnd, begin);
    if (end == std::string::npos) break;
    at = end + kEnd.size();
    drawings.push_back(drawn->substr(begin, at - begin));
  }
  return drawings;
}

// What a button does: all drawings around it grow by a factor, or have their
// own size again.
std::string Zoom(std::string_view label, std::string_view title,
                 std::string_view factor) {
  return Format(
      "<button title=\"{}\" style=\"font:inherit;min-width:2em\" onclick=\""
      "const g=this.closest('.gk-graph');g.zoom={};"
      "for(const s of g.querySelectorAll('svg')){{"
      "const b=s.viewBox.baseVal;s.style.width=b.width*g.zoom+'pt';"
      "s.style.height=b.height*g.zoom+'pt'}}\">{}</button> ",
      title, EscapedHtml(factor), label);
}

// Opens the functions that a link in a drawing leads to.
constexpr char kFollow[] =
    "const a=event.target.closest('a');"
    "const h=a&&(a.getAttribute('href')||a.getAttribute('xlink:href'));"
    "if(h&&h[0]=='#'){event.preventDefault();"
    "for(const i of h.slice(1).split(',').reverse()){"
    "const d=document.getElementById(i);if(d){d.open=true;"
    "d.scrollIntoView({behavior:'smooth',block:'nearest'})}}}";

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
  std::vector<std::string> drawings = Drawn(text, wait);
  if (drawings.empty()) return std::nullopt;
  return std::move(drawings[0]);
}

std::string GraphLayers(const Graph& graph, std::string_view name) {
  std::string text;
  for (const Part& part : PartsOf(graph, name.empty() ? "graph" : name)) {
    text += part.name + ":\n" + LayersOf(*part.graph);
  }
  return text;
}

std::string GraphHtml(const Graph& graph, std::string_view name, WaitFn wait) {
  static std::atomic<int> next{0};
  const std::string links = Format("gk-graph-{}-", next++);
  const std::vector<Part> parts = PartsOf(graph, name.empty() ? "graph" : name);
  Drawing drawing(parts);
  std::string texts;
  int size = 0;
  for (size_t p = 0; p < parts.size(); ++p) {
    const int nodes = parts[p].graph->num_nodes();
    size += nodes;
    if (nodes <= kMaxDrawn) texts += drawing.TextOf(p, links);
  }
  const std::vector<std::string> drawings = Drawn(texts, wait);
  // Wide graphs scroll; their colours are made for a white page.
  std::string html = Format(
      "<div class=\"gk-graph\" onclick=\"{}\" style=\"background:white;"
      "color:black;font:12px sans-serif;padding:4px;max-width:100%\">",
      EscapedHtml(kFollow));
  if (!drawings.empty()) {
    html += "<div style=\"padding:2px\">" +
            Zoom("−", "smaller", "(g.zoom||1)/1.25") +
            Zoom("+", "larger", "(g.zoom||1)*1.25") +
            Zoom("1:1", "as drawn", "1") + "</div>";
  }
  size_t drawn = 0;
  for (size_t p = 0; p < parts.size(); ++p) {
    const int nodes = parts[p].graph->num_nodes();
    html += Format(
        "<details id=\"{}{}\"{}><summary style=\"cursor:pointer\"><b>{}</b> "
        "({} node{})</summary>",
        links, p, p == 0 || size <= kMaxOpen ? " open" : "",
        EscapedHtml(parts[p].name), nodes, nodes == 1 ? "" : "s");
    if (nodes <= kMaxDrawn && drawn < drawings.size()) {
      html += "<div style=\"overflow:auto;max-height:80vh\">" +
              drawings[drawn++] + "</div>";
    } else {
      html += "<pre>" + EscapedHtml(LayersOf(*parts[p].graph)) + "</pre>";
    }
    html += "</details>";
  }
  return html + "</div>";
}

}  // namespace gk
