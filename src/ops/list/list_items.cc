// Lists of tensors: reading and writing elements by index.
#include <span>
#include <unordered_set>

#include "framework/grad_context.h"
#include "framework/op_builder.h"
#include "framework/op_registry.h"
#include "ops/element_moves.h"
#include "ops/fn/Equal.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Range.h"
#include "ops/fn/Select.h"
#include "ops/fn/Size.h"
#include "ops/fn/Slice.h"
#include "ops/fn/TensorListElementShape.h"
#include "ops/fn/TensorListGather.h"
#include "ops/fn/TensorListGetItem.h"
#include "ops/fn/TensorListLength.h"
#include "ops/fn/TensorListReserve.h"
#include "ops/fn/TensorListResize.h"
#include "ops/fn/TensorListScatterIntoExistingList.h"
#include "ops/fn/TensorListScatterV2.h"
#include "ops/fn/TensorListSetItem.h"
#include "ops/fn/Unique.h"
#include "ops/fn/UnsortedSegmentMax.h"
#include "ops/fn/UnsortedSegmentSum.h"
#include "ops/fn/ZerosLike.h"
#include "ops/list/list_access.h"

namespace gk {
namespace {

Status ComputeGet(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const TensorList* list, TensorList::Of(c.input(0)));
  GK_RETURN_IF_ERROR(CheckListDtype(c, *list));
  int64_t index = 0;
  GK_RETURN_IF_ERROR(IntegerValue(c.input(1), "index", &index));
  const int64_t n = list->size();
  if (index < 0 || index >= n) {
    return InvalidArgument(
        "Trying to access element {} in a list with {} elements.", index, n);
  }
  PartialTensorShape shape;
  GK_RETURN_IF_ERROR(ElementShapeInput(c.input(2), &shape));
  Tensor item;
  GK_RETURN_IF_ERROR(ListElement(*list, index, shape, &item));
  c.set_output(0, std::move(item));
  return OkStatus();
}

Status GetShape(InferenceContext& c) {
  GK_ASSIGN_OR_RETURN(PartialTensorShape element, MergedElementShape(c, 2));
  c.set_output(0, std::move(element));
  return OkStatus();
}

Status ComputeSet(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const TensorList* given, TensorList::Of(c.input(0)));
  GK_RETURN_IF_ERROR(CheckListDtype(c, *given));
  int64_t index = 0;
  GK_RETURN_IF_ERROR(IntegerValue(c.input(1), "index", &index));
  const int64_t n = given->size();
  const bool grows = c.attr<bool>("resize_if_index_out_of_bounds");
  if (index < 0 || (index >= n && !grows)) {
    return InvalidArgument(
        "Trying to modify element {} in a list with {} elements.", index, n);
  }
  const Tensor& x = c.input(2);
  if (!given->element_shape.IsCompatibleWith(x.shape())) {
    return InvalidArgument(
        "Tried to set a tensor with incompatible shape at a list index. Item "
        "element shape: {} list shape: {}",
        x.shape().DebugString(), given->element_shape.DebugString());
  }
  TensorList* list = nullptr;
  GK_RETURN_IF_ERROR(MutableList(c, &list));
  // Next to the last: the list stays as it is.
  if (index == n) return list->Push(x);
  if (index > n) GK_RETURN_IF_ERROR(list->Resize(index + 1));
  return list->Set(index, x);
}

// Indices, all within [0, n).
Status Indices(const Tensor& t, int64_t n, std::string_view action,
               std::vector<int64_t>* out) {
  GK_RETURN_IF_ERROR(IntegerValues(t, out));
  for (int64_t i : *out) {
    if (i < 0 || i >= n) {
      return InvalidArgument(
          "Trying to {} element {} in a list with {} elements.", action, i, n);
    }
  }
  return OkStatus();
}

