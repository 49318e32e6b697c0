// What a gk_model is, for the files of the interface in C.
#ifndef GK_API_C_MODELS_H_
#define GK_API_C_MODELS_H_

#include <string>
#include <vector>

#include "api/c_handles.h"
#include "graphkiln/saved_model.h"

struct gk_model {
  gk::api::saved_model::SavedModel model;
  std::vector<std::string> signatures;
};

#endif  // GK_API_C_MODELS_H_
