#include "python/src/data/dataset_step.h"

#include <map>
#include <string>

#include "framework/op_registry.h"
#include "function/dataset_builder.h"
#include "ops/composite.h"
#include "ops/fn/Cast.h"
#include "python/src/binding/class_attribute.h"
#include "python/src/binding/text_caster.h"
#include "python/src/data/dataset_methods.h"
#include "python/src/data/dataset_ops.h"
#include "python/src/function/concrete_function.h"
#include "python/src/ops/call_op.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

nb::object Kept(const char* module, const char* name) {
  return Owned(ImportAttribute(module, name).Release());
}

// What an op's record says of the datasets that it makes.
struct StepFacts {
  std::string kind;  // the name of their class
  std::map<std::string_view, DataType> numbers;
  std::vector<std::string_view> captures;  // of functions
  bool told_types = false, told_shapes = false;
};

StepFacts FactsOf(const OpDef& op) {
  StepFacts facts{.kind = "_" + op.name};
  const size_t n = op.name.size();
  if (op.name[n - 2] == 'V') facts.kind.resize(n - 1);
  // TensorFlow's has no underscore.
  if (facts.kind.starts_with("_Cache")) facts.kind.erase(0, 1);
  for (const ArgDef& in : op.inputs) {
    const bool number = in.type == DataType::kInt64 ||
                        in.type == DataType::kBool ||
                        in.type == DataType::kString;
    if (number && in.number_attr.empty()) facts.numbers[in.name] = in.type;
    if (in.name.find("other_arg") != std::string::npos) {
      facts.captures.push_back(in.name);
    }
  }
  facts.told_types = op.FindAttr("output_types") != nullptr;
  return facts;
}

const StepFacts& FactsOfOp(std::string_view name) {
  static auto& known = *new std::map<std::string, StepFacts, std::less<>>;
  auto found = known.find(name);
  if (found == known.end()) {
    const OpRecord* record = OpRegistry::Get().Find(name);
    if (record == nullptr) {
      Throw(NotFound("Op type not registered '{}'", name));
    }
    found = known.emplace(name, FactsOf(*record->def)).first;
  }
  return found->second;
}

}  // namespace

nb::object ElementSpecOf(nb::handle dataset) {
  return dataset.attr("element_spec");
}

nb::object NumberTensor(nb::handle value, DataType dtype,
                        std::string_view name) {
  if (dtype == DataType::kInt64 && IsTensor(value.ptr()) &&
      TensorOf(value.ptr()).dtype() != dtype) {
    return Wrapped(Tried([&] { return ops::Cast(AsTensor(value), dtype); }));
  }
  StatusOr<Tensor> t = ToTensor(value.ptr(), dtype, DataType::kInvalid, name);
  if (!t.ok()) Throw(t.status());
  return Wrapped(*t);
}

nb::object DatasetBy(std::string_view op, nb::handle spec, const Given& given) {
  const StepFacts& facts = FactsOfOp(op);
  nb::list parts{};
  Given held;  // what arguments become
  const auto variant = [&](nb::handle dataset) {
    parts.append(dataset);
    return dataset.attr("_as_input")();
  };
  for (const auto& [name, value] : given) {
    const auto number = facts.numbers.find(name);
    if (nb::isinstance<nb::list>(value) && nb::len(value) > 0 &&
        IsDataset(value[0])) {
      nb::list variants;
      for (nb::handle d : value) variants.append(variant(d));
      held.emplace_back(name, variants);
    } else if (IsDataset(value)) {
      held.emplace_back(name, variant(value));
    } else if (IsConcreteFunction(value.ptr())) {
      parts.append(value);
      for (const std::string_view c : facts.captures) {
        if (c.starts_with("other_") ||
            (c.starts_with(name) && c[name.size()] == '_')) {
          held.emplace_back(c, value.attr("captured_inputs"));
        }
      }
      held.emplace_back(name, value);
    } else if (number != facts.numbers.end()) {
      held.emplace_back(name, NumberTensor(value, number->second, name));
    } else {
      held.emplace_back(name, value);
    }
  }
  const nb::dict described = ElementAttributes(spec);
  if (facts.told_types) {
    held.emplace_back("output_types", described["output_types"]);
  }
  held.emplace_back("output_shapes", described["output_shapes"]);
  NamedArguments arguments;
  for (const auto& [name, value] : held) {
    arguments.emplace_back(name, value.ptr());
  }
  return MakeDataset(facts.kind, Owned(CallOp(op, arguments)), spec,
                     nb::tuple(parts));
}

