#include "graph/tensor_proto.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "framework/small_numbers.h"
#include "graph/handle_proto.h"
#include "proto/wire.h"

namespace gk {
namespace {

// Elements given one by one; the last is repeated to fill the `n` of a tensor.
template <class T, class Values>
Status Fill(const Values& values, int64_t n, T* to) {
  const auto count = static_cast<int64_t>(values.size());
  if (count > n) {
    return InvalidArgument("TensorProto has {} values for {} elements", count,
                           n);
  }
  for (int64_t i = 0; i < n; ++i) {
    to[i] = count == 0 ? T() : static_cast<T>(values[std::min(i, count - 1)]);
  }
  return OkStatus();
}

template <class T, class V>
Status FillFrom(const std::vector<V>& values, Tensor* tensor) {
  return Fill(values, tensor->num_elements(), tensor->data<T>());
}

template <class T, class V>
Status FillPairs(const std::vector<V>& values, Tensor* tensor) {
  if (values.size() % 2 != 0) {
    return InvalidArgument("TensorProto has half a complex value");
  }
  std::vector<T> complex;
  for (size_t i = 0; i < values.size(); i += 2) {
    complex.push_back(T(values[i], values[i + 1]));
  }
  return FillFrom<T>(complex, tensor);
}

template <class T>
Status FillBits(const std::vector<int32_t>& values, Tensor* tensor) {
  std::vector<T> elements(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const uint16_t bits = static_cast<uint16_t>(values[i]);
    std::memcpy(static_cast<void*>(&elements[i]), &bits, sizeof(bits));
  }
  return FillFrom<T>(elements, tensor);
}

// Elements that are a byte each.
template <class Values>
Status FillBytes(const Values& values, Tensor* tensor) {
  return Fill(values, tensor->num_elements(),
              static_cast<uint8_t*>(tensor->raw_data()));
}

// Integers of less than eight bits, of which the low ones count.
Status FillSmall(const std::vector<int32_t>& values, Tensor* tensor) {
  const int ones = (1 << SmallIntegerBits(tensor->dtype())) - 1;
  std::vector<uint8_t> elements(values.size());
  std::ranges::transform(values, elements.begin(), [&](int32_t value) {
    return static_cast<uint8_t>(value & ones);
  });
  return FillBytes(elements, tensor);
}

Status FillTyped(const proto::TensorProto& m, Tensor* t) {
  switch (t->dtype()) {
    case DataType::kInt2:
    case DataType::kUint2:
    case DataType::kInt4:
    case DataType::kUint4:
      return FillSmall(m.int_val, t);
    case DataType::kFloat8E5m2:
    case DataType::kFloat8E4m3fn:
    case DataType::kFloat8E4m3fnuz:
    case DataType::kFloat8E4m3b11fnuz:
    case DataType::kFloat8E5m2fnuz:
    case DataType::kFloat4E2m1fn:
      return FillBytes(m.float8_val, t);
    case DataType::kFloat:
      return FillFrom<float>(m.float_val, t);
    case DataType::kDouble:
      return FillFrom<double>(m.double_val, t);
    case DataType::kInt32:
    case DataType::kQint32:
      return FillFrom<int32_t>(m.int_val, t);
    case DataType::kInt16:
    case DataType::kQint16:
      return FillFrom<int16_t>(m.int_val, t);
    case DataType::kInt8:
    case DataType::kQint8:
      return FillFrom<int8_t>(m.int_val, t);
    case DataType::kUint8:
    case DataType::kQuint8:
      return FillFrom<uint8_t>(m.int_val, t);
    case DataType::kUint16:
    case DataType::kQuint16:
      return FillFrom<uint16_t>(m.int_val, t);
    case DataType::kInt64:
      return FillFrom<int64_t>(m.int64_val, t);
    case DataType::kUint32:
      return FillFrom<uint32_t>(m.uint32_val, t);
    case DataType::kUint64:
      return FillFrom<uint64_t>(m.uint64_val, t);
    case DataType::kBool:
      return FillFrom<bool>(m.bool_val, t);
    case DataType::kString:
      return FillFrom<std::string>(m.string_val, t);
    case DataType::kHalf:
      return FillBits<half>(m.half_val, t);
    case DataType::kBfloat16:
      return FillBits<bfloat16>(m.half_val, t);
    case DataType::kComplex64:
      return FillPairs<complex64>(m.scomplex_val, t);
    case DataType::kComplex128:
      return FillPairs<complex128>(m.dcomplex_val, t);
    default:
      return Unimplemented("TensorProto of dtype {}", DataTypeName(t->dtype()));
  }
}

template <class T, class V>
bool AppendEach(const Tensor& t, std::vector<V>* to) {
  for (const T& value : t.flat<T>()) to->push_back(static_cast<V>(value));
  return true;
}

template <class T, class V>
bool AppendPairs(const Tensor& t, std::vector<V>* to) {
  for (const T& value : t.flat<T>()) {
    to->push_back(value.real());
    to->push_back(value.imag());
  }
  return true;
}

// Bytes of the elements that are given one by one, and of all elements once
// the last one is repeated. Counts what strings take beside their text.
struct Bytes {
  int64_t held = 0;
  int64_t all = 0;
};

Bytes BytesOf(const proto::TensorProto& m, DataType dtype, int64_t n) {
  int64_t size = DataTypeSize(dtype);
  if (dtype == DataType::kString) {
    size = sizeof(std::string);
    if (!m.string_val.empty()) {
      size += static_cast<int64_t>(m.string_val.back().size());
    }
  }
  const int64_t given = std::min(NumValues(m), n);
  const int64_t all = MultiplyWithoutOverflow(n, size);
  return {given * size, all < 0 ? std::numeric_limits<int64_t>::max() : all};
}

// Strings in the form of bytes: all lengths, then all texts.
Status FillStrings(const std::string& content, Tensor* t) {
  proto::Reader in(content);
  std::vector<uint64_t> sizes(t->num_elements());
  for (uint64_t& size : sizes) {
    if (!in.Varint(&size)) {
      return InvalidArgument("TensorProto lacks lengths of its strings");
    }
  }
  const char* from = in.position();
  size_t left = in.left();
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > left) {
      return InvalidArgument("TensorProto lacks text of its strings");
    }
    t->data<std::string>()[i].assign(from, sizes[i]);
    from += sizes[i];
    left -= sizes[i];
  }
  if (left > 0) {
    return InvalidArgument("TensorProto has {} bytes behind its strings", left);
  }
  return OkStatus();
}

}  // namespace

