// Lists of tensors as single tensors, and back.
#include "framework/grad_context.h"
#include "framework/op_builder.h"
#include "framework/op_registry.h"
#include "ops/element_moves.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Slice.h"
#include "ops/fn/TensorListConcatV2.h"
#include "ops/fn/TensorListElementShape.h"
#include "ops/fn/TensorListFromTensor.h"
#include "ops/fn/TensorListSplit.h"
#include "ops/fn/TensorListStack.h"
#include "ops/list/list_access.h"

namespace gk {
namespace {

Status ComputeStack(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const TensorList* list, TensorList::Of(c.input(0)));
  GK_RETURN_IF_ERROR(CheckListDtype(c, *list));
  const int64_t n = list->size();
  const int64_t expected = c.attr<int64_t>("num_elements");
  if (expected >= 0 && expected != n) {
    return InvalidArgument(
        "Operation expected a list with {} elements but got a list with {} "
        "elements.",
        expected, n);
  }
  PartialTensorShape wanted, shape;
  GK_RETURN_IF_ERROR(ElementShapeInput(c.input(1), &wanted));
  GK_RETURN_IF_ERROR(CommonElementShape(*list, wanted, &shape));
  if (!shape.IsFullyDefined()) {
    return InvalidArgument(
        "Tried to stack {} non-fully-defined element_shape: {}",
        n == 0 ? "elements of an empty list with"
               : "list which only contains uninitialized tensors and has a",
        shape.DebugString());
  }
  GK_ASSIGN_OR_RETURN(const TensorShape element, shape.AsTensorShape());
  std::vector<int64_t> dims{n};
  dims.insert(dims.end(), element.dims().begin(), element.dims().end());
  GK_ASSIGN_OR_RETURN(const TensorShape full, TensorShape::Make(dims));
  const int64_t step = element.num_elements();
  const bool as_bytes = list->KeepsBytesOf(element);
  // Whoever writes to the list later takes a copy.
  if (as_bytes && n * step * DataTypeSize(list->element_dtype) > kInlineBytes) {
    if (Ref<Buffer> whole = list->Whole()) {
      c.set_output(
          0, Tensor::FromBuffer(list->element_dtype, full, std::move(whole)));
      return OkStatus();
    }
  }
  GK_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(list->element_dtype, full));
  if (as_bytes) {
    GK_RETURN_IF_ERROR(CopyElements(*list, 0, n, &out, 0));
    c.set_output(0, std::move(out));
    return OkStatus();
  }
  for (int64_t i = 0; i < n; ++i) {
    const TensorShape* mine = list->ShapeOf(i);
    if (mine != nullptr) {
      GK_RETURN_IF_ERROR(MergedShape(element, *mine).status());
      GK_RETURN_IF_ERROR(CopyElements(*list, i, 1, &out, i * step));
    } else {
      GK_ASSIGN_OR_RETURN(const Tensor zeros,
                          Tensor::Zeros(list->element_dtype, element));
      GK_RETURN_IF_ERROR(CopyInto(zeros, &out, i * step));
    }
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status StackShape(InferenceContext& c) {
  GK_ASSIGN_OR_RETURN(PartialTensorShape element, MergedElementShape(c, 1));
  if (element.unknown_rank() || element.rank() >= kMaxRank) return OkStatus();
  const int64_t n = c.attr<int64_t>("num_elements");
  element.InsertDim(0, n >= 0 ? n : kUnknownDim);
  c.set_output(0, element);
  return OkStatus();
}

// Row i of x as a tensor that shares its memory, or null: rows that are
// unaligned or small are better copied.
Tensor PartInPlace(const Tensor& x, int64_t i, const TensorShape& row) {
  const Ref<Buffer>& buffer = x.buffer();
  if (!buffer || IsObjectType(x.dtype())) return Tensor();
  const int64_t bytes = row.num_elements() * DataTypeSize(x.dtype());
  const int64_t start = static_cast<const char*>(x.raw_data()) -
                        static_cast<const char*>(buffer->data());
  if (bytes <= kInlineBytes || (start + i * bytes) % int64_t{kAlignment} != 0) {
    return Tensor();
  }
  return Tensor::FromBuffer(x.dtype(), row, buffer, start + i * bytes);
}

Status ComputeFromTensor(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() < 1) {
    return InvalidArgument(
        "Tensor must be at least a vector, but saw shape: {}",
        x.shape().DebugString());
  }
  PartialTensorShape shape;
  GK_RETURN_IF_ERROR(ElementShapeInput(c.input(1), &shape));
  TensorShape element = x.shape();
  element.RemoveDim(0);
  if (!shape.IsCompatibleWith(element)) {
    return InvalidArgument(
        "Specified a list with shape {} from a tensor with shape {}",
        shape.DebugString(), element.DebugString());
  }
  auto list = MakeRef<TensorList>(x.dtype(), shape);
  if (list->ShareRows(element, x)) {
    c.set_output(0, TensorList::Wrap(std::move(list)));
    return OkStatus();
  }
  if (list->Packs(element)) {
    GK_RETURN_IF_ERROR(list->PushBytes(element, x.raw_data(), x.dim(0)));
  } else {
    for (int64_t i = 0; i < x.dim(0); ++i) {
      Tensor part = PartInPlace(x, i, element);
      if (!part) {
        GK_ASSIGN_OR_RETURN(part,
                            CopyPart(x, i * element.num_elements(), element));
      }
      GK_RETURN_IF_ERROR(list->Push(part));
    }
  }
  c.set_output(0, TensorList::Wrap(std::move(list)));
  return OkStatus();
}

Status FromTensorShape(InferenceContext& c) {
  c.set_output(0, TensorShape());
  PartialTensorShape element = ShapeOfInput(c, 1);
  if (!c.input(0).unknown_rank()) {
    if (c.input(0).rank() == 0) {
      return InvalidArgument("Shape must be at least rank 1 but is rank 0");
    }
    PartialTensorShape rest = c.input(0);
    rest.RemoveDim(0);
    GK_ASSIGN_OR_RETURN(element, element.MergeWith(rest));
  }
  c.set_output_handle(0, {{c.attr<DataType>("element_dtype"), element}});
  return OkStatus();
}

PartialTensorShape WithoutFirst(PartialTensorShape s) {
  if (s.rank() > 0) s.RemoveDim(0);
  return s;
}

// The dimensions after the first that all elements have, and the first one of
// elements that were not set: what `element` says, else what all those that
// were set have, or kUnknownDim.
Status ShapesToConcat(const TensorList& list, const PartialTensorShape& element,
                      PartialTensorShape* rest, int64_t* first) {
  *rest = WithoutFirst(element);
  const int64_t wanted = element.rank() > 0 ? element.dim(0) : kUnknownDim;
  const bool is_known = list.element_shape.IsFullyDefined();
  bool any = false, differ = false;
  *first = wanted;
  for (int64_t i = 0; i < list.size(); ++i) {
    const TensorShape* shape = list.ShapeOf(i);
    if (shape == nullptr) continue;
    if (shape->rank() < 1) {
      return InvalidArgument(
          "Concat saw a scalar shape at index {} but requires at least "
          "vectors.",
          i);
    }
    GK_ASSIGN_OR_RETURN(*rest, MergedShape(*rest, WithoutFirst(*shape)));
    const int64_t length = shape->dim(0);
    if (wanted >= 0) {
      if (!is_known && length != wanted) {
        return InvalidArgument(
            "First entry of element_shape input does not match the first dim "
            "of list element at index: {} Expected: {} Actual: {}",
            i, wanted, length);
      }
      continue;
    }
    differ |= any && length != *first;
    if (!any) *first = length;
    any = true;
  }
  if (differ) *first = kUnknownDim;
  return OkStatus();
}

// `leading`: how long elements are that were not set; null in the first
// version, which knows of none.
Status Concat(KernelContext& c, const PartialTensorShape& element,
              const std::vector<int64_t>* leading) {
  GK_ASSIGN_OR_RETURN(const TensorList* list, TensorList::Of(c.input(0)));
  GK_RETURN_IF_ERROR(CheckListDtype(c, *list));
  PartialTensorShape rest;
  int64_t first = kUnknownDim;
  GK_RETURN_IF_ERROR(ShapesToConcat(*list, element, &rest, &first));
  const int64_t n = list->size();
  const int64_t given = leading == nullptr ? 0 : std::ssize(*leading);
  std::vector<int64_t> lengths;
  int64_t rows = 0;
  for (int64_t i = 0; i < n; ++i) {
    int64_t length = first;
    if (const TensorShape* shape = list->ShapeOf(i)) {
      length = shape->dim(0);
    } else if (i < given) {
      length = (*leading)[i];
      if (length < 0) {
        return InvalidArgument("Negative leading dimension {} at index {}",
                               length, i);
      }
    } else if (!rest.IsFullyDefined()) {
      break;
    } else if (length < 0 && leading == nullptr) {
      return InvalidArgument(
          "Concating lists with uninitialized tensors is not supported in this "
          "version of TensorListConcat. Consider updating your GraphDef to run "
          "the newer version.");
    } else if (length < 0) {
      return InvalidArgument(
          "List contains uninitialized tensor at index {} but leading_dims has "
          "only {} elements.",
          i, given);
    }
    lengths.push_back(length);
    if (__builtin_add_overflow(rows, length, &rows)) {
      return InvalidArgument("The elements have too many rows");
    }
  }
  if (!rest.IsFullyDefined()) {
    if (n == 0) {
      return InvalidArgument(
          "All except the first dimension must be fully defined when concating "
          "an empty tensor list. element_shape: {}",
          element.DebugString());
    }
    return InvalidArgument(
        "Trying to concat list with only uninitialized tensors but "
        "element_shape_except_first_dim is not fully defined: {}",
        rest.DebugString());
  }
  std::vector<int64_t> dims{rows};
  dims.insert(dims.end(), rest.dims().begin(), rest.dims().end());
  GK_ASSIGN_OR_RETURN(const TensorShape full, TensorShape::Make(dims));
  GK_ASSIGN_OR_RETURN(Tensor out, Tensor::Zeros(list->element_dtype, full));
  const int64_t row = rest.num_elements();
  int64_t at = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (list->ShapeOf(i) != nullptr) {
      GK_RETURN_IF_ERROR(CopyElements(*list, i, 1, &out, at * row));
    }
    at += lengths[i];
  }
  c.set_output(0, std::move(out));
  c.set_output(1, Tensor::Vector<int64_t>(lengths));
  return OkStatus();
}

