// CHECK and CHECK_ERROR for the programs here: a failure names its line and
// ends the program.
#ifndef GRAPHKILN_TESTS_CONSUMER_CHECK_H_
#define GRAPHKILN_TESTS_CONSUMER_CHECK_H_

#include <graphkiln/error.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,         \
                   #condition);                                       \
      std::exit(1);                                                   \
    }                                                                 \
  } while (false)

#define CHECK_ERROR(expression, wanted)                               \
  do {                                                                \
    bool thrown = false;                                              \
    try {                                                             \
      (void)(expression);                                             \
    } catch (const gk::Error& e) {                                    \
      thrown = e.code() == gk::ErrorCode::wanted;                     \
      if (!thrown) std::fprintf(stderr, "%s\n", e.what());            \
    }                                                                 \
    CHECK(thrown && #expression);                                     \
  } while (false)

#endif  // GRAPHKILN_TESTS_CONSUMER_CHECK_H_