int64_t NumValues(const proto::TensorProto& m) {
  const bool complex = IsComplex(static_cast<DataType>(m.dtype));
  return static_cast<int64_t>(
      (m.float_val.size() + m.double_val.size() + m.int_val.size() +
       m.string_val.size() + m.scomplex_val.size() + m.int64_val.size() +
       m.bool_val.size() + m.dcomplex_val.size() + m.half_val.size() +
       m.uint32_val.size() + m.uint64_val.size() + m.float8_val.size()) /
      (complex ? 2 : 1));
}

bool WriteValues(const Tensor& t, proto::TensorProto* m) {
  const auto* const bytes = static_cast<const uint8_t*>(t.raw_data());
  switch (t.dtype()) {
    case DataType::kInt2:
    case DataType::kUint2:
    case DataType::kInt4:
    case DataType::kUint4:
      for (int64_t i = 0; i < t.num_elements(); ++i) {
        m->int_val.push_back(
            static_cast<int32_t>(SmallNumber(t.dtype(), bytes[i])));
      }
      return true;
    case DataType::kFloat8E5m2:
    case DataType::kFloat8E4m3fn:
    case DataType::kFloat4E2m1fn:
      m->float8_val.assign(bytes, bytes + t.num_elements());
      return true;
    case DataType::kFloat:
      return AppendEach<float>(t, &m->float_val);
    case DataType::kDouble:
      return AppendEach<double>(t, &m->double_val);
    case DataType::kInt32:
    case DataType::kQint32:
      return AppendEach<int32_t>(t, &m->int_val);
    case DataType::kInt16:
    case DataType::kQint16:
      return AppendEach<int16_t>(t, &m->int_val);
    case DataType::kInt8:
    case DataType::kQint8:
      return AppendEach<int8_t>(t, &m->int_val);
    case DataType::kUint8:
    case DataType::kQuint8:
      return AppendEach<uint8_t>(t, &m->int_val);
    case DataType::kUint16:
    case DataType::kQuint16:
      return AppendEach<uint16_t>(t, &m->int_val);
    case DataType::kInt64:
      return AppendEach<int64_t>(t, &m->int64_val);
    case DataType::kUint32:
      return AppendEach<uint32_t>(t, &m->uint32_val);
    case DataType::kUint64:
      return AppendEach<uint64_t>(t, &m->uint64_val);
    case DataType::kBool:
      return AppendEach<bool>(t, &m->bool_val);
    case DataType::kString:
      return AppendEach<std::string>(t, &m->string_val);
    case DataType::kComplex64:
      return AppendPairs<complex64>(t, &m->scomplex_val);
    case DataType::kComplex128:
      return AppendPairs<complex128>(t, &m->dcomplex_val);
    case DataType::kHalf:
    case DataType::kBfloat16:
      // Their bits, whichever of the two they are.
      return AppendEach<uint16_t>(t, &m->half_val);
    default:
      return false;
  }
}

