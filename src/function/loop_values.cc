// Which values of an iteration a loop keeps for its gradient, and how the
// backward loop comes by the others.
#include <algorithm>

#include "framework/op_builder.h"
#include "framework/op_registry.h"
#include "function/differentiable_while.h"
#include "function/own_gradient_attrs.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Minimum.h"
#include "ops/fn/Sub.h"
#include "ops/fn/TensorListGetItem.h"
#include "ops/fn/TensorListLength.h"

namespace gk {
namespace {

// A value is computed again through at most so many of them.
constexpr int kMaxCheapOps = 6;

bool IsPlain(const Output& o) {
  return !IsObjectType(o.node->output(o.index).dtype);
}

// Reading a list that is kept has a dearer gradient than taking elements off,
// which larger elements make up for.
bool IsLarge(const Output& o) {
  constexpr int64_t kMinBytes = 1024;
  const Node::OutputInfo& info = o.node->output(o.index);
  return IsPlain(o) && info.shape.IsFullyDefined() &&
         info.shape.num_elements() >=
             kMinBytes / std::max(1, DataTypeSize(info.dtype));
}

bool IsCheap(const Node& node) {
  return node.op().Has(kCheap) && node.control_inputs().empty() &&
         std::all_of(node.inputs().begin(), node.inputs().end(), IsPlain) &&
         node.attrs().Get<std::string>(kGradientOpType) == nullptr;
}

bool IsKnown(const Output& o) {
  return static_cast<bool>(o.node->output(o.index).value);
}

}  // namespace

std::pair<std::string, int> DifferentiableWhile::KeyOf(const Output& value) {
  const Output root = ResourceRoot(value);
  return {root.node->name(), root.index};
}

int DifferentiableWhile::ListOfArgument(int state) const {
  auto it = list_of_.find(KeyOf({call_->forward()->arguments()[state], 0}));
  return it == list_of_.end() ? -1 : it->second;
}

std::optional<DifferentiableWhile::Place> DifferentiableWhile::Find(
    const Output& value) const {
  const GraphFunction& forward = *call_->forward();
  const Output root = ResourceRoot(value);
  for (size_t i = 0; i < num_states_; ++i) {
    if (root.node != forward.arguments()[i]) continue;
    if (invariant_[i]) return Place{Place::kInvariant, static_cast<int>(i)};
    if (counts_[i]) return Place{Place::kCounter, static_cast<int>(i)};
  }
  auto it = list_of_.find(KeyOf(value));
  if (it != list_of_.end()) return Place{Place::kList, it->second};
  // A backward loop that is differentiated finds what it takes off lists on
  // these lists as they were.
  if (const int list = ListTakenFrom(value); list >= 0) {
    return Place{Place::kTaken, list};
  }
  for (size_t i = 0; i < num_states_; ++i) {
    if (root.node == forward.arguments()[i] &&
        ListTakenFrom(forward.results()[i]) >= 0) {
      return Place{Place::kTakenLast, static_cast<int>(i)};
    }
  }
  // What an iteration leaves is what the next begins with.
  for (size_t i = 0; i < num_states_; ++i) {
    const DataType dtype = forward.arguments()[i]->output(0).dtype;
    if (IsObjectType(dtype) || !(ResourceRoot(forward.results()[i]) == root)) {
      continue;
    }
    if (ListOfArgument(i) >= 0) {
      return Place{Place::kNext, static_cast<int>(i)};
    }
  }
  return std::nullopt;
}

int DifferentiableWhile::ListTakenFrom(const Output& value) const {
  const GraphFunction& forward = *call_->forward();
  const Output root = ResourceRoot(value);
  if (!root.node->op().Has(kTakesLast) || root.index != 1 || !IsLarge(root)) {
    return -1;
  }
  const Output list = ResourceRoot(root.node->input(0));
  for (size_t i = 0; i < num_states_; ++i) {
    if (list.node == forward.arguments()[i] &&
        ResourceRoot(forward.results()[i]) == Output{root.node, 0}) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

Tensor DifferentiableWhile::TakenElement(const Tensor& list,
                                         const Output& value,
                                         const Tensor& done, int back) const {
  const Output root = ResourceRoot(value);
  const Node::OutputInfo& info = root.node->output(root.index);
  Tensor count = done;
  if (count.dtype() != DataType::kInt32) {
    count = ops::Cast(count, DataType::kInt32);
  }
  const Tensor one = IntegerConstant(1, DataType::kInt32);
  const Tensor last = ops::Sub(ops::TensorListLength(list), one);
  Tensor index = ops::Sub(last, count);
  if (back > 0) {
    // In the first iteration there is none before: any will do.
    const Tensor before =
        ops::AddV2(index, IntegerConstant(back, DataType::kInt32));
    index = ops::Minimum(before, last);
  }
  return ops::TensorListGetItem(
      list, index, KnownTensor(ShapeValue(info.shape), "element_shape"),
      info.dtype);
}

bool DifferentiableWhile::IsDerived(const Output& value, int* budget) const {
  if (IsKnown(value) || Find(value)) return true;
  const Node& node = *ResourceRoot(value).node;
  if (!IsCheap(node) || --*budget < 0) return false;
  return std::all_of(
      node.inputs().begin(), node.inputs().end(),
      [&](const Output& input) { return IsDerived(input, budget); });
}

void DifferentiableWhile::Keep(std::span<const Output> needed,
                               std::vector<Output>* fresh) {
  std::vector<Output> cheap, results;
  const GraphFunction& forward = *call_->forward();
  for (const Output& value : needed) {
    const Output root = ResourceRoot(value);
    const bool is_result = std::any_of(
        forward.results().begin(), forward.results().begin() + num_states_,
        [&](const Output& r) { return ResourceRoot(r) == root; });
    if (IsCheap(*root.node)) {
      cheap.push_back(value);
    } else if (is_result) {
      results.push_back(value);
    } else {
      Stash(value, fresh);
    }
  }
  // Once it is known which arguments are kept, some of the rest need not be.
  for (const Output& value : results) Stash(value, fresh);
  std::stable_sort(cheap.begin(), cheap.end(),
                   [](const Output& a, const Output& b) {
                     return a.node->id() < b.node->id();
                   });
  for (const Output& value : cheap) {
    int budget = kMaxCheapOps;
    if (!IsDerived(value, &budget)) Stash(value, fresh);
  }
}

void DifferentiableWhile::Stash(const Output& value,
                                std::vector<Output>* fresh) {
  if (IsKnown(value) || Find(value)) return;
  const Node::OutputInfo& info = value.node->output(value.index);
  const int state = static_cast<int>(first_list_ + lists_.size());
  list_of_[KeyOf(value)] = state;
  lists_.push_back({info.dtype, info.shape, info.handle_data});
  accumulators_[state] = lists_.back();
  fresh->push_back(value);
}

bool DifferentiableWhile::PlacesOf(const Output& value,
                                   std::vector<Place>* places) const {
  if (IsKnown(value)) return true;
  if (const std::optional<Place> place = Find(value)) {
    places->push_back(*place);
    return true;
  }
  const Node& node = *ResourceRoot(value).node;
  return IsCheap(node) &&
         std::all_of(
             node.inputs().begin(), node.inputs().end(),
             [&](const Output& input) { return PlacesOf(input, places); });
}

std::optional<std::vector<DifferentiableWhile::Place>>
DifferentiableWhile::PlacesOf(std::span<const Source> sources) const {
  std::vector<Place> places;
  for (const Source& s : sources) {
    if (!PlacesOf(ValueOf(s), &places)) return std::nullopt;
  }
  return places;
}

Tensor DifferentiableWhile::Derive(
    const Output& value, const PlaceValue& at,
    std::map<std::pair<std::string, int>, Tensor>* known) const {
  if (IsKnown(value)) {
    return KnownTensor(value.node->output(value.index).value, "known");
  }
  Tensor& result = (*known)[KeyOf(value)];
  if (result) return result;
  if (const std::optional<Place> place = Find(value)) {
    return result = at(*place);
  }
  const Output root = ResourceRoot(value);
  TensorVector inputs;
  for (const Output& input : root.node->inputs()) {
    inputs.push_back(Derive(input, at, known));
  }
  AttrMap attrs;
  for (const auto& [name, attr] : root.node->attrs()) {
    if (name[0] != '_') attrs.Set(name, attr);
  }
  return result = ValueOrThrow(OpBuilder::Current()->Apply(
             root.node->op(), inputs, std::move(attrs), {}))[root.index];
}

}  // namespace gk
