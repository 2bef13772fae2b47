#pragma once
#include <QTimer>
#include <QWidget>
#include <optional>
#include <string>
#include <vector>

#include "core/inside/attention_override.h"
#include "core/run/serve_protocol.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTableWidget;
class QVBoxLayout;

namespace strata::ui {
class TranslationsTable;

// Gives other weights to an attention of the decoder, or to the hops of its fusion, at one token of
// a translation: all on one word, none on a word, or any weights. Shows what the model makes of the
// sentence from there on, beside what it makes of it without this change. It asks only while it is
// visible.
class AttentionOverride : public QWidget {
  Q_OBJECT
 public:
  explicit AttentionOverride(QWidget* parent = nullptr);

  // The hypothesis that Translate shows, for which `request` has asked.
  void setTranslation(const serve::TranslateRequest& request, const Hypothesis& shown);
  void clear();
  void setTarget(int token);     // of the hypothesis
  void followTarget(int token);  // it was chosen elsewhere: what it asks can wait a moment
  // The request for what the change makes of it; none: nothing has been changed yet.
  const std::optional<serve::TranslateRequest>& changed() const { return changed_; }

  // Answers to the latest request of each kind.
  void setMaps(const serve::LoadReply& reply);
  void setUnchanged(const serve::TranslateReply& reply);
  void setChanged(const serve::TranslateReply& reply);
  void setProblem(const QString& message);

 signals:
  void targetChosen(int token);  // here
  void mapsRequested(const strata::ModelChoice& model);
  void unchangedRequested(const strata::serve::TranslateRequest& request);
  void changedRequested(const strata::serve::TranslateRequest& request);
  void cancelRequested();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeWeights();
  void addButtons(QVBoxLayout* layout);
  void ask();                 // what is not known yet of the model, or of the token
  void fillMaps();            // of the model
  void fillUnits(int units);  // of the maps
  void showWeights();         // of the choice
  void forget();
  void startAgain();        // the weights are the model's own
  void give(bool forbid);   // all weight to the words selected, or none
  void readGiven(int row);  // what the user has typed
  void translate();
  void showTranslations();
  OverridePlace place() const;
  serve::TranslateRequest requestAt() const;  // begins with the tokens before the target

  std::optional<serve::TranslateRequest> request_, changed_;  // request_: none, no translation
  Hypothesis shown_;
  std::string loading_;  // the model whose maps are being asked for
  bool asked_ = false;   // for what the model makes of the sentence without a change
  std::string mapsOf_;   // the model whose maps are listed; empty: none
  std::vector<RecordingInfo> maps_;
  std::optional<SentenceRecordings> own_;  // without a change
  std::optional<Hypothesis> unchanged_, other_;
  GivenWeights given_;
  QComboBox *target_, *map_, *unit_;
  QTableWidget* weights_;
  QPushButton *only_, *forbid_, *reset_, *translate_;
  TranslationsTable* translations_;
  QLabel* hint_;
  QTimer askLater_;
};

}  // namespace strata::ui
