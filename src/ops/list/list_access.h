// What the records of list ops share: reading lists and element shapes, and
// changing a list in place where nobody else can see it.
#ifndef GK_OPS_LIST_LIST_ACCESS_H_
#define GK_OPS_LIST_LIST_ACCESS_H_

#include "framework/inference_context.h"
#include "framework/kernel_context.h"
#include "framework/tensor_list.h"

namespace gk {

// The shape that an element_shape input says: a scalar -1 is unknown, -1 in a
// vector is an unknown dimension.
Status ElementShapeInput(const Tensor& t, PartialTensorShape* shape);

// The list of input 0 for changing: taken over if this is its last use,
// else a copy. Becomes output 0.
Status MutableList(KernelContext& c, TensorList** list);

// InvalidArgument unless attribute element_dtype is the list's.
Status CheckListDtype(KernelContext& c, const TensorList& list);

// Of both, or what TensorFlow says of two that are at odds.
StatusOr<PartialTensorShape> MergedShape(const PartialTensorShape& a,
                                         const PartialTensorShape& b);

// The shape of all elements: what the op asks for, what the list was made
// with and what its elements have.
Status CommonElementShape(const TensorList& list,
                          const PartialTensorShape& wanted,
                          PartialTensorShape* shape);

// Element i as a tensor of its own, zeros if it was never set.
Status ListElement(const TensorList& list, int64_t i,
                   const PartialTensorShape& wanted, Tensor* element);

// Copies elements [i, i + n) of `list`, all of them set, into `to` from element
// `at` on.
Status CopyElements(const TensorList& list, int64_t i, int64_t n, Tensor* to,
                    int64_t at);
// Copies `from`, all of it, into `to` from element `at` on.
Status CopyInto(const Tensor& from, Tensor* to, int64_t at);
// Elements [at, at + n) of `from` as a new tensor of `shape`.
StatusOr<Tensor> CopyPart(const Tensor& from, int64_t at,
                          const TensorShape& shape);

// Shape function: output 0 is a list of attr element_dtype whose elements
// have the shape of input `shape_input` (-1: what input 0's list says).
Status ListShape(InferenceContext& c, int shape_input);
// What element_shape input `input` says while shapes are inferred.
PartialTensorShape ShapeOfInput(const InferenceContext& c, int input);
// The same with what is known of the elements of input 0's list.
StatusOr<PartialTensorShape> MergedElementShape(const InferenceContext& c,
                                                int input);
// What is known of the elements of input `handle`'s list.
PartialTensorShape HandleElementShape(const InferenceContext& c, int handle);

}  // namespace gk

#endif  // GK_OPS_LIST_LIST_ACCESS_H_
