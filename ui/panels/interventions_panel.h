#pragma once
#include "ui/data/run_effects.h"
#include "ui/data/values.h"
#include "ui/panels/measured_panel.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTabWidget;

namespace strata::ui {
class CategoryPlot;
class EffectScatter;
class ReportTable;

// Weights are not importance: how much a run's model loses on its validation set without each of
// its parts, next to the weight that it gives them. What has been measured is shown at once; a
// button measures the rest.
class InterventionsPanel : public ReportPanel<RunEffects> {
  Q_OBJECT
 public:
  explicit InterventionsPanel(QAction* runDemo, QWidget* parent = nullptr);

  QStringList arguments() const override;

  Here here() const override;
  Json saveState() const override;
  void restoreState(const Json& state) override;

 private:
  QWidget* makeActions();
  QWidget* makePictures();
  QWidget* makeSummary();
  bool isOfChoice(const EffectsReport& report) const override;
  void choose(const EffectsReport& report) override;
  void showFound() override;
  void showButtons() override;
  void offer(bool choose) override;
  QString caption() const override;
  QString lacking() const override;
  LackPage::Remedy remedy() override;
  QString howMeasured() const override;
  void listFigures();
  void draw();
  void drawByLayer();
  void drawScatter();
  EffectKind kind() const;
  std::vector<EffectKind> kindsOfModel() const;
  EffectMode mode() const;
  void exportPicture(const QString& path);

  QComboBox *kind_, *mode_, *figure_;
  QPushButton* bleu_;
  QLabel* lists_;
  QTabWidget* pictures_;
  CategoryPlot* byLayer_;
  EffectScatter* byWeight_;
  ReportTable* table_;

  QString wantedFigure_;  // a picture that cannot draw it draws its first
};

}  // namespace strata::ui
