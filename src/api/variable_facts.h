// What the handles of one public variable share.
#ifndef GK_API_VARIABLE_FACTS_H_
#define GK_API_VARIABLE_FACTS_H_

#include <string>

#include "api/inner.h"
#include "graphkiln/graph.h"
#include "graphkiln/variable.h"

namespace gk::api {

struct Variable::Facts {
  std::string name;
  Tensor handle;
  DataType dtype;
  Shape shape;
  bool trainable;
  // In a gk::Graph.
  Operation initializer;
  Tensor initial_value;
  // Of which restoration its value is (checkpoint/trackable.h).
  mutable int64_t restored_by = 0;
};

// The variable that a handle names: of a placeholder in a function the one that
// was captured.
Variable VariableOfHandle(const InnerTensor& handle);

}  // namespace gk::api

#endif  // GK_API_VARIABLE_FACTS_H_
