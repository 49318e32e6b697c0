// Ragged tensors as variants: an element of a dataset is one component then,
// and a batch of elements is a vector of them.
#include "ops/data/ragged_variant.h"

#include <algorithm>
#include <cstring>

#include "framework/grad_context.h"
#include "framework/kernel_context.h"
#include "framework/op_registry.h"
#include "framework/tensor_sum.h"
#include "ops/element_moves.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/RaggedTensorFromVariant.h"
#include "ops/fn/RaggedTensorToVariant.h"
#include "ops/fn/RaggedTensorToVariantGradient.h"
#include "ops/fn/Reshape.h"

namespace gk {
namespace {

class RaggedVariant final : public VariantObject {
 public:
  RaggedVariant(TensorVector splits, Tensor values)
      : splits_(std::move(splits)), values_(std::move(values)) {}
  std::string_view type_name() const override { return "RaggedTensorVariant"; }
  // Without the bracket at the end that one would expect; so does TensorFlow.
  void AppendText(std::string* text, size_t) const override {
    *text += Format(
        "RaggedTensorVariant(dtype={}, ragged_rank={}, "
        "splits_dtype={}",
        DataTypeString(values_.dtype()), splits_.size(),
        splits_.empty() ? "INVALID" : DataTypeString(splits_[0].dtype()));
  }
  StatusOr<Ref<VariantObject>> ZerosLike() const override {
    GK_ASSIGN_OR_RETURN(Tensor zeros, ZerosOf(values_));
    return Ref<VariantObject>(
        MakeRef<RaggedVariant>(splits_, std::move(zeros)));
  }
  StatusOr<Ref<VariantObject>> Add(const VariantObject& other) const override;
  const TensorVector& splits() const { return splits_; }
  const Tensor& values() const { return values_; }
  int64_t NumRows() const {
    return splits_.empty() ? values_.dim(0) : splits_[0].num_elements() - 1;
  }

