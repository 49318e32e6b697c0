#include "ops/composition.h"

#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "ops/element_moves.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Range.h"
#include "ops/fn/Rank.h"

namespace gk {
namespace {

std::string_view Trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

[[noreturn]] void Malformed(const CompositionRecord& r, std::string_view what) {
  std::fputs(Format("graphkiln: composition {}: {}\n", r.names, what).c_str(),
             stderr);
  std::abort();
}

// Up to `sep`, which is removed with what precedes it from `rest`.
std::string_view Take(std::string_view* rest, char sep) {
  const size_t at = rest->find(sep);
  std::string_view head = rest->substr(0, at);
  *rest = at == std::string_view::npos ? "" : rest->substr(at + 1);
  return Trim(head);
}

void ParseDefault(const CompositionRecord& r, std::string_view text,
                  CompositionArg* arg) {
  arg->required = false;
  arg->takes_none = true;
  arg->default_text = text;
  if (text == "None") return;
  switch (arg->kind) {
    case ArgKind::kBool:
      arg->default_value = text == "True";
      return;
    case ArgKind::kInt:
      arg->default_value =
          static_cast<int64_t>(std::atoll(arg->default_text.c_str()));
      return;
    case ArgKind::kFloat:
      arg->default_value = std::atof(arg->default_text.c_str());
      return;
    case ArgKind::kString:
      arg->default_value = std::string(text.substr(1, text.size() - 2));
      return;
    case ArgKind::kTensor:  // a number, which `build` makes a tensor of
    case ArgKind::kNative:
      if (text == "True" || text == "False") {
        arg->default_value = text == "True";
      } else if (text.find('.') != text.npos) {
        arg->default_value = std::atof(arg->default_text.c_str());
      } else if (text.front() == '\'') {
        arg->default_value = std::string(text.substr(1, text.size() - 2));
      } else {
        arg->default_value =
            static_cast<int64_t>(std::atoll(arg->default_text.c_str()));
      }
      return;
    case ArgKind::kType: {
      const std::optional<DataType> t = DataTypeFromName(text);
      if (!t) Malformed(r, "unknown default dtype");
      arg->default_value = *t;
      arg->default_text = Format("tf.{}", text);
      return;
    }
    case ArgKind::kInts: {  // "[1, 1]"
      std::vector<int64_t> values;
      std::string_view rest = text.substr(1, text.size() - 2);
      while (!rest.empty()) {
        values.push_back(std::atoll(std::string(Take(&rest, ',')).c_str()));
      }
      arg->default_value = std::move(values);
      return;
    }
    case ArgKind::kName:
      return;
    default:
      Malformed(r, "this kind of argument has no default but None");
  }
}

CompositionArg ParseArg(const CompositionRecord& r, std::string_view text) {
  CompositionArg arg;
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) Malformed(r, "argument without kind");
  arg.name = Trim(text.substr(0, colon));
  std::string_view rest = text.substr(colon + 1);
  const size_t equals = rest.find('=');
  std::string_view kind = Trim(rest.substr(0, equals));
  if (const size_t as = kind.find(" as "); as != std::string_view::npos) {
    arg.node = Trim(kind.substr(as + 4));
    kind = Trim(kind.substr(0, as));
  } else {
    // "*inputs: tensors": Python gives the list as the positional arguments
    // from its place on, and those behind it by keyword.
    arg.node = arg.name.substr(arg.name.starts_with('*'));
  }
  if (kind.ends_with('?')) {
    arg.takes_none = true;
    kind.remove_suffix(1);
  }
  if (const size_t open = kind.find('('); open != std::string_view::npos) {
    arg.type_of = kind.substr(open + 1, kind.size() - open - 2);
    kind = kind.substr(0, open);
  }
  if (kind == "native") {
    arg.numpy_numbers = arg.type_of == "numbers";
    arg.partial = arg.type_of == "partial";
    if (arg.numpy_numbers || arg.partial) arg.type_of.clear();
  }
  static constexpr std::pair<std::string_view, ArgKind> kKinds[] = {
      {"tensor", ArgKind::kTensor},     {"tensors", ArgKind::kTensors},
      {"native", ArgKind::kNative},     {"shape", ArgKind::kShape},
      {"handle", ArgKind::kHandle},     {"bool", ArgKind::kBool},
      {"int", ArgKind::kInt},           {"float", ArgKind::kFloat},
      {"string", ArgKind::kString},     {"type", ArgKind::kType},
      {"ints", ArgKind::kInts},         {"name", ArgKind::kName},
      {"seed", ArgKind::kSeed},         {"rows", ArgKind::kRows},
      {"many_rows", ArgKind::kManyRows}};
  bool found = false;
  for (const auto& [name, value] : kKinds) {
    if (name != kind) continue;
    arg.kind = value;
    found = true;
  }
  if (!found) Malformed(r, "unknown kind of argument");
  if (equals != std::string_view::npos) {
    const bool question = arg.takes_none;
    ParseDefault(r, Trim(rest.substr(equals + 1)), &arg);
    arg.none_is_default =
        question && !std::holds_alternative<std::monostate>(arg.default_value);
  }
  return arg;
}

Tensor Constant(const Tensor& value, std::string_view name) {
  return ValueOrThrow(
      OpBuilder::Current()->Constant(value, name.empty() ? "Const" : name));
}

// Of an argument that the op has as an input.
Tensor OperandOf(const CompositionCall& c, int i) {
  const std::string node = c.name(c.composition().args[i].node);
  if (const int64_t* v = c.get<int64_t>(i)) return IndexOf(*v, node);
  if (const double* v = c.get<double>(i)) {
    return NumberOf(*v, DataType::kFloat, node);
  }
  return c.tensor(i);
}

// An attribute that None leaves at its default.
void SetAttr(const CompositionCall& c, int i, const AttrDef& attr,
             AttrMap* attrs) {
  if (!c.has(i)) return;
  switch (c.composition().args[i].kind) {
    case ArgKind::kBool:
      return attrs->Set(attr.name, c.flag(i));
    case ArgKind::kInt:
      return attrs->Set(attr.name, c.integer(i));
    case ArgKind::kFloat:
      return attrs->Set(attr.name, static_cast<float>(c.real(i)));
    case ArgKind::kString:
      return attrs->Set(attr.name, c.text(i));
    case ArgKind::kType:
      return attrs->Set(attr.name, c.type(i));
    case ArgKind::kInts:
      return attrs->Set(attr.name, c.ints(i));
    default:
      Malformed(*c.composition().record, "an attribute of no such kind");
  }
}

// The op that the function is: its inputs are the first arguments, the others
// its attributes of that name. Those that it does not have mean nothing.
TensorVector MakeOpOf(CompositionCall& c) {
  const Composition& f = c.composition();
  const OpDef& def = *f.op->def;
  TensorVector in;
  AttrMap attrs;
  for (size_t i = 0; i < f.args.size(); ++i) {
    if (in.size() < def.inputs.size()) {
      in.push_back(OperandOf(c, i));
    } else if (const AttrDef* attr = def.FindAttr(f.args[i].node)) {
      SetAttr(c, i, *attr, &attrs);
    }
  }
  return MakeOp(f.op->name, in, std::move(attrs), c.name());
}

}  // namespace

