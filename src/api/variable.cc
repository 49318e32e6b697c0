#include "graphkiln/variable.h"

#include <optional>
#include <utility>
#include <vector>

#include "api/graph_rep.h"
#include "api/inner.h"
#include "api/variable_facts.h"
#include "eager/gradient_tape.h"
#include "framework/handle_data.h"
#include "framework/op_builder.h"
#include "framework/tensor_text.h"
#include "framework/variable.h"
#include "function/graph_facts.h"
#include "function/make_variable.h"
#include "function/variable_creators.h"
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
#include "ops/fn/VarIsInitializedOp.h"

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

// ---- Creation ----

namespace {

class Asked final : public AskedVariable {
 public:
  Asked(const InnerTensor& value, const VariableOptions& options)
      : value_(value) {
    name = options.name;
    trainable = options.trainable;
    lifted = options.lifted;
    if (!(options.shape == Shape::UnknownRank())) shape = Inner(options.shape);
    // Each run computes that of one which is not lifted.
    if (lifted) initial = value;
  }
  StatusOr<InnerTensor> Value() override { return lifted ? initial : value_; }
  Status OfFunction() const override {
    return ValueError(
        "The initial value of a variable belongs to a function that was "
        "traced");
  }
  Status Misfit(const PartialTensorShape& value) const override {
    return ValueError(
        "The initial value's shape ({}) is not compatible with the "
        "explicitly supplied `shape` argument ({}).",
        value.PythonString(), shape->PythonString());
  }

 private:
  const InnerTensor& value_;
};

std::shared_ptr<const Variable::Facts> Make(const Tensor& initial_value,
                                            const VariableOptions& options) {
  EnsureReady();
  const InnerTensor value = Inner(initial_value);
  Asked asked(value, options);
  const MadeVariable made = MakeVariable(&asked);
  auto facts = std::make_shared<Variable::Facts>(
      Variable::Facts{made.name, Outer(made.handle), Outer(made.dtype),
                      Outer(made.shape), options.trainable});
  if (made.initializer != nullptr) {
    facts->initializer = OuterNode(
        Ref<::gk::Graph>(::gk::Graph::GraphOf(made.handle)), made.initializer);
    facts->initial_value = Outer(made.initial_value);
  }
  return facts;
}

class Creator final : public VariableCreator {
 public:
  explicit Creator(variable_creator_scope::Creator function)
      : function(std::move(function)) {}
  const variable_creator_scope::Creator function;
};

using Creators = std::shared_ptr<const std::vector<Ref<VariableCreator>>>;

// What the first `n` make, or without any the library.
Variable MadeBy(const Creators& creators, size_t n, const Tensor& initial_value,
                const VariableOptions& options) {
  if (n == 0) {
    return Variable::Of(Guarded([&] { return Make(initial_value, options); }));
  }
  const auto next = [creators, n](const Tensor& value,
                                  const VariableOptions& given) {
    return MadeBy(creators, n - 1, value, given);
  };
  return static_cast<const Creator&>(*(*creators)[n - 1])
      .function(next, initial_value, options);
}

// A creator that makes variables other than by `next` asks itself for ever.
constexpr int kMostAsked = 64;
thread_local int asked_now = 0;
class AskingScope {
 public:
  AskingScope() {
    if (asked_now >= kMostAsked) {
      ThrowPublic(::gk::RuntimeError(
          "maximum recursion depth exceeded: a creator of variables makes a "
          "gk::Variable, for which it is asked again, where it should call "
          "`next`"));
    }
    ++asked_now;
  }
  ~AskingScope() { --asked_now; }
  AskingScope(const AskingScope&) = delete;
};

}  // namespace

struct variable_creator_scope::Rep {
  Ref<VariableCreator> creator;
};
variable_creator_scope::variable_creator_scope(Creator creator)
    : rep_(new Rep{MakeRef<api::Creator>(std::move(creator))}) {
  Guarded([&] { EnterVariableCreator(rep_->creator); });
}
variable_creator_scope::~variable_creator_scope() {
  (void)LeaveVariableCreator([&](const VariableCreator& entered) {
    return &entered == rep_->creator.get();
  });
}

Variable::Variable(const Tensor& initial_value,
                   const VariableOptions& options) {
  const auto creators =
      std::make_shared<const std::vector<Ref<VariableCreator>>>(
          VariableCreatorsHere());
  std::optional<AskingScope> asking;
  if (!creators->empty()) asking.emplace();
  *this = MadeBy(creators, creators->size(), initial_value, options);
}

Operation Variable::initializer() const { return facts_->initializer; }
Tensor Variable::initial_value() const { return facts_->initial_value; }
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
      return Outer(
          ValueOrThrow(ValueOrThrow(VariableOf(handle))->Read()).Alias());
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

#define GK_SCATTER(method, op)                                        \
  const Variable& Variable::method(const Tensor& indices,             \
                                   const Tensor& updates) const {     \
    Guarded([&] {                                                     \
      ::gk::ops::op(Inner(handle()), Inner(indices), Inner(updates)); \
    });                                                               \
    return *this;                                                     \
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

Tensor Variable::is_initialized() const {
  return Guarded(
      [&] { return Outer(::gk::ops::VarIsInitializedOp(Inner(handle()))); });
}
Operation Variable::op() const { return handle().op(); }
Graph Variable::graph() const { return handle().graph(); }

Variable VariableOfHandle(const InnerTensor& given) {
  const InnerTensor handle = OutermostHandle(given);
  Variable::Facts facts;
  facts.handle = Outer(handle);
  if (handle.is_symbolic()) {
    const HandleData data = HandleDataOf(handle);
    facts.name = ::gk::Graph::OutputOf(handle).node->name();
    if (!data.empty()) {
      facts.dtype = Outer(data[0].dtype);
      facts.shape = Outer(data[0].shape);
    }
    facts.trainable = IsTrainableHandle(handle);
  } else {
    const VariableResource& v = *ValueOrThrow(VariableOf(handle));
    facts.name = v.name();
    facts.dtype = Outer(v.dtype());
    facts.shape = Outer(v.shape());
    facts.trainable = v.trainable();
  }
  return Variable::Of(std::make_shared<const Variable::Facts>(facts));
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
