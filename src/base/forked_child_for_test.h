// Tests in forked children.
#ifndef GK_BASE_FORKED_CHILD_FOR_TEST_H_
#define GK_BASE_FORKED_CHILD_FOR_TEST_H_

#include <sys/wait.h>
#include <unistd.h>

namespace gk {

// The status with which a child ends that asks whether all is well: 0 if so.
// One that hangs is ended by SIGALRM.
template <class Fn>
int StatusOfForkedChild(Fn&& all_is_well) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(all_is_well() ? 0 : 1);
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

}  // namespace gk

#endif  // GK_BASE_FORKED_CHILD_FOR_TEST_H_
