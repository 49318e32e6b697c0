#include "function/list_value.h"

#include <numeric>
#include <utility>

#include "base/format.h"
#include "framework/handle_data.h"
#include "framework/nest.h"
#include "framework/structure_match.h"
#include "framework/tensor_list.h"
#include "function/list_nodes.h"
#include "function/node_scope.h"
#include "function/ragged/integer_arithmetic.h"
#include "function/row_loops.h"
#include "function/staged_value.h"
#include "ops/composition.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/All.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Identity.h"
#include "ops/fn/Less.h"
#include "ops/fn/Mul.h"
#include "ops/fn/NotEqual.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Shape.h"
#include "ops/fn/TensorListLength.h"
#include "ops/fn/TensorListPopBack.h"
#include "ops/fn/TensorListPushBack.h"
#include "ops/fn/Transpose.h"
#include "ops/operators.h"

namespace gk {
namespace {

using ListElement = ListValue::Element;
using ListPlace = ListValue::Place;

// Shows elements by their specs.
class ElementWords final : public StructureWords {
 public:
  ElementWords(const ElementSpec& first, const ElementSpec& second)
      : StructureWords(*first.structure, *second.structure),
        specs_{&first, &second} {}
  std::string Value(Side side, Path path) const override {
    const Structure* s = specs_[side]->structure.get();
    size_t first = 0;
    for (const int i : path) {
      for (int k = 0; k < i; ++k) first += s->children()[k]->num_leaves();
      s = s->children()[i].get();
    }
    return Format("type={} str={}", ClassName(side, path),
                  s->Text([&](size_t i) {
                    return specs_[side]->leaves[first + i].Text();
                  }));
  }
  std::string ClassName(Side side, Path path) const override {
    return At(side, path).is_nested() ? StructureWords::ClassName(side, path)
                                      : "TensorSpec";
  }

