#include "function/ragged/flat_values.h"

#include <set>
#include <string>

#include "function/ragged/checks.h"

namespace gk {
namespace {

// The number of flat values, -1 if not known. ValueError if they differ.
int64_t FlatSize(std::span<const RaggedValue> arguments) {
  std::set<int64_t> sizes;
  for (const RaggedValue& a : arguments) {
    const PartialTensorShape shape = a.flat().partial_shape();
    if (shape.rank() > 0 && shape.dim(0) >= 0) sizes.insert(shape.dim(0));
  }
  if (sizes.size() > 1) {
    std::string text;
    for (const int64_t size : sizes) {
      text += (text.empty() ? "" : ", ") + std::to_string(size);
    }
    throw Error(
        ValueError("Input RaggedTensors' flat_values must all have the same "
                   "outer-dimension size.  Got sizes: {{{}}}",
                   text));
  }
  return sizes.empty() ? kUnknownDim : *sizes.begin();
}

void CheckRows(std::span<const RaggedValue> arguments, Checks* checks) {
  const RaggedValue& first = arguments[0];
  for (const RaggedValue& a : arguments) {
    if (a.splits_type() != first.splits_type()) {
      throw Error(ValueError(
          "Input RaggedTensors have mismatched row partition dtypes; use "
          "RaggedTensor.with_row_splits_dtype() to convert them to compatible "
          "dtypes."));
    }
  }
  for (const RaggedValue& a : arguments.subspan(1)) {
    if (a.ragged_rank() != first.ragged_rank()) {
      throw Error(
          ValueError("All ragged inputs must have the same ragged_rank."));
    }
    for (int i = 0; i < a.ragged_rank(); ++i) {
      checks->Same(first.partitions()[i].splits, a.partitions()[i].splits,
                   "Row partitions differ");
    }
  }
}

}  // namespace

RaggedValue MapFlatValues(std::span<const RaggedValue> arguments,
                          const std::function<Tensor()>& f) {
  if (arguments.empty()) {
    throw Error(ValueError("map_flat_values needs a ragged tensor"));
  }
  const int64_t size = FlatSize(arguments);
  Checks checks;
  CheckRows(arguments, &checks);
  const Checks::Scope scope(checks);
  const Tensor result = f();
  const PartialTensorShape shape = result.partial_shape();
  const bool fits = shape.unknown_rank() ||
                    (shape.rank() > 0 && (shape.dim(0) < 0 || size < 0 ||
                                          shape.dim(0) == size));
  if (!fits) {
    throw Error(ValueError(
        "tf.ragged.map_flat_values requires that the output of `op` have the "
        "same outer-dimension size as flat_values of any ragged inputs. "
        "(output shape: {}; expected outer dimension size: {})",
        shape.PythonString(), size < 0 ? "None" : std::to_string(size)));
  }
  return arguments[0].WithFlat(result);
}

SparseValue MapSparseValues(std::span<const SparseValue> arguments,
                            const std::function<Tensor()>& f) {
  if (arguments.empty()) {
    throw Error(ValueError("No SparseTensor in argument list of map_values"));
  }
  const SparseValue& first = arguments[0];
  Checks checks;
  for (const SparseValue& a : arguments.subspan(1)) {
    checks.Equal(first.dense_shape, a.dense_shape, "Mismatched shapes!");
    checks.Equal(first.indices, a.indices, "Mismatched indices!");
  }
  const Checks::Scope scope(checks);
  return SparseValue::Make(first.indices, f(), first.dense_shape);
}

}  // namespace gk
