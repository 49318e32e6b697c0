// ResolveAttrs and OutputTypes: signature checks shared by every builder.
#include "framework/op_builder.h"

namespace gk {
namespace {

class Resolver {
 public:
  Resolver(const OpRecord& record, std::span<const DataType> types, bool graph,
           AttrMap* attrs)
      : record_(record),
        def_(*record.def),
        types_(types),
        graph_(graph),
        given_(attrs) {}

  Status Run() {
    GK_RETURN_IF_ERROR(CheckCount());
    GK_RETURN_IF_ERROR(ReadInputs());
    return Finish();
  }

 private:
  Status CheckCount() {
    int64_t expected = 0;
    bool open = false;
    for (const ArgDef& arg : def_.inputs) {
      if (arg.is_list())
        open = true;
      else
        ++expected;
    }
    const int64_t got = types_.size();
    if (open ? got < expected : got != expected) {
      return InvalidArgument("Op {} takes {}{} inputs but got {}", def_.name,
                             open ? "at least " : "", expected, got);
    }
    return OkStatus();
  }

  // How many inputs a list argument takes: from its number attr, or all that
  // the single arguments leave over (ops have at most one open list).
  StatusOr<int64_t> ListLength(const ArgDef& arg, size_t index, size_t at) {
    const std::string& attr =
        arg.number_attr.empty() ? arg.type_list_attr : arg.number_attr;
    if (const AttrValue* v = found_.Find(attr)) {
      return arg.number_attr.empty()
                 ? static_cast<int64_t>(
                       std::get<std::vector<DataType>>(*v).size())
                 : std::get<int64_t>(*v);
    }
    if (const AttrValue* v = given_->Find(attr)) {
      if (auto n = std::get_if<int64_t>(v)) return *n;
      if (auto l = std::get_if<std::vector<DataType>>(v)) {
        return static_cast<int64_t>(l->size());
      }
    }
    // Other lists of the same length (`then` and `else` parts) share evenly.
    int64_t singles = 0, lists = 0;
    for (size_t i = index; i < def_.inputs.size(); ++i) {
      if (!def_.inputs[i].is_list())
        ++singles;
      else
        ++lists;
    }
    const int64_t left = static_cast<int64_t>(types_.size() - at) - singles;
    if (left < 0 || left % lists != 0) {
      return InvalidArgument("Op {}: wrong number of inputs for list '{}'",
                             def_.name, arg.name);
    }
    return left / lists;
  }

  Status ReadInputs() {
    size_t at = 0;
    for (size_t i = 0; i < def_.inputs.size(); ++i) {
      const ArgDef& arg = def_.inputs[i];
      int64_t n = 1;
      if (arg.is_list()) {
        GK_ASSIGN_OR_RETURN(n, ListLength(arg, i, at));
        if (n < 0 || n > static_cast<int64_t>(types_.size() - at)) {
          return InvalidArgument("Op {}: list '{}' needs {} tensors, {} given",
                                 def_.name, arg.name, n, types_.size() - at);
        }
        if (!arg.number_attr.empty()) found_.Set(arg.number_attr, n);
      }
      if (!arg.type_list_attr.empty()) {
        found_.Set(arg.type_list_attr,
                   std::vector<DataType>(types_.begin() + at,
                                         types_.begin() + at + n));
        at += n;
        continue;
      }
      if (n > static_cast<int64_t>(types_.size() - at)) {
        return InvalidArgument(
            "Op {}: argument '{}' is missing: {} inputs "
            "given",
            def_.name, arg.name, types_.size());
      }
      for (int64_t k = 0; k < n; ++k, ++at) {
        GK_RETURN_IF_ERROR(CheckInput(arg, at));
      }
    }
    if (at != types_.size()) {
      return InvalidArgument("Op {} takes {} inputs but got {}", def_.name, at,
                             types_.size());
    }
    return OkStatus();
  }

