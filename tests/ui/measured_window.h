#pragma once
#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>

#include "tests/ui/trained_window.h"
#include "ui/panels/measured_panel.h"

namespace strata::ui {

// The window with a panel that measures models, and what its user does. The names of the panel's
// widgets begin with a prefix.
class MeasuredWindow : protected TrainedWindow {
 protected:
  explicit MeasuredWindow(const char* prefix) : prefix_(QLatin1String(prefix)) {}

  void openPanel(const QVector<Trained>& runs, const QString& name) {
    open(runs);
    if (QTest::currentTestFailed()) return;
    window_->showPerspective("inside");
    raise(name);
    measured_ = window_->findChild<MeasuredPanel*>(name + "Panel");
    QTRY_VERIFY_WITH_TIMEOUT(
        measured_->isVisible() && !measured_->isEmpty() && measured_->isUpToDate(), kPatience);
  }

  template <typename T>
  T* part(const char* name) const {
    return window_->findChild<T*>(prefix_ + QLatin1String(name));
  }
  void choose(const char* box, const QString& data) {
    auto* found = part<QComboBox>(box);
    found->setCurrentIndex(found->findData(data));
  }
  void limit(int sentences) { part<QSpinBox>("Limit")->setValue(sentences); }
  QString message() const { return part<QLabel>("Message")->text(); }
  // What the choice lacks, and the button that helps.
  QString lack() const {
    const auto* text = part<QLabel>("Lack");
    return text->isVisible() ? text->text() : QString();
  }
  QPushButton* remedy() const { return part<QPushButton>("LackRemedy"); }
  bool canStart() const { return part<QPushButton>("Start")->isEnabled(); }
  bool isBusy() const { return part<QProgressBar>("Progress")->isVisible(); }

  void show(const QString& run) {
    measured_->select({.run = idOf(run)});
    QTRY_VERIFY_WITH_TIMEOUT(measured_->isUpToDate(), kPatience);
  }
  void start() {
    QVERIFY(canStart());
    QTest::mouseClick(part<QPushButton>("Start"), Qt::LeftButton);
  }
  // Starts, and cancels at once.
  void startAndCancel() {
    start();
    QTest::mouseClick(part<QPushButton>("Cancel"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(message().contains("Cancelled"), kPatience);
    QVERIFY(canStart());
  }

  QString copied() const { return copiedFrom(measured_); }
  Json printedByCopied(const QString& further = {}) const {
    return parseJson(outputOfCopied(measured_, "--json " + further).toStdString(), "copied");
  }

 private:
  QString prefix_;
  MeasuredPanel* measured_ = nullptr;
};

}  // namespace strata::ui
