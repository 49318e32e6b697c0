// Functions of elements in Python: those that the user gives datasets, and
// what the library does with components; each traced once.
//
// All throw Python's error.
#ifndef GK_PYTHON_USERS_FUNCTION_H_
#define GK_PYTHON_USERS_FUNCTION_H_

#include <nanobind/nanobind.h>

#include <functional>
#include <string>

#include "function/dataset_steps.h"

namespace gk::py {

// A ConcreteFunction of what `body` does.
nanobind::object TracedElements(const std::string& name,
                                const ElementSignature& arguments,
                                OfComponents body);
// One as steps take it.
ElementFunction CoreFunction(nanobind::handle function);

// A function that the user gave, of an element of `spec`; "Dataset.map()" is
// who calls it, with its parts if it is a tuple.
class UsersFunction {
 public:
  // Makes something of its result, in the same graph.
  using Adjust = std::function<nanobind::object(nanobind::handle result)>;
  // `convert`: does AutoGraph convert it?
  UsersFunction(nanobind::handle f, const char* caller, nanobind::handle spec,
                const Adjust& adjust = {}, bool convert = true);

  // The ConcreteFunction of components.
  const nanobind::object& function() const { return function_; }
  // The spec of what it returns.
  const nanobind::object& output() const { return output_; }
  // As steps take it.
  ElementFunction core() const;
  // Of the elements of the dataset that it returns; else `none` is called.
  nanobind::object Elements(void (*none)(steps::Text)) const;

 private:
  nanobind::object function_, output_;
};

}  // namespace gk::py

#endif  // GK_PYTHON_USERS_FUNCTION_H_
