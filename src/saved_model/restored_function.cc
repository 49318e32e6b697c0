#include "saved_model/restored_function.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "framework/types.h"
#include "graph/tensor_proto.h"
#include "ops/fn/Cast.h"
#include "ops/fn/ReadVariableOp.h"

namespace gk {
namespace {

using Kind = TraceType::Kind;
using Containers = RestoredFunction::Containers;

// The number of what the call does not give.
constexpr size_t kNoPart = static_cast<size_t>(-1);

// A part of a call, with the place of its tensor among those of the call.
struct Given {
  const TraceType* type = nullptr;
  int tensor = -1;    // or the first
  size_t number = 0;  // among all parts
  std::vector<Given> parts;
};

// Gives the tensors of a call their places.
class Places {
 public:
  Given Of(const TraceType& type) {
    Given given{&type, -1, number_++, {}};
    if (type.kind() == Kind::kTensor) {
      given.tensor = next_++;
    } else if (type.kind() == Kind::kVariable) {
      const auto [known, is_new] = variables_.emplace(type.alias(), next_);
      if (is_new) ++next_;
      given.tensor = known->second;
    } else if (type.kind() == Kind::kCustom) {
      given.tensor = next_;
      next_ += static_cast<int>(type.custom()->NumTensors());
    }
    given.parts.resize(type.children().size());
    for (const size_t i : type.FlatteningOrder()) {
      given.parts[i] = Of(*type.children()[i]);
    }
    return given;
  }

 private:
  int next_ = 0;
  size_t number_ = 0;
  std::map<int, int> variables_;
};

// A literal as others of its value are written: numbers count by value, not by
// the type that they have in C++.
std::string PlainKey(const std::string& key) {
  std::string plain = key;
  if (plain[0] == 'u' || plain[0] == 'e') plain[0] = 'i';
  if (plain[0] == 'f') plain[0] = 'd';
  return plain;
}

template <class To, class From>
bool Holds(From number) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return false;
  } else if constexpr (std::is_integral_v<To>) {
    return static_cast<From>(static_cast<To>(number)) == number &&
           (std::is_signed_v<To> || number >= 0);
  } else {
    return true;
  }
}

// A number or a text as a scalar; null if it is none of that type.
Tensor TensorOf(const TraceType& literal, DataType dtype) {
  const std::string key = PlainKey(literal.key());
  Tensor made;
  if (key[0] == 's' && dtype == DataType::kString) {
    return Tensor::Scalar<std::string>(key.substr(1));
  }
  if (key[0] == 'b' && dtype == DataType::kBool) {
    return Tensor::Scalar<bool>(key[1] != 0);
  }
  if (key.size() != 1 + sizeof(int64_t)) return made;
  const auto convert = [&](auto number) {
    std::memcpy(&number, key.data() + 1, sizeof number);
    VisitType<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t,
              uint64_t, half, bfloat16, float, double>(dtype, [&](auto zero) {
      using To = decltype(zero);
      if (!Holds<To>(number)) return;
      if constexpr (std::is_arithmetic_v<To>) {
        made = Tensor::Scalar<To>(static_cast<To>(number));
      } else {
        made = Tensor::Scalar<To>(To(static_cast<float>(number)));
      }
    });
  };
  if (key[0] == 'i') convert(int64_t{});
  if (key[0] == 'd') convert(double{});
  return made;
}

// A default that is a tensor; null if it is none. An array takes the type of
// its parameter, as an array that is given does.
Tensor DefaultTensor(const proto::StructuredValue& value,
                     const TraceType& wanted) {
  const bool array =
      value.kind_case == proto::StructuredValue::KindCase::kNumpyValue;
  if (!array &&
      value.kind_case != proto::StructuredValue::KindCase::kTensorValue) {
    return {};
  }
  Tensor made = ValueOrThrow(
      TensorFromProto(array ? *value.numpy_value : *value.tensor_value));
  if (array && wanted.kind() == Kind::kTensor &&
      made.dtype() != wanted.dtype()) {
    made = ops::Cast(made, wanted.dtype());
  }
  return made;
}

