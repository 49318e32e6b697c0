// What tensors do as NumPy's arrays do, from when a program has asked for it
// (tf.experimental.numpy.experimental_enable_numpy_behavior). The rules
// themselves are Python's: graphkiln/_src/numpy.
#ifndef GK_PYTHON_NUMPY_BEHAVIOR_H_
#define GK_PYTHON_NUMPY_BEHAVIOR_H_

namespace gk::py {

// Guarded by the GIL.
struct NumpyBehavior {
  bool promotes = false;  // operands of operators have the dtype of both
  bool weak = false;      // what is made of Python's numbers yields to others
  bool slices = false;    // x[...] takes lists and arrays of indices
};
inline NumpyBehavior numpy_behavior;

}  // namespace gk::py

#endif  // GK_PYTHON_NUMPY_BEHAVIOR_H_
