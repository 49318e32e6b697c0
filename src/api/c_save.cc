// The interface in C: models written anew. By itself, as a runtime alone
// (cmake/runtime.cmake) is without.
#include "api/c_models.h"

using gk::OkStatus;
using gk::Status;
using gk::api::Checked;
using gk::api::CheckGiven;
namespace saved = gk::api::saved_model;

gk_status* gk_model_save(const gk_model* model, const char* folder) {
  return Checked([&]() -> Status {
    GK_RETURN_IF_ERROR(CheckGiven(model, "gk_model_save", "model"));
    GK_RETURN_IF_ERROR(CheckGiven(folder, "gk_model_save", "folder"));
    saved::save(model->model, folder);
    return OkStatus();
  });
}
