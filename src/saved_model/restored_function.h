// RestoredFunction: a function of a loaded model: a call of it runs one of the
// traces that were saved, found by the arguments as they were saved.
//
// Constant after making; thread-safe. Its traces are those of the model, which
// outlives it.
#ifndef GK_SAVED_MODEL_RESTORED_FUNCTION_H_
#define GK_SAVED_MODEL_RESTORED_FUNCTION_H_

#include <string>
#include <vector>

#include "saved_model/loaded_model.h"
#include "saved_model/message_types.h"

namespace gk {

class RestoredFunction {
 public:
  // InvalidArgument if the object is no function; DataLoss if the file does not
  // say how it is called.
  static StatusOr<RestoredFunction> Of(LoadedModel* model, int object);

  struct SavedTrace {
    Ref<ConcreteFunction> function;
    TracedSignature signature;  // known
  };
  const std::vector<SavedTrace>& traces() const { return traces_; }

  // What runs for a call, and with what.
  struct Served {
    const SavedTrace* trace;
    TensorVector inputs;
  };
  // `call`: positional parameters, then those by name (kKeywordOnly).
  // `tensors`: in its order, each variable's handle once. Arguments that are
  // not given have the saved defaults. First a trace for such values is looked
  // for, then one for what they become: values of variables, numbers as
  // tensors. ValueError that shows the traces if there is none.
  StatusOr<Served> Serve(const FunctionType& call,
                         const TensorVector& tensors) const;

 private:
  RestoredFunction() = default;

  std::vector<SavedTrace> traces_;
  SavedParameters parameters_;
};

}  // namespace gk

#endif  // GK_SAVED_MODEL_RESTORED_FUNCTION_H_
