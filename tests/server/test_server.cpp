// The server in this process, over pipes: what the window asks, answered by the real methods.
#include <unistd.h>

#include <QtTest>
#include <array>
#include <future>
#include <thread>

#include "app/server/paper_methods.h"
#include "app/server/server.h"
#include "app/server/setup_methods.h"
#include "core/base/files.h"
#include "core/base/progress.h"
#include "core/run/serve_protocol.h"
#include "models/catalogue.h"
#include "models/presets.h"
#include "tests/program.h"

using namespace strata;

namespace {

// A server on a thread of its own with both ends of its pipes.
class Conversation {
 public:
  explicit Conversation(std::map<std::string, ServeMethod> methods) {
    if (::pipe(in_.data()) != 0 || ::pipe(out_.data()) != 0) throw Error("no pipe");
    thread_ = std::thread([this, methods = std::move(methods)]() mutable {
      ServeServer(std::move(methods)).serve(in_[0], out_[1]);
    });
  }
  ~Conversation() {
    ::close(in_[1]);
    thread_.join();
    for (const int each : {in_[0], out_[0], out_[1]}) ::close(each);
  }

  void send(int id, const std::string& method, const Json& params) {
    const std::string line = rpc::line(rpc::Request{.id = id, .method = method, .params = params});
    if (::write(in_[1], line.data(), line.size()) != std::ssize(line)) throw Error("not written");
  }
  rpc::Response answer() {
    std::string line;
    for (char c = 0; c != '\n'; line += c) {
      if (::read(out_[0], &c, 1) != 1) throw Error("no answer");
    }
    return std::get<rpc::Response>(rpc::parse(line));
  }
  Json result(const std::string& method, const Json& params) {
    send(1, method, params);
    return std::get<Json>(answer().result);
  }

 private:
  std::array<int, 2> in_{}, out_{};
  std::thread thread_;
};

}  // namespace

class TestServer : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { registerModels(); }

  void listsPresetsWithTheirParameters() {
    const TemporaryFolder workspace;
    Conversation server(paperMethods(workspace.path()));
    const auto plain = serve::PresetsReply::read(server.result("presets", Json::object()));
    QCOMPARE(plain.presets.size(), presets().size());
    QVERIFY(!plain.presets.front().parameters && !plain.vocabulary);
    const serve::PresetsRequest request{.vocabulary = {{100, 90}}};
    const auto counted = serve::PresetsReply::read(server.result("presets", request.json()));
    QCOMPARE(counted.vocabulary, request.vocabulary);
    int compared = 0;
    for (const auto& preset : counted.presets) {
      QVERIFY2(preset.parameters || !preset.problem.empty(), preset.name.c_str());
      if (!preset.parameters) continue;
      const Json config = resolveConfig({.preset = preset.name}, builtInSources());
      QCOMPARE(*preset.parameters, parameterCountOf(modelConfig(config.at("model"), 100, 90)));
      ++compared;
    }
    QVERIFY(compared > int(counted.presets.size()) / 2);
    for (const auto& preset : counted.presets)
      QVERIFY(std::any_of(counted.papers.begin(), counted.papers.end(),
                          [&](const auto& paper) { return paper.name == preset.paper; }));
  }

  void checksAConfigurationWithoutADataset() {
    const TemporaryFolder workspace;
    Conversation server(setupMethods({.workspace = workspace.path()}));
    const serve::DryRunRequest request{.preset = "mlrf/base", .overrides = {"seed=7"}};
    const auto reply = serve::DryRunReply::read(server.result("dryRun", request.json()));
    QVERIFY(!reply.estimate);
    QCOMPARE(reply.config,
             resolveConfig({.preset = "mlrf/base", .overrides = {"seed=7"}}, builtInSources()));
    QVERIFY(reply.learningRate.size() > 10);
    QVERIFY(reply.learningRate.front().first >= 1);
    server.send(2, "dryRun", {{"preset", "mlrf/bass"}});
    const auto refused = std::get<rpc::Fault>(server.answer().result);
    QVERIFY2(refused.message.find("mlrf/base") != std::string::npos, refused.message.c_str());
  }

  // A light method is answered while another computes, and a cancelled call at once.
  void answersWhileItComputes() {
    std::map<std::string, ServeMethod> methods;
    std::promise<void> begun;
    methods["wait"] = {.run = [&begun](const Json&, const std::stop_token& stop) -> Json {
      begun.set_value();
      while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      checkCancelled(stop);
      return nullptr;
    }};
    methods["now"] = {.run = [](const Json&, const auto&) -> Json { return 1; }, .light = true};
    Conversation server(std::move(methods));
    server.send(1, "wait", Json::object());
    begun.get_future().wait();
    server.send(2, "now", Json::object());
    QCOMPARE(server.answer().id, Json(2));
    server.send(3, "cancel", {{"id", 1}});
    std::map<int, bool> faults;
    for (int i = 0; i < 2; ++i) {
      const auto answer = server.answer();
      faults[answer.id.get<int>()] = std::holds_alternative<rpc::Fault>(answer.result);
    }
    QCOMPARE(faults, (std::map<int, bool>{{1, true}, {3, false}}));
  }
};

STRATA_APPLESS_TEST(TestServer)
#include "test_server.moc"
