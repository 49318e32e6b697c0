// PassedValues: how functions of a file get what their nodes need beside their
// arguments: as further arguments, which all that call them pass.
#ifndef GK_SAVED_MODEL_PASSED_VALUES_H_
#define GK_SAVED_MODEL_PASSED_VALUES_H_

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "proto/saved_model.gk.h"

namespace gk {

// The attr that lists the types of what a node with a gradient of its own
// takes.
inline constexpr char kGradientTypes[] = "T";

inline bool IsControl(const std::string& input) {
  return input.starts_with('^');
}

// Changes the functions of the graph, which outlives it and gets no nodes or
// functions meanwhile.
class PassedValues {
 public:
  explicit PassedValues(proto::MetaGraphDef* graph);

  // Null if there is none of that name.
  proto::FunctionDef* Find(const std::string& name) const;

  // The input by which a node of `owner` has what an object stands for; "" if
  // it cannot have it. If need be, `owner` and the functions from which it is
  // called get an argument like the one of that index of `taker`: of loops,
  // condition and body, which gives it back.
  std::string EdgeTo(int object, proto::FunctionDef* owner,
                     proto::FunctionDef* taker, size_t index);

  // From now on the node has the function as its gradient and passes what that
  // captures as its last inputs.
  void AddGradient(proto::FunctionDef* owner, proto::NodeDef* node,
                   const std::string& function);

 private:
  // A node that calls functions, all of which get its last inputs.
  struct Site {
    proto::FunctionDef* owner;
    proto::NodeDef* node;
    std::vector<std::string> functions;
    std::string types;  // the attr that lists the types of those inputs
    std::string body;   // the one that gives back what it takes
    bool may_grow = false;
  };
  // Who gets the value, and where it is passed.
  struct Way {
    std::vector<proto::FunctionDef*> functions;
    std::vector<const Site*> sites;
  };

  void AddSite(proto::FunctionDef* owner, proto::NodeDef* node);
  bool IsPlain(const Site& site) const;
  // What is there already; "" if nothing is.
  std::string KnownEdge(int object, const proto::FunctionDef& owner) const;
  // Nothing in it if the value cannot get there.
  Way WayTo(int object, proto::FunctionDef* owner) const;
  bool CanTake(int object, const proto::FunctionDef& function) const;
  static void Extend(const Site& site, const std::string& edge,
                     proto::DataType type,
                     const proto::TensorShapeProto& shape);

  proto::SavedObjectGraph& objects_;
  std::unordered_map<std::string, proto::FunctionDef*> functions_;
  std::vector<std::unique_ptr<Site>> sites_;
  std::unordered_map<std::string, std::vector<const Site*>> callers_;
  // {object, function}: the argument that was added.
  std::map<std::pair<int, const proto::FunctionDef*>, std::string> passed_;
};

}  // namespace gk

#endif  // GK_SAVED_MODEL_PASSED_VALUES_H_
