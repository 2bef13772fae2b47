#include <QtTest>
#include <cstring>

#include "core/base/error.h"
#include "core/base/safetensors.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

class TestSafetensors : public QObject {
  Q_OBJECT

  static std::string file(const std::string& header, const std::string& data) {
    const std::uint64_t length = header.size();
    std::string content(8, '\0');
    std::memcpy(content.data(), &length, 8);
    return content + header + data;
  }

  static std::string refusal(const std::string& content) {
    TemporaryFolder folder;
    writeFileAtomic(folder / "x.safetensors", content);
    try {
      SafetensorsFile read(folder / "x.safetensors");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

 private slots:
  void roundTrip() {
    TemporaryFolder folder;
    const float numbers[] = {1, -2, 3.5f, 4, 5, 6};
    const std::int64_t one = 7;
    const auto bytes = [](const auto* values, std::size_t count) {
      return std::string_view(reinterpret_cast<const char*>(values), count);
    };
    writeSafetensors(folder / "m",
                     {{"b", {DType::kFloat32, {2, 3}, bytes(numbers, 24)}},
                      {"a", {DType::kInt64, {}, bytes(&one, 8)}},
                      {"empty", {DType::kFloat32, {0, 4}, {}}}},
                     {{"key", "value"}});
    const SafetensorsFile read(folder / "m");
    QCOMPARE(read.tensors().size(), std::size_t{3});
    QCOMPARE(read.at("b").bytes, bytes(numbers, 24));
    QCOMPARE(read.at("b").shape, (std::vector<std::int64_t>{2, 3}));
    QCOMPARE(read.at("a").elements(), std::int64_t{1});
    QCOMPARE(read.at("empty").elements(), std::int64_t{0});
    QCOMPARE(read.metadata().at("key"), std::string("value"));
    QVERIFY_EXCEPTION_THROWN(read.at("c"), Error);
  }

  // Recordings of many sentences are as many tensors. Eight times as many take eight times as long;
  // where each name is looked for among those before, 64 times.
  void timeGrowsWithTheTensors() {
    TemporaryFolder folder;
    const float number = 1;
    const std::string_view bytes(reinterpret_cast<const char*>(&number), sizeof(number));
    const auto fastest = [&](int count) {
      std::map<std::string, TensorView> tensors;
      for (int i = 0; i < count; ++i)
        tensors["recordings.of.sentence." + std::to_string(i)] = {DType::kFloat32, {1}, bytes};
      qint64 best = std::numeric_limits<qint64>::max();
      for (int run = 0; run < 3; ++run) {
        QElapsedTimer timer;
        timer.start();
        writeSafetensors(folder / "m", tensors);
        best = std::min(best, timer.nsecsElapsed());
      }
      return static_cast<double>(best);
    };
    const double few = fastest(5000), many = fastest(40000);
    QVERIFY2(many < 20 * few, qPrintable(QString("%1 times").arg(many / few)));
  }

  void damageIsRefused() {
    const std::string good = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
    QCOMPARE(refusal(file(good, std::string(8, 'x'))), std::string());
    QVERIFY(refusal(file(good, std::string(7, 'x'))).find("'a'") !=
            std::string::npos);  // truncated
    QVERIFY(refusal(file(good, std::string(9, 'x'))).find("no tensor") !=
            std::string::npos);  // too long
    QVERIFY(!refusal("").empty());
    QVERIFY(!refusal(std::string(8, '\xff')).empty());  // a header length beyond the file
    QVERIFY(!refusal(file("{", "")).empty());
    const auto entry = [&](const std::string& text) {
      return refusal(file("{\"a\":" + text + "}", std::string(8, 'x')));
    };
    QVERIFY(!entry(R"({"dtype":"F99","shape":[2],"data_offsets":[0,8]})").empty());
    QVERIFY(!entry(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})").empty());
    QVERIFY(!entry(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})").empty());
    QVERIFY(
        !entry(R"({"dtype":"F32","shape":[4294967296,4294967296,4294967296],"data_offsets":[0,8]})")
             .empty());
    QVERIFY(
        !refusal(
             file(
                 R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                 std::string(8, 'x')))
             .empty());  // overlap
  }

  void filesOfOthersAreRead() {
    const fs::path model =
        referenceFolders("models/transformer/base-3l").front() / "model.safetensors";
    QVERIFY(SafetensorsFile(model).contains("encoder.embed_tokens.weight"));
  }
};

STRATA_GUILESS_TEST(TestSafetensors)
#include "test_safetensors.moc"