Status ComputeGather(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const TensorList* list, TensorList::Of(c.input(0)));
  GK_RETURN_IF_ERROR(CheckListDtype(c, *list));
  std::vector<int64_t> indices;
  GK_RETURN_IF_ERROR(Indices(c.input(1), list->size(), "gather", &indices));
  PartialTensorShape wanted, shape;
  GK_RETURN_IF_ERROR(ElementShapeInput(c.input(2), &wanted));
  GK_RETURN_IF_ERROR(CommonElementShape(*list, wanted, &shape));
  if (!shape.IsFullyDefined()) {
    return InvalidArgument(
        "Tried to gather uninitialized tensors from a list with "
        "non-fully-defined element_shape: {}",
        shape.DebugString());
  }
  GK_ASSIGN_OR_RETURN(const TensorShape element, shape.AsTensorShape());
  std::vector<int64_t> dims{static_cast<int64_t>(indices.size())};
  dims.insert(dims.end(), element.dims().begin(), element.dims().end());
  GK_ASSIGN_OR_RETURN(const TensorShape full, TensorShape::Make(dims));
  GK_ASSIGN_OR_RETURN(Tensor out, Tensor::Zeros(list->element_dtype, full));
  for (size_t k = 0; k < indices.size(); ++k) {
    const TensorShape* mine = list->ShapeOf(indices[k]);
    if (mine == nullptr) continue;
    GK_RETURN_IF_ERROR(MergedShape(element, *mine).status());
    GK_RETURN_IF_ERROR(
        CopyElements(*list, indices[k], 1, &out, k * element.num_elements()));
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status GatherShape(InferenceContext& c) {
  GK_ASSIGN_OR_RETURN(PartialTensorShape element, MergedElementShape(c, 2));
  if (element.unknown_rank()) return OkStatus();
  if (element.rank() >= kMaxRank) return OkStatus();
  element.InsertDim(0,
                    c.input(1).rank() == 1 ? c.input(1).dim(0) : kUnknownDim);
  c.set_output(0, element);
  return OkStatus();
}

// Row k of `x` becomes element indices[k] of `list`.
Status ScatterRows(const Tensor& x, std::span<const int64_t> indices,
                   TensorList* list) {
  if (x.rank() < 1) {
    return InvalidArgument(
        "Tensor must be at least a vector, but saw shape: {}",
        x.shape().DebugString());
  }
  if (x.dim(0) != static_cast<int64_t>(indices.size())) {
    return InvalidArgument(
        "Invalid number of rows in input tensor. Expected: {} Actual: {}",
        indices.size(), x.dim(0));
  }
  TensorShape element = x.shape();
  element.RemoveDim(0);
  if (!list->element_shape.IsCompatibleWith(element)) {
    return InvalidArgument(
        "Specified a list with shape {} from a tensor with shape {}",
        list->element_shape.DebugString(), element.DebugString());
  }
  for (size_t k = 0; k < indices.size(); ++k) {
    GK_ASSIGN_OR_RETURN(const Tensor row,
                        CopyPart(x, k * element.num_elements(), element));
    GK_RETURN_IF_ERROR(list->Set(indices[k], row));
  }
  return OkStatus();
}

Status ScatterNew(KernelContext& c, int64_t length) {
  PartialTensorShape shape;
  GK_RETURN_IF_ERROR(ElementShapeInput(c.input(2), &shape));
  std::vector<int64_t> indices;
  GK_RETURN_IF_ERROR(IntegerValues(c.input(1), &indices));
  int64_t largest = -1;
  for (int64_t i : indices) {
    if (i < 0) {
      return InvalidArgument(
          "Indices in TensorListScatter must all be non-negative.");
    }
    largest = std::max(largest, i);
  }
  if (length >= 0 && largest >= length) {
    return InvalidArgument(
        "TensorListScatter: Trying to scatter at index {} "
        "in list with size {}",
        largest, length);
  }
  auto list = MakeRef<TensorList>(c.attr<DataType>("element_dtype"), shape);
  GK_RETURN_IF_ERROR(list->Resize(std::max(length, largest + 1)));
  GK_RETURN_IF_ERROR(ScatterRows(c.input(0), indices, list.get()));
  c.set_output(0, TensorList::Wrap(std::move(list)));
  return OkStatus();
}

Status ComputeScatter(KernelContext& c) { return ScatterNew(c, -1); }

Status ComputeScatterV2(KernelContext& c) {
  int64_t n = 0;
  GK_RETURN_IF_ERROR(IntegerValue(c.input(3), "num_elements", &n));
  if (n < -1) {
    return InvalidArgument(
        "TensorListScatter expects num_elements >= -1, "
        "found: {}",
        n);
  }
  return ScatterNew(c, n);
}

Status ComputeScatterInto(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const TensorList* given, TensorList::Of(c.input(0)));
  GK_RETURN_IF_ERROR(CheckListDtype(c, *given));
  std::vector<int64_t> indices;
  GK_RETURN_IF_ERROR(IntegerValues(c.input(2), &indices));
  int64_t largest = -1;
  for (int64_t i : indices) {
    if (i < 0) {
      return InvalidArgument(
          "Indices in TensorListScatter must all be non-negative.");
    }
    largest = std::max(largest, i);
  }
  TensorList* list = nullptr;
  GK_RETURN_IF_ERROR(MutableList(c, &list));
  if (largest >= list->size()) {
    GK_RETURN_IF_ERROR(list->Resize(largest + 1));
  }
  return ScatterRows(c.input(1), indices, list);
}

