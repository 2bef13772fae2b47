#include "app/program.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "app/commands/standard_output.h"
#include "core/base/error.h"
#include "core/base/error_message.h"
#include "core/base/log.h"
#include "core/base/version.h"

namespace strata {
namespace {

constexpr int kFailure = 1;
constexpr int kWrongUsage = 2;
constexpr int kTimedOut = 124;  // as timeout(1)
constexpr const char* kWorkspaceOption = "--workspace";
constexpr const char* kLogOption = "--log-level";

int statusOf(ErrorKind kind) {
  if (kind == ErrorKind::kTimeout) return kTimedOut;
  return kind == ErrorKind::kUsage ? kWrongUsage : kFailure;
}

std::filesystem::path defaultWorkspace() {
  if (const char* chosen = std::getenv("STRATA_WORKSPACE"); chosen != nullptr && *chosen != '\0')
    return chosen;
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home != nullptr ? home : ".") / "Strata";
}

// Opens /dev/null for a closed stream: otherwise the first opened file would get its descriptor and
// receive the output.
void openStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    const int null = ::open("/dev/null", O_RDWR);
    if (null != stream) {
      ::dup2(null, stream);
      ::close(null);
    }
  }
}

bool mayRepeat(const CLI::Option& option) {
  return option.get_expected_max() == CLI::detail::expected_max_vector_size &&
         !option.get_allow_extra_args() && !option.get_positional();
}

// Shows "may repeat" instead of "TEXT ..." for options with one value that may be given repeatedly.
class Help : public CLI::Formatter {
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string text = CLI::Formatter::make_option_opts(option);
    return mayRepeat(*option) ? CLI::detail::find_and_replace(text, " ...", ", may repeat") : text;
  }
};

// A hint for the first unexpected argument: often the option before it was thought to take several
// values. Empty if no option precedes it.
std::string hintFor(const CLI::App& app, int argc, char** argv) {
  const auto extras = app.remaining(/*recurse=*/true);
  int at = argc - 1;
  while (at > 0 && (extras.empty() || extras.front() != argv[at])) --at;
  while (at > 0 && *argv[at] != '-') --at;
  const std::string_view word = at > 0 ? argv[at] : "";
  const std::string name(word.substr(0, word.find('=')));
  const CLI::App* verb = &app;
  while (!verb->get_subcommands().empty()) verb = verb->get_subcommands().front();
  const CLI::Option* option = name.empty() ? nullptr : verb->get_option_no_throw(name);
  if (option == nullptr || option->get_type_size() == 0) return {};
  return mayRepeat(*option) ? fmt::format("{0} takes one value and may repeat: {0} A {0} B", name)
                            : fmt::format("{} takes {}", name,
                                          option->get_expected() > 1 ? "no more" : "one value");
}

int parse(int argc, char** argv, std::span<const std::span<const Verb>> verbs) {
  CLI::App app("Research workbench for deep neural machine translation, without a window.",
               "strata-run");
  GlobalOptions global{.workspace = defaultWorkspace()};
  std::string logLevel = "info";
  app.formatter(std::make_shared<Help>());
  app.add_option(kWorkspaceOption, global.workspace, "Folder of datasets and runs")
      ->capture_default_str();
  app.add_option(kLogOption, logLevel, "trace, debug, info, warning, error or off")
      ->capture_default_str();
  app.add_flag("--json", global.json, "Print one JSON document, and nothing else, on stdout");
  app.set_version_flag("--version", std::string(programVersion()));
  app.require_subcommand(1);
  app.fallthrough();
  app.parse_complete_callback([&] { setUpLog(logLevel); });
  for (const auto& group : verbs) {
    for (const Verb& verb : group) verb.add(app, global);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::RuntimeError& status) {
    return status.get_exit_code();  // a verb that has finished with its own exit status
  } catch (const CLI::ExtrasError& error) {
    app.exit(error);
    if (const std::string advice = hintFor(app, argc, argv); !advice.empty())
      std::fprintf(stderr, "%s\n", advice.c_str());
    return kWrongUsage;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  }
  return 0;
}

int runVerb(int argc, char** argv, std::span<const std::span<const Verb>> verbs) {
  try {
    return parse(argc, argv, verbs);
  } catch (const Error& error) {
    std::fprintf(stderr, "strata-run: %s\n", error.what());
    return statusOf(error.kind());
  } catch (const std::system_error& error) {  // of the system, not of this program
    std::fprintf(stderr, "strata-run: %s\n",
                 std::ferror(stdout) != 0 ? cannotPrint(error.code().value()).c_str()
                                          : messageOf(error).c_str());
    return kFailure;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "strata-run: internal error: %s\n", messageOf(error).c_str());
    spdlog::debug("{}", error.what());
    return kFailure;
  }
}

}  // namespace

int runProgram(int argc, char** argv, std::span<const std::span<const Verb>> verbs) {
  openStandardStreams();
  prepareStandardOutput();
  return finishStandardOutput(runVerb(argc, argv, verbs));
}

std::string verbOf(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == kWorkspaceOption || word == kLogOption) {
      ++i;
    } else if (!word.starts_with('-')) {
      return std::string(word);
    }
  }
  return {};
}

}  // namespace strata
