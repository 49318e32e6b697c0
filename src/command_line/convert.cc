// graphkiln convert and optimize: models in other forms.
#include "command_line/commands.h"
#include "command_line/find_callable.h"
#include "command_line/frozen_model.h"
#include "io/files.h"

namespace gk::command {
namespace {

bool IsTextName(std::string_view path) {
  return path.ends_with(".pbtxt") || path.ends_with(".txt");
}
bool IsGraphName(std::string_view path) {
  return path.ends_with(".pb") || IsTextName(path);
}

template <class T>
void WriteMessage(const T& message, const std::string& path,
                  const Console& console) {
  const std::string bytes =
      IsTextName(path) ? message.ToText() : message.Serialize();
  if (path == "-") {
    console.Print(message.ToText());
  } else {
    Must(Exit::kFile, io::WriteFile(path, bytes));
  }
}

Exit Convert(const Arguments& arguments, const Console& console) {
  const std::string& source = arguments.words()[0];
  const std::string& target = arguments.words()[1];
  if (arguments.Has("freeze")) {
    const FrozenModel model = Frozen(FindCallable(source, arguments));
    WriteMessage(GraphDefOfFrozen(model), target, console);
    return Exit::kDone;
  }
  const std::string folder = SavedModelFolder(source);
  if (!folder.empty() && !arguments.Has("graph")) {
    WriteMessage(MustRead(ReadSavedModel(folder)), target, console);
    return Exit::kDone;
  }
  const ModelFiles model = ReadModelFiles(source, TagsOf(arguments));
  if (model.kind == ModelKind::kCheckpoint) {
    throw Failure::Make(Exit::kUsage,
                        "{} is a checkpoint: it has no graph to convert.",
                        source);
  }
  if (model.kind == ModelKind::kMetaGraph && !arguments.Has("graph")) {
    WriteMessage(model.meta, target, console);
  } else {
    WriteMessage(*model.meta.graph_def, target, console);
  }
  return Exit::kDone;
}

Exit RunOptimize(const Arguments& arguments, const Console& console) {
  const std::string& target = arguments.words()[1];
  FrozenModel model = Frozen(FindCallable(arguments.words()[0], arguments));
  const int before = model.graph.graph->num_nodes();
  OptimizeFrozen(&model);
  if (IsGraphName(target) || target == "-") {
    WriteMessage(GraphDefOfFrozen(model), target, console);
  } else {
    SaveFrozen(model, target);
  }
  console.Tell(Format("{}: {} of {} left\n", Shown(model.callable.name),
                      CountText(model.graph.graph->num_nodes(), "node"),
                      before));
  return Exit::kDone;
}

constexpr Option kConvertOptions[] = {
    {"freeze", nullptr,
     "write a GraphDef of one function, with variables as constants"},
    {"graph", nullptr, "of a SavedModel or MetaGraphDef: its GraphDef alone"},
    kSignatureOption,
    kFeedOption,
    kFetchOption,
    kTagsOption,
};
constexpr Example kConvertExamples[] = {
    {"convert graph.pb graph.pbtxt", "a GraphDef as text, and back likewise"},
    {"convert model model.pbtxt", "the file of a SavedModel as text"},
    {"convert model - --graph | less", "its graph, to be read"},
    {"convert model frozen.pb --freeze --signature serving_default",
     "one function that needs no other file"},
};
constexpr Option kOptimizeOptions[] = {kSignatureOption, kFeedOption,
                                       kFetchOption, kTagsOption};
constexpr Example kOptimizeExamples[] = {
    {"optimize model fast", "a SavedModel with one signature"},
    {"optimize model fast.pb --signature encode", "a GraphDef"},
};

}  // namespace

const Command kConvertCommand = {
    "convert",
    "MODEL FILE",
    2,
    2,
    "Writes a model's graph as text, as binary, or frozen.",
    "FILE is written as text if its name ends in .pbtxt or .txt, or if it is "
    "-, the\n"
    "standard output; else as binary. Text is read wherever a model is read.",
    kConvertOptions,
    kConvertExamples,
    Convert};

const Command kOptimizeCommand = {
    "optimize",
    "MODEL TARGET",
    2,
    2,
    "Writes one function of a model, frozen and optimised.",
    "Variables become constants, calls are inlined, constants are folded, and "
    "what\n"
    "is computed twice or for nothing goes. TARGET is a GraphDef if its name "
    "ends in\n"
    ".pb, .pbtxt or .txt, else the folder of a SavedModel, which must not be "
    "there.",
    kOptimizeOptions,
    kOptimizeExamples,
    RunOptimize};

}  // namespace gk::command
