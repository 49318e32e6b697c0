// Tables of methods and attributes of one type that stand in several files.
#ifndef GK_PYTHON_JOINED_TABLES_H_
#define GK_PYTHON_JOINED_TABLES_H_

#include <vector>

#include "python/src/binding/py_ref.h"

namespace gk::py {

// Both tables with one end, for as long as the process lives. `name`: the
// member that is null at the end.
template <class Entry>
Entry* JoinedTables(const char* Entry::*name, const Entry* first,
                    const Entry* second) {
  auto* all = new std::vector<Entry>();
  for (; first->*name != nullptr; ++first) all->push_back(*first);
  for (; second->*name != nullptr; ++second) all->push_back(*second);
  all->push_back({});
  return all->data();
}

// Puts a table into the slot that waits for it.
inline void SetTable(PyType_Slot* slots, int slot, void* table) {
  while (slots->slot != slot) ++slots;
  slots->pfunc = table;
}

}  // namespace gk::py

#endif  // GK_PYTHON_JOINED_TABLES_H_
