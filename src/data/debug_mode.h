// Whether datasets that are made from now on are made to be debugged: nothing
// of them works in parallel, in advance or in another order. Functions of
// Python run as Python. Thread-safe.
#ifndef GK_DATA_DEBUG_MODE_H_
#define GK_DATA_DEBUG_MODE_H_

namespace gk {

bool DatasetDebugMode();
void EnableDatasetDebugMode();

}  // namespace gk

#endif  // GK_DATA_DEBUG_MODE_H_
