#include "graphkiln/tensor_list.h"

#include "api/inner.h"
#include "api/inner_index.h"
#include "function/list_value.h"

namespace gk::api {
namespace {

ListValue::Place PositionOf(const Index& index) {
  const SubscriptEntry entry = Inner(index);
  if (entry.kind != SubscriptEntry::Kind::kIndex) {
    throw ::gk::Error(
        TypeError("a position in a list is a number or an integer scalar"));
  }
  return *entry.begin;
}

ListValue::Element One(const Tensor& value) {
  return {::gk::Structure::Leaf(), {Inner(value)}};
}
Tensor Only(const ListValue::Element& element) {
  return Outer(element.tensors[0]);
}

}  // namespace

TensorList::TensorList(DataType dtype, const Shape& element_shape) {
  Guarded([&] {
    EnsureReady();
    *this = TensorList(ListValue(
        {::gk::Structure::Leaf(),
         {::gk::TypeSpec::Tensor(Inner(dtype), Inner(element_shape))}}));
  });
}

TensorList::TensorList(const ListValue& value)
    : handle_(Outer(value.handles()[0])) {}

TensorList TensorList::of_rows(const Tensor& tensor) {
  return Guarded([&] {
    EnsureReady();
    return TensorList(ListValue::OfRows(One(tensor)));
  });
}

ListValue TensorList::Value() const {
  if (!defined()) {
    throw ::gk::Error(
        ValueError("A TensorList that is not defined() was given"));
  }
  return ListValue::OfHandle(Inner(handle_));
}

template <class F>
auto TensorList::Change(F&& f) {
  return Guarded([&] {
    ListValue list = Value();
    if constexpr (std::is_void_v<decltype(f(list))>) {
      f(list);
      *this = TensorList(list);
    } else {
      auto result = f(list);
      *this = TensorList(list);
      return result;
    }
  });
}

DataType TensorList::dtype() const {
  return Guarded([&] { return Outer(Value().elements()->leaves[0].dtype); });
}
Shape TensorList::element_shape() const {
  return Guarded([&] { return Outer(Value().elements()->leaves[0].shape); });
}
std::string TensorList::to_string() const {
  if (!defined()) return "TensorList()";
  return Guarded([&] { return Value().Text(); });
}

Tensor TensorList::size() const {
  return Guarded([&] { return Outer(Value().Length()); });
}
Tensor TensorList::operator[](const Index& position) const {
  return Guarded([&] { return Only(Value().At(PositionOf(position))); });
}
TensorList TensorList::part(const Slice& range) const {
  return Guarded([&] { return TensorList(Value().Part(Inner(Index(range)))); });
}
Tensor TensorList::stack(int64_t axis) const {
  return Guarded([&] { return Outer(Value().Stack(axis, "stack")); });
}
Tensor TensorList::concat(int64_t axis) const {
  return Guarded([&] { return Outer(Value().Concat(axis, "concat")); });
}

void TensorList::append(const Tensor& value) {
  Change([&](ListValue& list) { list.Append(One(value)); });
}
void TensorList::set(const Index& position, const Tensor& value) {
  Change([&](ListValue& list) { list.Set(PositionOf(position), One(value)); });
}
void TensorList::insert(const Index& position, const Tensor& value) {
  Change(
      [&](ListValue& list) { list.Insert(PositionOf(position), One(value)); });
}
Tensor TensorList::pop() {
  return Change([](ListValue& list) { return Only(list.Pop()); });
}
Tensor TensorList::pop(const Index& position) {
  return Change(
      [&](ListValue& list) { return Only(list.Pop(PositionOf(position))); });
}
void TensorList::erase(const Slice& range) {
  Change([&](ListValue& list) { list.Erase(Inner(Index(range))); });
}
void TensorList::clear() {
  Change([](ListValue& list) { list.Clear(); });
}

}  // namespace gk::api
