#include "function/loop_state.h"

#include <algorithm>

#include "base/format.h"
#include "function/part_scope.h"
#include "function/ragged/checks.h"
#include "ops/fn/Identity.h"

namespace gk {
namespace {

using ValueKind = StagedValue::Kind;

constexpr std::string_view kCarriesTensors =
    "A loop carries tensors only: use a value that stands for nothing, such "
    "as a constant, and a flag.";
constexpr std::string_view kCarriesNoObjects =
    "A loop carries tensors only: keep the object outside of the loop, and "
    "let the loop change its tensors.";

std::vector<PartialTensorShape> ShapesOf(const StagedValue& value) {
  std::vector<PartialTensorShape> shapes;
  for (const Tensor& t : value.tensors()) shapes.push_back(t.partial_shape());
  return shapes;
}

// What both shapes have in common, as code.
std::string InvariantText(const PartialTensorShape& a,
                          const PartialTensorShape& b) {
  if (a.unknown_rank() || b.unknown_rank() || a.rank() != b.rank()) {
    return "tf.TensorShape(None)";
  }
  std::string text;
  for (int k = 0; k < a.rank(); ++k) {
    const bool same = a.dim(k) == b.dim(k) && a.dim(k) >= 0;
    text += Format("{}{}", k > 0 ? ", " : "",
                   same ? Format("{}", a.dim(k)) : std::string("None"));
  }
  return "[" + text + "]";
}

Status SomeAreNone(const LoopHost& host) {
  return ValueError(
      "A loop variable is None before or after the loop's body but not both{}",
      host.WhereWritten());
}

}  // namespace

Status CheckLoopDtype(const LoopHost& host, std::string_view name,
                      DataType before, DataType after) {
  if (before == after) return OkStatus();
  return TypeError(
      "Loop var {} enters the loop with type {} but has type {} after 1 "
      "iteration. {} type should remain constant.{}",
      name, host.Text(before), host.Text(after), name, host.WhereWritten());
}

Status CheckIteration(LoopHost& host, const StagedValue& before,
                      const StagedValue& after) {
  Status status = CheckSameStructure(host, after, before, "");
  if (status.ok()) status = CheckSameFields(host, before, after);
  return status.ok() ? status : status.Append(host.WhereWritten());
}

Status CheckLoopDtypes(const LoopHost& host, const StagedValue& before,
                       const StagedValue& after) {
  const TensorVector old = before.tensors(), now = after.tensors();
  if (old.size() != now.size()) return SomeAreNone(host);
  for (size_t k = 0; k < old.size(); ++k) {
    GK_RETURN_IF_ERROR(CheckLoopDtype(host, host.LeafName(k, old[k]),
                                      old[k].dtype(), now[k].dtype()));
  }
  return OkStatus();
}

TensorVector OnlyIfIterated(const Tensor& ran,
                            const std::vector<std::string>& symbols,
                            const TensorVector& outputs) {
  std::string text;
  for (const std::string& symbol : symbols) {
    text += (text.empty() ? "" : ", ") + symbol;
  }
  Checks checks;
  {
    const NameScope scope(FuncGraph::Current(), "Assert");
    checks.Require(ran,
                   "loop must iterate at least once to initialize " + text);
  }
  const Checks::Scope after(checks);
  TensorVector checked;
  for (const Tensor& t : outputs) checked.push_back(ops::Identity(t));
  return checked;
}

LoopState::LoopState(LoopHost* host, std::vector<StagedValue> before)
    : host_(host), before_(std::move(before)), carried_(before_.size()) {
  for (size_t i = 0; i < before_.size(); ++i) {
    if (!before_[i].has_tensors()) continue;
    carried_[i].value = before_[i];
    carried_[i].shapes = ShapesOf(before_[i]);
    order_.push_back(i);
  }
}

void LoopState::SetInvariant(size_t i, std::vector<PartialTensorShape> shapes) {
  const TensorVector tensors = before_[i].tensors();
  if (tensors.size() != shapes.size()) {
    throw Error(
        ValueError("{} shape invariants were given for {} loop "
                   "variables{}",
                   shapes.size(), tensors.size(), host_->WhereWritten()));
  }
  for (size_t k = 0; k < tensors.size(); ++k) {
    const PartialTensorShape begins = tensors[k].partial_shape();
    if (!host_->speaks_of_symbols()) {
      if (begins.IsCompatibleWith(shapes[k])) continue;
      throw Error(ValueError(
          "The shape invariant specified for {} is not compatible with the "
          "initial shape of the loop variable. It enters the loop with shape "
          "{}, but the specified shape invariant is {}.{}",
          host_->LeafName(k, tensors[k]), begins.PythonString(),
          shapes[k].PythonString(), host_->WhereWritten()));
    }
    if (begins.IsCompatibleWith(shapes[k]) && begins.IsSubtypeOf(shapes[k])) {
      continue;
    }
    throw Error(ValueError(
        "'{}' has shape {} before the loop, which does not conform with the "
        "shape invariant {}.",
        host_->Name(i), ShapeText(begins), ShapeText(shapes[k])));
  }
  carried_[i].shapes = std::move(shapes);
  carried_[i].has_invariant = true;
}

TensorVector LoopState::tensors() const {
  TensorVector all;
  for (size_t i : order_) {
    const TensorVector mine = carried_[i].value->tensors();
    all.insert(all.end(), mine.begin(), mine.end());
  }
  return all;
}

std::vector<PartialTensorShape> LoopState::shapes() const {
  std::vector<PartialTensorShape> all;
  for (size_t i : order_) {
    all.insert(all.end(), carried_[i].shapes.begin(), carried_[i].shapes.end());
  }
  return all;
}

std::vector<StagedValue> LoopState::Values(
    std::span<const Tensor> tensors) const {
  std::vector<StagedValue> values = before_;
  for (size_t i : order_) {
    const size_t used = carried_[i].shapes.size();
    values[i] = carried_[i].value->With(tensors.first(used));
    tensors = tensors.subspan(used);
  }
  return values;
}

const TensorVector& LoopState::PlaceList(
    size_t i, std::span<const HandleData> elements,
    const std::function<Tensor(const HandleData&)>& add) {
  TensorVector& placed = carried_[i].placed;
  if (std::find(placed_.begin(), placed_.end(), i) == placed_.end()) {
    placed_.push_back(i);
    for (const HandleData& e : elements) placed.push_back(add(e));
    num_placed_ += placed.size();
  }
  return placed;
}

void LoopState::SetAfter(std::vector<StagedValue> after) {
  if (after.size() != before_.size()) {
    throw Error(Internal("{} values before a loop, {} after an iteration",
                         before_.size(), after.size()));
  }
  late_ = placed_;
  for (size_t i = 0; i < after.size(); ++i) {
    if (!CheckAfter(i, after[i])) continue;
    if (std::find(placed_.begin(), placed_.end(), i) == placed_.end()) {
      late_.push_back(i);
    }
  }
  after_ = std::move(after);
}

bool LoopState::CheckAfter(size_t i, const StagedValue& after) const {
  const StagedValue& before = before_[i];
  if (!host_->speaks_of_symbols() && before.has_tensors()) {
    CheckVariables(i, after);
    return false;
  }
  const std::string name = host_->Name(i);
  if (before.kind == ValueKind::kOpenList && after.is_missing() &&
      carried_[i].placed.empty()) {
    return false;
  }
  if (after.kind == ValueKind::kObject) {
    if (before.kind == ValueKind::kObject && host_->IsSame(before, after)) {
      return false;
    }
    if (before.is_result) {
      Disagree(
          *host_, i,
          ValueError("the return value from a TensorFlow loop may only be a "
                     "Tensor, int, float, bool or a list, tuple or dict "
                     "thereof; got <class '{}'>",
                     host_->TypeName(after)),
          "Assign to a variable in the loop, and return what is made of it "
          "behind the loop.");
    }
    const Status error = NotATensor(*host_, name, after, "the body of a loop");
    if (before.kind == ValueKind::kUndefined) {
      throw Error(NeedsValue(i, "TypeError", error.message()));
    }
    Disagree(*host_, i, error, kCarriesNoObjects);
  }
  if (before.kind == ValueKind::kObject) {
    Disagree(*host_, i, NotATensor(*host_, name, before, "a loop"),
             kCarriesNoObjects);
  }
  if (before.is_missing() && carried_[i].placed.empty()) {
    return after.has_tensors();
  }
  if (after.kind == ValueKind::kNone) {
    Disagree(*host_, i,
             ValueError("'{}' is None at the end of the iteration.", name),
             kCarriesTensors);
  }
  if (after.is_missing()) {
    Disagree(
        *host_, i, ValueError("'{}' must be defined after one iteration", name),
        Format("Assign '{}' in each iteration, or do not delete it.", name));
  }
  if (before.is_missing()) return true;
  CheckSymbol(i, after);
  return false;
}

void LoopState::CheckSymbol(size_t i, const StagedValue& after) const {
  const StagedValue& before = before_[i];
  const std::string name = host_->Name(i);
  Status alike = CheckSameStructure(*host_, before, after, name);
  if (alike.ok()) alike = CheckSameFields(*host_, before, after);
  if (!alike.ok()) {
    Disagree(*host_, i,
             TypeError("'{}' does not have the same nested structure after one "
                       "iteration.\n\n{}",
                       name, alike.message()),
             "A loop carries one structure: keep what grows in a "
             "tf.TensorArray or in a list with "
             "tf.autograph.experimental.set_element_type.");
  }
  bool same_nones = before.leaves.size() == after.leaves.size();
  for (size_t k = 0; same_nones && k < before.leaves.size(); ++k) {
    same_nones = !before.leaves[k] == !after.leaves[k];
  }
  if (!same_nones) {
    Disagree(*host_, i,
             ValueError("'{}' holds None at different places before the loop "
                        "and after one iteration. None values not supported.",
                        name),
             kCarriesTensors);
  }
  const TensorVector old = before.tensors(), now = after.tensors();
  for (size_t k = 0; k < old.size(); ++k) {
    if (old[k].dtype() != now[k].dtype()) {
      Disagree(*host_, i,
               TypeError("'{}' has dtype {} before the loop, but dtype {} "
                         "after one iteration",
                         name, DataTypeName(old[k].dtype()),
                         DataTypeName(now[k].dtype())),
               "Start with a value of the dtype that the loop gives, or use "
               "tf.cast in it.");
    }
    if (shapes_vary_ && !carried_[i].has_invariant) continue;
    const PartialTensorShape& wanted = carried_[i].shapes[k];
    const PartialTensorShape shape = now[k].partial_shape();
    if (shape.IsSubtypeOf(wanted)) continue;
    Disagree(
        *host_, i,
        ValueError("'{}' has shape {} before the loop, but shape {} after one "
                   "iteration. Use "
                   "tf.autograph.experimental.set_loop_options to set shape "
                   "invariants.",
                   name, ShapeText(wanted), ShapeText(shape)),
        Format("For example, as the first statement of the loop: "
               "tf.autograph.experimental.set_loop_options(shape_invariants="
               "[({}, {})])",
               name, InvariantText(wanted, shape)));
  }
}

void LoopState::CheckVariables(size_t i, const StagedValue& after) const {
  const StagedValue& before = before_[i];
  ThrowIfError(CheckIteration(*host_, before, after));
  const TensorVector old = before.tensors(), now = after.tensors();
  if (old.size() != now.size()) throw Error(SomeAreNone(*host_));
  for (size_t k = 0; k < old.size(); ++k) {
    const std::string name = host_->LeafName(k, old[k]);
    ThrowIfError(CheckLoopDtype(*host_, name, old[k].dtype(), now[k].dtype()));
    const PartialTensorShape& wanted = carried_[i].shapes[k];
    if (now[k].partial_shape().IsSubtypeOf(wanted)) continue;
    std::string given;
    if (carried_[i].has_invariant) {
      given = Format(" Its shape invariant is {}.", wanted.PythonString());
    }
    throw Error(ValueError(
        "Input tensor `{}` enters the loop with shape {}, but has shape {} "
        "after one iteration. To allow the shape to vary across iterations, "
        "use the `shape_invariants` argument of {}while_loop to specify a "
        "less-specific shape.{}{}",
        name, old[k].partial_shape().PythonString(),
        now[k].partial_shape().PythonString(), host_->prefix(), given,
        host_->WhereWritten()));
  }
}

bool LoopState::Widen() {
  bool changed = false;
  for (size_t i : order_) {
    const TensorVector now = after_[i].tensors();
    for (size_t k = 0; k < now.size(); ++k) {
      PartialTensorShape& shape = carried_[i].shapes[k];
      if (now[k].partial_shape().IsSubtypeOf(shape)) continue;
      shape = shape.CommonSupertype(now[k].partial_shape());
      changed = true;
    }
  }
  return changed;
}

void LoopState::StartLate() {
  for (size_t i : late_) {
    const StagedValue& before = before_[i];
    Carried& c = carried_[i];
    if (before.kind == ValueKind::kOpenList) {
      c.late = Late::kList;
      c.value = host_->Closed(before, after_[i]);
    } else {
      c.late = !before.pending    ? Late::kYes
               : before.is_result ? Late::kResult
                                  : Late::kPending;
      c.value = StandIn(after_[i]);
    }
    c.shapes = ShapesOf(after_[i]);
    order_.push_back(i);
  }
}

TensorVector LoopState::Next() const {
  TensorVector next;
  for (size_t i : order_) {
    const TensorVector mine = after_[i].tensors();
    next.insert(next.end(), mine.begin(), mine.end());
  }
  return next;
}

std::vector<std::string> LoopState::NeedIteration() const {
  std::vector<std::string> names;
  for (size_t i : late_) {
    const Late late = carried_[i].late;
    // Where all shapes may vary (datasets), only a result may stay zeros.
    const bool needed =
        shapes_vary_ ? late != Late::kResult : late == Late::kYes;
    if (!needed || host_->Iterates(i)) continue;
    names.push_back(before_[i].is_result ? "the function return value"
                                         : host_->Name(i));
  }
  return names;
}

std::string LoopState::LostText(size_t i) const {
  return Format("'{}' must be defined before the loop", host_->Name(i));
}

Status LoopState::NeedsValue(size_t i, std::string_view type,
                             std::string_view text) const {
  const StagedValue& before = before_[i];
  if (before.is_result) {
    // Only some iterations return: the graph would need a result for when
    // none does.
    return Status(
        Code::kUnimplemented,
        Format("a return statement cannot be placed inside this TensorFlow "
               "loop; this may happen if a return statement depends on a "
               "static Python condition such as a hyperparameter\nNote: {}",
               text));
  }
  const std::string what =
      before.kind == ValueKind::kNone
          ? Format("'{}' is not allowed to be None before the loop",
                   host_->Name(i))
          : LostText(i);
  return ValueError(
      "{}\nNote: AutoGraph tried to define it automatically, but ran into a "
      "{}: {}",
      what, type, text);
}

std::optional<Status> LoopState::ErrorOfBody(std::string_view symbol,
                                             bool of_attribute,
                                             std::string_view type,
                                             std::string_view text) const {
  std::optional<size_t> found;
  auto rank = [&](size_t i) {
    return before_[i].is_result ? 0 : host_->Name(i) == symbol ? 1 : 2;
  };
  for (size_t i = 0; i < before_.size(); ++i) {
    const ValueKind kind = before_[i].kind;
    if (kind != ValueKind::kNone && kind != ValueKind::kUndefined) continue;
    if (of_attribute && host_->Name(i).find('.') == std::string::npos) continue;
    if (!found || rank(i) < rank(*found)) found = i;
  }
  if (!found) return std::nullopt;
  return NeedsValue(*found, type, text);
}

}  // namespace gk