 private:
  const ElementSpec* specs_[2];
};

void CheckElement(const ElementSpec& wanted, const ElementSpec& given) {
  const Status alike =
      AssertSameStructure(*wanted.structure, *given.structure,
                          /*check_types=*/true, ElementWords(wanted, given));
  if (!alike.ok()) {
    throw Error(
        TypeError("an element {} does not have the structure of the list's "
                  "others, {}: {}",
                  given.Text(), wanted.Text(), alike.message()));
  }
  for (size_t k = 0; k < wanted.leaves.size(); ++k) {
    const TypeSpec &old = wanted.leaves[k], &now = given.leaves[k];
    if (old.dtype != now.dtype) {
      throw Error(
          TypeError("an element has dtype {}, but the list's others have dtype "
                    "{}",
                    DataTypeName(now.dtype), DataTypeName(old.dtype)));
    }
    if (!now.shape.IsSubtypeOf(old.shape)) {
      throw Error(ValueError(
          "an element has shape {}, but the list's others have shape {}. Say "
          "what all of them have in common where the list is made (in Python "
          "with tf.autograph.experimental.set_element_type).",
          ShapeText(now.shape), ShapeText(old.shape)));
    }
  }
}

ArrayOperand NumberOf(const ListPlace& place) {
  if (place.tensor) return place.tensor;
  return ArrayOperand(
      [place](std::string_view name) { return Int32Of(place.value, name); });
}
ListPlace PlaceAt(Tensor t) {
  ListPlace place;
  place.tensor = std::move(t);
  return place;
}
ListPlace PlaceAfter(const ListPlace& place) {
  return place.tensor ? PlaceAt(PlusNumber(place.tensor, 1))
                      : ListPlace(place.value + 1);
}
SubscriptEntry Before(const ListPlace& place) {
  return {SubscriptEntry::Kind::kSlice, {}, place};
}
SubscriptEntry From(const ListPlace& place) {
  return {SubscriptEntry::Kind::kSlice, place};
}
SubscriptEntry IndexEntry(const ListPlace& place) {
  return {SubscriptEntry::Kind::kIndex, place};
}
SubscriptEntry NewAxis() { return {SubscriptEntry::Kind::kNewAxis}; }

Tensor Joined(const TensorVector& parts) {
  const NodeScope node("concat");
  return ops::ConcatV2(OpName(node.name()), parts, Int32Of(0, "axis"));
}

// A function of `tf` whose nodes are in a scope of its name.
Tensor Called(std::string_view function, std::vector<CompositionValue> values) {
  const NodeScope scope(function);
  return CallComposition(function, std::move(values))[0];
}

Tensor RowsAsList(const Tensor& rows) {
  return ListOfRows(rows, ListShape(RowShape(rows.partial_shape())));
}

// Rows of lists and tuples of tensors as those of one tensor.
Tensor RowsAsOne(const ListElement& rows) {
  size_t next = 0;
  return PackNest<Tensor>(
      *rows.structure, rows.tensors, &next,
      [](const Structure&) { return Tensor(); },
      [](const Structure& s, std::span<const Tensor> parts) {
        using Kind = Structure::Kind;
        if (s.kind() != Kind::kList && s.kind() != Kind::kTuple &&
            s.kind() != Kind::kNamedTuple) {
          throw Error(TypeError(
              "a list of elements {} is not one of tensors, or of lists or "
              "tuples of those",
              s.Text()));
        }
        return ops::Pack(OpName("stack"), parts, /*axis=*/1);
      });
}

Tensor Moved(const Tensor& x, const std::vector<int64_t>& order,
             std::string_view name) {
  const NodeScope node(name);
  const Tensor perm = IntsTensor(order, DataType::kInt32, "perm");
  return ops::Transpose(OpName(node.name()), x, perm);
}

// 1, 2, ..., and 0 at this place.
std::vector<int64_t> FirstAxisAt(int64_t place, int rank) {
  std::vector<int64_t> order(rank - 1);
  std::iota(order.begin(), order.end(), 1);
  order.insert(order.begin() + place, 0);
  return order;
}

}  // namespace

ElementSpec SpecOf(const ListValue::Element& element) {
  ElementSpec spec{element.structure, {}};
  for (const Tensor& t : element.tensors) {
    spec.leaves.push_back(TypeSpec::Tensor(t.dtype(), t.partial_shape()));
  }
  return spec;
}

ListValue::ListValue(ElementSpec elements) { Close(std::move(elements)); }

ListValue ListValue::OfRows(const Element& rows) {
  ElementSpec elements = SpecOf(rows);
  for (TypeSpec& leaf : elements.leaves) leaf = leaf.Row();
  ListValue list;
  list.elements_ = std::make_shared<const ElementSpec>(std::move(elements));
  for (const Tensor& t : rows.tensors) list.handles_.push_back(RowsAsList(t));
  return list;
}

ListValue ListValue::OfHandle(const Tensor& list) {
  HandleData inside = HandleDataOf(list);
  if (!list.is_symbolic()) {
    const TensorList& found = *ValueOrThrow(TensorList::Of(list));
    inside = {{found.element_dtype, found.element_shape}};
  }
  if (inside.size() != 1) {
    throw Error(
        TypeError("what a list of tensors holds is not known here; give its "
                  "elements as one tensor"));
  }
  ListValue made;
  made.elements_ = std::make_shared<const ElementSpec>(ElementSpec{
      Structure::Leaf(), {TypeSpec::Tensor(inside[0].dtype, inside[0].shape)}});
  made.handles_ = {list};
  return made;
}

ListValue ListValue::WithHandles(TensorVector handles) const {
  ListValue list;
  list.elements_ = elements_;
  list.handles_ = std::move(handles);
  return list;
}

void ListValue::Close(ElementSpec elements) {
  elements_ = std::make_shared<const ElementSpec>(std::move(elements));
  if (begin_) {
    handles_ = begin_(*elements_);
  } else {
    Clear();
  }
}

bool ListValue::IsSameAs(const ListValue& other) const {
  if (is_open() || other.is_open()) return is_open() && other.is_open();
  if (handles_.size() != other.handles_.size()) return false;
  for (size_t k = 0; k < handles_.size(); ++k) {
    if (!handles_[k].Is(other.handles_[k])) return false;
  }
  return true;
}

std::string ListValue::Text() const {
  return Format("<list of {} in a graph>",
                is_open() ? std::string("None") : elements_->Text());
}

Tensor ListValue::Length() const {
  return is_open() ? Int32Of(0) : ops::TensorListLength(handles_[0]);
}

ListPlace ListValue::FromBegin(const Place& place) const {
  if (!place.tensor) {
    if (place.value >= 0) return place;
    const Tensor length = Length();
    const NodeScope node("add");
    return PlaceAt(
        ops::AddV2(OpName(node.name()), Int32Of(place.value, "x"), length));
  }
  const DataType dtype = place.tensor.dtype();
  if (!IsInteger(dtype) && dtype != DataType::kBool) {
    throw Error(
        TypeError("list indices must be integers or slices, not a tensor of {}",
                  DataTypeName(dtype)));
  }
  const Tensor index = ListIndex(place.tensor);
  Tensor from_end, moved;
  {
    const NodeScope node(OpOf(Operator::kLess, DataType::kInt32).name);
    from_end = ops::Less(OpName(node.name()), index, Int32Of(0, "y"));
  }
  const Tensor length = Length();
  {
    const NodeScope node("add");
    moved = ops::AddV2(OpName(node.name()), index, length);
  }
  return PlaceAt(ops::SelectV2(from_end, moved, index));
}

ListElement ListValue::At(const Place& place) const {
  if (is_open()) throw Error(IndexError("list index out of range"));
  return Numbered(FromBegin(place));
}

ListElement ListValue::Numbered(const Place& number) const {
  if (is_open()) throw Error(IndexError("list index out of range"));
  Element element{elements_->structure, {}};
  for (size_t k = 0; k < handles_.size(); ++k) {
    const TypeSpec& spec = elements_->leaves[k];
    element.tensors.push_back(ListItem(handles_[k], NumberOf(number),
                                       ListShape(spec.shape), spec.dtype));
  }
  return element;
}

ListElement ListValue::Rows() const {
  if (is_open()) {
    return {Structure::Leaf(),
            CallComposition("zeros", {std::vector<int64_t>{0}})};
  }
  Element rows{elements_->structure, {}};
  for (size_t k = 0; k < handles_.size(); ++k) {
    const TypeSpec& spec = elements_->leaves[k];
    rows.tensors.push_back(
        ListStacked(handles_[k], ListShape(spec.shape), spec.dtype, -1));
  }
  return rows;
}

ListValue ListValue::Part(const SubscriptEntry& slice) const {
  if (is_open()) return {};
  Element rows = Rows();
  for (Tensor& t : rows.tensors) t = SubscriptOf(t, {slice});
  return OfRows(rows);
}

Tensor ListValue::Stack(int64_t axis, std::string_view name) const {
  const Tensor rows = RowsAsOne(Rows());
  if (axis == 0) return ops::Identity(OpName(name), rows);
  const PartialTensorShape shape = rows.partial_shape();
  if (shape.unknown_rank()) {
    throw Error(
        ValueError("tf.stack along axis {} of a list whose elements' rank is "
                   "not known; set_element_type tells it",
                   axis));
  }
  return Moved(
      rows, FirstAxisAt(PositiveAxis(axis, shape.rank()), shape.rank()), name);
}

Tensor ListValue::Concat(std::optional<int64_t> axis,
                         std::string_view name) const {
  if (is_open())
    throw Error(ValueError("tf.concat of a list without elements"));
  if (!elements_->structure->is_nested() && axis == 0) {
    const TypeSpec& spec = elements_->leaves[0];
    PartialTensorShape parts = spec.shape;
    if (parts.rank() == 0) {
      throw Error(
          ValueError("Can't concatenate scalars (use tf.stack instead)"));
    }
    if (!parts.unknown_rank()) parts.SetDim(0, kUnknownDim);
    return ListJoined(handles_[0], ListShape(parts), spec.dtype, name);
  }
  const Tensor rows = Stack(0, "stack");
  const PartialTensorShape shape = rows.partial_shape();
  if (!axis || shape.unknown_rank() || shape.rank() == 1) {
    throw Error(
        ValueError("tf.concat of a list in a graph needs an axis known while "
                   "tracing, and elements whose rank is known and not 0"));
  }
  const int rank = shape.rank();
  const int64_t at = PositiveAxis(*axis, rank - 1);
  const Tensor parts = Moved(rows, FirstAxisAt(at, rank), "transpose");
  const Tensor sizes = ops::Shape(parts);
  const Tensor outer = SubscriptOf(sizes, {IndexEntry(at)}),
               inner = SubscriptOf(sizes, {IndexEntry(at + 1)});
  const Tensor joined = ops::Mul(OpName("mul"), outer, inner);
  const Tensor whole =
      Joined({SubscriptOf(sizes, {Before(at)}), integers::Vector({joined}),
              SubscriptOf(sizes, {From(at + 2)})});
  return ops::Reshape(OpName(name), parts, whole);
}

void ListValue::Take(const Element& element) {
  ElementSpec given = SpecOf(element);
  if (is_open()) return Close(std::move(given));
  CheckElement(*elements_, given);
}

void ListValue::Append(const Element& element) {
  Take(element);
  for (size_t k = 0; k < handles_.size(); ++k) {
    handles_[k] = ops::TensorListPushBack(handles_[k], element.tensors[k]);
  }
}

void ListValue::Set(const Place& place, const Element& element) {
  Take(element);
  const Place at = FromBegin(place);
  for (size_t k = 0; k < handles_.size(); ++k) {
    handles_[k] = ListWithItem(handles_[k], NumberOf(at), element.tensors[k],
                               /*grows=*/false);
  }
}

void ListValue::Replace(
    FunctionRef<Tensor(const Tensor& rows, size_t k)> change) {
  TensorVector rows = Rows().tensors;
  for (size_t k = 0; k < rows.size(); ++k) rows[k] = change(rows[k], k);
  for (size_t k = 0; k < rows.size(); ++k) handles_[k] = RowsAsList(rows[k]);
}

void ListValue::Insert(const Place& place, const Element& element) {
  Take(element);
  const Tensor wanted = NumberOf(FromBegin(place)).Get({});
  const Place at =
      PlaceAt(Called("clip_by_value", {wanted, Int32Of(0), Length()}));
  Replace([&](const Tensor& rows, size_t k) {
    const Tensor begin = SubscriptOf(rows, {Before(at)});
    const Tensor one = SubscriptOf(element.tensors[k], {NewAxis()});
    return Joined({begin, one, SubscriptOf(rows, {From(at)})});
  });
}

ListElement ListValue::Pop() {
  if (is_open()) throw Error(IndexError("pop from empty list"));
  Element last{elements_->structure, {}};
  for (size_t k = 0; k < handles_.size(); ++k) {
    const TypeSpec& spec = elements_->leaves[k];
    const Tensor shape = ListShape(spec.shape);
    const TensorVector popped =
        ops::TensorListPopBack(handles_[k], shape, spec.dtype);
    handles_[k] = popped[0];
    last.tensors.push_back(popped[1]);
  }
  return last;
}

ListElement ListValue::Pop(const Place& place) {
  if (is_open()) throw Error(IndexError("pop from empty list"));
  const Place at = FromBegin(place);
  Element taken = Numbered(at);
  // Who only wants the rest does not ask for the element: written back, it
  // must be there.
  for (size_t k = 0; k < handles_.size(); ++k) {
    handles_[k] = ListWithItem(handles_[k], NumberOf(at), taken.tensors[k],
                               /*grows=*/false);
  }
  Replace([&](const Tensor& rows, size_t) {
    const Tensor begin = SubscriptOf(rows, {Before(at)});
    return Joined({begin, SubscriptOf(rows, {From(PlaceAfter(at))})});
  });
  return taken;
}

void ListValue::Erase(const SubscriptEntry& slice) {
  if (is_open()) return;
  const Tensor numbers = Called("range", {Length()});
  const Tensor gone = SubscriptOf(numbers, {slice});
  const SubscriptEntry all;
  const Tensor column = SubscriptOf(numbers, {all, NewAxis()});
  const Tensor row = SubscriptOf(gone, {NewAxis(), all});
  const Tensor differ = ops::NotEqual(column, row);
  const Tensor stays = ops::All(differ, Int32Of(1));
  Replace([&](const Tensor& rows, size_t) {
    return Called("boolean_mask", {rows, stays});
  });
}

void ListValue::Clear() {
  if (is_open()) return;
  handles_.clear();
  for (const TypeSpec& leaf : elements_->leaves) {
    handles_.push_back(EmptyList(ListShape(leaf.shape), leaf.dtype));
  }
}

}  // namespace gk
