#include "ui/data/data_service.h"

#include <QElapsedTimer>

#include "core/base/error.h"
#include "core/data/recipe.h"
#include "ui/data/text.h"

namespace strata::ui {
namespace {

constexpr int kProgressMs = 100;

class SignalProgress : public Progress {
 public:
  explicit SignalProgress(std::function<void(const QString&, qint64)> send)
      : send_(std::move(send)) {
    sent_.start();
  }
  void begin(std::string_view what, std::int64_t, std::string_view) override {
    what_ = qs(what);
    send_(what_, 0);
  }
  void advance(std::int64_t done) override {
    if (sent_.elapsed() < kProgressMs) return;
    sent_.restart();
    send_(what_, done);
  }

 private:
  std::function<void(const QString&, qint64)> send_;
  QString what_;
  QElapsedTimer sent_;
};

PrepareOptions resolved(const PrepareCall& call) {
  if (call.recipe.empty()) return call.options;
  if (call.from.empty())
    throw Error("choose the files of the recipe first: {}", findRecipe(call.recipe).get);
  return resolveRecipe(findRecipe(call.recipe), {call.from.begin(), call.from.end()});
}

}  // namespace

LatestTask::LatestTask(const QString& name, QObject* parent)
    : QObject(parent), worker_(new QObject) {
  worker_->moveToThread(&thread_);
  connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
  thread_.setObjectName(name);
  thread_.start();
}

LatestTask::~LatestTask() {
  stop();
  thread_.quit();
  thread_.wait();
}

void LatestTask::stop() {
  latest_.request_stop();
}

void LatestTask::start(Task task) {
  stop();
  latest_ = {};
  QMetaObject::invokeMethod(
      worker_,
      [task = std::move(task), stop = latest_.get_token()] {
        if (!stop.stop_requested()) task(stop);
      },
      Qt::QueuedConnection);
}

DataService::DataService(const QString& workspace, QObject* parent)
    : QObject(parent),
      workspace_(workspace),
      guesses_(QStringLiteral("guesses"), nullptr),
      previews_(QStringLiteral("previews"), nullptr),
      descriptions_(QStringLiteral("datasets"), nullptr) {}

void DataService::guess(const QStringList& places, const QString& recipe) {
  guesses_.start([this, places, recipe](const std::stop_token& stop) {
    try {
      ChosenFiles chosen{
          .places = places, .call = {}, .unused = {}, .recipeTitle = {}, .recipeGet = {}};
      if (recipe.isEmpty()) {
        const FileGuess guess = guessFiles(toStd(places));
        chosen.call.options = guess.options;
        chosen.unused = qs(guess.unused);
      } else {
        const Recipe found = findRecipe(toStd(recipe));
        chosen.call = {.options = found.options, .recipe = toStd(recipe), .from = toStd(places)};
        chosen.recipeTitle = qs(found.title);
        chosen.recipeGet = qs(found.get);
      }
      if (!stop.stop_requested()) emit guessed(chosen);
    } catch (const std::exception& error) {
      if (!stop.stop_requested()) emit guessFailed(QString::fromUtf8(error.what()));
    }
  });
}

void DataService::preview(const PrepareCall& call, qint64 limit) {
  previews_.start([this, call, limit](const std::stop_token& stop) {
    try {
      SignalProgress progress(
          [this](const QString& what, qint64 done) { emit previewProgress(what, done); });
      PreviewOptions options;
      options.limit = limit;
      options.stop = stop;
      auto preview =
          std::make_shared<const DatasetPreview>(previewDataset(resolved(call), options, progress));
      if (!stop.stop_requested()) emit previewed(std::move(preview));
    } catch (const std::exception& error) {
      if (!stop.stop_requested()) emit previewFailed(QString::fromUtf8(error.what()));
    }
  });
}

void DataService::stopPreview() {
  previews_.stop();
}

void DataService::describe(const QString& dataset, qint64 limit) {
  descriptions_.start([this, dataset, limit](const std::stop_token& stop) {
    try {
      const Dataset found =
          Dataset::open(toStd(workspace_ + QStringLiteral("/datasets")), toStd(dataset));
      DatasetDescription description{dataset, found.manifest(), qs(found.folder().string())};
      emit described(description);
      found.requireIntact();
      description.verified = true;
      if (stop.stop_requested()) return;
      emit described(description);
      PreviewOptions options;
      options.limit = limit;
      options.stop = stop;
      auto figures = std::make_shared<const DatasetFigures>(datasetFigures(found, options));
      if (stop.stop_requested()) return;
      emit figuresRead(dataset, std::move(figures));
    } catch (const std::exception& error) {
      if (!stop.stop_requested()) emit describeFailed(dataset, QString::fromUtf8(error.what()));
    }
  });
}

}  // namespace strata::ui
