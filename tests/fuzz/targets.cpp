#include "fuzz/targets.h"

#include <unistd.h>

#include <array>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/safetensors.h"
#include "core/base/text_limits.h"
#include "core/curves/find_runs.h"
#include "core/curves/unread_formats.h"
#include "core/data/corpus.h"
#include "core/data/dataset.h"
#include "core/data/lexicon.h"
#include "core/data/lines.h"
#include "core/data/recipe.h"
#include "core/data/sentences.h"
#include "core/data/system_output.h"
#include "core/metrics/alignment_error.h"
#include "core/run/checkpoint_files.h"
#include "core/run/jsonrpc.h"
#include "core/run/recording.h"
#include "core/run/sweep.h"
#include "core/store/chunk.h"
#include "core/store/event_log.h"
#include "core/systems/score_files.h"
#include "core/text/bpe.h"
#include "core/text/pipeline.h"
#include "core/text/vocabulary.h"

namespace strata::fuzz {
namespace {

// The bytes as a file of this name, in a folder of this process's own; what lies beside such a file
// is there, too.
fs::path fileOf(std::string_view bytes, const std::string& name) {
  static const TemporaryFolder kFolder;
  const fs::path path = kFolder / name, folder = path.parent_path();
  if (!fs::exists(folder)) {
    const fs::path beside = fs::path(STRATA_SOURCE_DIR) / "tests/fuzz/beside" / folder.filename();
    fs::create_directories(folder);
    if (fs::exists(beside)) fs::copy(beside, folder, fs::copy_options::recursive);
  }
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path;
}

void eventLog(std::string_view bytes) {
  scanLog(fileOf(bytes, "events.log"), 0, [](RecordKind kind, std::string_view payload) {
    if (kind == RecordKind::kEvent) (void)tryParseJson(payload);
    if (kind == RecordKind::kScalars)
      unpackScalars(payload, [](std::string_view, std::span<const PackedPoint>) {});
  });
}

void chunk(std::string_view bytes) {
  std::vector<PackedPoint> points;
  decodeChunk(std::as_bytes(std::span(bytes)), points);
}

void json(std::string_view bytes) {
  (void)parseJson(bytes, "input");
}

// What is written again is read as the same.
void yaml(std::string_view bytes) {
  const Json value = parseYaml(bytes, "input").value;
  if (parseYaml(toYaml(value), "again").value != value) __builtin_trap();
}

void safetensors(std::string_view bytes) {
  (void)SafetensorsFile(fileOf(bytes, "model.safetensors"));
}

void corpus(std::string_view bytes) {
  (void)Corpus(fileOf(bytes, "train.corpus"));
}

// Plain or packed, by the first bytes.
void lines(std::string_view bytes) {
  TextLines text(fileOf(bytes, "lines").string(), /*quiet=*/true);
  std::string_view line;
  for (int count = 0; count < 100'000 && text.next(line); ++count) {
  }
}

void archive(std::string_view bytes) {
  TextLines text(fileOf(bytes, "all.tgz").string() + ":a", /*quiet=*/true);
  std::string_view line;
  for (int count = 0; count < 100'000 && text.next(line); ++count) {
  }
}

void systemOutput(std::string_view bytes) {
  (void)readSystemOutput(fileOf(bytes, "output"));
}

void scores(std::string_view bytes) {
  (void)readScoreFile(fileOf(bytes, "scores"));
}

void tensorboard(std::string_view bytes) {
  (void)readTensorBoard(fileOf(bytes, "events.out.tfevents.1.host"), {});
}

void fairseq(std::string_view bytes) {
  (void)readFairseq(fileOf(bytes, "train.log"), {});
}

void joeynmt(std::string_view bytes) {
  (void)readJoeyNmt(fileOf(bytes, "validations.txt"), {});
}

// By the beginning, and by names that count.
void unreadFormats(std::string_view bytes) {
  for (const char* name : {"figures", "metrics.csv", "meta.yaml", "log.jsonl.gz"})
    (void)unreadFormatOf(fileOf(bytes, name));
}

void rpcMessage(std::string_view bytes) {
  (void)rpc::parse(bytes);
}

void sweep(std::string_view bytes) {
  const Sweep parsed = parseSweep(bytes, "input");
  if (runCount(parsed) < 1000) (void)expandSweep(parsed);
}

void recipe(std::string_view bytes) {
  (void)parseRecipe(bytes, "input");
}

void recordings(std::string_view bytes) {
  (void)readRecordings(fileOf(bytes, "recordings/index.json").parent_path());
}

void checkpoint(std::string_view bytes) {
  (void)damageOf(fileOf(bytes, "step-00000001/manifest.json").parent_path());
}

void dataset(std::string_view bytes) {
  (void)Dataset(fileOf(bytes, "dataset/manifest.yaml").parent_path());
}

void pipeline(std::string_view bytes) {
  (void)TextPipeline::load(fileOf(bytes, "text/pipeline.yaml").parent_path());
}

void vocabulary(std::string_view bytes) {
  (void)Vocabulary::parse(bytes, "input");
}

void bpe(std::string_view bytes) {
  (void)Bpe::read(fileOf(bytes, "codes"));
}

void lexicon(std::string_view bytes) {
  (void)readLexicon(fileOf(bytes, "lexicon.tsv"));
}

// By the first byte: each format, counted from 0 or 1.
void alignments(std::string_view bytes) {
  if (bytes.empty()) return;
  constexpr AlignmentFormat kFormats[] = {AlignmentFormat::kPharaoh, AlignmentFormat::kMixed,
                                          AlignmentFormat::kNaacl};
  const unsigned way = static_cast<unsigned char>(bytes[0]);
  const auto read = parseAlignments(bytes.substr(1), "links",
                                    {.format = kFormats[way % 3], .fromOne = way / 3 % 2 == 1});
  (void)seemsToCountFromOne(read);
}

// All that follows from a file of sentences, by what its name says.
void sentencesNamed(std::string_view bytes, const std::string& name) {
  TextInput input{.location = fileOf(bytes, name).string()};
  input.choice = {.role = TextRole::kReference, .language = "en", .otherLanguage = "de"};
  const auto text = openLines(input, /*quiet=*/true);
  std::string_view line;
  while (text->next(line)) {
    if (line.find('\n') != std::string_view::npos) __builtin_trap();
  }
  (void)languagesIn(input.location);
}

void segments(std::string_view bytes) {
  sentencesNamed(bytes, "set.sgm");
}

void tmx(std::string_view bytes) {
  sentencesNamed(bytes, "memory.tmx");
}

void jsonLines(std::string_view bytes) {
  sentencesNamed(bytes, "pairs.jsonl");
}

void sentences(std::string_view bytes) {
  sentencesNamed(bytes, "sentences");
}

constexpr std::array kTargets{Target{"event_log", eventLog},
                              Target{"chunk", chunk},
                              Target{"json", json},
                              Target{"yaml", yaml},
                              Target{"safetensors", safetensors},
                              Target{"corpus", corpus},
                              Target{"lines", lines},
                              Target{"archive", archive},
                              Target{"system_output", systemOutput},
                              Target{"scores", scores},
                              Target{"tensorboard", tensorboard},
                              Target{"fairseq", fairseq},
                              Target{"joeynmt", joeynmt},
                              Target{"unread_formats", unreadFormats},
                              Target{"rpc", rpcMessage},
                              Target{"sweep", sweep},
                              Target{"recipe", recipe},
                              Target{"recordings", recordings},
                              Target{"checkpoint", checkpoint},
                              Target{"dataset", dataset},
                              Target{"pipeline", pipeline},
                              Target{"vocabulary", vocabulary},
                              Target{"bpe", bpe},
                              Target{"lexicon", lexicon},
                              Target{"alignments", alignments},
                              Target{"segments", segments},
                              Target{"tmx", tmx},
                              Target{"json_lines", jsonLines},
                              Target{"sentences", sentences}};

}  // namespace

std::span<const Target> targets() {
  return kTargets;
}

}  // namespace strata::fuzz
