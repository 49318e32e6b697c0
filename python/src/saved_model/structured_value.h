// Values that saved models keep as messages, as Python has them: specs, shapes,
// data types, containers, numbers and texts.
#ifndef GK_PYTHON_STRUCTURED_VALUE_H_
#define GK_PYTHON_STRUCTURED_VALUE_H_

#include <nanobind/nanobind.h>

#include <string>

#include "proto/saved_model.gk.h"

namespace gk::py {

// All throw DataLoss of what is damaged, and what Python raises: ValueError of
// a spec whose class no program has registered.
nanobind::object ValueOfMessage(const proto::StructuredValue& message);
nanobind::object SpecOfMessage(const proto::TypeSpecProto& message);
nanobind::object SpecOfMessage(const proto::TensorSpecProto& message);
nanobind::object ShapeOfMessage(const proto::TensorShapeProto& message);
// A text of a file.
nanobind::object TextOfFile(const std::string& text);

// _structured_value, _type_spec and the like: the same of serialized messages.
void AddStructuredValues(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_STRUCTURED_VALUE_H_
