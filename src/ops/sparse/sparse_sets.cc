// Sets along the last dimension of tensors: united, intersected, subtracted.
#include "ops/fn/sparse_sets.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <vector>

#include "base/interrupt.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/sparse.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

// One operand: a tensor, or the parts of a sparse one.
struct Operand {
  const Tensor* dense = nullptr;
  const Tensor *indices = nullptr, *values = nullptr, *shape = nullptr;
  TensorShape groups;  // all dimensions but the last

  const Tensor& elements() const { return dense ? *dense : *values; }
};

Status BadRank(const TensorShape& shape) {
  return InvalidArgument("Shape {} has rank {} < 2", shape.DebugString(),
                         shape.rank());
}

Status ReadDense(const Tensor& t, Operand* operand) {
  if (t.rank() < 2) return BadRank(t.shape());
  operand->dense = &t;
  operand->groups = t.shape();
  operand->groups.RemoveDim(t.rank() - 1);
  return OkStatus();
}

std::string PlaceText(std::span<const int64_t> place) {
  std::string text = "[";
  for (const int64_t at : place) {
    if (text.size() > 1) text += ',';
    text += std::to_string(at);
  }
  return text + "]";
}

// Places must be within the shape: groups are counted by them. Their order is
// checked if `ordered`.
Status CheckSetPlaces(const Places& places, std::span<const int64_t> sizes,
                      bool ordered) {
  const auto nothing = [](int64_t, std::span<const int64_t>) {};
  if (VisitFlatPlaces(places.data, places.n, sizes, ordered, nothing)) {
    return OkStatus();
  }
  TurnPoll poll;
  for (int64_t i = 0; i < places.n; ++i) {
    poll();
    for (int64_t d = 0; d < places.rank; ++d) {
      if (places[i][d] < 0 || places[i][d] >= sizes[d]) {
        return InvalidArgument(
            "indices[{}] = {} is out of bounds: need 0 <= index < {}", i,
            PlaceText(places[i]), PlaceText(sizes));
      }
    }
    if (!ordered || i == 0) continue;
    const int order = ComparePlaces(places[i - 1], places[i]);
    if (order == 0) {
      return InvalidArgument("indices[{}] = {} is repeated", i,
                             PlaceText(places[i]));
    }
    if (order > 0) {
      return InvalidArgument(
          "indices[{}] = {} is out of order. Many sparse ops require sorted "
          "indices.\n    Use `tf.sparse.reorder` to create a correctly ordered "
          "copy.\n\n",
          i, PlaceText(places[i]));
    }
  }
  return OkStatus();
}

Status ReadSparse(KernelContext& c, int first, Operand* operand) {
  const Tensor &indices = c.input(first), &values = c.input(first + 1),
               &shape = c.input(first + 2);
  if (indices.rank() != 2 || values.rank() != 1 || shape.rank() != 1) {
    return InvalidArgument(
        "A sparse set has a matrix of indices, a vector of values and one of "
        "sizes, but got shapes {}, {} and {}",
        indices.shape().DebugString(), values.shape().DebugString(),
        shape.shape().DebugString());
  }
  if (indices.dim(0) != values.dim(0)) {
    return InvalidArgument(
        "indices and values rows (indexing dimension) must match. (indices = "
        "{}, values = {})",
        indices.dim(0), values.dim(0));
  }
  if (indices.dim(1) != shape.dim(0)) {
    return InvalidArgument("Expected {} sizes for indices of {} columns",
                           indices.dim(1), shape.dim(0));
  }
  if (shape.dim(0) < 2) {
    return InvalidArgument("Invalid rank {}.", shape.dim(0));
  }
  const std::span<const int64_t> sizes = shape.flat<int64_t>();
  const Places places{indices.data<int64_t>(), indices.dim(0), indices.dim(1)};
  GK_RETURN_IF_ERROR(TensorShape::Make(sizes).status());
  GK_RETURN_IF_ERROR(
      CheckSetPlaces(places, sizes, c.attr<bool>("validate_indices")));
  GK_ASSIGN_OR_RETURN(operand->groups,
                      TensorShape::Make(sizes.first(sizes.size() - 1)));
  operand->indices = &indices;
  operand->values = &values;
  operand->shape = &shape;
  return OkStatus();
}

