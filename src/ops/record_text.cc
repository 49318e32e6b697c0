#include "ops/record_text.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "framework/op_registry.h"
#include "framework/trait_names.h"
#include "ops/composition.h"
#include "ops/record_family.h"

namespace gk {
namespace {

// One line: runs of blanks become one, line breaks "\n".
std::string OneLine(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c != ' ' || !out.ends_with(' ')) {
      out += c;
    }
  }
  return out;
}

void AddField(std::string_view field, std::string_view value,
              std::string* out) {
  if (!value.empty()) *out += Format("  {}: {}\n", field, OneLine(value));
}

// The parts of "T: type; N: int >= 1" between semicolons outside of quotes.
std::vector<std::string_view> Attributes(std::string_view text) {
  std::vector<std::string_view> parts;
  bool quoted = false;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '\'') quoted = !quoted;
    if (i < text.size() && (quoted || text[i] != ';')) continue;
    std::string_view part = text.substr(start, i - start);
    while (part.starts_with(' ')) part.remove_prefix(1);
    if (!part.empty()) parts.push_back(part);
    start = i + 1;
  }
  return parts;
}

std::string TypeNames(DataTypeSet types) {
  std::string out;
  for (int i = 1; i < kNumDataTypes; ++i) {
    const auto t = static_cast<DataType>(i);
    if (!types.Contains(t)) continue;
    if (!out.empty()) out += ", ";
    out += DataTypeString(t);
  }
  return out;
}

std::string_view ControlName(Control control) {
  constexpr std::string_view kNames[] = {"", "call", "if", "case", "while"};
  return kNames[static_cast<int>(control)];
}

// "2 -> Square".
std::string SpecialText(const SpecialCase& special) {
  if (special.op.empty()) return "";
  return Format("{} -> {}", special.operand, special.op);
}

std::string_view GradientOf(const OpRecord& r) {
  if (r.Has(kNoGradient)) return "none";
  return r.gradient != nullptr ? "yes" : "";
}

void AddOp(const OpRecord& r, std::string* out) {
  *out += Format("op {}({}) -> ({})\n", r.name, OneLine(r.inputs),
                 OneLine(r.outputs));
  for (std::string_view attr : Attributes(r.attrs)) {
    *out += Format("  attr {}\n", OneLine(attr));
  }
  std::string traits;
  for (std::string_view name : TraitNames(r.traits & ~uint64_t{kNoGradient})) {
    if (!traits.empty()) traits += ", ";
    traits += name;
  }
  AddField("family", RecordFamily(r.id), out);
  if (!IsComposition(r)) {
    AddField("python", r.python.names, out);
    AddField("arguments", r.python.args, out);
  }
  AddField("kernels", TypeNames(r.kernel.types), out);
  AddField("traits", traits, out);
  AddField("control", ControlName(r.control), out);
  AddField("combine", r.combine, out);
  AddField("special", SpecialText(r.special), out);
  AddField("shape_value", r.shape_value != nullptr ? "yes" : "", out);
  AddField("ragged", RaggedFormName(r.python.ragged), out);
  if (r.python.slices > 0) {
    AddField("slices", Format("{}", r.python.slices), out);
  }
  AddField("gradient", GradientOf(r), out);
  AddField("doc", r.doc, out);
}

void AddFunction(const Composition& function, std::string* out) {
  const CompositionRecord& r = *function.record;
  *out += Format("function {}({})\n", r.names, OneLine(r.args));
  if (function.op != nullptr) {
    AddField("op", function.op->name, out);
    return;
  }
  AddField("result", r.result, out);
  AddField("eager_op", r.eager_op, out);
  if (r.maps > 0) AddField("maps", Format("{}", r.maps), out);
  AddField("keeps_zero", r.keeps_zero ? "yes" : "", out);
  AddField("ragged", RaggedFormName(r.ragged), out);
  if (r.slices > 0) AddField("slices", Format("{}", r.slices), out);
  AddField("doc", r.doc, out);
}

}  // namespace

std::string RecordsText() {
  std::vector<const OpRecord*> ops = OpRegistry::Get().all();
  std::ranges::sort(ops, {}, &OpRecord::name);
  // Aliases are one function.
  std::map<std::string_view, const Composition*> functions;
  for (const auto& [name, composition] : CompositionRegistry::Get().by_name()) {
    if (IsPublicName(name))
      functions.emplace(composition->record->names, composition);
  }
  std::string out;
  for (const OpRecord* r : ops) AddOp(*r, &out);
  for (const auto& [names, function] : functions) AddFunction(*function, &out);
  return out;
}

}  // namespace gk
