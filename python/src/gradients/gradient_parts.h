// Gradients, and what they are of, between Python and the core. All throw
// Python's error.
#ifndef GK_PYTHON_GRADIENT_PARTS_H_
#define GK_PYTHON_GRADIENT_PARTS_H_

#include <nanobind/nanobind.h>

#include <vector>

#include "framework/grad_context.h"
#include "framework/tensor.h"
#include "function/derivatives.h"

namespace gk::py {

// Is it an object that acts as a variable and is none (Keras')?
bool ActsAsVariable(PyObject* o);
// A tensor, or what stands for one: a variable's handle.
Tensor Differentiable(PyObject* o);
TensorVector Differentiables(const nanobind::list& list);
nanobind::object Wrap(const Tensor& t);

// None, a tensor, or IndexedSlices.
nanobind::object WrapGradient(const Gradient& g);
// The reverse; what is no tensor becomes one, by preference of `hint`.
Gradient ToGradient(nanobind::handle h, DataType hint = DataType::kInvalid);

// What is differentiated, or with respect to what: of a ragged tensor its
// values. ValueError for other composite values, whatever lacks a dtype is an
// error of Python's.
Tensor DifferentiablePart(nanobind::handle leaf);
// Does its type say so: is it made of tensors?
bool IsComposite(nanobind::handle leaf);
bool IsFloatingLeaf(nanobind::handle leaf);
// What gradients are of and by: leaves, or in place of those that say so in
// __composite_gradient__ the parts that they are made of.
nanobind::list GradientParts(const nanobind::list& leaves);
// The gradient of a leaf in its form, made of those found from `at` on, which
// is moved behind them.
nanobind::object GradientLike(nanobind::handle leaf,
                              const std::vector<Gradient>& found, size_t* at);

// Leaves of a nested structure, and the structure of others.
nanobind::list FlatLeaves(PyObject* value);
PyObject* PackedAs(PyObject* like, const nanobind::list& leaves);
// A member of tf.UnconnectedGradients, or its value; null: none. The error
// calls the argument `by_name`.
UnconnectedGradients Unconnected(PyObject* given, bool by_name = true);

// Says at first that a watched "tensor" should have another dtype.
void WarnOfDType(const char* what, nanobind::handle leaf);

}  // namespace gk::py

#endif  // GK_PYTHON_GRADIENT_PARTS_H_