int64_t GroupOf(std::span<const int64_t> place, const TensorShape& groups) {
  int64_t group = 0;
  for (int i = 0; i < groups.rank(); ++i) {
    group = group * groups.dim(i) + place[i];
  }
  return group;
}

// The sets of an operand, group by group, each sorted and without doubles.
template <class T>
class Sets {
 public:
  explicit Sets(const Operand& operand) : operand_(operand) {
    if (operand.dense) return;
    const Places places{operand.indices->data<int64_t>(),
                        operand.indices->dim(0), operand.indices->dim(1)};
    places_ = places;
    // Numbered as they come if they come in order.
    const auto same_or_later = [&](int64_t i) {
      return !std::lexicographical_compare(
          places[i].begin(), places[i].end() - 1, places[i - 1].begin(),
          places[i - 1].end() - 1);
    };
    bool sorted = true;
    if (places.rank == 2) {
      const int64_t* at = places.data;
      for (int64_t i = 1; i < places.n; ++i) {
        sorted &= at[2 * i] >= at[2 * i - 2];
      }
    } else {
      for (int64_t i = 1; sorted && i < places.n; ++i) {
        sorted = same_or_later(i);
      }
    }
    if (sorted) return;
    order_.resize(places.n);
    std::iota(order_.begin(), order_.end(), int64_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](int64_t a, int64_t b) {
      return GroupOf(places[a], operand.groups) <
             GroupOf(places[b], operand.groups);
    });
  }

  // The first group at or after this one that may have elements; its end if
  // there is none.
  int64_t Next(int64_t group) {
    if (operand_.dense) return group;
    for (; at_ < places_.n; ++at_) {
      const int64_t now = GroupAt(at_);
      if (now >= group) return now;
    }
    return operand_.groups.num_elements();
  }

  // Groups must be asked for in order.
  const std::vector<T>& Of(int64_t group) {
    set_.clear();
    const T* values = operand_.elements().template data<T>();
    if (operand_.dense) {
      const int64_t n = operand_.dense->dim(operand_.dense->rank() - 1);
      set_.assign(values + group * n, values + (group + 1) * n);
    } else {
      Next(group);
      const int64_t first = at_;
      while (at_ < places_.n && GroupAt(at_) == group) ++at_;
      if (order_.empty()) {
        set_.assign(values + first, values + at_);
      } else {
        for (int64_t i = first; i < at_; ++i) set_.push_back(values[order_[i]]);
      }
    }
    bool rises = true;
    for (size_t i = 1; i < set_.size(); ++i) rises &= set_[i - 1] < set_[i];
    if (rises) return set_;
    SortWithoutDoubles();
    return set_;
  }

 private:
  int64_t GroupAt(int64_t i) const {
    return GroupOf(places_[order_.empty() ? i : order_[i]], operand_.groups);
  }

  void SortWithoutDoubles() {
    if constexpr (std::is_integral_v<T>) {
      // Numbers close together have a bit each.
      const auto [low, high] = std::ranges::minmax(set_);
      const uint64_t span = static_cast<uint64_t>(int64_t{high}) -
                            static_cast<uint64_t>(int64_t{low});
      constexpr uint64_t kMost = 64 * 64;
      if (set_.size() >= 16 && span < std::min(kMost, 32 * set_.size())) {
        uint64_t bits[kMost / 64];
        std::fill_n(bits, span / 64 + 1, uint64_t{0});
        for (const T v : set_) {
          const uint64_t at = static_cast<uint64_t>(int64_t{v}) -
                              static_cast<uint64_t>(int64_t{low});
          bits[at / 64] |= uint64_t{1} << at % 64;
        }
        set_.clear();
        for (uint64_t w = 0; w <= span / 64; ++w) {
          for (uint64_t rest = bits[w]; rest != 0; rest &= rest - 1) {
            const auto at = 64 * w + std::countr_zero(rest);
            set_.push_back(
                static_cast<T>(static_cast<uint64_t>(int64_t{low}) + at));
          }
        }
        return;
      }
    }
    std::sort(set_.begin(), set_.end());
    set_.erase(std::unique(set_.begin(), set_.end()), set_.end());
  }

  const Operand& operand_;
  Places places_ = {};
  std::vector<int64_t> order_;  // none: as they come
  int64_t at_ = 0;
  std::vector<T> set_;
};