void CompositionCall::WrongType(int i) const {
  throw Error(TypeError("Argument `{}` has the wrong type or is None",
                        composition_.args[i].name));
}

DataType CompositionArg::named_type() const {
  const size_t bang = type_of.find('!');
  return DataTypeFromName(type_of.substr(0, bang)).value_or(DataType::kInvalid);
}

std::string CompositionCall::name(std::string_view part) const {
  if (scope_.empty()) return {};
  return Format("{}{}{}/", scope_, scope_.back() == '/' ? "" : "/", part);
}

CompositionCall::CompositionCall(const Composition& composition,
                                 std::string scope)
    : composition_(composition), scope_(std::move(scope)) {
  for (const CompositionArg& arg : composition.args) {
    values_.push_back(&arg.default_value);
  }
}

CompositionValue& CompositionCall::Give(int i, CompositionValue value) {
  if (given_.empty()) given_.reserve(values_.size());
  const CompositionArg& arg = composition_.args[i];
  if (arg.none_is_default && std::holds_alternative<std::monostate>(value)) {
    value = arg.default_value;
  }
  given_.push_back(std::move(value));
  values_[i] = &given_.back();
  return given_.back();
}

CompositionValue* CompositionCall::given(int i) {
  if (values_[i] == &composition_.args[i].default_value) return nullptr;
  return &given_[values_[i] - given_.data()];
}

