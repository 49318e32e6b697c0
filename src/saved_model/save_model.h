// SaveModel: objects of a program, their values and functions as a folder that
// programs of any kind load: TensorFlow's, its servers', ours.
#ifndef GK_SAVED_MODEL_SAVE_MODEL_H_
#define GK_SAVED_MODEL_SAVE_MODEL_H_

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/sharding.h"
#include "saved_model/debug_info.h"
#include "saved_model/exported_object.h"
#include "saved_model/signature_wrapper.h"

namespace gk {

struct SaveOptions {
  // What the file says has written it.
  std::string writer = "graphkiln";
  std::vector<std::string> extra_tags;  // beside kServingTag
  // Leaves out the ops by which a server reads the variables.
  bool skip_saver = false;
  // Writes where variables are.
  bool variable_devices = false;
  // Saves the gradients that the program gave its own functions.
  bool custom_gradients = true;
  // {name of a function in the file: what loaders may call it}
  std::map<const GraphFunction*, std::string> function_aliases;
  ShardingPolicy sharding = {};  // of the variables' files
  // Checks and prints of values become nodes that do nothing.
  bool strip_debug_nodes = false;
  // Of the ops that may be saved; all if nothing is given.
  std::optional<std::vector<std::string>> namespaces;
  // Of the operations' lines, which are written beside the graph; or null.
  FramesOfSource frames = {};
};

// Writes what is in reach of `root`. The file of the graph comes last: a model
// that is there is not replaced by half of one. FailedPrecondition if a
// function captures a variable or resource that is not in reach, naming both;
// NotFound if the file of an asset is missing; ValueError for ops of other
// namespaces.
Status SaveModel(const ExportedObjectRef& root,
                 std::span<const ExportedSignature> signatures,
                 const std::string& folder, const SaveOptions& options = {});

}  // namespace gk

#endif  // GK_SAVED_MODEL_SAVE_MODEL_H_
