#include "graphs/mutate_graph.h"

#include <iterator>

#include "framework/op_registry.h"

namespace gk::fuzz {
namespace {

using ValueCase = proto::AttrValue::ValueCase;

// Dimensions are mostly small: huge ones say little but "too large".
int64_t Dimension(Random& random) {
  return OneIn(random, 4) ? OddInteger(random)
                          : static_cast<int64_t>(Below(random, 6)) - 1;
}

proto::DataType Type(Random& random) {
  static constexpr int kUsual[] = {1, 1, 2, 3, 3, 4, 7, 8, 9, 10, 19, 20, 21};
  const int n = OneIn(random, 5) ? static_cast<int>(Below(random, 40)) - 1
                                 : kUsual[Below(random, std::size(kUsual))];
  return static_cast<proto::DataType>(n);
}

class Mutation {
 public:
  Mutation(Random& random, proto::GraphDef* graph)
      : random_(random), graph_(*graph) {}

  void Run() {
    auto& functions = graph_.library.mut().function;
    const uint64_t where = Below(functions.size() + 1);
    if (where == functions.size()) {
      nodes_ = &graph_.node;
    } else {
      function_ = &functions[where];
      nodes_ = &function_->node_def;
      if (OneIn(4)) return Function();
    }
    if (nodes_->empty()) return;
    proto::NodeDef& node = Pick(*nodes_);
    switch (Below(14)) {
      case 0:
        return Rewire(&node);
      case 1:
        return Inputs(&node);
      case 2:
        return Op(&node);
      case 3:
        return Nodes(&node);
      case 4:
        return AttrOfAnother(&node);
      case 5:
        return ShapeClaim(&node);
      default:
        return Attr(&node);
    }
  }

 private:
  uint64_t Below(uint64_t n) { return fuzz::Below(random_, n); }
  bool OneIn(uint64_t n) { return fuzz::OneIn(random_, n); }
  template <class T>
  T& Pick(std::vector<T>& all) {
    return all[Below(all.size())];
  }
  template <class Map>
  auto& PickEntry(Map& map) {
    return *std::next(map.begin(), static_cast<ptrdiff_t>(Below(map.size())));
  }

  // The source of an edge of this body, in its form.
  std::string Edge() {
    if (function_ != nullptr && OneIn(3)) {
      const auto& args = function_->signature->input_arg;
      if (!args.empty()) return args[Below(args.size())].name;
    }
    const proto::NodeDef& from = Pick(*nodes_);
    const uint64_t index = OneIn(4) ? Below(4) : 0;
    if (function_ == nullptr) {
      return index == 0 ? from.name : from.name + ":" + std::to_string(index);
    }
    // The name of an output is taken from an edge that is there.
    for (const proto::NodeDef& node : *nodes_) {
      for (const std::string& input : node.input) {
        if (input.starts_with(from.name + ":")) return input;
      }
    }
    const OpRecord* record = OpRegistry::Get().Find(from.op);
    std::string output = "output";
    if (record != nullptr && !record->def->outputs.empty()) {
      output = record->def->outputs[Below(record->def->outputs.size())].name;
    }
    return from.name + ":" + output + ":" + std::to_string(index);
  }

  void Rewire(proto::NodeDef* node) {
    if (node->input.empty()) return;
    Pick(node->input) = OneIn(8) ? "^" + Pick(*nodes_).name : Edge();
  }

  void Inputs(proto::NodeDef* node) {
    auto& in = node->input;
    switch (Below(5)) {
      case 0:
        if (!in.empty())
          in.erase(in.begin() + static_cast<int>(Below(in.size())));
        break;
      case 1:
        in.insert(in.begin(), Edge());
        break;
      case 2:
        if (!in.empty()) std::swap(Pick(in), Pick(in));
        break;
      case 3:
        if (!in.empty()) in.push_back(Pick(in));
        break;
      default:
        in.push_back("^" + Pick(*nodes_).name);
    }
  }

  void Op(proto::NodeDef* node) {
    const auto& all = OpRegistry::Get().all();
    auto& functions = graph_.library.mut().function;
    if (OneIn(3)) {
      node->op = Pick(*nodes_).op;
    } else if (OneIn(8)) {
      node->op = "NobodyHasThisOp";
    } else if (!functions.empty() && OneIn(4)) {
      node->op = Pick(functions).signature->name;
    } else {
      node->op = all[Below(all.size())]->name;
    }
  }