Status ComputeConcat(KernelContext& c) {
  PartialTensorShape element = c.attr<PartialTensorShape>("element_shape");
  if (element.rank() == 0) {
    return InvalidArgument("element_shape must not be empty");
  }
  // Of the attribute the first dimension does not count.
  if (element.rank() > 0) element.SetDim(0, kUnknownDim);
  return Concat(c, element, nullptr);
}

Status ComputeConcatV2(KernelContext& c) {
  PartialTensorShape shape;
  GK_RETURN_IF_ERROR(ElementShapeInput(c.input(1), &shape));
  std::vector<int64_t> leading;
  GK_RETURN_IF_ERROR(IntegerValues(c.input(2), &leading));
  GK_ASSIGN_OR_RETURN(const TensorList* list, TensorList::Of(c.input(0)));
  GK_ASSIGN_OR_RETURN(shape, MergedShape(shape, list->element_shape));
  if (shape.rank() == 0) {
    return InvalidArgument(
        "Concat requires elements to be at least vectors, found scalars "
        "instead.");
  }
  return Concat(c, shape, &leading);
}

Status ConcatShape(InferenceContext& c) {
  PartialTensorShape element = HandleElementShape(c, 0);
  if (c.num_inputs() > 1) {
    GK_ASSIGN_OR_RETURN(element, MergedElementShape(c, 1));
  }
  if (element.rank() > 0) {
    element.SetDim(0, kUnknownDim);
    c.set_output(0, element);
  }
  c.set_output(1, PartialTensorShape::UnknownOfRank(1));
  return OkStatus();
}

