// Asset: a file that is saved with a model.
//
//   gk::Module net;
//   net.track("words", gk::saved_model::Asset("/data/words"));
#ifndef GRAPHKILN_ASSET_H_
#define GRAPHKILN_ASSET_H_

#include <graphkiln/tensor.h>

#include <memory>
#include <string>

namespace gk {
GK_API_NAMESPACE {
namespace saved_model {

// A handle; copies are the same asset. What a saved function computes from
// asset_path() it computes, when it is loaded, from the copy that is in the
// model's folder.
class GK_EXPORT Asset {
 public:
  // Of the file; there has to be one when the asset is saved.
  explicit Asset(const std::string& path)
      : path_(std::make_shared<const Tensor>(path)) {}

  // The path, a string scalar.
  const Tensor& asset_path() const { return *path_; }

 private:
  std::shared_ptr<const Tensor> path_;
};

}  // namespace saved_model
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_ASSET_H_
