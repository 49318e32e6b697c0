#include "base/run_program.h"

#include <gtest/gtest.h>

namespace gk {
namespace {

TEST(RunProgram, GivesWhatTheProgramWrites) {
  EXPECT_EQ(RunProgram({"tr", "a", "b"}, "banana", 20), "bbnbnb");
  // More than pipes hold, in both directions at once.
  const std::string large(3 << 20, 'x');
  EXPECT_EQ(RunProgram({"cat"}, large, 20), large);
  EXPECT_EQ(RunProgram({"cat"}, "", 20), "");
}

TEST(RunProgram, SaysWhereItFailed) {
  EXPECT_EQ(RunProgram({"no_such_program_anywhere"}, "", 20), std::nullopt);
  EXPECT_EQ(RunProgram({"false"}, "", 20), std::nullopt);
  EXPECT_EQ(RunProgram({"sleep", "60"}, "", 1), std::nullopt);
  // One that closes its output and stays.
  EXPECT_EQ(RunProgram({"sh", "-c", "exec 0<&- 1>&-; exec sleep 60"}, "", 1),
            std::nullopt);
}

TEST(RunProgram, OutlivesReadersThatLeave) {
  const auto output = RunProgram({"true"}, std::string(3 << 20, 'x'), 20);
  EXPECT_EQ(output.value_or(""), "");
}

}  // namespace
}  // namespace gk
