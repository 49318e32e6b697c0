// Where in the user's Python code nodes are made, and run-time errors that
// show it.
//
// A position is a chain of (code object, instruction) from the outermost
// frame inwards, without this package's own frames. Chains are interned when
// nodes are made and turned into lines only when somebody looks. All of it
// needs the GIL.
#ifndef GK_PYTHON_SOURCE_LOCATION_H_
#define GK_PYTHON_SOURCE_LOCATION_H_

#include <cstdint>
#include <string>

#include "function/trace_history.h"
#include "python/src/binding/errors.h"

namespace gk::py {

// The exception of a function that failed while it ran: says which node
// failed and where that was made. Returns null.
PyObject* RaiseRunError(const Status& status, const std::string& function);
// The exception of an op that failed outside of a graph. If a node of a
// function that it called did, it says the same.
PyObject* RaiseOpError(const Status& status);

// The user's innermost line; empty outside of the user's code.
CallSite CallSiteNow();

// Where the package is, with a slash at the end.
const std::string& PackageDirectory();
// Does code stand in the package? Needs the GIL.
bool IsOwnCode(PyCodeObject* code);

// While one lives the Python function that runs where it is made traces: what
// is below its frame is known. With the GIL, on one thread.
class TracedHere {
 public:
  TracedHere();
  ~TracedHere();
  TracedHere(const TracedHere&) = delete;
  TracedHere& operator=(const TracedHere&) = delete;
};

// [(file, line, function)] of a node's position, outermost first. New
// reference.
PyObject* SourceLinesOf(uint32_t id);

// Tells the layers below to ask for positions.
bool AddSourceLocations(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_SOURCE_LOCATION_H_
