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
#include "function/concrete_function.h"
#include "function/host_words.h"

namespace gk {

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

// A function of an element: gets the components of one, gives those of what it
// makes of it. Throws.
using OfComponents = FunctionRef<TensorVector(std::span<const Tensor>)>;

// Traces `body` into `graph`, new and not entered, as all is traced
// (trace_function.h). What it throws passes through.
StatusOr<Ref<ConcreteFunction>> TraceElements(FuncGraph* graph,
                                              const ElementSignature& arguments,
                                              OfComponents body);
// As ops call it, with what it captures as that is now.
ElementFunction AsElementFunction(const ConcreteFunction& function);
// Both, in a graph of its own. `words`: of the language whose body may make
// variables (variable_creation.h); null where it is the library's.
ElementFunction TraceElementFunction(std::string name,
                                     const ElementSignature& arguments,
                                     OfComponents body,
                                     const HostWords* words = nullptr);

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