  Status CheckInput(const ArgDef& arg, size_t at) {
    DataType expected = arg.type;
    if (!arg.type_attr.empty()) {
      const AttrValue* v = found_.Find(arg.type_attr);
      if (!v) v = given_->Find(arg.type_attr);
      if (!v) {
        found_.Set(arg.type_attr, types_[at]);
        first_of_type_.emplace_back(arg.type_attr, arg.name);
        const AttrDef* attr = def_.FindAttr(arg.type_attr);
        return attr ? CheckAllowed(*attr, types_[at]) : OkStatus();
      }
      found_.Set(arg.type_attr, *v);
      if (auto t = std::get_if<DataType>(v)) expected = *t;
    }
    if (expected == types_[at]) return OkStatus();
    if (!graph_) {
      return InvalidArgument(
          "cannot compute {} as input #{}(zero-based) was expected to be a {} "
          "tensor but is a {} tensor",
          def_.name, at, DataTypeString(expected), DataTypeString(types_[at]));
    }
    if (arg.is_list()) return MixedList(arg);
    for (const auto& [attr, name] : first_of_type_) {
      if (attr == arg.type_attr) {
        return TypeError(
            "Input '{}' of '{}' Op has type {} that does not match type {} of "
            "argument '{}'.",
            arg.name, def_.name, DataTypeName(types_[at]),
            DataTypeName(expected), name);
      }
    }
    return TypeError(
        "Input '{}' of '{}' Op has type {} that does not match expected type "
        "of {}.",
        arg.name, def_.name, DataTypeName(types_[at]), DataTypeName(expected));
  }

  // Of a list whose tensors should have one dtype.
  Status MixedList(const ArgDef& arg) const {
    size_t at = 0;
    for (const ArgDef& other : def_.inputs) {
      if (&other == &arg) break;
      const int64_t* n = found_.Get<int64_t>(other.number_attr);
      at += n ? *n : 1;
    }
    const int64_t* n = found_.Get<int64_t>(arg.number_attr);
    std::string list;
    for (size_t i = at; i < types_.size() && i < at + (n ? *n : 0); ++i) {
      list += (list.empty() ? "" : ", ");
      list += DataTypeName(types_[i]);
    }
    return TypeError(
        "Tensors in list passed to '{}' of '{}' Op have types [{}] that don't "
        "all match.",
        arg.name, def_.name, list);
  }

  Status CheckAllowed(const AttrDef& attr, const AttrValue& v) {
    auto check_type = [&](DataType t) -> Status {
      if (attr.allowed_types.empty() || attr.allowed_types.Contains(t)) {
        return OkStatus();
      }
      std::string allowed;
      for (int i = 1; i < kNumDataTypes; ++i) {
        if (!attr.allowed_types.Contains(static_cast<DataType>(i))) continue;
        if (!allowed.empty()) allowed += ", ";
        allowed += DataTypeName(static_cast<DataType>(i));
      }
      if (graph_) {
        return TypeError(
            "Value passed to parameter '{}' has DataType {} not in list of "
            "allowed values: {}",
            ArgumentOf(attr.name), DataTypeName(t), allowed);
      }
      return InvalidArgument(
          "Value for attr '{}' of {} is not in the list of allowed values: "
          "{}\n\t; NodeDef: {{{{node {}}}}}",
          attr.name, DataTypeString(t), allowed, def_.name);
    };
    if (auto t = std::get_if<DataType>(&v)) return check_type(*t);
    if (auto l = std::get_if<std::vector<DataType>>(&v)) {
      for (DataType t : *l) GK_RETURN_IF_ERROR(check_type(t));
    }
    if (auto s = std::get_if<std::string>(&v);
        s && !attr.allowed_strings.empty()) {
      for (const std::string& a : attr.allowed_strings) {
        if (a == *s) return OkStatus();
      }
      if (graph_) {
        return ValueError(
            "Attr '{}' of '{}' Op passed string '{}' not in: "
            "\"{}\".",
            attr.name, def_.name, *s,
            JoinText(attr.allowed_strings, "\", \""));
      }
      return InvalidArgument(
          "Value for attr '{}' of \"{}\" is not in the list of allowed "
          "values: \"{}\"",
          attr.name, *s, JoinText(attr.allowed_strings, "\", \""));
    }
    if (attr.has_minimum) {
      int64_t n = attr.minimum;
      if (auto i = std::get_if<int64_t>(&v)) n = *i;
      if (attr.is_list) {
        n = std::visit(
            [&](const auto& list) -> int64_t {
              if constexpr (requires {
                              list.begin();
                              list.size();
                            }) {
                return list.size();
              } else {
                return attr.minimum;
              }
            },
            v);
      }
      if (n < attr.minimum && graph_) return TooFew(attr, n);
      if (n < attr.minimum) {
        if (attr.is_list) {
          return InvalidArgument(
              "Length for attr '{}' of {} must be at least minimum {}",
              attr.name, n, attr.minimum);
        }
        return InvalidArgument(
            "Value for attr '{}' of {} must be at least minimum {}", attr.name,
            n, attr.minimum);
      }
    }
    return OkStatus();
  }

