#include "graph/unregistered_results.h"

#include <algorithm>

#include "framework/op_registry.h"
#include "graph/edge_name.h"
#include "graph/lowered_op.h"

namespace gk {
namespace {

using ValueCase = proto::AttrValue::ValueCase;

// Of one node: some bytes ask for many.
constexpr int64_t kMaxValues = 1 << 16;

DataType TypeOf(proto::DataType type) {
  const int number = static_cast<int>(type);
  return DataTypeIsValid(number) ? static_cast<DataType>(number)
                                 : DataType::kInvalid;
}

const proto::AttrValue* Find(const proto::NodeDef& node, std::string_view name,
                             ValueCase kind) {
  const auto it = node.attr.find(std::string(name));
  return it == node.attr.end() || it->second.value_case != kind ? nullptr
                                                                : &it->second;
}

template <class T>
const T* Default(const OpDef& op, std::string_view name) {
  const AttrDef* attr = op.FindAttr(name);
  return attr == nullptr || !attr->default_value
             ? nullptr
             : std::get_if<T>(&*attr->default_value);
}

bool TypesOf(const proto::NodeDef& node, const OpDef& op, const ArgDef& arg,
             std::vector<DataType>* types) {
  if (!arg.type_list_attr.empty()) {
    if (const auto* v = Find(node, arg.type_list_attr, ValueCase::kList)) {
      for (proto::DataType t : v->list->type) types->push_back(TypeOf(t));
      return true;
    }
    const auto* list = Default<std::vector<DataType>>(op, arg.type_list_attr);
    if (list != nullptr) *types = *list;
    return list != nullptr;
  }
  DataType type = arg.type;
  if (!arg.type_attr.empty()) {
    if (const auto* v = Find(node, arg.type_attr, ValueCase::kType)) {
      type = TypeOf(v->type);
    } else if (const auto* t = Default<DataType>(op, arg.type_attr)) {
      type = *t;
    } else {
      return false;
    }
  }
  int64_t n = 1;
  if (!arg.number_attr.empty()) {
    if (const auto* v = Find(node, arg.number_attr, ValueCase::kI)) {
      n = v->i;
    } else if (const auto* i = Default<int64_t>(op, arg.number_attr)) {
      n = *i;
    } else {
      return false;
    }
  }
  if (n < 0 || n > kMaxValues) return false;
  types->assign(n, type);
  return true;
}

// What the nodes of one list say of each other.
class Reading {
 public:
  Reading(const UnregisteredNodes& names, bool in_function,
          ImportBudget* budget)
      : names_(names), in_function_(in_function), budget_(budget) {}

  Status Declare(const proto::NodeDef& node) {
    Of& of = found_[node.name];
    const OpDef* op = names_.op ? names_.op(node.op) : nullptr;
    of.declared =
        op != nullptr && ValuesOf(node, *op, op->outputs, &of.results);
    if (!of.declared) of.results.clear();
    return budget_->TakeOutputs(static_cast<int64_t>(of.results.size()));
  }

  Status Read(std::string_view edge, DataType type) {
    EdgeName name;
    if (!name.Parse(edge, in_function_)) return OkStatus();
    const auto it = found_.find(std::string(name.node));
    if (it == found_.end() || it->second.declared) return OkStatus();
    if (!in_function_) name.argument = "output";
    GK_ASSIGN_OR_RETURN(UnregisteredOp::Result * read, At(&it->second, name));
    if (read->dtype == DataType::kInvalid) read->dtype = type;
    return OkStatus();
  }

  Status ReadInputs(const proto::NodeDef& node) {
    Results inputs;
    bool asked = false;
    size_t k = 0;
    for (const std::string& input : node.input) {
      if (input.empty() || input[0] == '^') continue;
      const size_t at = k++;
      const std::string from = input.substr(0, input.find(':'));
      if (found_.count(from) == 0) continue;
      if (!asked) InputsOf(node, &inputs);
      asked = true;
      GK_RETURN_IF_ERROR(Read(
          input, at < inputs.size() ? inputs[at].dtype : DataType::kInvalid));
    }
    return OkStatus();
  }

  // What only the node itself says.
  Status Complete(const proto::NodeDef& node) {
    Of& of = found_.at(node.name);
    if (of.declared) return OkStatus();
    std::vector<DataType> types;
    for (const char* name : {"Tout", "output_types", "output_dtypes"}) {
      const auto* v = Find(node, name, ValueCase::kList);
      if (v == nullptr || !types.empty()) continue;
      for (proto::DataType t : v->list->type) types.push_back(TypeOf(t));
    }
    size_t count = types.size();
    if (const auto* v = Find(node, "_output_shapes", ValueCase::kList)) {
      count = std::max(count, v->list->shape.size());
    }
    // Of a function's nodes, only those who read them know their names.
    if (!in_function_ && count > 0) {
      GK_RETURN_IF_ERROR(
          At(&of, {{}, "output", static_cast<int64_t>(count) - 1}).status());
    }
    for (const char* name : {"dtype", "out_type", "output_type"}) {
      const auto* v = Find(node, name, ValueCase::kType);
      if (v != nullptr && types.empty() && of.results.size() == 1) {
        types.push_back(TypeOf(v->type));
      }
    }
    for (UnregisteredOp::Result& r : of.results) {
      const bool only = r.argument == of.results[0].argument;
      if (r.dtype == DataType::kInvalid && only &&
          r.index < static_cast<int>(types.size())) {
        r.dtype = types[r.index];
      }
    }
    return OkStatus();
  }

