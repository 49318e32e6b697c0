#include "python/src/saved_model/structured_value.h"

#include "graph/tensor_proto.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/throw_status.h"
#include "python/src/tensors/converted.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

using ValueKind = proto::StructuredValue::KindCase;

constexpr int kMaxDepth = 100;

DataType TypeOfNumber(proto::DataType number) {
  const DataType dtype = AsDType(nb::int_(static_cast<int>(number)).ptr());
  if (dtype == DataType::kInvalid) throw nb::python_error();
  return dtype;
}

// Of a TensorSpecProto or a BoundedTensorSpecProto.
template <class Message>
nb::object TensorSpecOf(const Message& message) {
  nb::object name;
  if (!message.name.empty()) name = TextOfFile(message.name);
  return Owned(WrapTensorSpec(ValueOrThrow(ShapeFromProto(*message.shape)),
                              TypeOfNumber(message.dtype), name.ptr()));
}

nb::object ArrayOf(const proto::TensorProto& message) {
  return Wrapped(ValueOrThrow(TensorFromProto(message))).attr("__array__")();
}

class ValueReader {
 public:
  nb::object Read(const proto::StructuredValue& v) {
    if (depth_ == kMaxDepth) {
      Throw(DataLoss("A structure is nested too deeply"));
    }
    ++depth_;
    nb::object made = Made(v);
    --depth_;
    return made;
  }
  nb::object Spec(const proto::TypeSpecProto& message) {
    const nb::object name = TextOfFile(message.type_spec_class_name);
    const nb::object cls = package::class_of_spec(name);
    return cls.attr("_deserialize")(Read(*message.type_state));
  }

 private:
  nb::object Made(const proto::StructuredValue& v) {
    switch (v.kind_case) {
      case ValueKind::kFloat64Value:
        return nb::float_(v.float64_value);
      case ValueKind::kInt64Value:
        return nb::int_(v.int64_value);
      case ValueKind::kStringValue:
        return TextOfFile(v.string_value);
      case ValueKind::kBoolValue:
        return nb::bool_(v.bool_value);
      case ValueKind::kTensorShapeValue:
        return ShapeOfMessage(*v.tensor_shape_value);
      case ValueKind::kTensorDtypeValue:
        return nb::borrow(DTypeObject(TypeOfNumber(v.tensor_dtype_value)));
      case ValueKind::kTensorSpecValue:
        return TensorSpecOf(*v.tensor_spec_value);
      case ValueKind::kBoundedTensorSpecValue:
        return TensorSpecOf(*v.bounded_tensor_spec_value);
      case ValueKind::kTypeSpecValue:
        return Spec(*v.type_spec_value);
      case ValueKind::kListValue:
        return List(v.list_value->values);
      case ValueKind::kTupleValue:
        return nb::tuple(List(v.tuple_value->values));
      case ValueKind::kDictValue: {
        nb::dict made;
        for (const auto& [key, part] : v.dict_value->fields) {
          made[TextOfFile(key)] = Read(part);
        }
        return made;
      }
      case ValueKind::kNamedTupleValue:
        return NamedTuple(*v.named_tuple_value);
      case ValueKind::kTensorValue:
        return ArrayOf(*v.tensor_value);
      case ValueKind::kNumpyValue:
        return ArrayOf(*v.numpy_value);
      default:
        return nb::none();
    }
  }
  nb::list List(const std::vector<proto::StructuredValue>& values) {
    nb::list made;
    for (const proto::StructuredValue& part : values) made.append(Read(part));
    return made;
  }
  nb::object NamedTuple(const proto::NamedTupleValue& message) {
    nb::list fields, values;
    for (const proto::PairValue& pair : message.values) {
      fields.append(TextOfFile(pair.key));
      values.append(Read(*pair.value));
    }
    const nb::object cls =
        nb::module_::import_("collections")
            .attr("namedtuple")(TextOfFile(message.name), fields);
    return cls(*values);
  }

  int depth_ = 0;
};

template <class Message>
Message Parsed(const nb::bytes& bytes) {
  Message message;
  ThrowIfError(message.Parse({bytes.c_str(), bytes.size()}));
  return message;
}

}  // namespace

nb::object ValueOfMessage(const proto::StructuredValue& message) {
  return ValueReader().Read(message);
}

nb::object SpecOfMessage(const proto::TypeSpecProto& message) {
  return ValueReader().Spec(message);
}

nb::object SpecOfMessage(const proto::TensorSpecProto& message) {
  return TensorSpecOf(message);
}

nb::object ShapeOfMessage(const proto::TensorShapeProto& message) {
  return Owned(WrapShape(ValueOrThrow(ShapeFromProto(message))));
}

nb::object TextOfFile(const std::string& text) {
  PyObject* made = PyUnicode_FromStringAndSize(
      text.data(), static_cast<Py_ssize_t>(text.size()));
  if (made != nullptr) return nb::steal(made);
  PyErr_Clear();
  Throw(DataLoss("A name in the file is no UTF-8"));
}

void AddStructuredValues(nb::module_& m) {
  m.def("_structured_value", [](const nb::bytes& bytes) {
    return ValueOfMessage(Parsed<proto::StructuredValue>(bytes));
  });
  m.def("_spec_of_message", [](const nb::bytes& bytes) {
    return SpecOfMessage(Parsed<proto::TypeSpecProto>(bytes));
  });
  m.def("_tensor_spec_of_message", [](const nb::bytes& bytes) {
    return SpecOfMessage(Parsed<proto::TensorSpecProto>(bytes));
  });
  m.def("_shape_of_message", [](const nb::bytes& bytes) {
    return ShapeOfMessage(Parsed<proto::TensorShapeProto>(bytes));
  });
}

}  // namespace gk::py
