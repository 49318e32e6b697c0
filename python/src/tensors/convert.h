// Python values -> tensors.
#ifndef GK_PYTHON_CONVERT_H_
#define GK_PYTHON_CONVERT_H_

#include "framework/op_builder.h"
#include "framework/tensor.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

// The name of constants that have none.
inline constexpr std::string_view kConst = "Const";

// What becomes of an integer that a demanded dtype cannot hold.
enum class Narrowing { kCut, kRefuse };

// No dtype is demanded, or wished.
inline constexpr DataType kAnyDType = DataType::kInvalid;

// Whether ops are being built into a graph now.
inline bool InGraph() { return OpBuilder::Current()->builds_graph(); }

// tf.convert_to_tensor: `dtype` is demanded, `hint` only wished (kInvalid:
// none); an integer that is refused by the hint's dtype keeps its own.
// Tensors, variables and whatever acts as one are used as they are; other
// values become constants of the current builder, named `name`.
StatusOr<Tensor> ToTensor(PyObject* value, DataType dtype = DataType::kInvalid,
                          DataType hint = DataType::kInvalid,
                          std::string_view name = kConst,
                          Narrowing narrowing = Narrowing::kCut);

// A value without any tensor in it, as an eager tensor: numbers, strings,
// buffers, NumPy arrays and nested sequences of those.
StatusOr<Tensor> ValueToTensor(PyObject* value, DataType dtype,
                               Narrowing narrowing = Narrowing::kCut);
// NumPy arrays and scalars; an empty tensor if `value` is neither.
// (convert_array.cc)
StatusOr<Tensor> ArrayToTensor(PyObject* value, DataType dtype,
                               Narrowing narrowing = Narrowing::kCut);
// What gives an array of itself; an empty tensor if it does not.
StatusOr<Tensor> ArrayLikeToTensor(PyObject* value, DataType dtype,
                                   Narrowing narrowing);
bool IsNumpyValue(PyObject* value);
bool IsNumpyScalar(PyObject* value);
// The dtype of a NumPy array or scalar; kInvalid if `value` is neither, or
// there is no such dtype.
DataType NumpyDType(PyObject* value);
// Numbers, strings and nested sequences. (convert_sequence.cc)
StatusOr<Tensor> SequenceToTensor(PyObject* value, DataType dtype,
                                  Narrowing narrowing = Narrowing::kCut);
// What sequences whose rows differ are told.
inline constexpr std::string_view kNonRectangular =
    "Can't convert non-rectangular Python sequence to Tensor.";
// ValueError: an integer of a sequence that its dtype cannot hold.
Status OutOfRangeInteger();
// Sequences with tensors in them are packed, level by level. As in TensorFlow,
// tensors of another dtype are cast only if the sequence is wanted in a dtype
// that is not its first tensor's; else they are errors. (convert_pack.cc)
StatusOr<Tensor> PackSequence(PyObject* value, DataType dtype,
                              Narrowing narrowing, std::string_view name);
// The dtype of the first tensor in a value or below it; kInvalid: none.
DataType FirstTensorDType(PyObject* value);
// Is there a tensor-like anywhere in this list or tuple?
bool ContainsTensor(PyObject* sequence);
// Is there a tensor of this dtype in a value or below it?
bool HasTensorOf(PyObject* value, DataType dtype);

// Does a value of this kind convert in no way, or not to the dtype wanted?
// Other errors are the user's own.
bool IsConversionFailure(const Status& status);

// "Attempt to convert a value (None) with an unsupported type ...".
Status UnsupportedValue(PyObject* value);
// "Cannot convert 1.0 to EagerTensor of dtype int32".
Status CannotConvert(PyObject* value, DataType dtype);
// Writes one Python number or string as element `i` of `t`.
Status WriteElement(PyObject* value, Tensor* t, int64_t i,
                    Narrowing narrowing = Narrowing::kCut);
// A list of ints for an attribute or shape argument.
StatusOr<std::vector<int64_t>> ToIntList(PyObject* value);

// Is `o` a tensor, a variable, or does it act as one?
bool IsTensorLike(PyObject* o);

bool AddConversions(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_CONVERT_H_