  void Nodes(proto::NodeDef* node) {
    switch (Below(4)) {
      case 0:
        node->name = Pick(*nodes_).name;
        break;
      case 1: {
        proto::NodeDef copy = *node;
        if (!OneIn(4)) copy.name += "_copy" + std::to_string(Below(1000));
        nodes_->push_back(std::move(copy));
        break;
      }
      case 2:
        *node = std::move(nodes_->back());
        nodes_->pop_back();
        break;
      default:
        std::swap(*node, Pick(*nodes_));
    }
  }

  void AttrOfAnother(proto::NodeDef* node) {
    const proto::NodeDef& other = Pick(*nodes_);
    if (other.attr.empty()) return;
    const auto& entry = *std::next(
        other.attr.begin(), static_cast<ptrdiff_t>(Below(other.attr.size())));
    if (!node->attr.empty() && OneIn(2)) {
      PickEntry(node->attr).second = proto::AttrValue(entry.second);
    } else {
      node->attr[entry.first] = proto::AttrValue(entry.second);
    }
  }

  void ShapeClaim(proto::NodeDef* node) {
    const char* names[] = {"_output_shapes", "output_shapes", "shape",
                           "_handle_dtypes"};
    proto::AttrValue& value = node->attr[names[Below(std::size(names))]];
    auto& list = value.mutable_list();
    if (list.shape.empty() || OneIn(3)) list.shape.emplace_back();
    Shape(&Pick(list.shape));
  }

  void Attr(proto::NodeDef* node) {
    if (node->attr.empty()) return;
    auto& [name, value] = PickEntry(node->attr);
    if (OneIn(12)) {
      node->attr.erase(std::string(name));
    } else {
      Value(&value);
    }
  }

  void Value(proto::AttrValue* value) {
    if (OneIn(16)) return OtherKind(value);
    switch (value->value_case) {
      case ValueCase::kI:
        value->i =
            OneIn(2) ? OddInteger(random_) : value->i + (OneIn(2) ? 1 : -1);
        break;
      case ValueCase::kF:
        value->f = static_cast<float>(OddInteger(random_));
        break;
      case ValueCase::kB:
        value->b = !value->b;
        break;
      case ValueCase::kS:
        Text(&value->s);
        break;
      case ValueCase::kType:
        value->type = Type(random_);
        break;
      case ValueCase::kShape:
        Shape(&value->mutable_shape());
        break;
      case ValueCase::kTensor:
        TensorValue(&value->mutable_tensor());
        break;
      case ValueCase::kFunc:
        Called(&value->mutable_func());
        break;
      case ValueCase::kList:
        List(&value->mutable_list());
        break;
      default:
        OtherKind(value);
    }
  }

  void OtherKind(proto::AttrValue* value) {
    switch (Below(7)) {
      case 0:
        value->set_i(OddInteger(random_));
        break;
      case 1:
        value->set_type(Type(random_));
        break;
      case 2:
        value->set_s("text");
        break;
      case 3:
        value->set_b(true);
        break;
      case 4:
        Called(&value->mutable_func());
        break;
      case 5:
        TensorValue(&value->mutable_tensor());
        break;
      default:
        List(&value->mutable_list());
    }
  }

  void Text(std::string* text) {
    switch (Below(3)) {
      case 0:
        *text = "";
        break;
      case 1:
        MutateBytes(random_, "NHWC SAME VALID ij,jk->ik loc:@", 4096, text);
        break;
      default: {
        static const char* const kWords[] = {"NHWC", "NCHW",  "SAME", "VALID",
                                             "mean", "UTF-8", "auto"};
        *text = kWords[Below(std::size(kWords))];
      }
    }
  }

  template <class T, class Change>
  void Elements(std::vector<T>* all, Change change) {
    const uint64_t what = Below(5);
    if (all->empty() || what == 0) {
      if (all->size() > 64) return;
      all->emplace_back();
      if (all->size() > 1 && OneIn(2)) all->back() = T((*all)[0]);
    } else if (what == 1) {
      all->erase(all->begin() + static_cast<int>(Below(all->size())));
    } else {
      change(Below(all->size()));
    }
  }

  void List(proto::AttrValue::ListValue* list) {
    if (!list->type.empty()) {
      Elements(&list->type, [&](size_t i) { list->type[i] = Type(random_); });
    } else if (!list->shape.empty()) {
      Elements(&list->shape, [&](size_t i) { Shape(&list->shape[i]); });
    } else if (!list->func.empty()) {
      Elements(&list->func, [&](size_t i) { Called(&list->func[i]); });
    } else if (!list->i.empty()) {
      Elements(&list->i, [&](size_t i) { list->i[i] = OddInteger(random_); });
    } else if (!list->s.empty()) {
      Elements(&list->s, [&](size_t i) { Text(&list->s[i]); });
    } else if (OneIn(2)) {
      list->type.push_back(Type(random_));
    } else {
      list->i.push_back(OddInteger(random_));
    }
  }

