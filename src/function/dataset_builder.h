// What datasets are made of besides their ops: functions of elements, traced
// once, and the arithmetic of what is known of elements.
//
// Called on the thread that builds. Functions throw Error.
#ifndef GK_FUNCTION_DATASET_BUILDER_H_
#define GK_FUNCTION_DATASET_BUILDER_H_

#include <optional>
#include <string>

#include "base/function_ref.h"
#include "data/dataset.h"
#include "framework/attr_value.h"

namespace gk {

class FuncGraph;

struct TypedDataset {
  Tensor variant;
  ElementSignature elements;
};

// The op that made it: "MapDataset".
std::string OpOfDataset(const Tensor& variant);

// A function that an op calls with elements.
struct ElementFunction {
  FunctionAttr function;
  TensorVector captured;
  ElementSignature result;
};

// Traces `body` in a graph of its own: it gets a placeholder for each
// component. Throws what it throws.
ElementFunction TraceElementFunction(
    std::string name, const ElementSignature& arguments,
    FunctionRef<TensorVector(std::span<const Tensor>)> body);

// The function that a graph, which is being built, has become.
ElementFunction FinishElementFunction(FuncGraph* graph,
                                      std::span<const Tensor> results);

// A function of a state and an element, which returns the next state and
// whatever else. `trace` is called until the state that it is given covers
// the one that it returns: dimensions that change become unknown in `state`.
// TypeError if another type comes back.
ElementFunction TraceUntilFixed(
    ElementSignature* state,
    FunctionRef<ElementFunction(const ElementSignature&)> trace);

ElementSignature SignatureOf(std::span<const Tensor> tensors);
ElementSignature Joined(ElementSignature a, const ElementSignature& b);
// Of `size` elements stacked; -1: it is not known of how many.
ElementSignature Stacked(const ElementSignature& e, int64_t size);
// Of a row; ValueError if a component is a scalar.
ElementSignature RowsOf(const ElementSignature& e);
// Two lengths that components are known to have but should not, if any are.
std::optional<std::pair<int64_t, int64_t>> UnequalLengths(
    const ElementSignature& e);
// The narrowest that covers both; nothing if types differ.
std::optional<ElementSignature> CommonElements(const ElementSignature& a,
                                               const ElementSignature& b);
// As `e` with these shapes, whose dimensions are as large as a batch needs
// where they are not known. ValueError if a component does not fit.
ElementSignature PaddedTo(const ElementSignature& e,
                          std::span<const PartialTensorShape> shapes);

// Those that are given where nobody gives any: the components' own. ValueError
// if a rank is not known.
std::vector<PartialTensorShape> OwnPaddedShapes(const ElementSignature& e);

// The number of elements in a batch, if that is known of all of them.
int64_t KnownBatchSize(const Tensor& size, const Tensor& drop_remainder);

// An integer as the int64 tensor that ops of datasets take.
Tensor AsInt64(const Tensor& value);

}  // namespace gk

#endif  // GK_FUNCTION_DATASET_BUILDER_H_