// Finds the inputs of a trace among the parts of a call.
class Match {
 public:
  Match(const TensorVector& tensors, const RestoredFunction::Language& language,
        bool exactly)
      : tensors_(tensors),
        language_(language),
        alike_(language.containers == Containers::kAlike),
        exactly_(exactly) {}

  bool Take(const TraceType& wanted, const Given& given) {
    switch (wanted.kind()) {
      case Kind::kTensor:
        return TakeTensor(wanted, given);
      case Kind::kVariable:
        return TakeVariable(wanted, given);
      case Kind::kLiteral:
        return TakeLiteral(wanted, *given.type);
      case Kind::kList:
      case Kind::kTuple:
        return IsSequence(*given.type, wanted.kind()) &&
               TakeParts(wanted, given.parts);
      case Kind::kDict:
        return TakeMapping(wanted, given);
      case Kind::kCustom:
        return TakeCustom(wanted, given);
      default:
        return TakeRecord(wanted, given);
    }
  }

  // Read when it is known that they are needed.
  TensorVector Inputs() {
    for (auto& [tensor, read_as] : inputs_) {
      if (read_as) tensor = ops::ReadVariableOp(tensor, *read_as);
    }
    TensorVector made;
    for (auto& [tensor, read_as] : inputs_) made.push_back(std::move(tensor));
    return made;
  }

 private:
  // A struct whose fields have no names is saved as a tuple.
  bool IsSequence(const TraceType& type, Kind wanted) const {
    if (!alike_) return type.kind() == wanted;
    return type.kind() == Kind::kList || type.kind() == Kind::kTuple ||
           (type.kind() == Kind::kAttrs && type.name().empty());
  }
  static bool Fits(const TraceType& wanted, const TraceType& given) {
    return wanted.dtype() == given.dtype() &&
           wanted.shape().IsCompatibleWith(given.shape());
  }
  void Add(Tensor tensor, std::optional<DataType> read_as = {}) {
    inputs_.emplace_back(std::move(tensor), read_as);
  }
  bool TakeTensor(const TraceType& wanted, const Given& given) {
    const TraceType& type = *given.type;
    if (type.kind() == Kind::kTensor) {
      if (!Fits(wanted, type)) return false;
      Add(tensors_[given.tensor]);
      return true;
    }
    if (exactly_) return false;
    if (type.kind() == Kind::kVariable) {
      if (!Fits(wanted, type)) return false;
      Add(tensors_[given.tensor], type.dtype());
      return true;
    }
    Tensor made = language_.to_tensor(given.number, type, wanted.dtype());
    if (!made || made.dtype() != wanted.dtype() ||
        !wanted.shape().IsCompatibleWith(made.partial_shape())) {
      return false;
    }
    Add(std::move(made));
    return true;
  }
  bool TakeVariable(const TraceType& wanted, const Given& given) {
    if (given.type->kind() != Kind::kVariable || !Fits(wanted, *given.type)) {
      return false;
    }
    const auto [known, is_new] =
        variables_.emplace(wanted.alias(), given.tensor);
    if (is_new) Add(tensors_[given.tensor]);
    return known->second == given.tensor;
  }
  bool TakeLiteral(const TraceType& wanted, const TraceType& given) const {
    // An optional of C++ is a tuple of what there is.
    if (alike_ && wanted.key() == "N" && given.kind() == Kind::kTuple) {
      return given.children().empty();
    }
    return given.kind() == Kind::kLiteral &&
           PlainKey(given.key()) == PlainKey(wanted.key());
  }
  bool TakeParts(const TraceType& wanted, const std::vector<Given>& parts) {
    if (wanted.children().size() != parts.size()) return false;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!Take(*wanted.children()[i], parts[i])) return false;
    }
    return true;
  }
  // From a mapping, or a struct with fields of these names.
  bool TakeMapping(const TraceType& wanted, const Given& given) {
    const TraceType& type = *given.type;
    const bool fields = alike_ && type.kind() == Kind::kAttrs;
    if (type.kind() != Kind::kDict && !fields) return false;
    if (type.keys().size() != wanted.keys().size()) return false;
    for (const size_t i : wanted.FlatteningOrder()) {
      const std::string& key = wanted.keys()[i];
      const auto found =
          std::ranges::find_if(type.keys(), [&](const std::string& own) {
            return fields ? "s" + own == key : own == key;
          });
      if (found == type.keys().end()) return false;
      const size_t at = found - type.keys().begin();
      if (!Take(*wanted.children()[i], given.parts[at])) return false;
    }
    return true;
  }
  // From a struct of the same fields; or from the tensors of a composite.
  bool TakeRecord(const TraceType& wanted, const Given& given) {
    const TraceType& type = *given.type;
    if (!alike_) {
      return type.kind() == wanted.kind() && type.name() == wanted.name() &&
             type.keys() == wanted.keys() && TakeParts(wanted, given.parts);
    }
    if (type.kind() == Kind::kAttrs && type.keys() == wanted.keys()) {
      return TakeParts(wanted, given.parts);
    }
    std::vector<Given> flat;
    AddLeaves(given, &flat);
    return TakeParts(wanted, flat);
  }
  bool TakeCustom(const TraceType& wanted, const Given& given) {
    if (given.type->kind() != Kind::kCustom ||
        !wanted.custom()->IsCompatibleWith(*given.type->custom())) {
      return false;
    }
    const size_t n = given.type->custom()->NumTensors();
    for (size_t i = 0; i < n; ++i) Add(tensors_[given.tensor + i]);
    return true;
  }
  static void AddLeaves(const Given& given, std::vector<Given>* flat) {
    if (given.type->kind() == Kind::kTensor) flat->push_back(given);
    for (const Given& part : given.parts) AddLeaves(part, flat);
  }

  const TensorVector& tensors_;
  const RestoredFunction::Language& language_;
  const bool alike_, exactly_;
  std::vector<std::pair<Tensor, std::optional<DataType>>> inputs_;
  std::map<int, int> variables_;  // of the trace: places in the call
};

