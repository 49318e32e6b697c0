// Whether two values nest alike, and what is said where they do not: in the
// words of TensorFlow's nest.
#ifndef GK_FRAMEWORK_STRUCTURE_MATCH_H_
#define GK_FRAMEWORK_STRUCTURE_MATCH_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "framework/structure.h"

namespace gk {

// Shows parts of the two values that are matched, for errors only. The
// functions here speak of the structures themselves, as C++ has no more.
class StructureWords {
 public:
  enum Side { kFirst, kSecond };
  // The numbers of children on the way to a part.
  using Path = std::span<const int>;

  StructureWords(const Structure& first, const Structure& second)
      : sides_{&first, &second} {}
  virtual ~StructureWords() = default;

  // "type=list str=[1, 2]".
  virtual std::string Value(Side side, Path path) const;
  // What a class is called, "OrderedDict", and with its module where the host
  // has such names.
  virtual std::string ClassName(Side side, Path path) const;
  virtual std::string TypeName(Side side, Path path) const;
  // "['b', 'a']": those of a mapping.
  virtual std::string Keys(Side side, Path path) const;
  // "type=RaggedTensorSpec str=...": the type of a composite value.
  virtual std::string Spec(Side side, Path path) const;
  // "[., .]".
  virtual std::string Outline(Side side) const;

 protected:
  const Structure& At(Side side, Path path) const;

 private:
  const Structure* sides_[2];
};

// ValueError unless both nest alike; TypeError if `check_types` and classes
// of containers differ (those of two lists or of two mappings may). None is
// any leaf.
Status AssertSameStructure(const Structure& first, const Structure& second,
                           bool check_types, const StructureWords& words);
// The same of values that a program calls `name`: the text says which part of
// it differs ("y['a'][1]: ..."), and has no outlines.
Status AssertSameStructure(const Structure& first, const Structure& second,
                           bool check_types, const StructureWords& words,
                           std::string_view name);

struct ShallowOptions {
  // A list or tuple stands for any sequence.
  bool any_sequence = false;
  // None stands for a structure of Nones.
  bool gaps = false;
};
// The same where `shallow`, the second of the words, may have a leaf where
// `deep`, the first, has more. TypeError if that is of another kind.
Status AssertShallowStructure(const Structure& deep, const Structure& shallow,
                              const ShallowOptions& options,
                              const StructureWords& words);

// ValueError: a value with so many leaves cannot be packed from so many items.
// How both show; `flat` may be empty.
Status WrongLeafCount(size_t atoms, size_t items, std::string_view structure,
                      std::string_view flat = {});

}  // namespace gk

#endif  // GK_FRAMEWORK_STRUCTURE_MATCH_H_