// Is it known that no index comes twice?
bool AreDistinct(const Tensor& indices) {
  const Tensor known = KnownValue(indices);
  if (!known) return false;
  const std::span<const int32_t> all = known.flat<int32_t>();
  return std::unordered_set<int32_t>(all.begin(), all.end()).size() ==
         all.size();
}

Tensor NumRows(const Tensor& t) { return ops::Size(t, DataType::kInt32); }

// Gradients of gathering: a list of those of the rows; what was read twice gets
// both.
void GatherGrads(GradContext& g) {
  const DataType dtype = g.attr<DataType>("element_dtype");
  Tensor rows = g.dy(0), indices = g.x(1);
  if (!AreDistinct(indices) && dtype != DataType::kVariant) {
    const TensorVector unique = ops::Unique(indices);
    rows = ops::UnsortedSegmentSum(rows, unique[1], NumRows(unique[0]));
    indices = unique[0];
  }
  const Tensor element_shape =
      ops::TensorListElementShape(g.x(0), DataType::kInt32);
  g.Set(0, ops::TensorListScatterV2(rows, indices, element_shape,
                                    ops::TensorListLength(g.x(0))));
}

// Of each row that is scattered: does none with the same index follow?
Tensor AreLast(const Tensor& indices) {
  const Tensor zero = IntegerConstant(0, DataType::kInt32),
               one = IntegerConstant(1, DataType::kInt32);
  const Tensor row = ops::Range(zero, NumRows(indices), one);
  const TensorVector unique = ops::Unique(indices);
  const Tensor last =
      ops::UnsortedSegmentMax(row, unique[1], NumRows(unique[0]));
  return ops::Equal(ops::GatherV2(last, unique[1], zero), row);
}

// Gradients of scattering: rows of the list's gradient, but for those that
// others were written over.
void ScatterGrads(GradContext& g, const Tensor& indices, int tensor) {
  Tensor element = ShapeTensor(g.x(tensor));
  const Tensor begin = IntegerVector(std::vector<int64_t>{1});
  const Tensor size = IntegerVector(std::vector<int64_t>{-1});
  element = ops::Slice(element, begin, size);
  const DataType dtype = g.attr<DataType>("element_dtype");
  Tensor rows = ops::TensorListGather(g.dy(0), indices, element, dtype);
  if (!AreDistinct(indices) && dtype != DataType::kVariant) {
    const Tensor condition = AreLast(indices);
    rows = ops::Select(condition, rows, ops::ZerosLike(rows));
  }
  g.Set(tensor, rows);
}

