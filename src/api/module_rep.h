// What the handles of one public module share.
#ifndef GK_API_MODULE_REP_H_
#define GK_API_MODULE_REP_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graphkiln/module.h"

namespace gk::api {

struct Module::Rep {
  std::string name, scope;
  std::map<std::string, std::vector<ModuleLeaf>> attributes;

  // Whoever waits for what is at a way into the module: called when an
  // attribute of that name is tracked, and says whether it was there.
  struct Waiting {
    std::vector<std::string> path;
    std::function<bool(const Module& module)> resume;
  };
  std::vector<Waiting> waiting;

  // By name and by the variable's identity, its facts.
  using SlotKey = std::pair<std::string, const void*>;
  struct Slot {
    Variable variable, slot;
  };
  std::map<SlotKey, Slot> slots;
  // Who waits for one.
  std::map<SlotKey, std::vector<std::function<void(const Variable& slot)>>>
      waiting_slots;
  // One address for each vector or map in an attribute, by the way to it.
  std::map<std::vector<std::string>, std::unique_ptr<char>> containers;
};

}  // namespace gk::api

#endif  // GK_API_MODULE_REP_H_
