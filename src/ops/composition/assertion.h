// What assertions share: what a failure tells, and the op that tells it when
// a graph runs.
#ifndef GK_OPS_COMPOSITION_ASSERTION_H_
#define GK_OPS_COMPOSITION_ASSERTION_H_

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "framework/graph.h"
#include "ops/composition.h"

namespace gk {

// A part of what a failure tells: a text, or a value.
struct AssertItem {
  AssertItem(std::string text) : text(std::move(text)) {}
  AssertItem(const char* text) : text(text) {}
  AssertItem(Tensor value) : value(std::move(value)) {}
  std::string text;
  Tensor value;
};
using AssertItems = std::vector<AssertItem>;

bool RunsNow();

// "x:0" in a graph, nothing of a value.
std::string NameOfTensor(const Tensor& t);
// The same, or the shape and dtype of a value.
std::string TitleOfTensor(const Tensor& t);
// As the host prints a value.
std::string ValueText(const Tensor& t);
// As the host prints the tensor.
std::string TensorText(const Tensor& t);

// What the argument number `message` puts in front of a text.
std::string MessagePrefix(const CompositionCall& c, int message);

// Makes an Assert in a scope of its own below the call's and `outer`;
// `summarize`: the number of that argument, or -1.
Node* MakeAssert(const CompositionCall& c, std::string_view outer,
                 const Tensor& holds, const AssertItems& data, int summarize);

// tf.debugging.Assert's error: what the condition was, and the first
// `summarize` elements of each of the data, all of them if that is negative.
Status FailedAssert(std::string_view condition, const TensorVector& data,
                    int64_t summarize);

// The dtype that all have, `wanted` unless that is kInvalid; float where there
// is none. ValueError if they differ or it is none of floating point numbers.
// `text` shows one of them.
DataType SameFloatDtype(std::span<const DataType> dtypes, DataType wanted,
                        FunctionRef<std::string(size_t)> text);

}  // namespace gk

#endif  // GK_OPS_COMPOSITION_ASSERTION_H_
