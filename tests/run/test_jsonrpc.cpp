// JSON-RPC messages: round trips, and every kind of invalid line.
#include <QtTest>

#include "core/run/jsonrpc.h"
#include "tests/program.h"

using namespace strata;

namespace {

int codeOf(std::string_view line, const rpc::Limits& limits = {}) {
  try {
    rpc::parse(line, limits);
  } catch (const rpc::Invalid& invalid) {
    return invalid.code();
  }
  return 0;
}

}  // namespace

class TestJsonRpc : public QObject {
  Q_OBJECT

 private slots:
  void messagesRoundTrip();
  void oneMessageIsOneLine();
  void brokenLinesAreAnswered();
  void limitsHold();
  void idsComeBack();
};

void TestJsonRpc::messagesRoundTrip() {
  const auto call =
      std::get<rpc::Request>(rpc::parse(rpc::line(rpc::Request{.id = 7, .method = "hello"})));
  QCOMPARE(*call.id, 7);
  QCOMPARE(call.method, std::string("hello"));
  QVERIFY(call.params.is_object());
  const auto notice = std::get<rpc::Request>(
      rpc::parse(rpc::line(rpc::Request{.id = {}, .method = "progress", .params = {{"done", 3}}})));
  QVERIFY(!notice.id);
  QCOMPARE(notice.params["done"], 3);
  const auto answer = std::get<rpc::Response>(
      rpc::parse(rpc::line(rpc::Response{.id = "a", .result = Json(nullptr)})));
  QVERIFY(std::get<Json>(answer.result).is_null());
  const rpc::Fault fault{.code = rpc::kFailed, .message = "no such run", .data = {{"run", 3}}};
  const auto failed =
      std::get<rpc::Response>(rpc::parse(rpc::line(rpc::Response{.id = 1, .result = fault})));
  QCOMPARE(std::get<rpc::Fault>(failed.result).message, std::string("no such run"));
  QCOMPARE(std::get<rpc::Fault>(failed.result).data["run"], 3);
}

void TestJsonRpc::oneMessageIsOneLine() {
  const std::string line =
      rpc::line(rpc::Request{.id = 1, .method = "translate", .params = {{"text", "a\nb\xff"}}});
  QCOMPARE(std::count(line.begin(), line.end(), '\n'), 1);
  QVERIFY(line.ends_with('\n'));
  const auto call = std::get<rpc::Request>(rpc::parse(line));
  QCOMPARE(call.params["text"].get<std::string>(), std::string("a\nb\xEF\xBF\xBD"));
}

void TestJsonRpc::brokenLinesAreAnswered() {
  const char* noJson[] = {"{", "", "{} {}", "\xff"};
  for (const char* line : noJson) QCOMPARE(codeOf(line), rpc::kParseError);
  const char* noMessage[] = {
      "[]",
      R"({"method": "a"})",
      R"({"jsonrpc": "1.0", "method": "a"})",
      R"({"jsonrpc": "2.0", "method": 1})",
      R"({"jsonrpc": "2.0", "method": ""})",
      R"({"jsonrpc": "2.0", "method": "a", "params": 3})",
      R"({"jsonrpc": "2.0", "method": "a", "id": 1.5})",
      R"({"jsonrpc": "2.0", "method": "a", "extra": 1})",
      R"({"jsonrpc": "2.0", "id": 1})",
      R"({"jsonrpc": "2.0", "id": 1, "result": 1, "error": {"code": 1, "message": ""}})",
      R"({"jsonrpc": "2.0", "id": 1, "error": {"message": "x"}})",
  };
  for (const char* line : noMessage) QCOMPARE(codeOf(line), rpc::kInvalidRequest);
  const char* message = R"({"jsonrpc": "2.0", "method": "a", "params": [1]})";
  QCOMPARE(codeOf(message), 0);
}

void TestJsonRpc::limitsHold() {
  const std::string message = R"({"jsonrpc": "2.0", "method": "a", "params": [[[1]]]})";
  QCOMPARE(codeOf(message, {.bytes = message.size() - 1}), rpc::kInvalidRequest);
  QCOMPARE(codeOf(message, {.bytes = message.size()}), 0);
  QCOMPARE(codeOf(message, {.depth = 3}), rpc::kInvalidRequest);
  QCOMPARE(codeOf(message, {.depth = 4}), 0);
  QCOMPARE(codeOf(std::string(1 << 20, '[')),
           rpc::kInvalidRequest);  // far beyond the stack if it were built
  const char* quoted = R"({"jsonrpc": "2.0", "method": "[[[[\"[[["})";
  QCOMPARE(codeOf(quoted, {.depth = 1}), 0);
}

void TestJsonRpc::idsComeBack() {
  try {
    rpc::parse(R"({"jsonrpc": "2.0", "id": 42, "method": ""})");
    QFAIL("an empty method passed");
  } catch (const rpc::Invalid& invalid) {
    QCOMPARE(invalid.id(), 42);
  }
}

STRATA_GUILESS_TEST(TestJsonRpc)
#include "test_jsonrpc.moc"
