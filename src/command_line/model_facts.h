// What a model says of itself: signatures, variables, functions, assets, ops.
#ifndef GK_COMMAND_LINE_MODEL_FACTS_H_
#define GK_COMMAND_LINE_MODEL_FACTS_H_

#include <string>
#include <vector>

#include "command_line/json.h"
#include "command_line/model_files.h"

namespace gk::command {

struct TensorFacts {
  std::string name, dtype, shape, tensor;
};
struct SignatureFacts {
  std::string name, method;
  std::vector<TensorFacts> inputs, outputs;
};
struct VariableFacts {
  std::string name, key, dtype, shape;
  int64_t elements = 0, bytes = 0;
};
struct FunctionFacts {
  std::string name;
  int arguments = 0, results = 0, nodes = 0;
};
struct AssetFacts {
  std::string file, tensor;
  int64_t bytes = -1;  // -1: the file is missing
};
struct OpFacts {
  std::string name;
  int64_t count = 0;
  bool known = false;  // is there such an op here?
};

struct ModelFacts {
  std::string path, kind, writer;
  std::vector<std::string> tags;
  std::vector<SignatureFacts> signatures;
  std::vector<VariableFacts> variables;
  std::vector<FunctionFacts> functions;
  std::vector<AssetFacts> assets;
  std::vector<OpFacts> ops;  // the most frequent ones first
  int64_t nodes = 0;         // with those of functions
  int64_t graph_bytes = 0, variable_bytes = 0, asset_bytes = 0;
};

// The values of variables are not read.
ModelFacts FactsOf(const ModelFiles& model);

std::string FactsText(const ModelFacts& facts);
Json FactsJson(const ModelFacts& facts);

}  // namespace gk::command

#endif  // GK_COMMAND_LINE_MODEL_FACTS_H_
