// RestoredFunction: a function of a loaded model: a call of it runs one of the
// traces that were saved, found by the arguments as they were saved.
//
// Constant after making; thread-safe. Its traces are those of the model, which
// outlives it.
#ifndef GK_SAVED_MODEL_RESTORED_FUNCTION_H_
#define GK_SAVED_MODEL_RESTORED_FUNCTION_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "saved_model/loaded_model.h"
#include "saved_model/message_types.h"

namespace gk {

class RestoredFunction {
 public:
  // Gives the signature of a function of the file, by its name.
  using ReadSignature =
      FunctionRef<StatusOr<TracedSignature>(const std::string& name)>;
  // InvalidArgument if the object is no function; DataLoss if the file does not
  // say how it is called. `read`: where a language reads signatures its own
  // way, for types that it alone knows.
  static StatusOr<RestoredFunction> Of(LoadedModel* model, int object);
  static StatusOr<RestoredFunction> Of(LoadedModel* model, int object,
                                       ReadSignature read);

  struct SavedTrace {
    Ref<ConcreteFunction> function;
    TracedSignature signature;  // its type is known
  };
  const std::vector<SavedTrace>& traces() const { return traces_; }
  const SavedParameters& parameters() const { return parameters_; }

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

  // Which containers stand for which: in C++ any sequence for another and a
  // struct for a mapping; in a language that the file's own are of, the same.
  enum class Containers : uint8_t { kAlike, kSame };
  // What a language decides of a call. `to_tensor`: what a part of it that is
  // no tensor becomes where one of that type is wanted; null if nothing does.
  // Parts are counted as they nest, in the order of flattening: a container is
  // followed by what is in it.
  struct Language {
    Containers containers;
    FunctionRef<Tensor(size_t part, const TraceType& type, DataType dtype)>
        to_tensor;
  };
  // The same step by step: what serves a call, or none, among all traces or
  // `only` this one; and the error if there is none, which shows the `call` and
  // each trace as the language does.
  std::optional<Served> Find(const FunctionType& call,
                             const TensorVector& tensors,
                             const Language& language,
                             const SavedTrace* only = nullptr) const;
  static Status NoMatch(std::string_view call,
                        std::span<const std::string> traces);

 private:
  RestoredFunction() = default;

  std::vector<SavedTrace> traces_;
  SavedParameters parameters_;
};

}  // namespace gk

#endif  // GK_SAVED_MODEL_RESTORED_FUNCTION_H_
