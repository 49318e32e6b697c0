#include "framework/arguments_text.h"

#include <algorithm>
#include <vector>

#include "framework/resource.h"
#include "framework/tensor_text.h"

namespace gk {
namespace {

constexpr size_t kMaxItems = 4;      // of a list
constexpr int64_t kMaxElements = 8;  // of a value
constexpr size_t kMaxText = 60;      // of one value or attribute

std::string Cut(std::string text) {
  if (text.size() <= kMaxText) return text;
  return text.substr(0, kMaxText) + "...";
}

std::string Text(const ShownInput& in) {
  std::string text =
      Format("{} {}", DataTypeName(in.dtype), in.shape.DebugString());
  const Tensor& v = in.value;
  if (!v || v.is_symbolic() || in.dtype == DataType::kVariant) return text;
  if (in.dtype == DataType::kResource) {
    const HandleData& data = v.num_elements() == 1
                                 ? v.data<ResourceHandle>()->handle_data()
                                 : HandleData();
    if (data.size() != 1) return text;
    return Format("{} of {} {}", text, DataTypeName(data[0].dtype),
                  data[0].shape.DebugString());
  }
  if (v.num_elements() == 0 || v.num_elements() > kMaxElements) return text;
  const std::string value = Cut(FirstValuesText(v, -1));
  return v.shape().IsScalar() ? Format("{} = {}", text, value)
                              : Format("{} = [{}]", text, value);
}

// How many inputs an argument takes of the `left` that are left.
size_t CountOf(const ArgDef& arg, const AttrMap& attrs, size_t left) {
  if (!arg.is_list()) return std::min<size_t>(left, 1);
  if (const auto* n = attrs.Get<int64_t>(arg.number_attr)) {
    return std::min(left, static_cast<size_t>(std::max<int64_t>(*n, 0)));
  }
  if (const auto* types =
          attrs.Get<std::vector<DataType>>(arg.type_list_attr)) {
    return std::min(left, types->size());
  }
  return left;
}

// What callers know input `i` by: `axis`, where the definition has
// reduction_indices.
std::string_view NameOfInput(const OpRecord& record, size_t i) {
  std::string_view names = record.python.raw_args;
  for (size_t k = 0; k < i && !names.empty(); ++k) {
    const size_t comma = names.find(", ");
    names = comma == names.npos ? "" : names.substr(comma + 2);
  }
  names = names.substr(0, names.find(", "));
  return names.empty() ? record.def->inputs[i].name : names;
}

bool SaysMore(const AttrDef& attr, const AttrValue& value) {
  return attr.type != AttrType::kType && attr.type != AttrType::kFunc &&
         attr.type != AttrType::kTensor &&
         !(attr.default_value && AttrEquals(*attr.default_value, value));
}

}  // namespace

Status WithArguments(const Status& status, const OpRecord& record,
                     const AttrMap& attrs, std::span<const ShownInput> inputs) {
  // What a called function says is not about the call; what prints and checks
  // for the eye shows its arguments itself.
  const auto is_resource = [](const ArgDef& arg) {
    return arg.type == DataType::kResource;
  };
  if (record.Has(kCallsFunction) || record.def == nullptr ||
      (record.def->outputs.empty() &&
       std::ranges::none_of(record.def->inputs, is_resource)) ||
      status.message().find(kArgumentsMark) != std::string::npos) {
    return status;
  }
  switch (status.code()) {
    case Code::kInvalidArgument:
    case Code::kUnimplemented:
    case Code::kResourceExhausted:
    case Code::kFailedPrecondition:
    case Code::kNotFound:
    case Code::kValueError:
    case Code::kTypeError:
      break;
    default:
      return status;
  }
  std::string list;
  const auto add = [&](std::string_view name, std::string_view text) {
    list += Format("{}{}: {}", list.empty() ? "" : ", ", name, text);
  };
  size_t at = 0;
  for (size_t k = 0; k < record.def->inputs.size(); ++k) {
    const ArgDef& arg = record.def->inputs[k];
    const std::string_view name = NameOfInput(record, k);
    const size_t n = CountOf(arg, attrs, inputs.size() - at);
    if (!arg.is_list() && n == 1) {
      add(name, Text(inputs[at]));
    } else if (arg.is_list()) {
      std::vector<std::string> items;
      for (size_t i = 0; i < std::min(n, kMaxItems); ++i) {
        items.push_back(Text(inputs[at + i]));
      }
      if (n > kMaxItems) items.push_back("...");
      add(name, Format("[{}]", JoinText(items, ", ")));
    }
    at += n;
  }
  for (const AttrDef& attr : record.def->attrs) {
    const AttrValue* value = attrs.Find(attr.name);
    const bool counts = std::any_of(
        record.def->inputs.begin(), record.def->inputs.end(),
        [&](const ArgDef& arg) { return arg.number_attr == attr.name; });
    if (value == nullptr || counts || !SaysMore(attr, *value)) continue;
    add(attr.name, Cut(AttrText(*value)));
  }
  if (list.empty()) return status;
  return status.Append(Format("{}{}: {}", kArgumentsMark, record.name, list));
}

Status WithArguments(const Status& status, const OpRecord& record,
                     const AttrMap& attrs,
                     std::span<const Tensor* const> inputs) {
  std::vector<ShownInput> shown;
  for (const Tensor* t : inputs) {
    shown.push_back(*t ? ShownInput::Of(*t) : ShownInput());
  }
  return WithArguments(status, record, attrs, shown);
}

Status AppendBeforeArguments(const Status& status, std::string_view text) {
  const std::string& message = status.message();
  const size_t mark = std::min(message.find(kArgumentsMark), message.size());
  return Status(status.code(), Format("{}{}{}", message.substr(0, mark), text,
                                      message.substr(mark)));
}

}  // namespace gk