  Status TooFew(const AttrDef& attr, int64_t n) const {
    for (const ArgDef& arg : def_.inputs) {
      if (arg.number_attr == attr.name) {
        return ValueError(
            "List argument '{}' to '{}' Op with length {} shorter than minimum "
            "length {}.",
            arg.name, def_.name, n, attr.minimum);
      }
    }
    return ValueError("Attr '{}' of '{}' Op passed {}{} less than minimum {}.",
                      attr.name, def_.name,
                      attr.is_list ? "list of length " : "", n, attr.minimum);
  }

  std::string_view ArgumentOf(std::string_view attr) const {
    for (const ArgDef& arg : def_.inputs) {
      if (arg.type_attr == attr || arg.type_list_attr == attr) {
        return arg.name;
      }
    }
    return attr;
  }

  static bool HasType(const AttrDef& attr, const AttrValue& v) {
    const bool l = attr.is_list;
    auto is = [&](auto scalar, auto list) {
      return l ? std::holds_alternative<decltype(list)>(v)
               : std::holds_alternative<decltype(scalar)>(v);
    };
    switch (attr.type) {
      case AttrType::kInt:
        return is(int64_t(), std::vector<int64_t>());
      case AttrType::kFloat:
        return is(float(), std::vector<float>());
      case AttrType::kBool:
        return is(bool(), std::vector<bool>());
      case AttrType::kString:
        return is(std::string(), std::vector<std::string>());
      case AttrType::kType:
        return is(DataType(), std::vector<DataType>());
      case AttrType::kShape:
        return is(PartialTensorShape(), std::vector<PartialTensorShape>());
      case AttrType::kTensor:
        return is(Tensor(), std::vector<Tensor>());
      case AttrType::kFunc:
        return is(FunctionAttr(), std::vector<FunctionAttr>());
    }
    return false;
  }

  Status Finish() {
    AttrMap result;
    result.reserve(def_.attrs.size());
    for (const AttrDef& attr : def_.attrs) {
      const AttrValue* v = found_.Find(attr.name);
      if (!v) v = given_->Find(attr.name);
      if (!v && attr.default_value) v = &*attr.default_value;
      if (!v) {
        return InvalidArgument("Op {}: attribute '{}' is missing", def_.name,
                               attr.name);
      }
      if (!HasType(attr, *v)) {
        return InvalidArgument(
            "Op {}: attribute '{}' has a value of the wrong "
            "type: {}",
            def_.name, attr.name, AttrText(*v));
      }
      GK_RETURN_IF_ERROR(CheckAllowed(attr, *v));
      result.Append(attr.name, *v);
    }
    for (const auto& [name, value] : *given_) {
      if (name.starts_with('_')) {
        result.Set(name, value);
      } else if (!def_.FindAttr(name)) {
        return InvalidArgument("Op {} has no attribute '{}'", def_.name, name);
      }
    }
    *given_ = std::move(result);
    return OkStatus();
  }

  const OpRecord& record_;
  const OpDef& def_;
  std::span<const DataType> types_;
  bool graph_;
  AttrMap* given_;
  AttrMap found_;
  std::vector<std::pair<std::string_view, std::string_view>> first_of_type_;
};

}  // namespace

Status ResolveAttrs(const OpRecord& record, std::span<const DataType> types,
                    bool graph, AttrMap* attrs) {
  // Such a node has what its file gave it.
  if (record.Has(kUnregistered)) return OkStatus();
  return Resolver(record, types, graph, attrs).Run();
}

Status OutputTypes(const OpDef& def, const AttrMap& attrs,
                   std::vector<DataType>* types) {
  for (const ArgDef& arg : def.outputs) {
    if (!arg.type_list_attr.empty()) {
      auto* list = attrs.Get<std::vector<DataType>>(arg.type_list_attr);
      if (!list) return Internal("{}: attr {} unset", def.name, arg.name);
      types->insert(types->end(), list->begin(), list->end());
      continue;
    }
    DataType t = arg.type;
    if (!arg.type_attr.empty()) {
      auto* v = attrs.Get<DataType>(arg.type_attr);
      if (!v) return Internal("{}: attr {} unset", def.name, arg.type_attr);
      t = *v;
    }
    int64_t n = 1;
    if (!arg.number_attr.empty()) {
      auto* v = attrs.Get<int64_t>(arg.number_attr);
      if (!v) return Internal("{}: attr {} unset", def.name, arg.number_attr);
      n = *v;
      if (n < 0 || n > (1 << 20)) {
        return ValueError("Number of outputs is too big: {}", n);
      }
    }
    types->insert(types->end(), n, t);
  }
  return OkStatus();
}

}  // namespace gk
