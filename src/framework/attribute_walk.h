// AttributeWalk: what is found in the attributes of a module and of the modules
// inside it, in the order of TensorFlow's tf.Module: first a module's own
// attributes, then module after module what is inside of those.
//
// The values are the host's, which gives them numbers. One thread at a time.
// Exceptions of the host pass; the walk is over then.
#ifndef GK_FRAMEWORK_ATTRIBUTE_WALK_H_
#define GK_FRAMEWORK_ATTRIBUTE_WALK_H_

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace gk {

class AttributeWalk {
 public:
  struct Leaf {
    size_t value;          // as the host numbers what it shows
    const void* identity;  // of the value: lives as long as the walk
    bool is_module = false;
  };
  class Host {
   public:
    // The attributes of a module, in the order in which they are visited.
    virtual std::vector<size_t> Attributes(size_t module) = 0;
    // The leaves of one of them, from left to right.
    virtual std::vector<Leaf> Leaves(size_t module, size_t attribute) = 0;
    virtual bool IsWanted(size_t value) = 0;

   protected:
    ~Host() = default;
  };
  struct Options {
    bool recursive = true;
    // Is a value told once for each way to it? Only circles end then.
    bool all_paths = false;
  };

  AttributeWalk(Host* host, const Leaf& root, const Options& options);

  // The next value that is wanted.
  std::optional<size_t> Next();

 private:
  struct Visit {
    Leaf module;
    bool recursive;  // not if it is inside itself
    std::vector<size_t> attributes;
    std::vector<Leaf> leaves;  // of the attribute before `attribute`
    std::vector<Leaf> inside;
    size_t attribute = 0, leaf = 0, child = 0;
  };
  void Enter(const Leaf& module, bool recursive);

  Host* const host_;
  const bool all_paths_;
  std::unordered_set<const void*> seen_;
  std::vector<Visit> visits_;
};

// Can a module be called that? Letters, digits and "_" of ASCII; TensorFlow's
// pattern lets a line end at the end pass.
bool IsModuleName(std::string_view name);

}  // namespace gk

#endif  // GK_FRAMEWORK_ATTRIBUTE_WALK_H_
