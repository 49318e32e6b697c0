// ListValue: a list whose length only the graph knows. Its elements nest alike
// and are in tensor lists, one for each tensor of an element.
//
// It changes in place; a copy begins with the same elements and goes its own
// way. An open one has no elements so far and does not know what they will be:
// the first one tells. Made with the current builder, eagerly too, where each
// change copies the handles of the elements; gradients pass. Functions throw
// Error. For one thread.
#ifndef GK_FUNCTION_LIST_VALUE_H_
#define GK_FUNCTION_LIST_VALUE_H_

#include <functional>
#include <optional>
#include <string_view>

#include "function/specs/type_spec.h"
#include "ops/subscript.h"

namespace gk {

class ListValue {
 public:
  // An element, or all of them along a new first axis.
  struct Element {
    StructureRef structure;
    TensorVector tensors;
  };
  // Where an element is; negative numbers count from the end.
  using Place = SubscriptBound;
  // The tensor lists that an open list begins with.
  using BeginFn = std::function<TensorVector(const ElementSpec&)>;

  // Open.
  ListValue() = default;
  // Of such elements, made of tensors; without any.
  explicit ListValue(ElementSpec elements);
  // The rows of tensors of rank 1 at least.
  static ListValue OfRows(const Element& rows);
  // Of tensors: what is in this tensor list. TypeError if that is not known.
  static ListValue OfHandle(const Tensor& list);
  // The same elements' list, of these tensor lists.
  ListValue WithHandles(TensorVector handles) const;

  bool is_open() const { return elements_ == nullptr; }
  // Null if it is open.
  const ElementSpecRef& elements() const { return elements_; }
  const TensorVector& handles() const { return handles_; }
  // For an open list that stands in a loop: empty lists unless set.
  void set_begin(BeginFn begin) { begin_ = std::move(begin); }
  // An open list is one of such elements from here on.
  void Close(ElementSpec elements);
  // Has nothing been done to one of the two alone?
  bool IsSameAs(const ListValue& other) const;
  // "<list of TensorSpec(...) in a graph>".
  std::string Text() const;

  // An int32 scalar.
  Tensor Length() const;
  Element At(const Place& place) const;
  // The one with this number from the beginning.
  Element Numbered(const Place& number) const;
  // All elements; of an open list no floats.
  Element Rows() const;
  ListValue Part(const SubscriptEntry& slice) const;
  // All elements, tensors or lists and tuples of those, as one tensor: along a
  // new axis, or one after the other along theirs, which must be known.
  Tensor Stack(int64_t axis, std::string_view name) const;
  Tensor Concat(std::optional<int64_t> axis, std::string_view name) const;

  // TypeError or ValueError unless the element is as the others;
  // InvalidArgument when it runs if there is no such place.
  void Append(const Element& element);
  void Set(const Place& place, const Element& element);
  // Before what is at the place; at an end if there is none.
  void Insert(const Place& place, const Element& element);
  // Takes the last off.
  Element Pop();
  Element Pop(const Place& place);
  void Erase(const SubscriptEntry& slice);
  void Clear();

 private:
  // What `place` is from the beginning.
  Place FromBegin(const Place& place) const;
  // Makes the element's type the list's if that is open, else compares both.
  void Take(const Element& element);
  // The lists of what `change` makes of all elements.
  void Replace(FunctionRef<Tensor(const Tensor& rows, size_t k)> change);

  ElementSpecRef elements_;
  TensorVector handles_;
  BeginFn begin_;
};

// What is known of these tensors.
ElementSpec SpecOf(const ListValue::Element& element);

}  // namespace gk

#endif  // GK_FUNCTION_LIST_VALUE_H_
