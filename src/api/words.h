// How the library speaks to C++ programs.
#ifndef GK_API_WORDS_H_
#define GK_API_WORDS_H_

#include "function/host_words.h"

namespace gk::api {

extern const HostWords kCppWords;

}  // namespace gk::api

#endif  // GK_API_WORDS_H_