  void Shape(proto::TensorShapeProto* shape) {
    switch (Below(6)) {
      case 0:
        shape->unknown_rank = !shape->unknown_rank;
        break;
      case 1:
        shape->dim.emplace_back();
        shape->dim.back().size = Dimension(random_);
        break;
      case 2:
        if (!shape->dim.empty()) shape->dim.pop_back();
        break;
      default:
        if (!shape->dim.empty()) Pick(shape->dim).size = Dimension(random_);
    }
  }

  void TensorValue(proto::TensorProto* t) {
    const auto number = [&] {
      return OneIn(2) ? static_cast<int64_t>(Below(8)) - 2
                      : OddInteger(random_);
    };
    switch (Below(9)) {
      case 0:
        t->dtype = Type(random_);
        break;
      case 1:
        Shape(&t->tensor_shape.mut());
        break;
      case 2:
        if (!t->tensor_content.empty()) {
          MutateBytes(random_, t->tensor_content, 1 << 16, &t->tensor_content);
        }
        break;
      case 3:
        t->tensor_content.clear();
        break;
      case 4:
        Elements(&t->string_val, [&](size_t i) { Text(&t->string_val[i]); });
        break;
      case 5:
        Elements(&t->float_val, [&](size_t i) {
          t->float_val[i] = static_cast<float>(number());
        });
        break;
      case 6:
        Elements(&t->int64_val, [&](size_t i) { t->int64_val[i] = number(); });
        break;
      default:
        if (!t->tensor_content.empty() && t->tensor_content.size() % 4 == 0) {
          // Another number in the middle of the content.
          const auto value = static_cast<int32_t>(number());
          const size_t at = Below(t->tensor_content.size() / 4) * 4;
          t->tensor_content.replace(at, 4,
                                    reinterpret_cast<const char*>(&value), 4);
          break;
        }
        Elements(&t->int_val, [&](size_t i) {
          t->int_val[i] = static_cast<int32_t>(number());
        });
    }
  }

  void Called(proto::NameAttrList* called) {
    auto& functions = graph_.library.mut().function;
    if (functions.empty() || OneIn(16)) {
      called->name += "?";
    } else {
      called->name = Pick(functions).signature->name;
    }
  }

  void Function() {
    proto::FunctionDef& f = *function_;
    proto::OpDef& signature = f.signature.mut();
    switch (Below(10)) {
      case 0:
        if (!f.ret.empty() && !nodes_->empty())
          PickEntry(f.ret).second = Edge();
        break;
      case 1:
        if (!f.ret.empty()) f.ret.erase(f.ret.begin());
        break;
      case 2:
        if (!signature.input_arg.empty()) {
          Pick(signature.input_arg).type = Type(random_);
        }
        break;
      case 3:
        if (!signature.output_arg.empty()) {
          Pick(signature.output_arg).type = Type(random_);
        }
        break;
      case 4: {
        auto& args = OneIn(2) ? signature.input_arg : signature.output_arg;
        Elements(&args, [&](size_t i) { std::swap(args[i], args[0]); });
        break;
      }
      case 5: {
        auto& attrs = f.arg_attr[static_cast<uint32_t>(Below(3))].attr;
        auto& list = attrs["_output_shapes"].mutable_list();
        if (list.shape.empty()) list.shape.emplace_back();
        Shape(&Pick(list.shape));
        break;
      }
      case 6:
        if (!signature.input_arg.empty()) {
          auto& data = Pick(signature.input_arg).handle_data;
          if (data.empty()) data.emplace_back();
          data[0].dtype = Type(random_);
          Shape(&data[0].shape.mut());
        }
        break;
      case 7:
        if (!nodes_->empty()) {
          f.control_ret["c" + std::to_string(Below(3))] = Pick(*nodes_).name;
        }
        break;
      case 8:
        signature.name = Pick(graph_.library.mut().function).signature->name;
        break;
      default:
        if (!signature.input_arg.empty() && !nodes_->empty()) {
          Pick(signature.input_arg).name = Pick(*nodes_).name;
        }
    }
  }

  Random& random_;
  proto::GraphDef& graph_;
  proto::FunctionDef* function_ = nullptr;  // the one that is changed, if any
  std::vector<proto::NodeDef>* nodes_ = nullptr;
};

}  // namespace

void MutateGraph(Random& random, proto::GraphDef* graph) {
  Mutation(random, graph).Run();
}

}  // namespace gk::fuzz
