#include "saved_model/signature_parts.h"

#include "base/format.h"

namespace gk {
namespace {

using Value = proto::StructuredValue;
using Encoding = proto::TensorInfo::EncodingCase;
using SpecClass = proto::TypeSpecProto_TypeSpecClass;

Value SpecOfInfo(const std::string& name, const proto::TensorInfo& info) {
  Value value;
  proto::TensorSpecProto& spec = value.mutable_tensor_spec_value();
  spec.name = name;
  spec.dtype = info.dtype;
  spec.shape = *info.tensor_shape;
  return value;
}

}  // namespace

std::vector<SignaturePart> PartsOfInfo(const std::string& key,
                                       const proto::TensorInfo& info) {
  std::vector<SignaturePart> parts;
  if (info.encoding_case == Encoding::kCooSparse) {
    const proto::TensorInfo_CooSparse& sparse = *info.coo_sparse;
    const auto add = [&](const char* suffix, const std::string& tensor) {
      parts.push_back({key + suffix, tensor, Value()});
    };
    add("_indices", sparse.indices_tensor_name);
    add("_values", sparse.values_tensor_name);
    add("_dense_shape", sparse.dense_shape_tensor_name);
  } else if (info.encoding_case == Encoding::kCompositeTensor) {
    int n = 0;
    for (const proto::TensorInfo& part : info.composite_tensor->components) {
      parts.push_back({Format("{}_component_{}", key, n++), part.name, {}});
    }
  } else {
    parts.push_back({key, info.name, SpecOfInfo(key, info)});
  }
  return parts;
}

Value OutputSpec(const std::string& key, const proto::TensorInfo& info,
                 size_t num_parts) {
  if (num_parts == 1) return SpecOfInfo(key, info);
  Value value;
  proto::TypeSpecProto& spec = value.mutable_type_spec_value();
  if (info.encoding_case == Encoding::kCompositeTensor) {
    spec = *info.composite_tensor->type_spec;
  } else {
    spec.type_spec_class = SpecClass::SPARSE_TENSOR_SPEC;
    spec.type_spec_class_name = "SparseTensorSpec";
    std::vector<Value>& state =
        spec.type_state.mut().mutable_tuple_value().values;
    state.resize(2);
    state[0].mutable_tensor_shape_value() = *info.tensor_shape;
    state[1].set_tensor_dtype_value(info.dtype);
  }
  spec.num_flat_components = static_cast<int>(num_parts);
  return value;
}

}  // namespace gk
