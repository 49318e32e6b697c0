// How the library speaks to Python programs.
#ifndef GK_PYTHON_WORDS_H_
#define GK_PYTHON_WORDS_H_

#include "function/host_words.h"

namespace gk::py {

extern const HostWords kPythonWords;

}  // namespace gk::py

#endif  // GK_PYTHON_WORDS_H_
