#include "ops/record_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "framework/op_registry.h"
#include "framework/trait_names.h"
#include "ops/composite.h"
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
  if (!IsComposite(r)) {
    AddField("python", r.python.names, out);
    AddField("arguments", r.python.args, out);
  }
  AddField("kernels", TypeNames(r.kernel.types), out);
  AddField("traits", traits, out);
  AddField("gradient", GradientOf(r), out);
  AddField("doc", r.doc, out);
}

void AddFunction(const CompositeRecord& r, std::string* out) {
  *out += Format("function {}({})\n", r.names, OneLine(r.args));
  AddField("result", r.result, out);
  AddField("doc", r.doc, out);
}

}  // namespace

std::string RecordsText() {
  std::vector<const OpRecord*> ops = OpRegistry::Get().all();
  std::ranges::sort(ops, {}, &OpRecord::name);
  std::vector<const CompositeRecord*> functions;
  for (const auto& [name, composite] : CompositeRegistry::Get().by_name()) {
    if (IsPublicName(name) && composite->record->names.starts_with(name)) {
      functions.push_back(composite->record);
    }
  }
  std::ranges::sort(functions, {}, &CompositeRecord::names);
  functions.erase(std::unique(functions.begin(), functions.end()),
                  functions.end());
  std::string out;
  for (const OpRecord* r : ops) AddOp(*r, &out);
  for (const CompositeRecord* r : functions) AddFunction(*r, &out);
  return out;
}

}  // namespace gk
