// Requests and replies of serve read back to what they were.
#include <QtTest>

#include "core/run/jsonrpc.h"
#include "core/run/serve_protocol.h"
#include "tests/program.h"

using namespace strata;

namespace {

// What the other end makes of a search.
SearchRequest sent(const SearchRequest& request) {
  const Json json = toJson(request);
  RequestParams params("translate", json);
  const SearchRequest read = readSearch(params);
  params.done();
  return read;
}

std::string refusalOf(const Json& json) {
  try {
    RequestParams params("translate", json);
    readSearch(params);
    params.done();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

class TestServeProtocol : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void searches() {
    QCOMPARE(toJson(SearchRequest{}), Json::object());
    const SearchRequest asked{.beam = 8,
                              .nbest = 3,
                              .lengthPenalty = LengthRule::parse("gnmt:1.6"),
                              .maximumLength = MaximumLength{1.5, 20},
                              .minimumLength = 2,
                              .noRepeat = 4,
                              .unknownPenalty = 0.5,
                              .diversity = 0.25,
                              .compute = Compute::kBf16};
    const SearchRequest read = sent(asked);
    QCOMPARE(toJson(read), toJson(asked));
    QCOMPARE(read.beam, asked.beam);
    QCOMPARE(read.lengthPenalty->text(), std::string("gnmt:1.6"));
    QCOMPARE(read.maximumLength->factor, 1.5);
    QCOMPARE(read.maximumLength->offset, 20.0);
    QVERIFY(read.compute == Compute::kBf16);
    QVERIFY(!sent({}).beam);
  }

  void aNumberOfTokensIsALengthWhateverTheSource() {
    const Json json{{"maxLength", 6}};
    RequestParams params("translate", json);
    const auto length = readSearch(params).maximumLength;
    QCOMPARE(length->factor, 0.0);
    QCOMPARE(length->offset, 6.0);
  }

  void wrongSearchesAreRefusedByName() {
    for (const auto& [json, name] :
         std::vector<std::pair<Json, std::string>>{{{{"beam", 0}}, "'beam'"},
                                                   {{{"beam", "five"}}, "'beam'"},
                                                   {{{"maxLength", {1, 2, 3}}}, "'maxLength'"},
                                                   {{{"maxLength", {-1, 2}}}, "'maxLength'"},
                                                   {{{"diversity", -1}}, "'diversity'"},
                                                   {{{"compute", "int4"}}, "float32, bf16, int8"},
                                                   {{{"beams", 5}}, "'beams'"}})
      QVERIFY2(refusalOf(json).find(name) != std::string::npos, refusalOf(json).c_str());
  }

  void translations() {
    Recording recording;
    recording.info = {
        "decoder.fusion.hop_weights", "hop_weights", "decoder", -1, {"target", "hop", "level"}, 1};
    recording.shape = {1, 1, 2};
    recording.values = {0.25f, 0.75f};
    Hypothesis hypothesis{.tokens = {7, 2},
                          .score = -0.5,
                          .logProbability = -1,
                          .tokenLogProbabilities = {-0.75, -0.25},
                          .recordings = {recording},
                          .words = {"Haus", "</s>"},
                          .text = "Haus"};
    const serve::TranslateReply reply{
        .tokens = {"house", "</s>"}, .hypotheses = {hypothesis}, .recorded = true};
    const auto read = serve::TranslateReply::read(parseJson(reply.json().dump(), "the reply"));
    QVERIFY(read.recorded);
    QCOMPARE(read.tokens, reply.tokens);
    const Hypothesis& back = read.hypotheses.at(0);
    QCOMPARE(back.words, hypothesis.words);
    QCOMPARE(back.text, hypothesis.text);
    QCOMPARE(back.score, -0.5);
    QCOMPARE(back.logProbability, -1.0);
    QCOMPARE(back.tokenLogProbabilities, hypothesis.tokenLogProbabilities);
    QCOMPARE(back.recordings.at(0).values, recording.values);
    QCOMPARE(back.recordings.at(0).info.axes, recording.info.axes);
    QCOMPARE(back.recordings.at(0).info.firstLevel, 1);
    QVERIFY(!toJson(hypothesis, false).contains("recordings"));
  }

  void presetsAndDryRuns() {
    const serve::PresetsReply presets{
        .papers = {{"p", "A paper"}},
        .presets = {{.name = "p/a", .paper = "p", .description = "A", .parameters = 12},
                    {.name = "p/b", .paper = "p", .description = "B", .problem = "does not fit"}},
        .vocabulary = {{5, 6}}};
    QCOMPARE(serve::PresetsReply::read(presets.json()).json(), presets.json());
    serve::DryRunReply dry;
    dry.config = {{"seed", 1}};
    dry.learningRate = {{1, 0.5}, {20, 0.25}};
    QVERIFY(!serve::DryRunReply::read(dry.json()).estimate);
    dry.estimate = {.parameters = 3, .memoryBytes = 4, .tokensPerSecond = 5, .updatesPerEpoch = 6};
    dry.estimate->seconds = 7.5;
    dry.estimate->range = {5, 9};
    dry.estimate->basis = TimeBasis{.steps = 3, .threads = 2, .cores = 4};
    dry.estimate->batches = {
        {.longest = 8, .batches = 1, .sentences = 2, .tokens = 20, .positions = 32}};
    dry.network.columns = {"encoder"};
    dry.network.add({.name = "a", .title = "b"});
    const auto read = serve::DryRunReply::read(dry.json());
    QCOMPARE(read.json(), dry.json());
    QCOMPARE(read.estimate->seconds, std::optional(7.5));
    QVERIFY(!read.estimate->updates);
    QVERIFY(read.estimate->range == (TimeRange{5, 9}));
    const serve::StepReply step{
        .tokens = {"x"}, .prefix = {"y"}, .next = {{.token = "z", .id = 5, .logProbability = -1}}};
    QCOMPARE(serve::StepReply::read(step.json()).json(), step.json());
    const serve::DryRunRequest request{
        .preset = "p/a", .dataset = "d", .overrides = {"seed=2"}, .latest = true};
    QCOMPARE(serve::DryRunRequest::read(request.json()).json(), request.json());
  }
};

STRATA_APPLESS_TEST(TestServeProtocol)
#include "test_serve_protocol.moc"