enum class SetOperation { kAMinusB, kBMinusA, kIntersection, kUnion };

Status ReadOperation(KernelContext& c, SetOperation* operation) {
  const std::string& given = c.attr<std::string>("set_operation");
  std::string name = given;
  for (char& ch : name) {
    if (ch >= 'A' && ch <= 'Z') ch = static_cast<char>(ch - 'A' + 'a');
  }
  if (name == "a-b") {
    *operation = SetOperation::kAMinusB;
  } else if (name == "b-a") {
    *operation = SetOperation::kBMinusA;
  } else if (name == "intersection") {
    *operation = SetOperation::kIntersection;
  } else if (name == "union") {
    *operation = SetOperation::kUnion;
  } else {
    return InvalidArgument("Invalid set_operation {}.", given);
  }
  return OkStatus();
}

template <class T>
void Combine(SetOperation operation, const std::vector<T>& a,
             const std::vector<T>& b, std::vector<T>* out) {
  const auto to = std::back_inserter(*out);
  switch (operation) {
    case SetOperation::kAMinusB:
      std::set_difference(a.begin(), a.end(), b.begin(), b.end(), to);
      break;
    case SetOperation::kBMinusA:
      std::set_difference(b.begin(), b.end(), a.begin(), a.end(), to);
      break;
    case SetOperation::kIntersection:
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), to);
      break;
    case SetOperation::kUnion:
      std::set_union(a.begin(), a.end(), b.begin(), b.end(), to);
      break;
  }
}

// Calls fn with a value of each type that sets have.
template <class Fn>
Status VisitSetType(KernelContext& c, DataType t, Fn&& fn) {
  Status status;
  const bool known =
      VisitType<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                std::string>(t, [&](auto tag) { status = fn(tag); });
  return known ? status : c.NoKernel();
}

template <class T>
Status Operate(KernelContext& c, SetOperation operation, const Operand& a,
               const Operand& b) {
  const TensorShape& groups = a.groups;
  const int rank = groups.rank();
  Sets<T> of_a(a), of_b(b);
  std::vector<T> values;
  std::vector<int64_t> places, at(rank);
  int64_t widest = 0;
  TurnPoll poll;
  const int64_t n = groups.num_elements();
  for (int64_t group = 0; group < n; ++group) {
    poll();
    group = std::min(of_a.Next(group), of_b.Next(group));
    if (group >= n) break;
    const size_t before = values.size();
    Combine(operation, of_a.Of(group), of_b.Of(group), &values);
    const auto count = static_cast<int64_t>(values.size() - before);
    widest = std::max(widest, count);
    for (int64_t d = rank, rest = group; d-- > 0; rest /= groups.dim(d)) {
      at[d] = rest % groups.dim(d);
    }
    const size_t row = places.size();
    places.resize(row + count * (rank + 1));
    int64_t* to = places.data() + row;
    for (int64_t k = 0; k < count; ++k) {
      to = std::copy_n(at.begin(), rank, to);
      *to++ = k;
    }
  }
  const auto count = static_cast<int64_t>(values.size());
  GK_ASSIGN_OR_RETURN(
      Tensor indices,
      IntegerTensor(DataType::kInt64, places, TensorShape({count, rank + 1})));
  std::vector<int64_t> sizes(groups.dims().begin(), groups.dims().end());
  sizes.push_back(widest);
  GK_ASSIGN_OR_RETURN(
      Tensor shape,
      IntegerTensor(DataType::kInt64, sizes, TensorShape({int64_t{rank} + 1})));
  Tensor* out;
  GK_RETURN_IF_ERROR(
      c.Allocate(1, a.elements().dtype(), TensorShape({count}), &out));
  std::move(values.begin(), values.end(), out->data<T>());
  c.set_output(0, std::move(indices));
  c.set_output(2, std::move(shape));
  return OkStatus();
}

