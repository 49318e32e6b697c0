// What is done with values that nest, of whatever language: each walk once,
// over what a Host of that language says of its containers.
//
//   struct Host {
//     // A handle; false where something failed, and the host knows what.
//     using Value = ...;
//     // What a container is besides its parts: a RefCounted.
//     using Node = ...;
//
//     // Takes a value apart: 1, with its parts in the order of flattening and,
//     // unless null, what it is besides them; 0 for a leaf; -1: failed.
//     int Open(const Value&, std::vector<Value>* parts, Node* node);
//     // The reverse. `like`: the value that was opened.
//     Value Close(const Node&, std::span<const Value> parts, const Value&
//     like); StructureRef Describe(Ref<Node>, std::vector<StructureRef> parts);
//     // Is nothing there, not even a leaf?
//     bool IsNothing(const Value&);
//     bool Enter();  // before the parts; false: too deep
//     void Leave();
//   };
//
// The containers of C++ are known by their types: include/graphkiln has walks
// over those.
#ifndef GK_FRAMEWORK_NEST_H_
#define GK_FRAMEWORK_NEST_H_

#include <span>
#include <utility>
#include <vector>

#include "framework/structure.h"

namespace gk {

// Around the parts of a container.
template <class Host>
class NestLevel {
 public:
  explicit NestLevel(Host& host) : host_(host), entered_(host.Enter()) {}
  NestLevel(const NestLevel&) = delete;
  ~NestLevel() {
    if (entered_) host_.Leave();
  }
  explicit operator bool() const { return entered_; }

 private:
  Host& host_;
  bool entered_;
};

// Calls `leaf` with the leaves, from left to right, until it returns false.
// False if that or the host did.
template <class Host, class Leaf>
bool FlattenNest(Host& host, const typename Host::Value& value,
                 const Leaf& leaf) {
  std::vector<typename Host::Value> parts;
  const int open = host.Open(value, &parts, nullptr);
  if (open < 0) return false;
  if (open == 0) return leaf(value);
  const NestLevel level(host);
  if (!level) return false;
  for (const auto& part : parts) {
    if (!FlattenNest(host, part, leaf)) return false;
  }
  return true;
}

// How a value nests; `leaf` as in FlattenNest. Null if that is false.
template <class Host, class Leaf>
StructureRef DescribeNest(Host& host, const typename Host::Value& value,
                          const Leaf& leaf) {
  if (host.IsNothing(value)) return Structure::None();
  std::vector<typename Host::Value> parts;
  auto node = MakeRef<typename Host::Node>();
  const int open = host.Open(value, &parts, node.get());
  if (open < 0) return nullptr;
  if (open == 0) return leaf(value) ? Structure::Leaf() : nullptr;
  const NestLevel level(host);
  if (!level) return nullptr;
  std::vector<StructureRef> children;
  children.reserve(parts.size());
  for (const auto& part : parts) {
    children.push_back(DescribeNest(host, part, leaf));
    if (!children.back()) return nullptr;
  }
  return host.Describe(std::move(node), std::move(children));
}

// How a value nests as far as `shallow` does; `part` is called with what it
// has where that has leaves. Nothing stands for any structure, and for each of
// its leaves. What else the two do not share AssertShallowStructure tells.
template <class Host, class Part>
StructureRef DescribeUpTo(Host& host, const typename Host::Value& value,
                          const Structure& shallow, const Part& part) {
  if (!shallow.is_nested()) {
    part(value);
    return Structure::Leaf();
  }
  if (host.IsNothing(value)) {
    for (size_t i = 0; i < shallow.num_leaves(); ++i) part(value);
    return Structure::None();
  }
  std::vector<typename Host::Value> parts;
  auto node = MakeRef<typename Host::Node>();
  const int open = host.Open(value, &parts, node.get());
  if (open < 0) return nullptr;
  if (open == 0) return Structure::Leaf();
  const NestLevel level(host);
  if (!level) return nullptr;
  std::vector<StructureRef> children;
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool shared = i < shallow.children().size();
    children.push_back(
        shared ? DescribeUpTo(host, parts[i], *shallow.children()[i], part)
               : Structure::Leaf());
    if (!children.back()) return nullptr;
  }
  return host.Describe(std::move(node), std::move(children));
}

// `value` with what `leaf` makes of its leaves, or of those of another value
// that nests alike. A null value if that or the host fails.
template <class Host, class Leaf>
typename Host::Value MapNest(Host& host, const typename Host::Value& value,
                             const Leaf& leaf) {
  std::vector<typename Host::Value> parts;
  typename Host::Node node;
  const int open = host.Open(value, &parts, &node);
  if (open < 0) return {};
  if (open == 0) return leaf(value);
  {
    const NestLevel level(host);
    if (!level) return {};
    for (auto& part : parts) {
      part = MapNest(host, part, leaf);
      if (!part) return {};
    }
  }
  return host.Close(node, parts, value);
}

// The value of a structure with these leaves from `next` on. `whole` gives a
// part that is not made of its own parts, or a null value; `close` makes any
// other of the structure and the parts. A null value if `close` fails or
// there are too few leaves.
template <class Value, class Whole, class Close>
Value PackNest(const Structure& structure, std::span<const Value> leaves,
               size_t* next, const Whole& whole, const Close& close) {
  if (structure.kind() == Structure::Kind::kLeaf) {
    return *next < leaves.size() ? leaves[(*next)++] : Value();
  }
  if (Value made = whole(structure)) {
    *next += structure.num_leaves();
    return made;
  }
  std::vector<Value> parts;
  parts.reserve(structure.children().size());
  for (const StructureRef& child : structure.children()) {
    parts.push_back(PackNest(*child, leaves, next, whole, close));
    if (!parts.back()) return Value();
  }
  return close(structure, std::span<const Value>(parts));
}

}  // namespace gk

#endif  // GK_FRAMEWORK_NEST_H_
