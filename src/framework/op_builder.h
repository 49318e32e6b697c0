// OpBuilder: "make this op", eagerly or in a graph; and Dispatch, the one way
// in which every layer makes ops.
//
// The eager context and graphs under construction implement OpBuilder. Each
// thread has a current one. Tapes observe what is made.
#ifndef GK_FRAMEWORK_OP_BUILDER_H_
#define GK_FRAMEWORK_OP_BUILDER_H_

#include <span>
#include <string>
#include <string_view>

#include "framework/attr_value.h"
#include "framework/op_record.h"
#include "framework/tape_hook.h"

namespace gk {

class OpBuilder {
 public:
  virtual ~OpBuilder() = default;

  // Inputs flattened, of this builder or capturable by it. `attrs` holds what
  // was given: type attrs are inferred and defaults filled in by Apply.
  virtual StatusOr<TensorVector> Apply(const OpRecord& record,
                                       std::span<const Tensor> inputs,
                                       AttrMap attrs,
                                       std::string_view name) = 0;
  virtual bool builds_graph() const = 0;
  // A tensor of this value: itself when eager, a Const node in a graph.
  virtual StatusOr<Tensor> Constant(const Tensor& value,
                                    std::string_view name) = 0;

  // This thread's current builder; the eager context unless one was entered.
  static OpBuilder* Current();
  static OpBuilder* Eager();
  static void SetEager(OpBuilder* eager);

  class Scope {
   public:
    explicit Scope(OpBuilder* builder);
    ~Scope();
    Scope(const Scope&) = delete;

   private:
    OpBuilder* saved_;
  };
};

// Sees every op made on its thread while active (gradient tapes).
class OpObserver {
 public:
  virtual ~OpObserver() = default;
  virtual void OnOp(const OpRecord& record, std::span<const Tensor> inputs,
                    std::span<const Tensor> outputs, const AttrMap& attrs) = 0;
  // A whole call as one entry: `outputs` came of `inputs`, `backward` turns
  // gradients of the outputs into gradients of the inputs.
  virtual void OnCall(std::span<const Tensor> inputs,
                      std::span<const Tensor> outputs, BackwardFn backward) = 0;
  // Is any of these watched, made from a watched one, or the handle of a
  // trainable variable that this observer watches on first use? Then the
  // maker of a call prepares what its backward needs and reports OnCall.
  virtual bool WantsAny(std::span<const Tensor> tensors) const = 0;
  // A trainable variable is about to be read through this (possibly
  // symbolic) handle: watch it if this observer watches what is accessed.
  virtual void OnVariableAccess(const Tensor& /*handle*/) {}
};

// The active observers of this thread, innermost last. `paused` while a tape
// must not see what is made (stop_recording, inside gradient computations of
// non-recording tapes).
struct ObserverList {
  std::vector<OpObserver*> observers;
  int paused = 0;
  bool active() const { return !observers.empty() && paused == 0; }
};
ObserverList& CurrentObservers();

// Makes an op with the current builder and tells the observers.
StatusOr<TensorVector> Dispatch(const OpRecord& record,
                                std::span<const Tensor> inputs, AttrMap attrs,
                                std::string_view name = {});

// The same by name, for gradients and compositions; throws Error.
TensorVector MakeOp(std::string_view op, std::span<const Tensor> inputs,
                    AttrMap attrs = {}, std::string_view name = {});
Tensor MakeOp1(std::string_view op, std::initializer_list<Tensor> inputs,
               AttrMap attrs = {}, std::string_view name = {});

// Completes `attrs` (type and number attrs from the inputs, defaults) and
// checks inputs against the signature. `graph` chooses between the eager and
// the graph wording of errors. On success the attrs are in OpDef order,
// followed by those whose names begin with '_'.
Status ResolveAttrs(const OpRecord& record, std::span<const DataType> types,
                    bool graph, AttrMap* attrs);
// Output dtypes for resolved attrs.
Status OutputTypes(const OpDef& def, const AttrMap& attrs,
                   std::vector<DataType>* types);

}  // namespace gk

#endif  // GK_FRAMEWORK_OP_BUILDER_H_
