// Python functions made from op records: argument binding, conversion order,
// attributes, results.
#ifndef GK_PYTHON_OP_FUNCTION_H_
#define GK_PYTHON_OP_FUNCTION_H_

#include <memory>
#include <string>
#include <vector>

#include "framework/op_builder.h"
#include "framework/ragged_form.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/py_ref.h"
#include "python/src/ops/known_calls.h"

namespace gk::py {

// A public function: what is needed to bind its arguments, and the call.
class FunctionInfo {
 public:
  static constexpr size_t kNoName = static_cast<size_t>(-1);
  struct Parameter {
    PyObject* name;  // interned
    bool is_input;   // else an attribute
    int index;       // in the OpDef's inputs or attrs
    bool required;
    std::string shown_default = "None";  // in the signature
  };

  virtual ~FunctionInfo() = default;
  const std::vector<Parameter>& parameters() const { return parameters_; }
  // Where positional arguments have `name`, most often last; kNoName if there
  // is none.
  size_t name_position() const { return name_position_; }
  // The parameter that takes the positional arguments from its place on, as a
  // tuple; those behind it are given by keyword. kNoName: there is none.
  size_t rest_position() const { return rest_position_; }
  // It goes element by element over so many first arguments, which may be
  // ragged or of the program's own types; 0: it does not.
  virtual int maps() const = 0;
  // It asserts something of so many such arguments, element by element.
  virtual int compares() const { return 0; }
  // Zeros give zeros: a sparse first argument stays one.
  virtual bool keeps_zero() const = 0;
  virtual RaggedForm ragged_form() const = 0;
  // Of slices, as the argument of that number from 1, the values alone change.
  virtual int slices() const = 0;
  const std::string& name_default() const { return name_default_; }
  // `arguments` are borrowed and in the order of parameters(); null: not
  // given. New reference.
  virtual PyObject* Call(PyObject* const* arguments,
                         std::string_view name) const = 0;

 protected:
  std::vector<Parameter> parameters_;
  size_t name_position_ = 0;
  size_t rest_position_ = kNoName;
  std::string name_default_ = "None";  // in the signature
};

// The Python function around `info`; `op` if one or two eager tensors and
// nothing else may take that op's shortest way. The module's `finder` gives
// the function again for `identity`.
class OpInfo;
PyObject* MakeFunction(const FunctionInfo* info, const OpInfo* op,
                       std::string_view name, std::string_view doc,
                       bool keyword_only, const char* finder,
                       std::string_view identity);

// What the binding knows of one op, worked out once from its record.
class OpInfo final : public FunctionInfo {
 public:
  // Never freed; null (NotFound) if there is no such op.
  static const OpInfo* Find(std::string_view op);
  static const OpInfo* Of(const OpRecord& record);
  // The same with the argument names of tf.raw_ops.
  static const OpInfo* OfRaw(const OpRecord& record);

  const OpRecord& record() const { return *record_; }
  const OpDef& def() const { return *record_->def; }
  int maps() const override {
    if (!record_->Has(kElementwise)) return 0;
    return def().inputs.size() == 2 ? 2 : 1;
  }
  bool keeps_zero() const override { return record_->Has(kKeepsZero); }
  RaggedForm ragged_form() const override { return record_->python.ragged; }
  int slices() const override { return record_->python.slices; }
  std::string_view snake_name() const { return snake_name_; }

  // Runs the op on one or two eager tensors if that needs nothing but a tile
  // kernel: same shapes, small, no tape, no graph. Empty if it does not apply.
  Tensor TryTile(const TensorImpl* a, const TensorImpl* b) const;

  // Makes the op.
  PyObject* Call(PyObject* const* arguments,
                 std::string_view name) const override;
  // Converted inputs, flattened -> result, with the GIL released if large.
  // `arguments`, where given: what they were converted from.
  PyObject* Run(std::span<const Tensor> inputs, AttrMap attrs,
                std::string_view name,
                std::span<PyObject* const> arguments = {}) const;

 private:
  OpInfo(const OpRecord& record, std::string_view argument_names);
  Status ConvertInputs(PyObject* const* arguments, TensorVector* inputs,
                       AttrMap* attrs) const;
  Status ConvertAttrs(PyObject* const* arguments, AttrMap* attrs) const;
  PyObject* WrapOutputs(std::span<const Tensor> outputs,
                        const AttrMap& attrs) const;
  // The call if eager code has made it before, in `result`; false: it has not.
  bool CallKnown(PyObject* const* arguments, std::string_view name,
                 PyObject** result) const;

  const OpRecord* record_;
  std::string snake_name_;
  std::string_view own_scope_;  // empty: nodes are named as the op
  bool remembers_calls_ = false;
  mutable KnownCalls known_calls_;
  // One or two inputs, one output, nothing but a tile kernel's work.
  bool plain_elementwise_ = false;
  mutable PyObject* result_type_ = nullptr;  // named tuple of several outputs
  mutable const TileKernel* tiles_[kNumDataTypes] = {};
  mutable bool tiles_known_[kNumDataTypes] = {};
};

// What a node made of an argument is called, below its op's scope; `element`
// of a list, or -1.
std::string NameOfInput(std::string_view argument, int element);

// What makes no tensors gives: None when eager, else the operation that was
// made last. New reference.
PyObject* MadeOperation();

// A Python argument as the value of an attribute. (attr_argument.cc)
StatusOr<AttrValue> ToAttrValue(const AttrDef& attr, std::string_view op,
                                PyObject* value);
// The reverse, for Operation.get_attr. New reference.
PyObject* AttrToPython(const AttrValue& value);

// The function of an op under its first public name. New reference.
PyObject* FunctionOfOp(const OpRecord& record);

bool AddOpFunctions(PyObject* module);
bool AddCompositionFunctions(PyObject* module);
// The function of a composition. New reference.
PyObject* CompositionFunction(std::string_view public_name);
// Threads and random seeds. (process_settings.cc)
bool AddProcessSettings(PyObject* module);
// tf.config's switches. (config_functions.cc)
bool AddConfigFunctions(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_OP_FUNCTION_H_
