// Sparse tensors as vectors of three: variants that hold the indices, values
// and shape, or strings that spell them out.
#include "ops/data/sparse_variant.h"

#include <algorithm>

#include "framework/kernel_context.h"
#include "framework/op_registry.h"
#include "framework/tensor_text.h"
#include "graph/tensor_proto.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

class TensorVariant final : public VariantObject {
 public:
  explicit TensorVariant(Tensor tensor) : tensor_(std::move(tensor)) {}
  std::string_view type_name() const override { return "tensorflow::Tensor"; }
  void AppendText(std::string* text, size_t limit) const override {
    AppendTensorText(tensor_, text, limit);
  }
  const Tensor& tensor() const { return tensor_; }

 private:
  const Tensor tensor_;
};

}  // namespace

Status CheckSparse(const Sparse& s) {
  if (s.indices.dtype() != DataType::kInt64 || s.indices.rank() != 2) {
    return InvalidArgument(
        "Input indices should be a matrix but received shape {}",
        s.indices.shape().DebugString());
  }
  if (s.values.rank() != 1) {
    return InvalidArgument(
        "Input values should be a vector but received shape {}",
        s.values.shape().DebugString());
  }
  if (s.shape.dtype() != DataType::kInt64 || s.shape.rank() != 1) {
    return InvalidArgument(
        "Input shape should be a vector but received shape {}",
        s.shape.shape().DebugString());
  }
  if (s.indices.dim(0) != s.values.dim(0)) {
    return InvalidArgument(
        "Number of values must match first dimension of indices. Got {} "
        "values, indices shape: {}",
        s.values.dim(0), s.indices.shape().DebugString());
  }
  if (s.indices.dim(1) != s.shape.dim(0)) {
    return InvalidArgument(
        "Number of dimensions must match second dimension of indices. Got {} "
        "dimensions, indices shape: {}",
        s.shape.dim(0), s.indices.shape().DebugString());
  }
  for (int64_t n : s.shape.flat<int64_t>()) {
    if (n < 0) return InvalidArgument("Dimension {} must be >= 0", n);
  }
  return OkStatus();
}

namespace {

// Elements [at, at + 3) of the output.
Status Store(const Sparse& s, int64_t at, Tensor* out) {
  const Tensor* parts[] = {&s.indices, &s.values, &s.shape};
  for (int i = 0; i < 3; ++i) {
    if (out->dtype() == DataType::kVariant) {
      out->data<Variant>()[at + i] = Variant(MakeRef<TensorVariant>(*parts[i]));
      continue;
    }
    GK_ASSIGN_OR_RETURN(const proto::TensorProto message,
                        TensorToProto(*parts[i]));
    out->data<std::string>()[at + i] = message.Serialize();
  }
  return OkStatus();
}

Status ReadSparse(KernelContext& c, Sparse* s) {
  *s = {c.input(0), c.input(1), c.input(2)};
  return CheckSparse(*s);
}

Status ComputeSerialize(KernelContext& c) {
  Sparse s;
  GK_RETURN_IF_ERROR(ReadSparse(c, &s));
  GK_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(c.attr<DataType>("out_type"),
                                                   TensorShape({3})));
  GK_RETURN_IF_ERROR(Store(s, 0, &out));
  c.set_output(0, std::move(out));
  return OkStatus();
}

}  // namespace

Status SparseRows(const Sparse& s, std::vector<Sparse>* all) {
  const int64_t rank = s.shape.dim(0), entries = s.values.dim(0);
  if (rank <= 1) {
    return InvalidArgument(
        "Rank of input SparseTensor should be > 1, but saw rank: {}", rank);
  }
  const int64_t rows = s.shape.data<int64_t>()[0];
  const int64_t* indices = s.indices.data<int64_t>();
  // Every row is given, also those that have no entry.
  if (MultiplyWithoutOverflow(rows, 3 * sizeof(Sparse)) < 0) {
    return InvalidArgument("Too many rows: {}", rows);
  }
  Sparse row;
  row.shape = Tensor::Vector<int64_t>(s.shape.flat<int64_t>().subspan(1));
  int64_t next = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t begin = next;
    while (next < entries && indices[next * rank] == r) ++next;
    const int64_t n = next - begin;
    GK_ASSIGN_OR_RETURN(
        row.indices,
        Tensor::Allocate(DataType::kInt64, TensorShape({n, rank - 1})));
    for (int64_t i = 0; i < n; ++i) {
      std::copy_n(indices + (begin + i) * rank + 1, rank - 1,
                  row.indices.data<int64_t>() + i * (rank - 1));
    }
    GK_ASSIGN_OR_RETURN(row.values,
                        Tensor::Allocate(s.values.dtype(), TensorShape({n})));
    GK_RETURN_IF_ERROR(
        VisitMoved(s.values.dtype(), [&]<class T>(std::type_identity<T>) {
          std::copy_n(static_cast<const T*>(s.values.raw_data()) + begin, n,
                      static_cast<T*>(row.values.raw_data()));
        }));
    all->push_back(row);
  }
  if (next < entries) {
    return InvalidArgument(
        "Received unexpected column index: the first index {} of entry {} is "
        "not in [0, {}), or entries are not in order",
        indices[next * rank], next, rows);
  }
  return OkStatus();
}

