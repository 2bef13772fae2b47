#pragma once
#include <QProcess>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"

// Results of a trained DHEA model, requested from the engine without the window.
namespace fixture {
using strata::Json;

constexpr int kSilence = 90000;  // ms without an answer; the machine may be busy

// A separate `strata-run serve` process, not the window's.
class Engine {
 public:
  Engine(const QString& runner, const QString& workspace) {
    process_.start(runner, {"--workspace", workspace, "serve", "--threads", "1"});
  }
  ~Engine() {
    process_.closeWriteChannel();
    process_.waitForFinished(kSilence);
  }

  Json ask(const char* method, const Json& params) {
    const Json request{{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", params}};
    process_.write(QByteArray::fromStdString(request.dump() + "\n"));
    while (!process_.canReadLine()) {
      if (!process_.waitForReadyRead(kSilence)) throw std::runtime_error("serve is silent");
    }
    const Json answer = Json::parse(process_.readLine().toStdString());
    if (!answer.contains("result")) throw std::runtime_error(answer.dump());
    return answer["result"];
  }

 private:
  QProcess process_;
  int id_ = 0;
};

// A model's attention under forced decoding: the sums of models.md section 3 computed
// again, step by step instead of for a complete sentence at once.
struct Forced {
  std::vector<std::string> source, target;  // </s> included
  std::map<std::string, Json> recordings;   // by name

  int sources() const { return int(source.size()); }
  int words() const { return int(target.size()); }
  bool has(int layer, const char* name) const { return recordings.contains(full(layer, name)); }
  double at(int layer, const char* name, int row, int column) const {
    const Json& recording = recordings.at(full(layer, name));
    return recording["values"][std::size_t(row) * recording["shape"][1].get<std::size_t>() +
                               std::size_t(column)];
  }
  // models.md 0.6: rows are the words generated, columns the words attended to: the source, then
  // the word read at each step, the start symbol first. Behind them shares and sums.
  std::vector<std::string> columns() const {
    std::vector<std::string> names = source;
    names.emplace_back("</s>");
    names.insert(names.end(), target.begin(), target.end() - 1);
    if (has(0, "gate")) names.insert(names.end(), {"gate, mean", "gate, std"});
    if (has(0, "hybrid_attn"))
      names.insert(names.end(), {"mass on source", "source share", "source + history"});
    else
      names.insert(names.end(), {"source share", "source", "history"});
    return names;
  }
  double sourceWeight(int layer, int row, int column) const {
    return has(layer, "hybrid_attn") ? at(layer, "hybrid_attn", row, column)
                                     : at(layer, "source_attn", row, column);
  }
  // Of the word generated on the word read at step `column`.
  double historyWeight(int layer, int row, int column) const {
    return has(layer, "hybrid_attn") ? at(layer, "hybrid_attn", row, sources() + column)
                                     : at(layer, "buffer_attn", row, column);
  }
  double sourceShare(int layer, int row) const {
    const double source = at(layer, "context_norms", row, 0);
    return source / (source + at(layer, "context_norms", row, 1));
  }
  std::pair<double, double> gate(int layer, int row) const {  // mean, standard deviation
    const int width = recordings.at(full(layer, "gate"))["shape"][1].get<int>();
    double sum = 0, squares = 0;
    for (int d = 0; d < width; ++d) sum += at(layer, "gate", row, d);
    for (int d = 0; d < width; ++d) squares += std::pow(at(layer, "gate", row, d) - sum / width, 2);
    return {sum / width, std::sqrt(squares / width)};
  }

 private:
  static std::string full(int layer, const char* name) {
    return "decoder.layers." + std::to_string(layer) + "." + name;
  }
};

}  // namespace fixture