const OpRecord kRecords[] = {
    {.name = "TensorListGetItem",
     .inputs = "input_handle: variant; index: int32; element_shape: Tshape",
     .outputs = "item: element_dtype",
     .attrs = "element_dtype: type; Tshape: type in [int32, int64] = int32",
     .shape = GetShape,
     .kernel = {.compute = ComputeGet},
     .gradient =
         [](GradContext& g) {
           const DataType dtype = g.attr<DataType>("element_dtype");
           const Tensor element_shape =
               ops::TensorListElementShape(g.x(0), DataType::kInt32);
           const Tensor list = ops::TensorListReserve(
               element_shape, ops::TensorListLength(g.x(0)), dtype);
           g.Set(0, ops::TensorListSetItem(list, g.x(1), g.dy(0)));
         },
     .doc = "Element `index`; zeros if it was never set.",
     .test = {.skip_gradient = true}},

    {.name = "TensorListSetItem",
     .inputs = "input_handle: variant; index: int32; item: element_dtype",
     .outputs = "output_handle: variant",
     .attrs = "element_dtype: type;"
              "resize_if_index_out_of_bounds: bool = false",
     .shape = [](InferenceContext& c) { return ListShape(c, -1); },
     .kernel = {.compute = ComputeSet},
     .gradient =
         [](GradContext& g) {
           const DataType dtype = g.attr<DataType>("element_dtype");
           if (g.wants(2)) {
             g.Set(2, ops::TensorListGetItem(g.dy(0), g.x(1),
                                             ShapeTensor(g.x(2)), dtype));
           }
           if (!g.wants(0)) return;
           // What was there before has no part in the result.
           Tensor list =
               ops::TensorListSetItem(g.dy(0), g.x(1), ops::ZerosLike(g.x(2)));
           if (g.attr<bool>("resize_if_index_out_of_bounds")) {
             list = ops::TensorListResize(list, ops::TensorListLength(g.x(0)));
           }
           g.Set(0, list);
         },
     .doc = "The list with `item` at `index`.",
     .test = {.skip_gradient = true}},

    {.name = "TensorListGather",
     .inputs = "input_handle: variant; indices: int32; element_shape: int32",
     .outputs = "values: element_dtype",
     .attrs = "element_dtype: type",
     .shape = GatherShape,
     .kernel = {.compute = ComputeGather},
     .gradient = GatherGrads,
     .doc = "The elements at `indices`, stacked.",
     .test = {.skip_gradient = true}},

    {.name = "TensorListScatter",
     .inputs = "tensor: element_dtype; indices: int32;"
               "element_shape: shape_type",
     .outputs = "output_handle: variant",
     .attrs = "element_dtype: type; shape_type: type in [int32, int64]",
     .shape = [](InferenceContext& c) { return ListShape(c, 2); },
     .kernel = {.compute = ComputeScatter},
     .gradient = [](GradContext& g) { ScatterGrads(g, g.x(1), 0); },
     .doc = "A list whose element indices[i] is row i of `tensor`.",
     .test = {.skip_gradient = true}},

    {.name = "TensorListScatterV2",
     .inputs = "tensor: element_dtype; indices: int32;"
               "element_shape: shape_type; num_elements: int32",
     .outputs = "output_handle: variant",
     .attrs = "element_dtype: type; shape_type: type in [int32, int64]",
     .shape = [](InferenceContext& c) { return ListShape(c, 2); },
     .kernel = {.compute = ComputeScatterV2},
     .gradient = [](GradContext& g) { ScatterGrads(g, g.x(1), 0); },
     .doc = "A list whose element indices[i] is row i of `tensor`; of "
            "num_elements elements, or -1 for as many as it takes.",
     .test = {.skip_gradient = true}},

    {.name = "TensorListScatterIntoExistingList",
     .inputs = "input_handle: variant; tensor: element_dtype; indices: int32",
     .outputs = "output_handle: variant",
     .attrs = "element_dtype: type",
     .shape = [](InferenceContext& c) { return ListShape(c, -1); },
     .kernel = {.compute = ComputeScatterInto},
     .gradient =
         [](GradContext& g) {
           if (g.wants(1)) ScatterGrads(g, g.x(2), 1);
           if (g.wants(0)) {
             g.Set(0, ops::TensorListScatterIntoExistingList(
                          g.dy(0), ops::ZerosLike(g.x(1)), g.x(2)));
           }
         },
     .doc = "The list with row i of `tensor` at indices[i].",
     .test = {.skip_gradient = true}},
};

}  // namespace

GK_REGISTER_OPS(list_items)

}  // namespace gk