Status SplitShape(InferenceContext& c) {
  PartialTensorShape checked;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1, &checked));
  GK_RETURN_IF_ERROR(c.WithRank(2, 1, &checked));
  return ListShape(c, 1);
}

Status ComputeSplit(KernelContext& c) {
  const Tensor &x = c.input(0), &lengths = c.input(2);
  if (x.rank() < 1) {
    return InvalidArgument(
        "Tensor must be at least a vector, but saw shape: {}",
        x.shape().DebugString());
  }
  if (lengths.rank() != 1) {
    return InvalidArgument(
        "Expected lengths to be a vector, received shape: "
        "{}",
        lengths.shape().DebugString());
  }
  PartialTensorShape shape;
  GK_RETURN_IF_ERROR(ElementShapeInput(c.input(1), &shape));
  if (shape.rank() == 0) {
    return InvalidArgument(
        "TensorListSplit requires element_shape to be at least of rank 1, but "
        "saw: {}",
        shape.DebugString());
  }
  if (!WithoutFirst(shape).IsCompatibleWith(WithoutFirst(x.shape()))) {
    return InvalidArgument(
        "tensor shape {} is not compatible with element_shape {}",
        x.shape().DebugString(), shape.DebugString());
  }
  auto list = MakeRef<TensorList>(x.dtype(), shape);
  TensorShape element = x.shape();
  element.RemoveDim(0);
  const int64_t row = element.num_elements();
  element.InsertDim(0, 0);
  int64_t at = 0;
  for (int64_t length : lengths.flat<int64_t>()) {
    if (length < 0) {
      return InvalidArgument("Invalid value in lengths: {}", length);
    }
    if (length > x.dim(0) - at) {
      return InvalidArgument(
          "Attempting to slice [{}, {}] from tensor with length {}", at,
          at + length, x.dim(0));
    }
    element.SetDim(0, length);
    GK_ASSIGN_OR_RETURN(Tensor part, CopyPart(x, at * row, element));
    GK_RETURN_IF_ERROR(list->Push(part));
    at += length;
  }
  if (at != x.dim(0)) {
    return InvalidArgument(
        "Unused values in tensor. Length of tensor: {} Values used: {}",
        x.dim(0), at);
  }
  c.set_output(0, TensorList::Wrap(std::move(list)));
  return OkStatus();
}