namespace {

Status ComputeSerializeMany(KernelContext& c) {
  Sparse s;
  GK_RETURN_IF_ERROR(ReadSparse(c, &s));
  std::vector<Sparse> rows;
  GK_RETURN_IF_ERROR(SparseRows(s, &rows));
  const auto n = static_cast<int64_t>(rows.size());
  GK_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(c.attr<DataType>("out_type"),
                                                   TensorShape({n, 3})));
  for (int64_t r = 0; r < n; ++r) {
    GK_RETURN_IF_ERROR(Store(rows[r], 3 * r, &out));
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

StatusOr<Tensor> Load(const Tensor& serialized, int64_t at) {
  if (serialized.dtype() == DataType::kVariant) {
    const Variant& v = serialized.data<Variant>()[at];
    if (const auto* held = v.As<TensorVariant>()) return held->tensor();
    return InvalidArgument(
        "Could not get a tensor from a variant that holds {}",
        v.get() ? v.get()->type_name() : "nothing");
  }
  proto::TensorProto message;
  GK_RETURN_IF_ERROR(message.Parse(serialized.data<std::string>()[at]));
  return TensorFromProto(message);
}

}  // namespace

Status JoinSparse(const std::vector<Sparse>& parts, const TensorShape& outer,
                  DataType type, Sparse* joined) {
  const int64_t inner = parts.empty() ? 0 : parts[0].shape.dim(0);
  const int64_t d = outer.rank();
  std::vector<int64_t> shape(outer.dims().begin(), outer.dims().end());
  shape.resize(d + inner);
  int64_t entries = 0;
  for (const Sparse& p : parts) {
    if (p.shape.dim(0) != inner) {
      return InvalidArgument(
          "Inconsistent rank across SparseTensors: rank prior to "
          "SparseTensor was: {} but rank of a SparseTensor is: {}",
          inner, p.shape.dim(0));
    }
    entries += p.values.dim(0);
    for (int64_t k = 0; k < inner; ++k) {
      shape[d + k] = std::max(shape[d + k], p.shape.data<int64_t>()[k]);
    }
  }
  GK_ASSIGN_OR_RETURN(
      joined->indices,
      Tensor::Allocate(DataType::kInt64, TensorShape({entries, d + inner})));
  GK_ASSIGN_OR_RETURN(joined->values,
                      Tensor::Allocate(type, TensorShape({entries})));
  int64_t* to = joined->indices.data<int64_t>();
  for (size_t i = 0; i < parts.size(); ++i) {
    const int64_t* from = parts[i].indices.data<int64_t>();
    for (int64_t e = 0; e < parts[i].values.dim(0); ++e) {
      auto place = static_cast<int64_t>(i);
      for (int64_t k = d; k-- > 0;) {
        to[k] = place % outer.dim(static_cast<int>(k));
        place /= outer.dim(static_cast<int>(k));
      }
      std::copy_n(from + e * inner, inner, to + d);
      to += d + inner;
    }
  }
  GK_RETURN_IF_ERROR(VisitMoved(type, [&]<class T>(std::type_identity<T>) {
    T* at = static_cast<T*>(joined->values.raw_data());
    for (const Sparse& p : parts) {
      at = std::copy_n(static_cast<const T*>(p.values.raw_data()),
                       p.values.num_elements(), at);
    }
  }));
  joined->shape = Tensor::Vector<int64_t>(shape);
  return OkStatus();
}

namespace {

Status ComputeDeserialize(KernelContext& c) {
  const Tensor& serialized = c.input(0);
  const int rank = serialized.rank();
  if (rank == 0 || serialized.dim(rank - 1) != 3) {
    return InvalidArgument(
        "Serialized sparse should have 3 as the last dimension but received "
        "shape {}",
        serialized.shape().DebugString());
  }
  const auto type = c.attr<DataType>("dtype");
  std::vector<Sparse> parts;
  for (int64_t i = 0; i < serialized.num_elements(); i += 3) {
    Sparse s;
    GK_ASSIGN_OR_RETURN(s.indices, Load(serialized, i));
    GK_ASSIGN_OR_RETURN(s.values, Load(serialized, i + 1));
    GK_ASSIGN_OR_RETURN(s.shape, Load(serialized, i + 2));
    GK_RETURN_IF_ERROR(CheckSparse(s));
    if (s.values.dtype() != type) {
      return InvalidArgument(
          "Requested SparseTensor of type {} but "
          "SparseTensor[{}].values.dtype() == {}",
          DataTypeString(type), i / 3, DataTypeString(s.values.dtype()));
    }
    parts.push_back(std::move(s));
  }
  Sparse result;
  if (rank == 1) {
    result = {parts[0].indices.Alias(), parts[0].values.Alias(),
              parts[0].shape.Alias()};
  } else {
    TensorShape outer = serialized.shape();
    outer.RemoveDim(rank - 1);
    GK_RETURN_IF_ERROR(JoinSparse(parts, outer, type, &result));
  }
  c.set_output(0, std::move(result.indices));
  c.set_output(1, std::move(result.values));
  c.set_output(2, std::move(result.shape));
  return OkStatus();
}

Status ComputeDeserializeMany(KernelContext& c) {
  const Tensor& serialized = c.input(0);
  if (serialized.rank() != 2) {
    return InvalidArgument(
        "Serialized sparse should be a matrix but received shape {}",
        serialized.shape().DebugString());
  }
  return ComputeDeserialize(c);
}

Status SerializeShape(InferenceContext& c) {
  c.set_output(0, PartialTensorShape({3}));
  return OkStatus();
}
Status SerializeManyShape(InferenceContext& c) {
  c.set_output(0, PartialTensorShape({-1, 3}));
  return OkStatus();
}
Status DeserializeShape(InferenceContext& c) {
  c.set_output(0, PartialTensorShape({-1, -1}));
  c.set_output(1, PartialTensorShape({-1}));
  c.set_output(2, PartialTensorShape({-1}));
  return OkStatus();
}

Status DeserializeManyShape(InferenceContext& c) {
  PartialTensorShape serialized;
  GK_RETURN_IF_ERROR(c.WithRank(0, 2, &serialized));
  return DeserializeShape(c);
}

#define GK_SERIALIZE_ATTRS \
  "T: type; out_type: type in [string, variant] = string"

const OpRecord kRecords[] = {
    {.name = "SerializeSparse",
     .inputs = "sparse_indices: int64; sparse_values: T; sparse_shape: int64",
     .outputs = "serialized_sparse: out_type",
     .attrs = GK_SERIALIZE_ATTRS,
     .traits = kNoGradient,
     .shape = SerializeShape,
     .kernel = {.compute = ComputeSerialize},
     .doc = "A sparse tensor as a vector of three."},

    {.name = "SerializeManySparse",
     .inputs = "sparse_indices: int64; sparse_values: T; sparse_shape: int64",
     .outputs = "serialized_sparse: out_type",
     .attrs = GK_SERIALIZE_ATTRS,
     .traits = kNoGradient,
     .shape = SerializeManyShape,
     .kernel = {.compute = ComputeSerializeMany},
     .doc = "Each row of a sparse tensor as a vector of three."},

    {.name = "DeserializeSparse",
     .inputs = "serialized_sparse: Tserialized",
     .outputs = "sparse_indices: int64; sparse_values: dtype; sparse_shape: "
                "int64",
     .attrs = "dtype: type; Tserialized: type in [string, variant] = string",
     .traits = kNoGradient,
     .shape = DeserializeShape,
     .kernel = {.compute = ComputeDeserialize},
     .doc = "The sparse tensor that vectors of three describe."},

    {.name = "DeserializeManySparse",
     .inputs = "serialized_sparse: string",
     .outputs = "sparse_indices: int64; sparse_values: dtype; sparse_shape: "
                "int64",
     .attrs = "dtype: type",
     .traits = kNoGradient,
     .shape = DeserializeManyShape,
     .kernel = {.compute = ComputeDeserializeMany},
     .doc = "The sparse tensor whose parts along the first dimension are the "
            "rows of a matrix."},
};

}  // namespace

StatusOr<Tensor> SparseInVariants(const Sparse& s) {
  GK_ASSIGN_OR_RETURN(Tensor out,
                      Tensor::Allocate(DataType::kVariant, TensorShape({3})));
  GK_RETURN_IF_ERROR(Store(s, 0, &out));
  return out;
}

const Tensor* TensorInVariant(const Variant& v) {
  const auto* held = v.As<TensorVariant>();
  return held == nullptr ? nullptr : &held->tensor();
}

Variant VariantOfTensor(Tensor tensor) {
  return Variant(MakeRef<TensorVariant>(std::move(tensor)));
}

GK_REGISTER_OPS(sparse_variant)

}  // namespace gk
