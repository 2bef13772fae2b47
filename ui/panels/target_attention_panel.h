#pragma once
#include <string>
#include <vector>

#include "core/run/hypothesis.h"
#include "ui/data/history_maps.h"
#include "ui/data/values.h"
#include "ui/panels/recordings_panel.h"

class QAction;
class QCheckBox;
class QComboBox;
class QHBoxLayout;
class QSpinBox;
class QTabWidget;

namespace strata::ui {
class HistoryCorpusView;
class HistorySentenceView;

// Attention of a decoder that attends to its own history (DHEA), for a recorded sentence or
// hypothesis and over all recorded sentences.
class TargetAttentionPanel : public RecordingsPanel {
  Q_OBJECT
 public:
  explicit TargetAttentionPanel(QAction* newRun, QWidget* parent = nullptr);

  // The n-best list of a sentence just translated with a run; shown above the recorded sentences.
  // `source`: its tokens, </s> included.
  void setHypotheses(qint64 run, const std::vector<std::string>& source,
                     const std::vector<Hypothesis>& hypotheses);

  bool isUpToDate() const override;
  Here here() const override;
  Json saveState() const override;
  void restoreState(const Json& state) override;
  HistorySentenceView* sentence() const { return sentence_; }
  HistoryCorpusView* corpus() const { return corpus_; }

 private:
  void follow(const Selection& choice) override;
  QString lackOf(const RunRow& run) const override;
  void showRecordings() override;
  QWidget* makeRunBar();
  QWidget* makeStyleBar();
  void addStyle(QHBoxLayout* layout, QWidget* bar);
  void fillLayers();
  void showSentence(int index) override;
  void fillSentences();
  void drawSentence();
  void showChosen();  // the current tab
  void exportTab(const QString& path);
  LayerChoice layer() const;

  QComboBox* layers_;
  QCheckBox *words_, *fixedScale_;
  QSpinBox* longest_;
  QTabWidget* tabs_;
  HistorySentenceView* sentence_;
  HistoryCorpusView* corpus_;

  qint64 hypothesesRun_ = 0;
  std::vector<std::string> hypothesesSource_;
  std::vector<std::string> picked_;  // the recorded sentence that was chosen here
  std::vector<Hypothesis> hypotheses_;
  int wantedLayer_ = LayerChoice::kMean;
};

}  // namespace strata::ui
