#include "checkpoint/checkpoint_state.h"

#include <charconv>
#include <string_view>

#include "checkpoint/bundle_files.h"
#include "io/files.h"
#include "io/path.h"

namespace gk {
namespace {

std::string_view StrippedLine(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  const size_t begin = line.find_first_not_of(kBlanks);
  if (begin == line.npos) return {};
  return line.substr(begin, line.find_last_not_of(kBlanks) - begin + 1);
}

// The text within quotes, with escapes as text messages have them.
std::optional<std::string> QuotedText(std::string_view text) {
  if (text.size() < 2 || text.front() != text.back() ||
      (text[0] != '"' && text[0] != '\'')) {
    return std::nullopt;
  }
  text = text.substr(1, text.size() - 2);
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i == text.size()) return std::nullopt;
    constexpr std::string_view kNames = "nrt", kMeant = "\n\r\t";
    if (const size_t at = kNames.find(text[i]); at != kNames.npos) {
      out += kMeant[at];
    } else if (text[i] >= '0' && text[i] <= '7') {
      int code = 0;
      size_t end = i;
      for (; end < text.size() && end < i + 3 && text[end] >= '0' &&
             text[end] <= '7';
           ++end) {
        code = code * 8 + (text[end] - '0');
      }
      out += static_cast<char>(code);
      i = end - 1;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::optional<double> StateNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// One field of a line; false if it is none.
bool TakeField(std::string_view name, std::string_view text,
               proto::CheckpointState* state) {
  if (name == "model_checkpoint_path" || name == "all_model_checkpoint_paths") {
    std::optional<std::string> path = QuotedText(text);
    if (!path) return false;
    if (name[0] == 'm') {
      state->model_checkpoint_path = *std::move(path);
    } else {
      state->all_model_checkpoint_paths.push_back(*std::move(path));
    }
    return true;
  }
  const std::optional<double> number = StateNumber(text);
  if (!number) return false;
  if (name == "all_model_checkpoint_timestamps") {
    state->all_model_checkpoint_timestamps.push_back(*number);
  } else if (name == "last_preserved_timestamp") {
    state->last_preserved_timestamp = *number;
  } else {
    return false;
  }
  return true;
}

std::string PathIn(const std::string& folder, const std::string& path) {
  if (folder.empty() || path.starts_with('/') ||
      path.find("://") != path.npos) {
    return path;
  }
  return io::ChildPath(folder, path);
}

std::string PathWithin(const std::string& folder, const std::string& path) {
  const std::string before = folder.ends_with('/') ? folder : folder + '/';
  if (folder.empty() || !path.starts_with(before)) return path;
  return path.substr(before.size());
}

}  // namespace

StatusOr<std::optional<proto::CheckpointState>> ReadCheckpointState(
    const std::string& folder, const std::string& file) {
  const std::string path = PathIn(folder, file);
  const StatusOr<std::string> text = io::ReadFile(path);
  if (!text.ok()) {
    if (text.status().code() != Code::kNotFound) return text.status();
    return std::optional<proto::CheckpointState>();
  }
  proto::CheckpointState state;
  std::string_view rest = *text;
  for (int number = 1; !rest.empty(); ++number) {
    const size_t end = rest.find('\n');
    const std::string_view line = StrippedLine(rest.substr(0, end));
    rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
    if (line.empty() || line[0] == '#') continue;
    const size_t colon = line.find(':');
    if (colon == line.npos ||
        !TakeField(line.substr(0, colon), StrippedLine(line.substr(colon + 1)),
                   &state)) {
      return InvalidArgument("{}:{}: not a field of a CheckpointState: {}",
                             path, number, line);
    }
  }
  if (!state.model_checkpoint_path.empty()) {
    state.model_checkpoint_path = PathIn(folder, state.model_checkpoint_path);
  }
  for (std::string& known : state.all_model_checkpoint_paths) {
    known = PathIn(folder, known);
  }
  return std::optional(std::move(state));
}

Status WriteCheckpointState(const std::string& folder,
                            proto::CheckpointState state,
                            const std::string& file) {
  const std::string path = PathIn(folder, file);
  // What is noted of one in a folder that was named from here is its name
  // alone.
  if (path == state.model_checkpoint_path &&
      (folder.empty() || folder.starts_with('/'))) {
    return RuntimeError(
        "Save path '{}' conflicts with path used for checkpoint state.  Please "
        "use a different save path.",
        path);
  }
  state.model_checkpoint_path = PathWithin(folder, state.model_checkpoint_path);
  for (std::string& known : state.all_model_checkpoint_paths) {
    known = PathWithin(folder, known);
  }
  return io::WriteFile(path, state.ToText());
}

StatusOr<std::optional<std::string>> LatestCheckpoint(
    const std::string& folder) {
  GK_ASSIGN_OR_RETURN(auto state, ReadCheckpointState(folder));
  if (!state || !CheckpointExists(state->model_checkpoint_path)) {
    return std::optional<std::string>();
  }
  return std::optional(std::move(state->model_checkpoint_path));
}

}  // namespace gk