std::string CallText(const FunctionType& type) {
  std::string by_position, by_name;
  int n = 0;
  for (const FunctionParameter& p : type.parameters()) {
    if (p.kind == ParameterKind::kKeywordOnly) {
      by_name += (by_name.empty() ? "'" : ", '") + p.name + "': ";
      by_name += p.type->Text();
    } else {
      by_position += "\n    * " + p.type->Text();
      ++n;
    }
  }
  return Format(
      "Positional arguments ({} total):{}\n  Keyword arguments: {{{}}}", n,
      by_position, by_name);
}

}  // namespace

StatusOr<RestoredFunction> RestoredFunction::Of(LoadedModel* model,
                                                int object) {
  return Of(model, object, [model](const std::string& name) {
    return model->SignatureOf(name);
  });
}

StatusOr<RestoredFunction> RestoredFunction::Of(LoadedModel* model, int object,
                                                ReadSignature read) {
  const proto::SavedObject& saved = model->objects()[object];
  RestoredFunction made;
  std::vector<std::string> names;
  if (saved.function.has()) {
    names = saved.function->concrete_functions;
    made.parameters_ = ParametersOf(*saved.function->function_spec);
  } else if (saved.bare_concrete_function.has()) {
    names = {saved.bare_concrete_function->concrete_function_name};
    made.parameters_ =
        ParametersOf(*saved.bare_concrete_function->function_spec);
  } else {
    return InvalidArgument("Object {} of the SavedModel at {} is no function",
                           object, model->folder());
  }
  for (const std::string& name : names) {
    SavedTrace trace;
    GK_ASSIGN_OR_RETURN(trace.function, model->Function(name));
    GK_ASSIGN_OR_RETURN(trace.signature, read(name));
    if (!trace.signature.type) {
      return DataLoss(
          "The SavedModel at {} does not say how its function '{}' is called",
          model->folder(), name);
    }
    made.traces_.push_back(std::move(trace));
  }
  return made;
}

