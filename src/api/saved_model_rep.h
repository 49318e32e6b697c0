// What the handles of a public SavedModel share.
#ifndef GK_API_SAVED_MODEL_REP_H_
#define GK_API_SAVED_MODEL_REP_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graphkiln/saved_model.h"
#include "saved_model/loaded_model.h"

namespace gk::api::saved_model {

struct SavedModel::Rep {
  std::shared_ptr<LoadedModel> model;
  std::map<std::string, int> paths;  // of all objects
  std::vector<Variable> variables;
  std::map<int, size_t> variable_of;  // by object
};

}  // namespace gk::api::saved_model

#endif  // GK_API_SAVED_MODEL_REP_H_