StatusOr<proto::TensorProto> TensorToProto(const Tensor& tensor) {
  proto::TensorProto message;
  message.dtype = static_cast<proto::DataType>(tensor.dtype());
  message.tensor_shape = ShapeToProto(tensor.shape());
  // TensorFlow spells these out.
  if (tensor.dtype() == DataType::kString ||
      SmallIntegerBits(tensor.dtype()) > 0) {
    WriteValues(tensor, &message);
  } else if (tensor.dtype() == DataType::kResource) {
    GK_RETURN_IF_ERROR(WriteHandles(tensor, &message));
  } else if (IsObjectType(tensor.dtype())) {
    return Unimplemented("A tensor of dtype {} cannot be written",
                         DataTypeName(tensor.dtype()));
  } else if (tensor.byte_size() > 0 &&
             !(tensor.num_elements() == 1 && WriteValues(tensor, &message))) {
    message.tensor_content.assign(static_cast<const char*>(tensor.raw_data()),
                                  tensor.byte_size());
  }
  return message;
}

StatusOr<Tensor> TensorFromProto(const proto::TensorProto& message,
                                 ImportBudget* budget) {
  const int number = static_cast<int>(message.dtype);
  if (!DataTypeIsValid(number)) {
    return InvalidArgument("TensorProto has the invalid dtype {}", number);
  }
  const DataType dtype = static_cast<DataType>(number);
  GK_ASSIGN_OR_RETURN(PartialTensorShape partial,
                      ShapeFromProto(*message.tensor_shape));
  GK_ASSIGN_OR_RETURN(TensorShape shape, partial.AsTensorShape());
  if (dtype == DataType::kResource) return HandlesFromProto(message, shape);
  if (dtype == DataType::kVariant) {
    return Unimplemented("A tensor of dtype {} cannot be read",
                         DataTypeName(dtype));
  }
  const int64_t n = shape.num_elements();
  const int size = DataTypeSize(dtype);
  const std::string& content = message.tensor_content;
  if (!content.empty() && size > 0) {
    const int64_t bytes = MultiplyWithoutOverflow(n, size);
    if (bytes != static_cast<int64_t>(content.size())) {
      return InvalidArgument("TensorProto has {} bytes, its shape {} needs {}",
                             content.size(), shape.DebugString(), bytes);
    }
    GK_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(dtype, shape));
    std::memcpy(t.raw_data(), content.data(), bytes);
    if (dtype == DataType::kBool) {
      // Any byte stands for true, but only one is a bool.
      auto* bits = static_cast<uint8_t*>(t.raw_data());
      for (int64_t i = 0; i < n; ++i) bits[i] = bits[i] != 0;
    }
    return t;
  }
  if (!content.empty() && dtype == DataType::kString) {
    if (n > static_cast<int64_t>(content.size())) {
      return InvalidArgument("TensorProto has {} bytes for {} strings",
                             content.size(), n);
    }
    GK_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(dtype, shape));
    GK_RETURN_IF_ERROR(FillStrings(content, &t));
    return t;
  }
  ImportBudget own;
  const Bytes bytes = BytesOf(message, dtype, n);
  GK_RETURN_IF_ERROR(
      (budget != nullptr ? budget : &own)->TakeTensor(bytes.all, bytes.held));
  GK_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(dtype, shape));
  GK_RETURN_IF_ERROR(FillTyped(message, &t));
  return t;
}