 private:
  const TensorVector splits_;  // from the outermost dimension inwards
  const Tensor values_;
};

bool SameBytes(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.raw_data(), b.raw_data(), a.byte_size()) == 0;
}

StatusOr<Ref<VariantObject>> RaggedVariant::Add(
    const VariantObject& other) const {
  const auto* o = dynamic_cast<const RaggedVariant*>(&other);
  if (o == nullptr) {
    return InvalidArgument("Trying to add a {} to a {}", other.type_name(),
                           type_name());
  }
  // A gradient's gradient has values alone.
  const bool bare = splits_.empty() || o->splits_.empty();
  if (bare ? !(values_.shape() == o->values_.shape())
           : !std::equal(splits_.begin(), splits_.end(), o->splits_.begin(),
                         o->splits_.end(), SameBytes)) {
    return InvalidArgument(
        "Can't add RaggedTensorVariants: their row splits differ");
  }
  GK_ASSIGN_OR_RETURN(Tensor sum, SumOf(values_, o->values_));
  return Ref<VariantObject>(MakeRef<RaggedVariant>(
      splits_.empty() ? o->splits_ : splits_, std::move(sum)));
}

int64_t SplitAt(const Tensor& splits, int64_t i) {
  return splits.dtype() == DataType::kInt32 ? splits.data<int32_t>()[i]
                                            : splits.data<int64_t>()[i];
}

// Elements [begin, end) of the first dimension.
StatusOr<Tensor> Rows(const Tensor& t, int64_t begin, int64_t end) {
  TensorShape shape = t.shape();
  const int64_t each = t.dim(0) == 0 ? 0 : t.num_elements() / t.dim(0);
  shape.SetDim(0, end - begin);
  GK_ASSIGN_OR_RETURN(Tensor rows, Tensor::Allocate(t.dtype(), shape));
  GK_RETURN_IF_ERROR(VisitMoved(t.dtype(), [&]<class T>(std::type_identity<T>) {
    std::copy_n(static_cast<const T*>(t.raw_data()) + begin * each,
                (end - begin) * each, static_cast<T*>(rows.raw_data()));
  }));
  return rows;
}

StatusOr<Tensor> SplitsOf(const std::vector<int64_t>& values, DataType type) {
  GK_ASSIGN_OR_RETURN(
      Tensor t, Tensor::Allocate(
                    type, TensorShape({static_cast<int64_t>(values.size())})));
  if (type == DataType::kInt64) {
    std::copy(values.begin(), values.end(), t.data<int64_t>());
    return t;
  }
  if (values.back() > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("Row splits of {} do not fit into int32",
                           values.back());
  }
  std::copy(values.begin(), values.end(), t.data<int32_t>());
  return t;
}

// Splits are vectors that begin with 0, do not fall, and end with the number
// of what they split.
Status CheckSplits(const TensorVector& splits, const Tensor& values) {
  for (size_t k = 0; k < splits.size(); ++k) {
    const Tensor& s = splits[k];
    if (s.rank() != 1 || s.num_elements() == 0) {
      return InvalidArgument("Row splits must be a vector that is not empty");
    }
    const int64_t n = s.num_elements();
    if (SplitAt(s, 0) != 0) {
      return InvalidArgument(
          "Invalid ragged splits: first element of splits "
          "must be 0");
    }
    for (int64_t i = 1; i < n; ++i) {
      if (SplitAt(s, i) < SplitAt(s, i - 1)) {
        return InvalidArgument(
            "Invalid ragged splits: splits must be monotonically increasing");
      }
    }
    const int64_t parts = k + 1 < splits.size()
                              ? splits[k + 1].num_elements() - 1
                              : values.dim(0);
    if (SplitAt(s, n - 1) != parts) {
      return InvalidArgument(
          "Invalid ragged splits: last element of splits must be the number "
          "of ragged values: {} vs. {}",
          SplitAt(s, n - 1), parts);
    }
  }
  return OkStatus();
}

// What lies in rows [begin, end) of the outermost dimension of what `splits`
// from `level` on describe.
StatusOr<Ref<RaggedVariant>> Cut(const TensorVector& splits, size_t level,
                                 const Tensor& values, int64_t begin,
                                 int64_t end) {
  TensorVector cut;
  for (size_t k = level; k < splits.size(); ++k) {
    std::vector<int64_t> part;
    const int64_t first = SplitAt(splits[k], begin);
    for (int64_t i = begin; i <= end; ++i) {
      part.push_back(SplitAt(splits[k], i) - first);
    }
    end = SplitAt(splits[k], end);
    begin = first;
    GK_ASSIGN_OR_RETURN(Tensor t, SplitsOf(part, splits[k].dtype()));
    cut.push_back(std::move(t));
  }
  GK_ASSIGN_OR_RETURN(Tensor rows, Rows(values, begin, end));
  return MakeRef<RaggedVariant>(std::move(cut), std::move(rows));
}

Status ComputeToVariant(KernelContext& c) {
  const int rank = c.num_inputs() - 1;
  TensorVector splits;
  for (int i = 0; i < rank; ++i) splits.push_back(c.input(i));
  const Tensor& values = c.input(rank);
  if (rank > 0 && values.rank() == 0) {
    return InvalidArgument("Values of a ragged tensor must not be a scalar");
  }
  GK_RETURN_IF_ERROR(CheckSplits(splits, values));
  if (!c.attr<bool>("batched_input")) {
    c.set_output(0, Tensor::Scalar(Variant(
                        MakeRef<RaggedVariant>(std::move(splits), values))));
    return OkStatus();
  }
  if (rank == 0) {
    return InvalidArgument(
        "If batched_input, the ragged rank must be at least 1");
  }
  const int64_t n = splits[0].num_elements() - 1;
  GK_ASSIGN_OR_RETURN(Tensor rows,
                      Tensor::Allocate(DataType::kVariant, TensorShape({n})));
  for (int64_t i = 0; i < n; ++i) {
    GK_ASSIGN_OR_RETURN(Ref<RaggedVariant> row,
                        Cut(splits, 1, values, SplitAt(splits[0], i),
                            SplitAt(splits[0], i + 1)));
    rows.data<Variant>()[i] = Variant(std::move(row));
  }
  c.set_output(0, std::move(rows));
  return OkStatus();
}

Status ToVariantShape(InferenceContext& c) {
  if (!c.attr<bool>("batched_input")) {
    c.set_output(0, TensorShape());
    return OkStatus();
  }
  const PartialTensorShape& splits = c.input(0);
  const bool known =
      c.num_inputs() > 1 && splits.rank() == 1 && splits.dim(0) > 0;
  c.set_output(0, PartialTensorShape({known ? splits.dim(0) - 1 : -1}));
  return OkStatus();
}

// The variants of a tensor, checked to be of one kind.
struct Pieces {
  std::vector<const RaggedVariant*> all;
  int inner_rank = 0;  // of each
  DataType values_type = DataType::kInt64, splits_type = DataType::kInt64;
};

Status ReadPieces(KernelContext& c, Pieces* p) {
  const Tensor& encoded = c.input(0);
  const int wanted = static_cast<int>(c.attr<int64_t>("output_ragged_rank"));
  const auto given = static_cast<int>(c.attr<int64_t>("input_ragged_rank"));
  p->values_type = c.attr<DataType>("Tvalues");
  p->splits_type = c.attr<DataType>("Tsplits");
  p->inner_rank = given == -1 ? wanted - encoded.rank() : given;
  if (p->inner_rank < 0) {
    return InvalidArgument(
        "Inferred input_ragged_rank (output_ragged_rank - "
        "encoded_variant.dims()) must be >= 0, found output_ragged_rank: {}, "
        "encoded_variant.dims(): {}, inferred input_ragged_rank: {}",
        wanted, encoded.rank(), p->inner_rank);
  }
  if (wanted != p->inner_rank + encoded.rank()) {
    return InvalidArgument(
        "output_ragged_rank must be equal to input_ragged_rank + "
        "encoded_ragged.dims(); output_ragged_rank: {}, input_ragged_rank: "
        "{}, encoded_variant.dims(): {}.",
        wanted, p->inner_rank, encoded.rank());
  }
  for (const Variant& v : encoded.flat<Variant>()) {
    const auto* ragged = v.As<RaggedVariant>();
    if (ragged == nullptr) {
      return InvalidArgument(
          "Input Variant element at index {} doesn't hold a "
          "RaggedTensorVariant: {}",
          p->all.size(), v.get() ? v.get()->type_name() : "nothing");
    }
    if (static_cast<int>(ragged->splits().size()) != p->inner_rank) {
      return InvalidArgument(
          "Encoded input RaggedTensorVariant has ragged_rank={}.  Expected "
          "ragged_rank={}.",
          ragged->splits().size(), p->inner_rank);
    }
    if (ragged->values().dtype() != p->values_type) {
      return InvalidArgument("Expected values Tensor dtype: {}, found: {}",
                             DataTypeString(p->values_type),
                             DataTypeString(ragged->values().dtype()));
    }
    for (const Tensor& s : ragged->splits()) {
      if (s.dtype() == p->splits_type) continue;
      return InvalidArgument("Expected row_splits Tensor dtype: {}, found: {}",
                             DataTypeString(p->splits_type),
                             DataTypeString(s.dtype()));
    }
    if (encoded.rank() > 0 && ragged->values().rank() == 0) {
      return InvalidArgument("A scalar cannot be a row of a ragged tensor");
    }
    p->all.push_back(ragged);
  }
  return OkStatus();
}

// The values of all pieces, one behind the other.
StatusOr<Tensor> JoinValues(const Pieces& p) {
  if (p.all.empty()) return Tensor::Allocate(p.values_type, TensorShape({0}));
  const Tensor& first = p.all[0]->values();
  std::vector<int64_t> dims(first.shape().dims().begin(),
                            first.shape().dims().end());
  for (size_t i = 1; i < p.all.size(); ++i) {
    const auto other = p.all[i]->values().shape().dims();
    if (!std::equal(dims.begin() + 1, dims.end(), other.begin() + 1,
                    other.end())) {
      return InvalidArgument(
          "All flat_values must have compatible shapes.  Shape at index 0: "
          "{}.  Shape at index {}: {}.  If you are using tf.map_fn, then you "
          "may need to specify an explicit fn_output_signature with "
          "appropriate ragged_rank, and/or convert output tensors to "
          "RaggedTensors.",
          first.shape().DebugString(), i,
          p.all[i]->values().shape().DebugString());
    }
    dims[0] += other[0];
  }
  GK_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
  GK_ASSIGN_OR_RETURN(Tensor joined, Tensor::Allocate(p.values_type, shape));
  GK_RETURN_IF_ERROR(
      VisitMoved(p.values_type, [&]<class T>(std::type_identity<T>) {
        T* to = static_cast<T*>(joined.raw_data());
        for (const RaggedVariant* r : p.all) {
          to = std::copy_n(static_cast<const T*>(r->values().raw_data()),
                           r->values().num_elements(), to);
        }
      }));
  return joined;
}

Status ComputeFromVariant(KernelContext& c) {
  Pieces p;
  GK_RETURN_IF_ERROR(ReadPieces(c, &p));
  const Tensor& encoded = c.input(0);
  const int outer = encoded.rank();
  if (outer == 0) {
    for (int k = 0; k < p.inner_rank; ++k) {
      c.set_output(k, p.all[0]->splits()[k].Alias());
    }
    c.set_output(p.inner_rank, p.all[0]->values().Alias());
    return OkStatus();
  }
  // Dimensions of the tensor of variants, each but the last of equal rows.
  int64_t rows = 1;
  for (int k = 0; k + 1 < outer; ++k) {
    rows *= encoded.dim(k);
    std::vector<int64_t> splits(rows + 1);
    for (int64_t i = 0; i <= rows; ++i) splits[i] = i * encoded.dim(k + 1);
    GK_ASSIGN_OR_RETURN(Tensor t, SplitsOf(splits, p.splits_type));
    c.set_output(k, std::move(t));
  }
  std::vector<int64_t> lengths{0};
  for (const RaggedVariant* r : p.all) {
    lengths.push_back(lengths.back() + r->NumRows());
  }
  GK_ASSIGN_OR_RETURN(Tensor t, SplitsOf(lengths, p.splits_type));
  c.set_output(outer - 1, std::move(t));
  for (int k = 0; k < p.inner_rank; ++k) {
    std::vector<int64_t> splits{0};
    for (const RaggedVariant* r : p.all) {
      const Tensor& own = r->splits()[k];
      const int64_t before = splits.back();
      for (int64_t i = 1; i < own.num_elements(); ++i) {
        splits.push_back(before + SplitAt(own, i));
      }
    }
    GK_ASSIGN_OR_RETURN(Tensor joined, SplitsOf(splits, p.splits_type));
    c.set_output(outer + k, std::move(joined));
  }
  GK_ASSIGN_OR_RETURN(Tensor values, JoinValues(p));
  c.set_output(outer + p.inner_rank, std::move(values));
  return OkStatus();
}

Status FromVariantShape(InferenceContext& c) {
  const int n = c.num_outputs() - 1;
  const int64_t input_rank = c.attr<int64_t>("input_ragged_rank");
  const PartialTensorShape& encoded = c.input(0);
  if (input_rank >= 0 && !encoded.unknown_rank() &&
      encoded.rank() != n - input_rank) {
    return InvalidArgument("Shape must be rank {} but is rank {}",
                           n - input_rank, encoded.rank());
  }
  for (int i = 0; i < n; ++i) c.set_output(i, PartialTensorShape({-1}));
  c.set_output(n, PartialTensorShape());
  return OkStatus();
}

// --- Gradients.

// Of values in variants: theirs, one behind the other. A variant that nothing
// was made of has no gradient: as many zeros as `splits` says.
Status ComputeToVariantGradient(KernelContext& c) {
  const Tensor &encoded = c.input(0), &splits = c.input(1);
  const auto type = c.attr<DataType>("Tvalues");
  std::vector<int64_t> dims;
  if (c.input(2).rank() != 1) {
    return InvalidArgument("dense_values_shape must be a vector, got shape {}",
                           c.input(2).shape().DebugString());
  }
  GK_RETURN_IF_ERROR(IntegerValues(c.input(2), &dims));
  GK_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
  TensorVector parts;
  for (const Variant& v : encoded.flat<Variant>()) {
    if (const auto* ragged = v.As<RaggedVariant>(); ragged != nullptr) {
      parts.push_back(ragged->values().Alias());
      continue;
    }
    if (v.get() != nullptr) {
      return InvalidArgument(
          "encoded_ragged_grad holds a {} instead of a RaggedTensorVariant",
          v.get()->type_name());
    }
    const auto i = static_cast<int64_t>(parts.size());
    TensorShape rows = shape;
    if (encoded.rank() > 0) {
      const bool known = splits.rank() == 1 && i + 1 < splits.num_elements();
      const int64_t n =
          known ? SplitAt(splits, i + 1) - SplitAt(splits, i) : -1;
      if (n < 0 || shape.rank() == 0 || n > shape.dim(0)) {
        return InvalidArgument("row_splits do not say how many rows are in {}",
                               i);
      }
      rows.SetDim(0, n);
    }
    GK_ASSIGN_OR_RETURN(Tensor zeros, Tensor::Zeros(type, rows));
    parts.push_back(std::move(zeros));
  }
  int64_t elements = 0;
  for (const Tensor& part : parts) {
    if (part.dtype() != type) {
      return InvalidArgument("Expected values Tensor dtype: {}, found: {}",
                             DataTypeString(type),
                             DataTypeString(part.dtype()));
    }
    elements += part.num_elements();
  }
  if (elements != shape.num_elements()) {
    return InvalidArgument(
        "The variants hold {} values, dense_values_shape {} is of {}", elements,
        shape.DebugString(), shape.num_elements());
  }
  if (parts.size() == 1 && parts[0].shape() == shape) {
    c.set_output(0, std::move(parts[0]));
    return OkStatus();
  }
  Tensor* joined;
  GK_RETURN_IF_ERROR(c.Allocate(0, type, shape, &joined));
  return VisitMoved(type, [&]<class T>(std::type_identity<T>) {
    T* to = static_cast<T*>(joined->raw_data());
    for (const Tensor& part : parts) {
      to = std::copy_n(static_cast<const T*>(part.raw_data()),
                       part.num_elements(), to);
    }
  });
}

Status ToVariantGradientShape(InferenceContext& c) {
  PartialTensorShape s;
  GK_RETURN_IF_ERROR(c.WithRank(2, 1, &s));
  c.set_output(0, c.ValueAsShape(2));
  return OkStatus();
}

// Where what is in the rows of the outermost dimension begins among the
// values.
Tensor ValueSplits(std::span<const Tensor> splits) {
  Tensor at = splits[0];
  for (const Tensor& inner : splits.subspan(1)) {
    at = ops::GatherV2(inner, at, IntegerConstant(0));
  }
  return at;
}

void ToVariantGradient(GradContext& g) {
  const int rank = g.num_inputs() - 1;
  if (!g.wants(rank)) return;
  TensorVector splits;
  for (int i = 0; i < rank; ++i) splits.push_back(g.x(i));
  g.Set(rank, ops::RaggedTensorToVariantGradient(
                  g.dy(0),
                  g.attr<bool>("batched_input")
                      ? ValueSplits(splits)
                      : IntegerConstant(0, g.attr<DataType>("Tsplits")),
                  ShapeTensor(g.x(rank)), g.attr<DataType>("Tvalues")));
}

void ToVariantGradientGradient(GradContext& g) {
  if (!g.wants(0)) return;
  const bool whole =
      g.x(0).partial_shape().rank() == 0 || g.x(1).partial_shape().rank() == 0;
  const TensorVector splits = whole ? TensorVector() : TensorVector{g.x(1)};
  g.Set(0, ops::RaggedTensorToVariant(splits, g.dy(0), !whole));
}

void FromVariantGradient(GradContext& g) {
  const int64_t wanted = g.attr<int64_t>("output_ragged_rank");
  const int64_t inner = g.attr<int64_t>("input_ragged_rank");
  int64_t outer = g.x(0).partial_shape().rank();
  if (outer < 0) outer = inner >= 0 ? wanted - inner : wanted > 0 ? 1 : 0;
  TensorVector splits;
  for (int64_t k = std::max<int64_t>(outer - 1, 0); k < wanted; ++k) {
    splits.push_back(g.y(static_cast<int>(k)));
  }
  Tensor rows = ops::RaggedTensorToVariant(
      splits, g.dy(static_cast<int>(wanted)), outer > 0);
  if (outer > 1) rows = ops::Reshape(rows, ShapeTensor(g.x(0)));
  g.Set(0, std::move(rows));
}

const OpRecord kRecords[] = {
    {.name = "RaggedTensorToVariant",
     .inputs = "rt_nested_splits: RAGGED_RANK * Tsplits;"
               "rt_dense_values: Tvalues",
     .outputs = "encoded_ragged: variant",
     .attrs = "RAGGED_RANK: int >= 0; Tvalues: type; "
              "Tsplits: type in [int32, int64] = int64; batched_input: bool",
     .shape = ToVariantShape,
     .kernel = {.compute = ComputeToVariant},
     .gradient = ToVariantGradient,
     .doc = "A ragged tensor in a variant, or each of its rows in one."},

    {.name = "RaggedTensorFromVariant",
     .inputs = "encoded_ragged: variant",
     .outputs = "output_nested_splits: output_ragged_rank * Tsplits;"
                "output_dense_values: Tvalues",
     .attrs = "input_ragged_rank: int >= -1; output_ragged_rank: int >= 0; "
              "Tvalues: type; Tsplits: type in [int32, int64] = int64",
     .shape = FromVariantShape,
     .kernel = {.compute = ComputeFromVariant},
     .gradient = FromVariantGradient,
     .doc = "The ragged tensor in a variant, or the one whose rows are in "
            "several."},

    {.name = "RaggedTensorToVariantGradient",
     .inputs = "encoded_ragged_grad: variant; row_splits: Tsplits;"
               "dense_values_shape: int32",
     .outputs = "dense_values_grad: Tvalues",
     .attrs = "Tvalues: type; Tsplits: type in [int32, int64] = int64",
     .shape = ToVariantGradientShape,
     .kernel = {.compute = ComputeToVariantGradient},
     .gradient = ToVariantGradientGradient,
     .doc = "The gradient of values in variants."},
};

}  // namespace

const TensorVector* PartsOfRagged(const Variant& v, TensorVector* parts) {
  const auto* ragged = v.As<RaggedVariant>();
  if (ragged == nullptr) return nullptr;
  *parts = ragged->splits();
  parts->push_back(ragged->values());
  return parts;
}

StatusOr<Variant> RaggedOfParts(TensorVector parts) {
  if (parts.empty()) return DataLoss("A ragged tensor in a file has no values");
  Tensor values = std::move(parts.back());
  parts.pop_back();
  for (const Tensor& splits : parts) {
    const bool integers = splits.dtype() == DataType::kInt32 ||
                          splits.dtype() == DataType::kInt64;
    if (!integers || splits.rank() != 1 || splits.dim(0) == 0 ||
        splits.dtype() != parts[0].dtype()) {
      return DataLoss(
          "A ragged tensor in a file has row splits of dtype {} "
          "and shape {}",
          DataTypeString(splits.dtype()), splits.shape().DebugString());
    }
  }
  return Variant(MakeRef<RaggedVariant>(std::move(parts), std::move(values)));
}

GK_REGISTER_OPS(ragged_variant)

}  // namespace gk
