#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTimer>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>

#include "core/base/error.h"
#include "core/base/version.h"
#include "ui/data/text.h"
#include "ui/style/theme.h"
#include "ui/window/benchmark.h"
#include "ui/window/loop_watch.h"
#include "ui/window/main_window.h"
#include "ui/window/screenshots.h"
#include "ui/window/usable.h"

namespace {
using namespace strata;

struct Arguments {
  ui::MainWindow::Options window;
  ui::ScreenshotOptions screenshot;  // folder empty: none
  bool exitWhenUsable = false;
  std::optional<double> benchmark;  // its scale
};

QString defaultWorkspace() {
  const QString given = qEnvironmentVariable("STRATA_WORKSPACE");
  return given.isEmpty() ? QDir::homePath() + QStringLiteral("/Strata") : given;
}

QSize readSize(const QString& text) {
  const QStringList parts = text.split(QLatin1Char('x'));
  bool wide = false, high = false;
  const QSize size(parts.value(0).toInt(&wide), parts.value(1).toInt(&high));
  if (parts.size() != 2 || !wide || !high || size.width() < 200 || size.height() < 150) {
    throw usageError(
        "--size {}: must be WIDTHxHEIGHT in pixels, at least 200x150, such as 1280x800",
        ui::toStd(text));
  }
  return size;
}

int readColours(const QString& text) {
  bool number = false;
  const int colours = text.toInt(&number);
  if (!number || colours < 2 || colours > 256)
    throw usageError("--colours {}: must be a number from 2 to 256", ui::toStd(text));
  return colours;
}

double readScale(const QString& text) {
  bool number = false;
  const double scale = text.toDouble(&number);
  if (!number || !(scale > 0 && scale <= 1))
    throw usageError("--scale {}: must be a number above 0, up to 1", ui::toStd(text));
  return scale;
}

Arguments readArguments(const QStringList& given) {
  QCommandLineParser parser;
  parser.setApplicationDescription(
      QCoreApplication::translate("main", "The workbench: train, watch, look inside, compare."));
  const QCommandLineOption workspace("workspace", "Folder of datasets and runs [~/Strata].", "DIR",
                                     defaultWorkspace());
  const QCommandLineOption theme("theme", "light, dark or system.", "THEME");
  const QCommandLineOption screenshot(
      "screenshot", "Write a screenshot of each panel and of the window to DIR and exit.", "DIR");
  const QCommandLineOption panel("panel", "With --screenshot: only this panel, or window.", "NAME");
  const QCommandLineOption run("run", "With --screenshot: the run that is chosen [the newest].",
                               "NAME");
  const QCommandLineOption size("size", "With --screenshot: size of the window.", "WIDTHxHEIGHT",
                                "1280x800");
  const QCommandLineOption colours(
      "colours", "With --screenshot: the most frequent colours only, 2 to 256: small files.", "N");
  const QCommandLineOption benchmark(
      "benchmark",
      "Measure how fast the window starts and draws, in a workspace that it generates, print it as "
      "JSON with the limits, and exit.");
  const QCommandLineOption scale(
      "scale", "With --benchmark: this fraction of its runs, points and words.", "FRACTION", "1");
  const QCommandLineOption usable(
      "exit-when-usable", "Exit as soon as the window shows its workspace, to time the start.");
  parser.addOptions(
      {workspace, theme, screenshot, panel, run, size, colours, benchmark, scale, usable});
  parser.addHelpOption();
  parser.addVersionOption();
  parser.process(given);
  if (!parser.positionalArguments().isEmpty()) {
    throw usageError("{}: unknown argument; see strata --help",
                     ui::toStd(parser.positionalArguments().first()));
  }
  Arguments arguments;
  arguments.window.workspace = QFileInfo(parser.value(workspace)).absoluteFilePath();
  if (parser.isSet(theme)) {
    const auto choice = ui::themeChoiceFrom(parser.value(theme));
    if (!choice)
      throw usageError("--theme {}: must be light, dark or system", ui::toStd(parser.value(theme)));
    arguments.window.theme = *choice;
    arguments.window.themeGiven = true;
  }
  arguments.screenshot.folder = parser.value(screenshot);
  arguments.screenshot.panel = parser.value(panel);
  arguments.screenshot.run = parser.value(run);
  arguments.screenshot.size = readSize(parser.value(size));
  if (parser.isSet(colours)) arguments.screenshot.colours = readColours(parser.value(colours));
  const double benchmarkScale = readScale(parser.value(scale));
  if (parser.isSet(benchmark)) arguments.benchmark = benchmarkScale;
  arguments.exitWhenUsable = parser.isSet(usable);
  arguments.window.keepSession = !parser.isSet(screenshot);
  if (arguments.window.keepSession && !arguments.exitWhenUsable)
    arguments.window.recentFile =
        QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
        QStringLiteral("/strata/recent.json");
  return arguments;
}

// Screenshots and benchmarks need no display; the window does.
void choosePlatform(int argc, char** argv) {
  if (qEnvironmentVariableIsSet("QT_QPA_PLATFORM") || !qEnvironmentVariableIsEmpty("DISPLAY") ||
      !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY")) {
    return;
  }
  for (int i = 1; i < argc; ++i) {
    const QByteArray argument(argv[i]);
    for (const char* option :
         {"--screenshot", "--benchmark", "--exit-when-usable", "--help", "--version", "-h", "-v"}) {
      if (argument == option || argument.startsWith(QByteArray(option) + '=')) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
        return;
      }
    }
  }
  std::fputs(
      "strata: there is no display (DISPLAY and WAYLAND_DISPLAY are empty). Start it on a desktop, "
      "or write screenshots of its panels with "
      "`strata --screenshot DIR`.\n",
      stderr);
  std::exit(1);
}