std::string CompositionCall::name_beside(std::string_view part) const {
  if (scope_.empty()) return {};
  std::string_view outer = scope_;
  if (outer.back() == '/') outer.remove_suffix(1);
  const size_t slash = outer.rfind('/');
  outer = slash == outer.npos ? "" : outer.substr(0, slash + 1);
  return Format("{}{}/", outer, part);
}

CompositionRegistry& CompositionRegistry::Get() {
  static auto* registry = new CompositionRegistry();
  return *registry;
}

void CompositionRegistry::Add(const CompositionRecord* records, int n) {
  for (int i = 0; i < n; ++i) Add(records[i], nullptr);
}

void CompositionRegistry::AddOps(std::span<const OpRecord* const> ops) {
  for (const OpRecord* op : ops) {
    const PythonFace& face = op->python;
    if (!IsComposition(*op)) continue;
    const bool elementwise = op->Has(kElementwise);
    const int inputs = op->def->inputs.size();
    Add(
        *new CompositionRecord{
            .names = face.names,
            .args = face.args,
            .scope = face.scope.empty() ? op->name : face.scope,
            // TensorFlow's functions that name a scope make the op in it.
            .wraps_op = !face.scope.empty(),
            .maps = elementwise ? inputs : 0,
            .keeps_zero = op->Has(kKeepsZero),
            .ragged = face.ragged,
            .slices = face.slices,
            .build = MakeOpOf,
            .eager_op = elementwise && inputs == 2 ? op->name : "",
            .doc = op->doc,
            .example = op->example},
        op);
  }
}

void CompositionRegistry::Add(const CompositionRecord& r, const OpRecord* op) {
  auto* composition = new Composition{&r, {}, op};
  std::string_view rest = r.args;
  while (!Trim(rest).empty()) {
    composition->args.push_back(ParseArg(r, Take(&rest, ';')));
  }
  std::string_view names = r.names;
  while (!names.empty()) {
    if (!by_name_.emplace(Take(&names, '|'), composition).second) {
      Malformed(r, "a name that is taken");
    }
  }
  if (r.build == nullptr) Malformed(r, "nothing to build");
}

const Composition* CompositionRegistry::Find(std::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

TensorVector CallComposition(std::string_view public_name,
                             std::vector<CompositionValue> values) {
  const Composition* c = CompositionRegistry::Get().Find(public_name);
  if (c == nullptr) throw Error(NotFound("no function '{}'", public_name));
  CompositionCall call(*c, std::string());
  for (size_t i = 0; i < c->args.size(); ++i) {
    if (i < values.size()) {
      call.Give(static_cast<int>(i), std::move(values[i]));
    } else if (c->args[i].required) {
      throw Error(TypeError("{}() missing argument '{}'", public_name,
                            c->args[i].name));
    }
  }
  return c->record->build(call);
}

Tensor NumberOf(double value, DataType dtype, std::string_view name) {
  Tensor t;
  VisitType<bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t,
            int64_t, uint64_t, half, bfloat16, float, double,
            std::complex<float>, std::complex<double>>(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
      t = Tensor::Scalar<T>(T(static_cast<float>(value)));
    } else if constexpr (std::is_same_v<T, std::complex<float>>) {
      t = Tensor::Scalar<T>(T(static_cast<float>(value), 0));
    } else {
      t = Tensor::Scalar<T>(static_cast<T>(value));
    }
  });
  if (dtype == DataType::kInt4 || dtype == DataType::kUint4) {
    t = ValueOrThrow(Tensor::Allocate(dtype, {}));
    *static_cast<uint8_t*>(t.raw_data()) = static_cast<int64_t>(value) & 0xf;
  }
  if (!t) {
    throw Error(TypeError("Cannot convert {} to EagerTensor of dtype {}", value,
                          DataTypeName(dtype)));
  }
  return Constant(t, name);
}

Tensor BlankOf(DataType dtype) {
  if (dtype == DataType::kString) {
    return ValueOrThrow(
        OpBuilder::Current()->Constant(Tensor::Scalar(std::string()), {}));
  }
  return NumberOf(0, dtype);
}

