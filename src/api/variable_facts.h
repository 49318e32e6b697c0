// What the handles of one public variable share.
#ifndef GK_API_VARIABLE_FACTS_H_
#define GK_API_VARIABLE_FACTS_H_

#include <string>

#include "api/inner.h"
#include "graphkiln/variable.h"

namespace gk::api {

struct Variable::Facts {
  std::string name;
  Tensor handle;
  DataType dtype;
  Shape shape;
  bool trainable;
};

}  // namespace gk::api

#endif  // GK_API_VARIABLE_FACTS_H_
