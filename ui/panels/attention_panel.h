#pragma once
#include <optional>

#include "core/inside/attention_maps.h"
#include "ui/data/attention_pictures.h"
#include "ui/data/background.h"
#include "ui/data/values.h"
#include "ui/panels/recordings_panel.h"

class QAction;
class QBoxLayout;
class QCheckBox;
class QComboBox;
class QLabel;
class QListWidget;
class QStackedWidget;

namespace strata::ui {
class AttentionViews;
class OtherRecording;

// Every attention of any model for the recorded sentences: by kind, layer and head, alone or as the
// difference to another recorded step or run.
class AttentionPanel : public RecordingsPanel {
  Q_OBJECT
 public:
  explicit AttentionPanel(QAction* runDemo, QWidget* parent = nullptr);

  void setAllRuns(const QVector<RunRow>& runs);       // in addition to setRuns()
  void setOther(const SharedRecordings& recordings);  // ignored unless they are to be compared with

  bool isUpToDate() const override;
  Here here() const override;
  Json saveState() const override;
  void restoreState(const Json& state) override;
  AttentionViews* views() const { return views_; }

 signals:
  void otherRequested(qint64 run, qint64 step);  // the recordings for setOther()

 private:
  void follow(const Selection& choice) override;
  void showRecordings() override;
  void showSentence(int index) override;
  QString lackOf(const RunRow& run) const override;
  QWidget* makeRunBar();
  QWidget* makeChoiceBar();
  QWidget* makeOtherBar();
  QWidget* makePictures();
  QCheckBox* addSwitch(QBoxLayout* bar, const char* name, const QString& text, const QString& help);

  void fillSentences();
  void fillChoices();
  void fillKinds();
  void fillUnits();
  void requestOther();
  void draw();
  void drawPictures();
  struct Drawing;
  void showDrawing(Drawing drawing);
  void showFigures(const Drawing& drawing);
  void explain(const AttentionRequest& request);
  QString missing() const;                     // why there is no picture; empty: there is one
  LackPage::Remedy remedy();                   // for what is missing
  const SentenceRecordings* sentence() const;  // null: none
  OtherSentence otherSentence() const;
  AttentionKind kind() const;
  AttentionRequest request() const;
  std::vector<AttentionLayer> layers() const;  // of the kind
  QStringList command() const;

  QComboBox *kinds_, *layers_, *units_;
  QCheckBox *words_, *rowSums_, *fixedScale_;
  OtherRecording* others_;
  QListWidget* sentences_;
  QStackedWidget* pages_;
  AttentionViews* views_;
  LackPage* missing_;
  QLabel *refused_, *readout_, *figures_, *equation_;

  QVector<RunRow> runs_;
  SharedRecordings other_ = std::make_shared<StepRecordings>();
  Background* computing_;
  bool waitsForOther_ = false;
  std::optional<AttentionKind> wantedKind_;
  int wantedLayer_ = AttentionChoice::kMean;
  std::optional<int> wantedUnit_;  // none: the mean of heads, all parts of a dense encoder
  std::optional<int> restoredSentence_;
};

}  // namespace strata::ui
