// gk::nest: vectors, arrays, pairs, tuples, optionals, maps from texts and
// structs of tensors as one list of tensors, and back.
//
//   gk::nest::flatten(model)                        all its tensors
//   gk::nest::map_structure(gk::zeros_like, model)  a model of zeros
#ifndef GRAPHKILN_NEST_H_
#define GRAPHKILN_NEST_H_

#include <utility>
#include <vector>

#include <graphkiln/staging.h>
#include <graphkiln/structure.h>

namespace gk {
GK_API_NAMESPACE {
namespace nest {

// How `value` nests.
template <class T>
Structure structure_of(const T& value) {
  return detail::StructureOf(value);
}

// Is it a structure rather than a leaf?
template <class T>
bool is_nested(const T& value) {
  const Structure structure = structure_of(value);
  return structure.kind() != Structure::Kind::kLeaf &&
         structure.kind() != Structure::Kind::kNone;
}

// The leaves from left to right, maps in the order of their keys. Variables
// are read, numbers and texts become tensors.
template <class T>
std::vector<Tensor> flatten(const T& structure) {
  return detail::Apart(structure).tensors;
}

// The leaves `flat` in the form of `structure`, with a tensor for each number
// and variable. Throws Error (ValueError) if there are more or fewer.
template <class T>
detail::Staged<T> pack_sequence_as(const T& structure,
                                   std::vector<Tensor> flat) {
  detail::Results parts = detail::Apart(structure);
  detail::CheckLeaves(parts.form.structure, flat.size());
  parts.tensors = std::move(flat);
  return detail::Together<detail::Staged<T>>(parts);
}

// Throws Error unless both nest alike: ValueError, or TypeError where
// containers are of different classes and `check_types`.
template <class A, class B>
void assert_same_structure(const A& first, const B& second,
                           bool check_types = true) {
  detail::AssertSameStructure(structure_of(first), structure_of(second),
                              check_types);
}

// Calls `f` with one leaf of each; the results in the form of the first. Throws
// Error unless all nest alike.
template <class F, class T, class... More>
detail::Staged<T> map_structure(F&& f, const T& first, const More&... more) {
  (assert_same_structure(first, more), ...);
  const std::vector<std::vector<Tensor>> flats = {flatten(first),
                                                  flatten(more)...};
  std::vector<Tensor> results;
  results.reserve(flats[0].size());
  for (size_t i = 0; i < flats[0].size(); ++i) {
    [&]<size_t... j>(std::index_sequence<j...>) {
      results.push_back(f(flats[j][i]...));
    }(std::make_index_sequence<1 + sizeof...(More)>());
  }
  return pack_sequence_as(first, std::move(results));
}

}  // namespace nest
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_NEST_H_