Status OperateOn(KernelContext& c, const Operand& a, const Operand& b) {
  SetOperation operation{};
  GK_RETURN_IF_ERROR(ReadOperation(c, &operation));
  if (!(a.groups == b.groups)) {
    return InvalidArgument("Mismatched shapes {} vs {}", a.groups.DebugString(),
                           b.groups.DebugString());
  }
  return VisitSetType(c, a.elements().dtype(), [&](auto tag) {
    return Operate<decltype(tag)>(c, operation, a, b);
  });
}

Status ComputeDenseToDense(KernelContext& c) {
  Operand a, b;
  GK_RETURN_IF_ERROR(ReadDense(c.input(0), &a));
  GK_RETURN_IF_ERROR(ReadDense(c.input(1), &b));
  return OperateOn(c, a, b);
}

Status ComputeDenseToSparse(KernelContext& c) {
  Operand a, b;
  GK_RETURN_IF_ERROR(ReadDense(c.input(0), &a));
  GK_RETURN_IF_ERROR(ReadSparse(c, 1, &b));
  return OperateOn(c, a, b);
}

Status ComputeSparseToSparse(KernelContext& c) {
  Operand a, b;
  GK_RETURN_IF_ERROR(ReadSparse(c, 0, &a));
  GK_RETURN_IF_ERROR(ReadSparse(c, 3, &b));
  return OperateOn(c, a, b);
}

Status ComputeSetSize(KernelContext& c) {
  Operand a;
  GK_RETURN_IF_ERROR(ReadSparse(c, 0, &a));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kInt32, a.groups, &out));
  ZeroElements(out);
  return VisitSetType(c, a.values->dtype(), [&](auto tag) {
    Sets<decltype(tag)> sets(a);
    const int64_t n = a.groups.num_elements();
    for (int64_t group = sets.Next(0); group < n;
         group = sets.Next(group + 1)) {
      out->data<int32_t>()[group] = static_cast<int32_t>(sets.Of(group).size());
    }
    return OkStatus();
  });
}

// ---- Shapes ----

Status SetRank(InferenceContext& c, int64_t rank) {
  c.set_output(0, {kUnknownDim, rank});
  c.set_output(1, {kUnknownDim});
  c.set_output(2, {rank});
  return OkStatus();
}

// The sizes of a sparse operand whose parts begin at an input.
Status SparseSizes(InferenceContext& c, int first, PartialTensorShape* sizes) {
  PartialTensorShape indices, values, shape;
  GK_RETURN_IF_ERROR(c.WithRank(first, 2, &indices));
  GK_RETURN_IF_ERROR(c.WithRank(first + 1, 1, &values));
  GK_RETURN_IF_ERROR(c.WithRank(first + 2, 1, &shape));
  int64_t rank, n;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(indices.dim(0), values.dim(0), &n));
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(indices.dim(1), shape.dim(0), &rank));
  *sizes = c.ValueAsShape(first + 2);
  if (sizes->unknown_rank() && rank >= 0) {
    *sizes = PartialTensorShape::UnknownOfRank(static_cast<int>(rank));
  }
  return OkStatus();
}

