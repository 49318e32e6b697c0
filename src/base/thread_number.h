// ThreadNumber: what tells threads apart for as long as the process lives, its
// forked children included.
//
// A forked child has one of its parent's threads. What the others were about
// to do stays undone, and whoever waits for it waits for ever: so who notes
// which thread does something notes its number, and who is to wait for that
// thread asks first whether a fork has left it behind.
#ifndef GK_BASE_THREAD_NUMBER_H_
#define GK_BASE_THREAD_NUMBER_H_

#include <cstdint>

namespace gk {

// Of the calling thread: never 0, and never that of another thread, unlike
// std::thread::id, which is given to a later thread again.
uint64_t ThreadNumber();

// Is it the number of a thread of a parent process?
bool IsLeftBehind(uint64_t thread);

}  // namespace gk

#endif  // GK_BASE_THREAD_NUMBER_H_
