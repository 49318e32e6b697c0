#include "graphkiln/variable.h"

#include <utility>

#include "api/tracing.h"
#include "api/variable_facts.h"
#include "framework/op_builder.h"
#include "framework/shared_variables.h"
#include "framework/tensor_text.h"
#include "framework/variable.h"
#include "function/user_scopes.h"
#include "function/variable_creation.h"
#include "ops/batch_rows.h"
#include "ops/fn/AssignAddVariableOp.h"
#include "ops/fn/AssignSubVariableOp.h"
#include "ops/fn/AssignVariableOp.h"
#include "ops/fn/ReadVariableOp.h"
#include "ops/fn/ResourceCountUpTo.h"
#include "ops/fn/ResourceGather.h"
#include "ops/fn/ResourceGatherNd.h"
#include "ops/fn/ResourceScatterAdd.h"
#include "ops/fn/ResourceScatterDiv.h"
#include "ops/fn/ResourceScatterMax.h"
#include "ops/fn/ResourceScatterMin.h"
#include "ops/fn/ResourceScatterMul.h"
#include "ops/fn/ResourceScatterNdAdd.h"
#include "ops/fn/ResourceScatterNdMax.h"
#include "ops/fn/ResourceScatterNdMin.h"
#include "ops/fn/ResourceScatterNdSub.h"
#include "ops/fn/ResourceScatterNdUpdate.h"
#include "ops/fn/ResourceScatterSub.h"
#include "ops/fn/ResourceScatterUpdate.h"
#include "ops/fn/VarHandleOp.h"