// Operands of known ranks have the same one, and the same groups.
Status MergeSets(InferenceContext& c, const PartialTensorShape& a,
                 const PartialTensorShape& b) {
  for (const PartialTensorShape* s : {&a, &b}) {
    if (!s->unknown_rank() && s->rank() < 2) {
      return InvalidArgument("Input rank must be at least 2 but is {}",
                             s->rank());
    }
  }
  if (a.unknown_rank() || b.unknown_rank()) {
    return SetRank(c, a.unknown_rank()
                          ? (b.unknown_rank() ? kUnknownDim : b.rank())
                          : a.rank());
  }
  if (a.rank() != b.rank()) {
    return InvalidArgument("Ranks do not match: {} and {}", a.rank(), b.rank());
  }
  for (int i = 0; i + 1 < a.rank(); ++i) {
    int64_t dim;
    GK_RETURN_IF_ERROR(InferenceContext::MergeDims(a.dim(i), b.dim(i), &dim));
  }
  return SetRank(c, a.rank());
}

Status DenseToDenseShape(InferenceContext& c) {
  return MergeSets(c, c.input(0), c.input(1));
}

Status DenseToSparseShape(InferenceContext& c) {
  PartialTensorShape b;
  GK_RETURN_IF_ERROR(SparseSizes(c, 1, &b));
  return MergeSets(c, c.input(0), b);
}

Status SparseToSparseShape(InferenceContext& c) {
  PartialTensorShape a, b;
  GK_RETURN_IF_ERROR(SparseSizes(c, 0, &a));
  GK_RETURN_IF_ERROR(SparseSizes(c, 3, &b));
  return MergeSets(c, a, b);
}

#define SET_ATTRS                                                            \
  "set_operation: string; validate_indices: bool = True; T: type in [int8, " \
  "int16, int32, int64, uint8, uint16, string]"

const OpRecord kRecords[] = {
    {.name = "DenseToDenseSetOperation",
     .inputs = "set1: T; set2: T",
     .outputs = "result_indices: int64; result_values: T; result_shape: int64",
     .attrs = SET_ATTRS,
     .traits = kNoGradient,
     .shape = DenseToDenseShape,
     .kernel = {.compute = ComputeDenseToDense},
     .doc = "Operates on the sets along the last dimension of two tensors: "
            "'a-b', 'b-a', 'intersection' or 'union'."},

    {.name = "DenseToSparseSetOperation",
     .inputs = "set1: T; set2_indices: int64; set2_values: T; set2_shape: "
               "int64",
     .outputs = "result_indices: int64; result_values: T; result_shape: int64",
     .attrs = SET_ATTRS,
     .traits = kNoGradient,
     .shape = DenseToSparseShape,
     .kernel = {.compute = ComputeDenseToSparse},
     .doc = "Operates on the sets along the last dimension of a tensor and a "
            "sparse one."},

    {.name = "SparseToSparseSetOperation",
     .inputs = "set1_indices: int64; set1_values: T; set1_shape: int64; "
               "set2_indices: int64; set2_values: T; set2_shape: int64",
     .outputs = "result_indices: int64; result_values: T; result_shape: int64",
     .attrs = SET_ATTRS,
     .traits = kNoGradient,
     .shape = SparseToSparseShape,
     .kernel = {.compute = ComputeSparseToSparse},
     .doc = "Operates on the sets along the last dimension of two sparse "
            "tensors."},

    {.name = "SetSize",
     .inputs = "set_indices: int64; set_values: T; set_shape: int64",
     .outputs = "size: int32",
     .attrs = "validate_indices: bool = True; T: type in [int8, int16, int32, "
              "int64, uint8, uint16, string]",
     .traits = kNoGradient,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = ComputeSetSize},
     .doc = "How many values the sets along the last dimension have."},
};

}  // namespace

GK_REGISTER_OPS(sparse_sets)

}  // namespace gk
