// strata-run serve: answers JSON-RPC 2.0 requests on stdin and stdout, one message per line.
#include <unistd.h>

#include <csignal>
#include <memory>

#include "app/engine/verbs.h"
#include "app/server/lines.h"
#include "app/server/loaded_models.h"
#include "app/server/paper_methods.h"
#include "app/server/server.h"
#include "app/server/setup_methods.h"
#include "app/server/translation_methods.h"
#include "core/train/device.h"
#include "core/train/memory.h"

namespace strata {
namespace {

struct ServeOptions {
  std::string device = "auto";
  int threads = 0;
  int models = 3;
};

void runServer(const GlobalOptions& global, const ServeOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed reader ends the session, not the program
  keepFreedMemory();
  selectDevice(options.device);  // must precede any use of libtorch, see loadCuda()
  auto models =
      std::make_shared<LoadedModels>(LoadedModelOptions{.workspace = global.workspace,
                                                        .device = options.device,
                                                        .threads = options.threads,
                                                        .maximum = std::size_t(options.models)});
  auto methods = translationMethods(models);
  methods.merge(setupMethods({.workspace = global.workspace, .device = options.device}));
  methods.merge(paperMethods(global.workspace));
  const int output = reserveOutput();
  ServeServer(std::move(methods)).serve(STDIN_FILENO, output);
  ::close(output);
}

}  // namespace

void addServeCommand(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<ServeOptions>();
  auto* verb = app.add_subcommand("serve", "Answer JSON-RPC requests on stdin and stdout");
  verb->add_option("--device", options->device, "auto, cpu, cuda or cuda:N")->capture_default_str();
  verb->add_option("--threads", options->threads, "Threads of the operators; 0: all cores")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  verb->add_option("--models", options->models, "Maximum number of models kept loaded")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  verb->footer(
      "One JSON-RPC 2.0 message per line. Methods: hello, presets, tables, schema, dryRun, load,\n"
      "translate, force, step, cancel. Exits at the end of its input.\n"
      "Example:\n"
      "  echo "
      "'{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"translate\",\"params\":{\"run\":\"first\","
      "\"text\":\"Das ist gut.\"}}' |\n"
      "    strata-run serve");
  verb->callback([options, &global] { runServer(global, *options); });
}

}  // namespace strata
