// Writes to TensorArrays whose result nobody has used yet: the array that was
// written to does not change, so what was written would be lost.
#ifndef GK_PYTHON_UNUSED_WRITES_H_
#define GK_PYTHON_UNUSED_WRITES_H_

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

namespace gk::py {

struct UnusedWrite {
  std::string text;  // "write at FILE:LINE"
  bool used = false;
};

// By this method, called by the innermost frame outside of the package.
std::shared_ptr<UnusedWrite> NewWrite(const char* method);
// The same in a function that this thread traces, at whose end it is an error
// if the result was not used; null where none is traced.
std::shared_ptr<UnusedWrite> NewWriteOfTrace(const char* method);

void AddUnusedWrites(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_UNUSED_WRITES_H_
