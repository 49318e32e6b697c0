#include "function/ragged/composite_calls.h"

#include <gtest/gtest.h>

#include <set>

#include "eager/eager_context.h"
#include "framework/op_registry.h"
#include "ops/composite.h"

namespace gk {
namespace {

std::string_view First(std::string_view names) {
  return names.substr(0, names.find('|'));
}

// A name that no function has first would never be found.
TEST(CompositeCallsTest, NamesAreTheFirstOfPublicFunctions) {
  InitEager();
  std::set<std::string_view> firsts{
      "strings.format"};  // made of more than one by each language
  for (const auto& [name, composite] : CompositeRegistry::Get().by_name()) {
    firsts.insert(First(composite->record->names));
  }
  for (const OpRecord* op : OpRegistry::Get().all()) {
    firsts.insert(First(op->python.names));
  }
  for (std::string_view name : CompositeFunctionNames()) {
    EXPECT_TRUE(firsts.contains(name)) << name;
  }
}

}  // namespace
}  // namespace gk