// Gradient of Concat: the rows as a list again.
void ConcatGrads(GradContext& g) {
  g.Set(0, ops::TensorListSplit(
               g.dy(0), ops::TensorListElementShape(g.x(0), DataType::kInt32),
               g.y(1)));
}

const OpRecord kRecords[] = {
    {.name = "TensorListStack",
     .inputs = "input_handle: variant; element_shape: int32",
     .outputs = "tensor: element_dtype",
     .attrs = "element_dtype: type; num_elements: int = -1",
     .shape = StackShape,
     .kernel = {.compute = ComputeStack},
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::TensorListFromTensor(
                        g.dy(0),
                        ops::TensorListElementShape(g.x(0), DataType::kInt32)));
         },
     .doc = "The elements along a new first axis; zeros where none was set.",
     .test = {.skip_gradient = true}},

    {.name = "TensorListFromTensor",
     .inputs = "tensor: element_dtype; element_shape: shape_type",
     .outputs = "output_handle: variant",
     .attrs = "element_dtype: type; shape_type: type in [int32, int64]",
     .shape = FromTensorShape,
     .kernel = {.compute = ComputeFromTensor},
     .gradient =
         [](GradContext& g) {
           // The shape of the gradient is that of the tensor, as far as known.
           const PartialTensorShape shape = g.x(0).partial_shape();
           int64_t rows = kUnknownDim;
           Tensor element = IntegerConstant(-1);
           if (shape.rank() > 0) {
             rows = shape.dim(0);
             element = IntegerVector(shape.dims().subspan(1));
           }
           g.Set(0,
                 ops::TensorListStack(g.dy(0), element,
                                      g.attr<DataType>("element_dtype"), rows));
         },
     .doc = "A list of the rows of `tensor`.",
     .test = {.skip_gradient = true}},

    {.name = "TensorListConcat",
     .inputs = "input_handle: variant",
     .outputs = "tensor: element_dtype; lengths: int64",
     .attrs = "element_dtype: type; element_shape: shape = <unknown>",
     .shape = ConcatShape,
     .kernel = {.compute = ComputeConcat},
     .gradient = ConcatGrads,
     .doc = "The elements one after the other along their first axis, and how "
            "long each is.",
     .test = {.skip_gradient = true}},

    {.name = "TensorListConcatV2",
     .inputs = "input_handle: variant; element_shape: shape_type;"
               "leading_dims: int64",
     .outputs = "tensor: element_dtype; lengths: int64",
     .attrs = "element_dtype: type; shape_type: type in [int32, int64]",
     .shape = ConcatShape,
     .kernel = {.compute = ComputeConcatV2},
     .gradient = ConcatGrads,
     .doc = "The elements one after the other along their first axis, and how "
            "long each is; leading_dims says it for those not set.",
     .test = {.skip_gradient = true}},

    {.name = "TensorListSplit",
     .inputs = "tensor: element_dtype; element_shape: shape_type;"
               "lengths: int64",
     .outputs = "output_handle: variant",
     .attrs = "element_dtype: type; shape_type: type in [int32, int64]",
     .shape = SplitShape,
     .kernel = {.compute = ComputeSplit},
     .gradient =
         [](GradContext& g) {
           // The pieces differ in their first dimension alone.
           const int64_t any = -1, one = 1;
           const Tensor unknown = IntegerVector({&any, 1});
           const Tensor rest = ops::Slice(ShapeTensor(g.x(0)),
                                          IntegerVector({&one, 1}), unknown);
           const Tensor shape =
               ops::ConcatV2(TensorVector{unknown, rest}, IntegerConstant(0));
           g.Set(0,
                 ops::TensorListConcatV2(g.dy(0), shape, g.x(2),
                                         g.attr<DataType>("element_dtype"))[0]);
         },
     .doc = "A list of pieces of `tensor` of the given lengths along its first "
            "axis.",
     .test = {.skip_gradient = true}},
};

}  // namespace

GK_REGISTER_OPS(list_stack)

}  // namespace gk
