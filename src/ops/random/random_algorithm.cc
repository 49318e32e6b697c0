#include "ops/random/random_algorithm.h"

#include <string>

#include "base/format.h"

namespace gk {
namespace {

Status Unsupported(std::string_view shown) {
  return ValueError(
      "Argument `alg` got unsupported value {}. Supported values are 1 or "
      "'philox' for the Philox algorithm, 2 or 'threefry' for the ThreeFry "
      "algorithm, and 3 or 'auto_select' for a choice by the device.",
      shown);
}

}  // namespace

StatusOr<int64_t> RandomAlgorithm(int64_t number) {
  if (number == kThreeFryAlgorithm) return number;
  if (number == kPhiloxAlgorithm || number == 3) return kPhiloxAlgorithm;
  return Unsupported(Format("{}", number));
}

StatusOr<int64_t> RandomAlgorithm(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (lower == "threefry") return kThreeFryAlgorithm;
  if (lower == "philox" || lower == "auto_select") return kPhiloxAlgorithm;
  return Unsupported(Format("'{}'", name));
}

}  // namespace gk