namespace {

Status FunctionToProto(const FunctionAttr& f, proto::NameAttrList* to) {
  to->name = f.name;
  if (f.attrs == nullptr) return OkStatus();
  for (const auto& [name, value] : *f.attrs) {
    GK_ASSIGN_OR_RETURN(to->attr[name], AttrToProto(value));
  }
  return OkStatus();
}

}  // namespace

StatusOr<proto::AttrValue> AttrToProto(const AttrValue& value) {
  proto::AttrValue m;
  if (const auto* i = std::get_if<int64_t>(&value)) {
    m.set_i(*i);
  } else if (const auto* f = std::get_if<float>(&value)) {
    m.set_f(*f);
  } else if (const auto* b = std::get_if<bool>(&value)) {
    m.set_b(*b);
  } else if (const auto* s = std::get_if<std::string>(&value)) {
    m.set_s(*s);
  } else if (const auto* t = std::get_if<DataType>(&value)) {
    m.set_type(static_cast<proto::DataType>(*t));
  } else if (const auto* shape = std::get_if<PartialTensorShape>(&value)) {
    m.mutable_shape() = ShapeToProto(*shape);
  } else if (const auto* tensor = std::get_if<Tensor>(&value)) {
    if (*tensor) {
      GK_ASSIGN_OR_RETURN(m.mutable_tensor(), TensorToProto(*tensor));
    }
  } else if (const auto* fn = std::get_if<FunctionAttr>(&value)) {
    GK_RETURN_IF_ERROR(FunctionToProto(*fn, &m.mutable_func()));
  } else {
    proto::AttrValue_ListValue& list = m.mutable_list();
    if (const auto* v = std::get_if<std::vector<int64_t>>(&value)) {
      list.i = *v;
    } else if (const auto* v = std::get_if<std::vector<float>>(&value)) {
      list.f = *v;
    } else if (const auto* v = std::get_if<std::vector<bool>>(&value)) {
      list.b = *v;
    } else if (const auto* v = std::get_if<std::vector<std::string>>(&value)) {
      list.s = *v;
    } else if (const auto* v = std::get_if<std::vector<DataType>>(&value)) {
      for (DataType t : *v) {
        list.type.push_back(static_cast<proto::DataType>(t));
      }
    } else if (const auto* v =
                   std::get_if<std::vector<PartialTensorShape>>(&value)) {
      for (const auto& shape : *v) list.shape.push_back(ShapeToProto(shape));
    } else if (const auto* v = std::get_if<std::vector<Tensor>>(&value)) {
      for (const Tensor& tensor : *v) {
        GK_ASSIGN_OR_RETURN(proto::TensorProto t, TensorToProto(tensor));
        list.tensor.push_back(std::move(t));
      }
    } else if (const auto* v = std::get_if<std::vector<FunctionAttr>>(&value)) {
      for (const FunctionAttr& fn : *v) {
        list.func.emplace_back();
        GK_RETURN_IF_ERROR(FunctionToProto(fn, &list.func.back()));
      }
    }
  }
  return m;
}

}  // namespace gk
