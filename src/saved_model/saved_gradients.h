// Gradients that a program gave its own functions (tf.custom_gradient), for a
// file: functions that its library names for the types of nodes' gradients, and
// objects for the tensors that they capture. What AttachGradients reads.
#ifndef GK_SAVED_MODEL_SAVED_GRADIENTS_H_
#define GK_SAVED_MODEL_SAVED_GRADIENTS_H_

#include <unordered_map>
#include <utility>
#include <vector>

#include "function/traced_gradient.h"
#include "saved_model/saved_objects.h"

namespace gk {

class SavedGradients {
 public:
  // Those of all nodes that the functions of `objects` run, and of these
  // gradients themselves; adds them to `objects`. What a gradient function
  // raises, naming its node.
  Status Trace(SavedObjects* objects);

  // The functions whose nodes have gradients.
  std::vector<const GraphFunction*> owners() const;

  // Marks the nodes, names the functions for them and describes the captured
  // tensors, in a message that has the library and the objects. `names`: of the
  // owners and of all functions of the objects.
  void Write(const SavedObjects::Names& names,
             proto::MetaGraphDef* message) const;

 private:
  // A tensor of a function.
  struct Place {
    const GraphFunction* owner = nullptr;
    Output output;
  };
  struct Entry {
    const GraphFunction* owner;
    const Node* node;
    TracedGradient gradient;
    std::vector<int> objects;   // of its captures
    std::vector<Place> places;  // of those that are tensors of functions
  };
  Status Trace(const GraphFunction& owner, Node* node, SavedObjects* objects);

  // Where what a loop or branch takes from around it is made: TensorFlow finds
  // it there alone.
  Place Around(Place place) const;

  std::vector<Entry> entries_;
  std::unordered_map<const GraphFunction*,
                     std::pair<const GraphFunction*, const Node*>>
      callers_;  // the first node that has each function
};

}  // namespace gk

#endif  // GK_SAVED_MODEL_SAVED_GRADIENTS_H_