Tensor IntegerOf(int64_t value, DataType dtype, std::string_view name) {
  Tensor t;
  const bool is_integer =
      VisitType<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t,
                uint64_t>(dtype, [&](auto zero) {
        using T = decltype(zero);
        if (!std::in_range<T>(value)) return;
        t = Tensor::Scalar<T>(static_cast<T>(value));
      });
  if (!is_integer) return NumberOf(static_cast<double>(value), dtype, name);
  if (!t) {
    throw Error(InvalidArgument("{} is out of range for dtype {}", value,
                                DataTypeName(dtype)));
  }
  return Constant(t, name);
}

Tensor IntsTensor(std::span<const int64_t> values, DataType dtype,
                  std::string_view name) {
  const TensorShape shape({static_cast<int64_t>(values.size())});
  const DataType kind =
      dtype == DataType::kInt32 ? DataType::kInt32 : DataType::kInt64;
  return Constant(ValueOrThrow(IntegerTensor(kind, values, shape)), name);
}

Tensor Int32Of(int64_t value, std::string_view name) {
  return Constant(
      ValueOrThrow(IntegerTensor(DataType::kInt32, {&value, 1}, TensorShape())),
      name);
}

Tensor IndexOf(int64_t value, std::string_view name) {
  if (std::in_range<int32_t>(value)) return Int32Of(value, name);
  return Constant(Tensor::Scalar(value), name);
}

Tensor IndicesOf(std::span<const int64_t> values, std::string_view name) {
  const bool narrow = std::all_of(values.begin(), values.end(), [](int64_t v) {
    return std::in_range<int32_t>(v);
  });
  return IntsTensor(values, narrow ? DataType::kInt32 : DataType::kInt64, name);
}

Tensor ArgumentAs(const CompositionCall& c, int i, DataType dtype,
                  std::string_view node) {
  const std::string name = c.name(node);
  if (const int64_t* v = c.get<int64_t>(i)) return IntegerOf(*v, dtype, name);
  if (const bool* v = c.get<bool>(i)) return NumberOf(*v, dtype, name);
  if (const double* v = c.get<double>(i)) {
    if (IsInteger(dtype)) {
      throw Error(TypeError("Cannot convert {} to EagerTensor of dtype {}", *v,
                            DataTypeName(dtype)));
    }
    return NumberOf(*v, dtype, name);
  }
  const std::string* text = c.get<std::string>(i);
  if (text != nullptr && dtype == DataType::kString) {
    return Constant(Tensor::Scalar(*text), name);
  }
  if (const auto* ints = c.get<std::vector<int64_t>>(i)) {
    const Tensor t = IntsTensor(*ints, DataType::kInt64, name);
    return dtype == t.dtype() ? t : ops::Cast(t, dtype);
  }
  const Tensor& t = c.tensor(i);
  if (t.dtype() != dtype) {
    throw Error(ValueError(
        "Tensor conversion requested dtype {} for Tensor with dtype {}: {}",
        DataTypeName(dtype), DataTypeName(t.dtype()), node));
  }
  return t;
}

std::optional<std::vector<int64_t>> KnownInts(const Tensor& t) {
  const Tensor value = t.KnownValue();
  if (!value) return std::nullopt;
  std::vector<int64_t> out;
  if (value.dtype() == DataType::kInt32) {
    for (int32_t v : value.flat<int32_t>()) out.push_back(v);
  } else if (value.dtype() == DataType::kInt64) {
    for (int64_t v : value.flat<int64_t>()) out.push_back(v);
  } else {
    return std::nullopt;
  }
  return out;
}

Tensor AllAxes(const Tensor& x, std::string_view name) {
  const PartialTensorShape shape = x.partial_shape();
  if (shape.unknown_rank()) {
    const Tensor start = Int32Of(0);
    const Tensor limit = ops::Rank(x);
    return ops::Range(start, limit, Int32Of(1));
  }
  std::vector<int64_t> axes(shape.rank());
  std::iota(axes.begin(), axes.end(), 0);
  return IntsTensor(axes, DataType::kInt32, name);
}

int64_t PositiveAxis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    throw Error(ValueError("axis = {} not in [{}, {})", axis, -rank, rank));
  }
  return axis < 0 ? axis + rank : axis;
}

}  // namespace gk