std::optional<RestoredFunction::Served> RestoredFunction::Find(
    const FunctionType& call, const TensorVector& tensors,
    const Language& language, const SavedTrace* only) const {
  Places places;
  std::vector<Given> by_position;
  std::map<std::string, Given> by_name;
  for (const FunctionParameter& p : call.parameters()) {
    Given given = places.Of(*p.type);
    if (p.kind == ParameterKind::kKeywordOnly) {
      by_name.emplace(p.name, std::move(given));
    } else {
      by_position.push_back(std::move(given));
    }
  }
  std::vector<TraceTypeRef> defaults;  // kept alive
  TensorVector all = tensors;          // and those that are defaults
  const auto find = [&](const FunctionParameter& p, size_t i,
                        size_t* used) -> std::optional<Given> {
    if (p.kind != ParameterKind::kKeywordOnly && i < by_position.size()) {
      ++*used;
      return by_position[i];
    }
    const auto named = by_name.find(p.name);
    if (named != by_name.end()) {
      ++*used;
      return named->second;
    }
    const proto::StructuredValue* value =
        parameters_.DefaultOf(p.name, static_cast<int>(i));
    if (value == nullptr) return {};
    if (Tensor made = DefaultTensor(*value, *p.type)) {
      defaults.push_back(TraceType::Tensor(made.dtype(), made.partial_shape()));
      all.push_back(std::move(made));
      return Given{
          defaults.back().get(), static_cast<int>(all.size()) - 1, kNoPart, {}};
    }
    defaults.push_back(TypeOfPlainValue(*value));
    return Given{defaults.back().get(), -1, kNoPart, {}};
  };
  const size_t num_given = by_position.size() + by_name.size();
  for (const bool exactly : {true, false}) {
    for (const SavedTrace& trace : traces_) {
      if (only != nullptr && &trace != only) continue;
      Match match(all, language, exactly);
      const auto& wanted = trace.signature.type->parameters();
      size_t used = 0;
      bool serves = true;
      for (size_t i = 0; serves && i < wanted.size(); ++i) {
        const std::optional<Given> given = find(wanted[i], i, &used);
        serves = given && match.Take(*wanted[i].type, *given);
      }
      if (serves && used == num_given) return Served{&trace, match.Inputs()};
    }
  }
  return {};
}

Status RestoredFunction::NoMatch(std::string_view call,
                                 std::span<const std::string> traces) {
  if (traces.empty()) {
    return ValueError("Found zero restored functions for caller function.");
  }
  std::string options;
  for (size_t i = 0; i < traces.size(); ++i) {
    options +=
        Format("{}Option {}:\n  {}", i == 0 ? "" : "\n\n", i + 1, traces[i]);
  }
  return ValueError(
      "Could not find matching concrete function to call loaded from the "
      "SavedModel. Got:\n  {}\n\n Expected these arguments to match one of the "
      "following {} option(s):\n\n{}",
      call, traces.size(), options);
}

StatusOr<RestoredFunction::Served> RestoredFunction::Serve(
    const FunctionType& call, const TensorVector& tensors) const {
  const auto to_tensor = [](size_t, const TraceType& type, DataType dtype) {
    return type.kind() == Kind::kLiteral ? TensorOf(type, dtype) : Tensor();
  };
  std::optional<Served> found =
      Find(call, tensors, {Containers::kAlike, to_tensor});
  if (found) return *std::move(found);
  std::vector<std::string> shown;
  for (const SavedTrace& trace : traces_) {
    shown.push_back(CallText(*trace.signature.type));
  }
  return NoMatch(CallText(call), shown);
}

}  // namespace gk
