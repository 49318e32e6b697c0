// What of a model can be called: tensors by name go in and come out.
#ifndef GK_COMMAND_LINE_CALLABLE_H_
#define GK_COMMAND_LINE_CALLABLE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command_line/model_files.h"
#include "function/concrete_function.h"

namespace gk::command {

// The one that is called if none is asked for.
inline constexpr char kDefaultSignature[] = "serving_default";

struct Callable {
  struct Input {
    std::string name;
    DataType dtype = DataType::kInvalid;
    PartialTensorShape shape;
    Tensor fallback;  // null: it must be given
  };

  std::string name;
  std::vector<Input> inputs;         // as the function takes them
  std::vector<std::string> outputs;  // as it gives them
  Ref<ConcreteFunction> function;
  std::shared_ptr<void> keep;  // what it is of
};

// "--signature NAME", "--tags ...", "--fetch NAMES": which function of a model.
inline constexpr Option kSignatureOption = {
    "signature", "NAME",
    "the signature to call, or the way to a function among the model's\n"
    "objects (encoder.call); serving_default if there is one"};
inline constexpr Option kFetchOption = {
    "fetch", "NAMES",
    "of a graph: the tensors to compute, with commas between them; those\n"
    "that no node takes are the default"};

// The function with the values of its variables. Throws Failure.
Callable FindCallable(const std::string& path, const Arguments& arguments);

// "x": float32 (None, 4).
std::string InputText(const Callable::Input& input);

}  // namespace gk::command

#endif  // GK_COMMAND_LINE_CALLABLE_H_
