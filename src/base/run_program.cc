#include "base/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

extern char** environ;

namespace gk {
namespace {

// Both directions are one socket: writing to one whose reader is gone is an
// error there, and a signal for pipes.
class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket() { close(fd_); }
  Socket(const Socket&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

// What comes while `input` is given; nullopt after the deadline or an error.
std::optional<std::string> Exchange(
    int fd, std::string_view input,
    std::chrono::steady_clock::time_point deadline) {
  std::string output;
  char buffer[1 << 14];
  if (input.empty()) shutdown(fd, SHUT_WR);
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd ready{fd, static_cast<short>(POLLIN | (input.empty() ? 0 : POLLOUT)),
                 0};
    const int count =
        left.count() <= 0 ? 0 : poll(&ready, 1, static_cast<int>(left.count()));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    if (ready.revents & POLLOUT) {
      const ssize_t n =
          send(fd, input.data(), input.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n < 0 && errno != EAGAIN && errno != EINTR) return std::nullopt;
      if (n > 0) input.remove_prefix(static_cast<size_t>(n));
      if (input.empty()) shutdown(fd, SHUT_WR);
    }
    if (ready.revents & (POLLIN | POLLHUP | POLLERR)) {
      const ssize_t n = recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT);
      if (n == 0) return output;
      if (n < 0 && errno != EAGAIN && errno != EINTR) return std::nullopt;
      if (n > 0) output.append(buffer, static_cast<size_t>(n));
    }
  }
}

}  // namespace

std::optional<std::string> RunProgram(const std::vector<std::string>& command,
                                      std::string_view input, int seconds) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return std::nullopt;
  }
  const Socket ours(ends[0]);
  pid_t child = 0;
  {
    const Socket theirs(ends[1]);
    posix_spawn_file_actions_t files;
    if (posix_spawn_file_actions_init(&files) != 0) return std::nullopt;
    posix_spawn_file_actions_adddup2(&files, theirs.fd(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, theirs.fd(), STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null",
                                     O_WRONLY, 0);
    std::vector<char*> words;
    for (const std::string& word : command) {
      words.push_back(const_cast<char*>(word.c_str()));
    }
    words.push_back(nullptr);
    const int error =
        posix_spawnp(&child, words[0], &files, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0) return std::nullopt;
  }
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::optional<std::string> output = Exchange(ours.fd(), input, deadline);
  if (!output) kill(child, SIGKILL);
  int status = 0;
  bool killed = !output;
  while (true) {
    // Who has closed its output may go on for ever.
    const pid_t ended = waitpid(child, &status, killed ? 0 : WNOHANG);
    if (ended == child) break;
    // Somebody else has waited for it.
    if (ended < 0 && errno != EINTR) return std::nullopt;
    if (killed || ended < 0) continue;
    if (std::chrono::steady_clock::now() >= deadline) {
      kill(child, SIGKILL);
      killed = true;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return output;
}

}  // namespace gk