nb::object Then(const Arguments& a, std::string_view op, nb::handle spec,
                Given given) {
  given.emplace(given.begin(), "input_dataset", nb::borrow(a.self()));
  return DatasetBy(
      op, spec.is_valid() ? nb::borrow(spec) : ElementSpecOf(a.self()), given);
}

nb::object Deterministic(nb::handle given) {
  if (given.is_none()) return nb::str("default");
  return nb::str(nb::cast<bool>(nb::bool_(given)) ? "true" : "false");
}

nb::object DatasetSpecOfElements(nb::handle element_spec) {
  return DatasetSpecOf(element_spec, TensorShape());
}

UsersFunction::UsersFunction(nb::handle f, const char* caller, nb::handle spec,
                             bool convert, nb::object adjust)
    : traced_([&] {
        nb::dict named;
        if (adjust.is_valid()) named["adjust"] = adjust;
        return Kept("graphkiln.data._traced", "Traced")(
            f, nb::str(caller), spec, nb::bool_(convert), **named);
      }()) {}

nb::object UsersFunction::Elements(std::string_view message) const {
  const nb::object returned = output();
  if (!IsDatasetSpec(returned)) {
    Throw(TypeError("{} {}.", message, TextOf(returned)));
  }
  return ElementSpecOf(returned);
}

KnownBatches BatchesOf(const Arguments& a, std::string_view size_name) {
  const nb::object size =
      NumberTensor(a["batch_size"], DataType::kInt64, size_name);
  const nb::object drop =
      NumberTensor(a["drop_remainder"], DataType::kBool, "drop_remainder");
  const int64_t n = KnownBatchSize(AsTensor(size), AsTensor(drop));
  return {size, drop, n < 0 ? nb::none() : nb::object(nb::int_(n))};
}

nb::object Recoded(const Arguments& a, const char* name, nb::handle spec,
                   nb::object recode) {
  const nb::object made =
      Call("graphkiln.data._traced", "of_components", nb::str(name),
           OfElements("flat_specs", ElementSpecOf(a.self())), recode);
  nb::object own = nb::borrow(spec);
  if (!own.is_valid()) {
    nb::list parts;
    for (nb::handle t : made.attr("outputs")) {
      const Tensor x = AsTensor(t);
      parts.append(Owned(WrapTensorSpec(x.partial_shape(), x.dtype())));
    }
    own = nb::tuple(parts);
  }
  return Then(a, kMapDataset, own,
              {{"f", made}, {"preserve_cardinality", nb::bool_(true)}});
}

void AddDatasetBy(nb::module_& m) {
  m.def(
      "dataset_by",
      [](nb::handle op, nb::handle spec, nb::kwargs given) {
        const std::string name = nb::cast<std::string>(op.attr("_identity"));
        std::vector<std::string> names;
        for (nb::handle key : given.keys()) {
          names.push_back(nb::cast<std::string>(key));
        }
        Given parts;
        for (size_t i = 0; i < names.size(); ++i) {
          parts.emplace_back(names[i], given[names[i].c_str()]);
        }
        return DatasetBy(name, spec, parts);
      },
      "dataset_by(op, spec, **given): the dataset of elements of `spec` that "
      "`op`, one of raw_ops, makes of what it is given: datasets and "
      "functions, "
      "which it keeps, numbers and attributes.");
}

}  // namespace gk::py
