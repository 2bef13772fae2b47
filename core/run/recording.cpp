#include "core/run/recording.h"

#include <algorithm>
#include <map>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/safetensors.h"
#include "core/base/text_limits.h"

namespace strata {
namespace {

constexpr int kFormat = 1;
constexpr std::size_t kMaximumSentences = 100000;

// The tensor of one sentence within a recording's file, by its place in the index.
std::string tensorName(std::size_t sentence) {
  return fmt::format("sentence.{}", sentence);
}

void checkRecording(const Recording& recording) {
  const std::string& name = recording.info.name;
  if (name.empty() || name.front() == '.' || name.find_first_of("/\\") != std::string::npos) {
    throw Error("'{}' cannot name a recording: it is also a file name", name);
  }
  const TensorView view{DType::kFloat32, recording.shape, {}};
  if (view.elements() != std::ssize(recording.values) ||
      recording.shape.size() != recording.info.axes.size()) {
    throw Error("the recording '{}' has {} values and {} axes, which does not match its shape [{}]",
                name, recording.values.size(), recording.info.axes.size(),
                fmt::join(recording.shape, ", "));
  }
}

// The recordings of one name over all sentences.
struct Series {
  RecordingInfo info;
  std::map<std::string, TensorView> tensors;
  std::vector<std::size_t> sentences;
};

std::map<std::string, Series> seriesOf(const std::vector<SentenceRecordings>& sentences) {
  std::map<std::string, Series> all;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    for (const Recording& recording : sentences[i].recordings) {
      checkRecording(recording);
      Series& series = all[recording.info.name];
      series.info = recording.info;
      series.sentences.push_back(i);
      const std::string_view bytes(reinterpret_cast<const char*>(recording.values.data()),
                                   recording.values.size() * sizeof(float));
      if (!series.tensors
               .emplace(tensorName(i), TensorView{DType::kFloat32, recording.shape, bytes})
               .second) {
        throw Error("'{}' is recorded twice for sentence {}", recording.info.name,
                    sentences[i].sentence);
      }
    }
  }
  return all;
}

Recording readOne(const SafetensorsFile& file, const RecordingInfo& info, std::size_t sentence) {
  const TensorView& view = file.at(tensorName(sentence));
  if (view.type != DType::kFloat32 || view.shape.size() != info.axes.size()) {
    throw Error("the recording '{}' of sentence {} is not F32 with {} axes", info.name, sentence,
                info.axes.size());
  }
  Recording recording{.info = info, .shape = view.shape, .values = {}};
  recording.values.resize(static_cast<std::size_t>(view.elements()));
  std::copy(view.bytes.begin(), view.bytes.end(), reinterpret_cast<char*>(recording.values.data()));
  return recording;
}

std::vector<SentenceRecordings> readSentences(const Json& list) {
  if (list.size() > kMaximumSentences) throw Error("too many sentences: {}", list.size());
  std::vector<SentenceRecordings> sentences;
  for (const Json& entry : list) {
    SentenceRecordings& sentence = sentences.emplace_back();
    sentence.sentence = entry.at("sentence").get<std::int64_t>();
    sentence.source = entry.at("source").get<std::vector<std::string>>();
    sentence.target = entry.at("target").get<std::vector<std::string>>();
  }
  return sentences;
}

void readSeries(const fs::path& folder, const Json& entry,
                std::vector<SentenceRecordings>& sentences) {
  const RecordingInfo info = recordingInfoFrom(entry);
  const fs::path path = pathInside(folder, entry.at("file").get<std::string>());
  if (digestOfFile(path) != entry.at("digest").get<std::string>()) {
    throw Error("{} is damaged: its digest differs from the one in index.json", path.string());
  }
  const SafetensorsFile file(path);
  for (const Json& place : entry.at("sentences")) {
    const auto index = place.get<std::size_t>();
    if (index >= sentences.size())
      throw Error("sentence {} of {} is not in index.json", index, path.string());
    sentences[index].recordings.push_back(readOne(file, info, index));
  }
}

}  // namespace

Json toJson(const RecordingInfo& info) {
  return {{"name", info.name},   {"kind", info.kind}, {"side", info.side},
          {"layer", info.layer}, {"axes", info.axes}, {"first_level", info.firstLevel}};
}

RecordingInfo recordingInfoFrom(const Json& json) {
  return {.name = json.at("name").get<std::string>(),
          .kind = json.at("kind").get<std::string>(),
          .side = json.at("side").get<std::string>(),
          .layer = json.at("layer").get<int>(),
          .axes = json.at("axes").get<std::vector<std::string>>(),
          .firstLevel = json.value("first_level", 0)};
}

void writeRecordings(const std::filesystem::path& folder,
                     const std::vector<SentenceRecordings>& sentences) {
  Json index{{"format", kFormat}, {"sentences", Json::array()}, {"recordings", Json::array()}};
  for (const SentenceRecordings& sentence : sentences) {
    index["sentences"].push_back({{"sentence", sentence.sentence},
                                  {"source", sentence.source},
                                  {"target", sentence.target}});
  }
  for (const auto& [name, series] : seriesOf(sentences)) {
    const std::string file = name + ".safetensors";
    writeSafetensors(folder / file, series.tensors);
    Json entry = toJson(series.info);
    entry["file"] = file;
    entry["digest"] = digestOfFile(folder / file);
    entry["sentences"] = series.sentences;
    index["recordings"].push_back(std::move(entry));
  }
  // Last: a reader that finds the index finds every file that it names.
  writeFileAtomic(folder / "index.json", index.dump(1) + "\n");
}

namespace {

// Hands the checked index of a folder to `read`; damage is an error that names the file.
template <typename Read>
auto withIndex(const fs::path& folder, const Read& read) {
  const fs::path path = folder / "index.json";
  const Json index = readJson(path);
  try {
    if (index.at("format") != kFormat) {
      throw Error("{} has format {}, but this program reads {}", path.string(),
                  index.at("format").dump(), kFormat);
    }
    return read(index);
  } catch (const nlohmann::json::exception& error) {
    throw Error("{} is not an index of recordings: {}", path.string(), error.what());
  }
}

}  // namespace

std::vector<SentenceRecordings> readRecordings(const std::filesystem::path& folder) {
  return withIndex(folder, [&](const Json& index) {
    std::vector<SentenceRecordings> sentences = readSentences(index.at("sentences"));
    for (const Json& entry : index.at("recordings")) readSeries(folder, entry, sentences);
    return sentences;
  });
}

std::vector<RecordingInfo> readRecordingInfos(const std::filesystem::path& folder) {
  return withIndex(folder, [](const Json& index) {
    std::vector<RecordingInfo> infos;
    for (const Json& entry : index.at("recordings")) infos.push_back(recordingInfoFrom(entry));
    return infos;
  });
}

}  // namespace strata
