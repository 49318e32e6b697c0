// Python's ragged and sparse tensors <-> the core's values; arguments of
// functions of them by name. All throw Python's error.
#ifndef GK_PYTHON_RAGGED_ARGUMENTS_H_
#define GK_PYTHON_RAGGED_ARGUMENTS_H_

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "function/part_scope.h"
#include "function/ragged/composite_calls.h"
#include "python/src/binding/bound_values.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/ragged/composite_classes.h"

namespace gk::py {

bool IsRagged(nanobind::handle value);
// A ragged tensor, or what converts to a tensor, by preference of `hint`.
RaggedValue AsRagged(nanobind::handle value,
                     DataType hint = DataType::kInvalid);
std::vector<RaggedValue> AsRaggedList(nanobind::handle values,
                                      DataType hint = DataType::kInvalid);
Tensor AsComponent(nanobind::handle value, DataType dtype = DataType::kInvalid,
                   DataType hint = DataType::kInvalid);
// An integer of any dtype, preferably int64; null of None.
Tensor OrNull(nanobind::handle value);
nanobind::object Wrapped(const RaggedValue& value);
nanobind::object Wrapped(const std::vector<RaggedValue>& values);
nanobind::object Wrapped(const RowPartition& rows);
// By the parts `_row_splits` and `uniform`, the name of a part.
RowPartition AsRows(nanobind::handle value, const char* uniform);
// The part `_given_lengths`; null of None.
Tensor GivenLengths(nanobind::handle value);

bool IsSparse(nanobind::handle value);
// Is it the arrays of a ragged tensor, as a session gives them?
bool IsRaggedArrays(nanobind::handle value);
// The tensor of what a session made of a sparse or ragged one, a tuple or an
// object of arrays; else the value itself.
nanobind::object AsComposite(nanobind::handle value);
SparseValue AsSparse(nanobind::handle value);
nanobind::object Wrapped(const SparseValue& value);

bool IsSlices(nanobind::handle value);
SlicesValue AsSlices(nanobind::handle value);
nanobind::object Wrapped(const SlicesValue& value);

// An int or a constant tensor of one; TypeError else.
int64_t AsAxis(nanobind::handle value, std::string_view name);
RaggedAxes AsAxes(nanobind::handle value, std::string_view name);
DataType AsType(nanobind::handle dtype, DataType otherwise);
// A partition as users give it: int32 or int64, of rank 1.
Tensor AsPartition(nanobind::handle given, std::string_view name, bool* ours);

// The name scope of a call in a graph.
class CallScope {
 public:
  CallScope(nanobind::handle name, const char* otherwise);

 private:
  std::optional<NameScope> scope_;
};

}  // namespace gk::py

#endif  // GK_PYTHON_RAGGED_ARGUMENTS_H_