  std::unordered_map<std::string, Results> Take() {
    std::unordered_map<std::string, Results> all;
    for (auto& [name, of] : found_) all.emplace(name, std::move(of.results));
    return all;
  }

 private:
  struct Of {
    Results results;
    bool declared = false;
    std::map<std::pair<std::string, int>, size_t> place;
  };

  StatusOr<UnregisteredOp::Result*> At(Of* of, const EdgeName& name) {
    if (name.index >= kMaxValues) {
      return InvalidArgument("Output {} of node '{}': no op has so many",
                             name.index, name.node);
    }
    const int index = static_cast<int>(name.index);
    if (!in_function_) {
      const size_t have = of->results.size(), want = size_t(index) + 1;
      if (have < want) {
        GK_RETURN_IF_ERROR(
            budget_->TakeOutputs(static_cast<int64_t>(want - have)));
        for (size_t i = have; i < want; ++i) {
          of->results.push_back({"output", static_cast<int>(i)});
        }
      }
      return &of->results[index];
    }
    const auto [it, fresh] = of->place.try_emplace(
        {std::string(name.argument), index}, of->results.size());
    if (fresh) {
      GK_RETURN_IF_ERROR(budget_->TakeOutputs(1));
      of->results.push_back({std::string(name.argument), index});
    }
    return &of->results[it->second];
  }

  void InputsOf(const proto::NodeDef& node, Results* inputs) const {
    if (const OpRecord* record = OpRegistry::Get().Find(node.op)) {
      ValuesOf(node, *record->def, record->def->inputs, inputs);
    } else if (const auto* function = names_.function(node.op)) {
      for (const auto& arg : function->signature->input_arg) {
        inputs->push_back({arg.name, 0, TypeOf(arg.type)});
      }
    } else if (const OpDef* op = names_.op ? names_.op(node.op) : nullptr) {
      ValuesOf(node, *op, op->inputs, inputs);
    } else if (LoweredOpOf(node.op) == LoweredOp::kLoopCond) {
      inputs->push_back({"input", 0, DataType::kBool});
    } else if (LoweredOpOf(node.op) != LoweredOp::kNone) {
      const auto* type = Find(node, "T", ValueCase::kType);
      if (type == nullptr) return;
      const bool is_switch = LoweredOpOf(node.op) == LoweredOp::kSwitch;
      for (size_t i = 0; i < node.input.size(); ++i) {
        inputs->push_back({"data", 0, TypeOf(type->type)});
      }
      if (is_switch && inputs->size() > 1) {
        (*inputs)[1].dtype = DataType::kBool;
      }
    }
  }

  const UnregisteredNodes& names_;
  const bool in_function_;
  ImportBudget* const budget_;
  std::unordered_map<std::string, Of> found_;
};

}  // namespace

bool ValuesOf(const proto::NodeDef& node, const OpDef& op,
              const std::vector<ArgDef>& arguments, Results* values) {
  for (const ArgDef& arg : arguments) {
    std::vector<DataType> types;
    if (!TypesOf(node, op, arg, &types)) return false;
    if (values->size() + types.size() > kMaxValues) return false;
    for (size_t i = 0; i < types.size(); ++i) {
      values->push_back({arg.name, static_cast<int>(i), types[i]});
    }
  }
  return true;
}

bool UnregisteredNodes::Has(const proto::NodeDef& node) const {
  return OpRegistry::Get().Find(node.op) == nullptr &&
         function(node.op) == nullptr &&
         LoweredOpOf(node.op) == LoweredOp::kNone;
}

StatusOr<std::unordered_map<std::string, Results>>
UnregisteredNodes::FindResults(const std::vector<proto::NodeDef>& nodes,
                               bool in_function,
                               const std::map<std::string, DataType>& read,
                               ImportBudget* budget) const {
  Reading reading(*this, in_function, budget);
  std::vector<const proto::NodeDef*> unregistered;
  for (const proto::NodeDef& node : nodes) {
    if (Has(node)) unregistered.push_back(&node);
  }
  if (unregistered.empty()) return reading.Take();
  for (const auto* node : unregistered) {
    GK_RETURN_IF_ERROR(reading.Declare(*node));
  }
  for (const proto::NodeDef& node : nodes) {
    GK_RETURN_IF_ERROR(reading.ReadInputs(node));
  }
  for (const auto& [edge, type] : read) {
    GK_RETURN_IF_ERROR(reading.Read(edge, type));
  }
  for (const auto* node : unregistered) {
    GK_RETURN_IF_ERROR(reading.Complete(*node));
  }
  return reading.Take();
}

}  // namespace gk
