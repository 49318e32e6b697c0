#include "framework/device_spec.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <vector>

namespace gk {
namespace {

std::string InCase(std::string_view s, int (*to)(int)) {
  std::string out(s);
  std::transform(out.begin(), out.end(), out.begin(),
                 [to](unsigned char c) { return static_cast<char>(to(c)); });
  return out;
}

std::vector<std::string_view> PartsOf(std::string_view s, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = s.find(at);
    parts.push_back(s.substr(0, end));
    if (end == std::string_view::npos) return parts;
    s.remove_prefix(end + 1);
  }
}

StatusOr<int> Number(std::string_view s) {
  int n = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
  if (error == std::errc() && end == s.data() + s.size()) return n;
  return ValueError("invalid literal for int() with base 10: '{}'", s);
}

}  // namespace

std::string DeviceTypeName(std::string_view name) {
  const std::string lower = InCase(name, std::tolower);
  return lower == "cpu" || lower == "gpu" ? InCase(name, std::toupper)
                                          : std::string(name);
}

StatusOr<DeviceSpec> DeviceSpec::Parse(std::string_view name) {
  DeviceSpec spec;
  for (std::string_view part : PartsOf(name, '/')) {
    if (part.empty()) continue;
    std::vector<std::string_view> words = PartsOf(part, ':');
    const std::string lower = InCase(words[0], std::tolower);
    bool is_type = lower == "cpu" || lower == "gpu" || lower == "tpu" ||
                   lower == "tpu_system";
    if (words[0] == "device" && words.size() > 1) {
      words.erase(words.begin());
      is_type = true;
    }
    if (is_type && words.size() <= 2) {
      if (spec.type) {
        return ValueError(
            "Multiple device types are not allowed while parsing the device "
            "spec: {}.",
            name);
      }
      spec.type = DeviceTypeName(words[0]);
      if (words.size() == 2 && words[1] != "*") {
        GK_ASSIGN_OR_RETURN(spec.index, Number(words[1]));
      }
    } else if (words.size() == 2 && words[0] == "job") {
      spec.job = std::string(words[1]);
    } else if (words.size() == 2 && words[0] == "replica") {
      GK_ASSIGN_OR_RETURN(spec.replica, Number(words[1]));
    } else if (words.size() == 2 && words[0] == "task") {
      GK_ASSIGN_OR_RETURN(spec.task, Number(words[1]));
    } else {
      return ValueError(
          "Unknown attribute '{}' is encountered while parsing the device "
          "spec: '{}'.",
          words[0], name);
    }
  }
  return spec;
}

std::string DeviceSpec::ToString() const {
  std::string text;
  if (job) text += "/job:" + *job;
  if (replica) text += Format("/replica:{}", *replica);
  if (task) text += Format("/task:{}", *task);
  if (type) {
    text += "/device:" + *type + ":" + (index ? std::to_string(*index) : "*");
  }
  return text;
}

DeviceSpec DeviceSpec::MergedWith(const DeviceSpec& inner) const {
  DeviceSpec merged = inner;
  if (!merged.job) merged.job = job;
  if (!merged.replica) merged.replica = replica;
  if (!merged.task) merged.task = task;
  if (!merged.type) merged.type = type;
  if (!merged.index) merged.index = index;
  return merged;
}

}  // namespace gk