namespace gk::api {
namespace {

template <class Op>
void Update(Op op, const Variable& v, const Tensor& value) {
  Guarded([&] { op(Inner(v.handle()), Inner(value)); });
}

using UpdateOp = void (*)(const InnerTensor&, const InnerTensor&);
constexpr UpdateOp kAdd = ::gk::ops::AssignAddVariableOp,
                   kSubtract = ::gk::ops::AssignSubVariableOp;

}  // namespace

namespace {

// The innermost of this thread that is to be asked.
thread_local variable_creator_scope* creators = nullptr;

}  // namespace

variable_creator_scope::variable_creator_scope(Creator creator)
    : creator_(std::move(creator)), outer_(std::exchange(creators, this)) {}
variable_creator_scope::~variable_creator_scope() { creators = outer_; }

std::shared_ptr<const Variable> variable_creator_scope::Make(
    const Tensor& initial_value, const VariableOptions& options) {
  // What a creator makes is up to those around it.
  struct Asked {
    variable_creator_scope* const scope = creators;
    ~Asked() { creators = scope; }
  } const asked;
  if (asked.scope == nullptr) return nullptr;
  creators = asked.scope->outer_;
  return std::make_shared<const Variable>(asked.scope->creator_(
      [](const Tensor& value, const VariableOptions& given) {
        return Variable(value, given);
      },
      initial_value, options));
}

Variable::Variable(const Tensor& initial_value,
                   const VariableOptions& options) {
  if (const auto made = variable_creator_scope::Make(initial_value, options)) {
    *this = *made;
    return;
  }
  Guarded([&] {
    const bool of_run =
        !options.lifted && OpBuilder::Current()->builds_graph();
    VariableCreation* const creation = VariableCreation::Current();
    if (of_run && creation != nullptr) {
      ThrowIfError(creation->Note(/*lifted=*/false));
    }
    const InnerTensor value = of_run
                                  ? Inner(initial_value)
                                  : ValueForNewVariable(Inner(initial_value));
    PartialTensorShape shape = Inner(options.shape);
    if (!shape.IsCompatibleWith(value.shape())) {
      throw ::gk::Error(ValueError(
          "The initial value's shape ({}) is not compatible with the "
          "explicitly supplied `shape` argument ({}).",
          value.partial_shape().PythonString(), shape.PythonString()));
    }
    if (shape.unknown_rank() && options.shape == Shape::UnknownRank()) {
      shape = value.partial_shape();
    }
    const std::string name =
        of_run ? options.name : CurrentNameScope() + options.name;
    InnerTensor handle;
    if (of_run) {
      handle = ::gk::ops::VarHandleOp(
          value.dtype(), shape, "", std::string(kAnonymousName), options.name);
      ::gk::ops::AssignVariableOp(handle, value);
    } else {
      handle =
          NewVariableHandle(name, value.dtype(), shape, options.trainable);
      ThrowIfError(ValueOrThrow(VariableOf(handle))->Assign(value));
    }
    facts_ = std::make_shared<const Facts>(
        Facts{name, Outer(handle), Outer(value.dtype()), Outer(shape),
              options.trainable});
  });
}

const std::string& Variable::name() const { return facts_->name; }
DataType Variable::dtype() const { return facts_->dtype; }
const Shape& Variable::shape() const { return facts_->shape; }
bool Variable::trainable() const { return facts_->trainable; }
const Tensor& Variable::handle() const { return facts_->handle; }

Tensor Variable::value() const {
  return Guarded([&] {
    const InnerTensor handle = Inner(facts_->handle);
    const ObserverList& observers = CurrentObservers();
    if (!observers.active() && OpBuilder::Current() == OpBuilder::Eager() &&
        !handle.is_symbolic()) {
      return Outer(ValueOrThrow(ValueOrThrow(VariableOf(handle))->Read())
                       .Alias());
    }
    if (observers.active() && facts_->trainable) {
      for (OpObserver* observer : observers.observers) {
        observer->OnVariableAccess(handle);
      }
    }
    return Outer(::gk::ops::ReadVariableOp(handle, Inner(facts_->dtype)));
  });
}

const Variable& Variable::assign(const Tensor& value) const {
  Update(
      [this](const auto& v, const auto& x) {
        ThrowIfError(CheckAssigned(name(), Inner(shape()), x.partial_shape()));
        ::gk::ops::AssignVariableOp(v, x);
      },
      *this, value);
  return *this;
}
const Variable& Variable::assign_add(const Tensor& delta) const {
  Update(kAdd, *this, delta);
  return *this;
}
const Variable& Variable::assign_sub(const Tensor& delta) const {
  Update(kSubtract, *this, delta);
  return *this;
}

#define GK_SCATTER(method, op)                                            \
  const Variable& Variable::method(const Tensor& indices,                 \
                                   const Tensor& updates) const {         \
    Guarded([&] {                                                         \
      ::gk::ops::op(Inner(handle()), Inner(indices), Inner(updates));     \
    });                                                                   \
    return *this;                                                         \
  }
GK_SCATTER(scatter_add, ResourceScatterAdd)
GK_SCATTER(scatter_sub, ResourceScatterSub)
GK_SCATTER(scatter_mul, ResourceScatterMul)
GK_SCATTER(scatter_div, ResourceScatterDiv)
GK_SCATTER(scatter_max, ResourceScatterMax)
GK_SCATTER(scatter_min, ResourceScatterMin)
GK_SCATTER(scatter_update, ResourceScatterUpdate)
GK_SCATTER(scatter_nd_add, ResourceScatterNdAdd)
GK_SCATTER(scatter_nd_sub, ResourceScatterNdSub)
GK_SCATTER(scatter_nd_max, ResourceScatterNdMax)
GK_SCATTER(scatter_nd_min, ResourceScatterNdMin)
GK_SCATTER(scatter_nd_update, ResourceScatterNdUpdate)
#undef GK_SCATTER

const Variable& Variable::batch_scatter_update(const Tensor& indices,
                                               const Tensor& updates) const {
  Guarded([&] {
    ::gk::ops::ResourceScatterNdUpdate(
        Inner(handle()), BatchRows(Inner(indices)), Inner(updates));
  });
  return *this;
}

Tensor Variable::sparse_read(const Tensor& indices) const {
  return Guarded([&] {
    return Outer(::gk::ops::ResourceGather(Inner(handle()), Inner(indices),
                                           Inner(dtype())));
  });
}
Tensor Variable::gather_nd(const Tensor& indices) const {
  return Guarded([&] {
    return Outer(::gk::ops::ResourceGatherNd(Inner(handle()), Inner(indices),
                                             Inner(dtype())));
  });
}
Tensor Variable::count_up_to(int64_t limit) const {
  return Guarded([&] {
    return Outer(
        ::gk::ops::ResourceCountUpTo(Inner(handle()), limit, Inner(dtype())));
  });
}

std::string Variable::to_string() const {
  const std::string facts =
      Format("Variable(name={}, shape={}, dtype={}", name(),
             shape().to_string(), api::name(dtype()));
  if (handle().is_symbolic()) return facts + ", symbolic)";
  return Guarded([&] {
    const InnerTensor now =
        ValueOrThrow(ValueOrThrow(VariableOf(Inner(handle())))->Read());
    const std::string text = BothEndsText(now, 3);
    return Format("{}, value={}{})", facts,
                  text.find('\n') == text.npos ? "" : "\n", text);
  });
}

std::ostream& operator<<(std::ostream& out, const Variable& v) {
  return out << v.to_string();
}

}  // namespace gk::api
