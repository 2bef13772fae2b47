#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/program.h"
#include "ui/data/text.h"
#include "ui/rpc/engine_client.h"

using namespace strata;
using namespace strata::ui;

// An engine of a few shell lines: echo answers with the request's id, fail with an error, die ends
// the process, silent never answers, split answers in two writes.
static const char* const kEngine = R"(
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case "$line" in
    *'"method":"echo"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"pid":%s,"text":"Gr\303\274\303\237e"}}\n' "$id" $$ ;;
    *'"method":"fail"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"no such preset"}}\n' "$id" ;;
    *'"method":"split"'*) printf '{"jsonrpc":"2.0","id":%s,' "$id"; sleep 0.1; printf '"result":{"half":2}}\n' ;;
    *'"method":"die"'*) echo 'out of memory' >&2; exit 3 ;;
    *'"method":"cancel"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"cancelled":true}}\n' "$id" ;;
  esac
done
)";

class TestEngineClient : public QObject {
  Q_OBJECT
 private slots:
  void init();
  void answersGoToTheirCalls();
  void errorsAreMessages();
  void aMessageMayComeInParts();
  void theCallThatKilledItIsReportedAndTheNextStartsItAgain();
  void aCancelledCallIsSilent();
  void nothingIsCalledWhenTheContextIsGone();
  void anEngineThatCannotStartIsReported();
  void anAnswerOfAnotherShapeIsAFailure();

 private:
  std::unique_ptr<EngineClient> client_;
};

void TestEngineClient::init() {
  client_ = std::make_unique<EngineClient>(EngineClient::Options{"bash", {"-c", kEngine}});
}

void TestEngineClient::answersGoToTheirCalls() {
  QStringList order;
  for (int i = 0; i < 3; ++i) {
    client_->call("echo", Json::object(), this, [&order, i](const Json& result) {
      order << QString::number(i) + qs(result.at("text").get<std::string>());
    });
  }
  QCOMPARE(client_->pendingCalls(), 3);
  QTRY_COMPARE(order, QStringList({"0Grüße", "1Grüße", "2Grüße"}));
  QCOMPARE(client_->pendingCalls(), 0);
}

void TestEngineClient::errorsAreMessages() {
  QString message;
  client_->call(
      "fail", Json::object(), this, [](const Json&) { QFAIL("no result"); },
      [&](const QString& text) { message = text; });
  QTRY_COMPARE(message, QString("no such preset"));
}

void TestEngineClient::aMessageMayComeInParts() {
  int half = 0;
  client_->call("split", Json::object(), this,
                [&](const Json& result) { half = result.at("half").get<int>(); });
  QTRY_COMPARE(half, 2);
}

void TestEngineClient::theCallThatKilledItIsReportedAndTheNextStartsItAgain() {
  QSignalSpy died(client_.get(), &EngineClient::died);
  QString message;
  int pid = 0, second = 0;
  client_->call("echo", Json::object(), this,
                [&](const Json& result) { pid = result.at("pid").get<int>(); });
  QTRY_VERIFY(pid > 0);
  client_->call("die", Json::object(), this, {}, [&](const QString& text) { message = text; });
  QTRY_COMPARE(died.count(), 1);
  QVERIFY2(message.contains("die") && message.contains("3") && message.contains("out of memory"),
           qPrintable(message));
  client_->call("echo", Json::object(), this,
                [&](const Json& result) { second = result.at("pid").get<int>(); });
  QTRY_VERIFY(second > 0);
  QVERIFY(second != pid);
}

void TestEngineClient::aCancelledCallIsSilent() {
  bool called = false;
  const qint64 id = client_->call(
      "silent", Json::object(), this, [&](const Json&) { called = true; },
      [&](const QString&) { called = true; });
  client_->cancel(id);
  QCOMPARE(client_->pendingCalls(), 0);
  client_.reset();
  QVERIFY(!called);
}

void TestEngineClient::nothingIsCalledWhenTheContextIsGone() {
  auto* context = new QObject;
  bool called = false, other = false;
  client_->call("echo", Json::object(), context, [&](const Json&) { called = true; });
  delete context;
  client_->call("echo", Json::object(), this, [&](const Json&) { other = true; });
  QTRY_VERIFY(other);
  QVERIFY(!called);
}

void TestEngineClient::anEngineThatCannotStartIsReported() {
  EngineClient missing({"/nowhere/strata-run", {"serve"}});
  QString message;
  missing.call("hello", Json::object(), this, {}, [&](const QString& text) { message = text; });
  QTRY_VERIFY2(message.contains("/nowhere/strata-run"), qPrintable(message));
}

void TestEngineClient::anAnswerOfAnotherShapeIsAFailure() {
  QString message;
  client_->call(
      "echo", Json::object(), this, [](const Json& result) { result.at("absent"); },
      [&](const QString& text) { message = text; });
  QTRY_VERIFY2(message.contains("echo"), qPrintable(message));
}

STRATA_GUILESS_TEST(TestEngineClient)
#include "test_engine_client.moc"