// The package for any computer brings a font, in ../lib/strata, for computers on which none is set
// up.
void findFonts() {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  const auto own = program.parent_path().parent_path() / "lib/strata/fonts/fonts.conf";
  if (!failed && std::filesystem::exists(own, failed) &&
      !std::filesystem::exists("/etc/fonts/fonts.conf", failed) &&
      !qEnvironmentVariableIsSet("FONTCONFIG_FILE"))
    qputenv("FONTCONFIG_FILE", own.c_str());
}

QtMessageHandler showMessage = nullptr;  // Qt's own

// What the offscreen platform says and nobody need act on: once per window that it ignores size
// hints, and, before it has its name, that without a session Qt makes a private folder of its own.
void showFurtherMessages(QtMsgType type, const QMessageLogContext& context, const QString& text) {
  const bool hints = text == QLatin1String("This plugin does not support propagateSizeHints()") &&
                     QGuiApplication::platformName() == QLatin1String("offscreen");
  const bool folder =
      text.startsWith(QLatin1String("QStandardPaths: XDG_RUNTIME_DIR not set, defaulting to ")) &&
      qgetenv("QT_QPA_PLATFORM") == "offscreen";
  if (!hints && !folder) showMessage(type, context, text);
}

int run(const Arguments& arguments, ui::WatchedApplication& application) {
  if (arguments.benchmark) {
    ui::applyTheme(arguments.window.theme);
    const auto sizes = ui::BenchmarkSizes().scaled(*arguments.benchmark);
    std::cout << ui::runBenchmark(application, sizes).dump(2) << std::endl;
    return 0;
  }
  ui::MainWindow window(arguments.window);
  if (arguments.exitWhenUsable) new ui::ExitWhenUsable(&window);  // owned by the window
  if (arguments.screenshot.folder.isEmpty()) {
    window.show();
    return QApplication::exec();
  }
  ui::Screenshots screenshots(&window, arguments.screenshot);
  QObject::connect(&screenshots, &ui::Screenshots::finished, qApp,
                   [](int status) { QCoreApplication::exit(status); });
  QTimer::singleShot(0, &screenshots, &ui::Screenshots::start);
  return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
  choosePlatform(argc, argv);
  findFonts();
  showMessage = qInstallMessageHandler(showFurtherMessages);
  strata::ui::WatchedApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("strata"));
  QApplication::setApplicationDisplayName(QStringLiteral("Strata"));
  QApplication::setApplicationVersion(strata::ui::qs(strata::programVersion()));
  try {
    return run(readArguments(QApplication::arguments()), application);
  } catch (const strata::Error& error) {
    std::fprintf(stderr, "strata: %s\n", error.what());
    return error.kind() == strata::ErrorKind::kUsage ? 2 : 1;
  }
}
