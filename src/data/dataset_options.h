// tf.data.Options: what a dataset is told about how it is run. Which options
// there are stands here alone: the classes of both faces, what is written into
// graphs and what several say together follow from the table.
#ifndef GK_DATA_DATASET_OPTIONS_H_
#define GK_DATA_DATASET_OPTIONS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/status.h"

namespace gk {

// Values with names, such as AutoShardPolicy.
struct OptionEnum {
  const char* name;
  bool are_integers;  // also to the user
  std::span<const std::pair<const char*, int>> values;
  const char* doc;
};

struct OptionGroup;

struct Option {
  enum class Kind : uint8_t { kBool, kInt, kText, kTexts, kEnum, kGroup };
  const char* name;
  Kind kind;
  uint32_t number;  // of its field, where options are serialized
  const char* doc;
  const OptionEnum* values = nullptr;
  const OptionGroup* group = nullptr;
  // The value of an enumeration that is the same as none.
  const char* otherwise = nullptr;
  // The newer name of the same option.
  const char* key = nullptr;
};

// A class of options, such as ThreadingOptions.
struct OptionGroup {
  const char* home;  // the public module of its class
  const char* name;
  std::span<const Option> options;
  const char* doc;

  // By name; a newer name's for an older one. Null if there is none.
  const Option* Find(std::string_view option) const;
};

// What was said. A value: copied, compared.
class DatasetOptions {
 public:
  // Of groups: nothing but that they are there.
  using Value = std::variant<std::monostate, bool, int64_t, std::string,
                             std::vector<std::string>>;

  // Groups inside come before the one they are in, tf.data.Options last.
  static std::span<const OptionGroup* const> Groups();
  static std::span<const OptionEnum* const> Enumerations();
  static const OptionGroup& Whole() { return *Groups().back(); }

  // Null: nobody said it.
  const Value* Find(const Option& option) const;
  void Set(const Option& option, Value value);
  // What `others` say goes before what these do; lists of texts are joined.
  void Merge(const DatasetOptions& others);

  // What both say; either may be null. Shared where one says it all.
  using Shared = std::shared_ptr<const DatasetOptions>;
  static Shared Both(Shared options, Shared others);

  // The bytes of TensorFlow's message of the same name.
  std::string Serialize() const;
  static StatusOr<DatasetOptions> Parse(std::string_view bytes);

  friend bool operator==(const DatasetOptions&,
                         const DatasetOptions&) = default;

 private:
  std::map<const Option*, Value> values_;
  std::string unknown_;  // fields of a message, as they were
};

}  // namespace gk

#endif  // GK_DATA_DATASET_OPTIONS_H_
