#include "app/mcp/engine.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "app/child_process.h"
#include "app/server/lines.h"
#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/base/text_limits.h"
#include "core/run/jsonrpc.h"

namespace strata::mcp {
namespace {

constexpr auto kShutdown = std::chrono::milliseconds(1500);  // until it is killed
// Our own child is trusted: the reply to a request without recordings is small all the same.
constexpr TextLimits kAnswer{.bytes = std::size_t{256} << 20, .values = 50'000'000};
constexpr int kNothing = -1;  // a descriptor that is not watched

// A pipe that no other child inherits, so that its end is seen when one side closes.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_, O_CLOEXEC) != 0)
      throw Error("a pipe to the engine cannot be made: {}", std::strerror(errno));
  }
  ~Pipe() {
    closeRead();
    closeWrite();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int read() const { return ends_[0]; }
  int write() const { return ends_[1]; }
  void closeRead() { close(ends_[0]); }
  void closeWrite() { close(ends_[1]); }

 private:
  static void close(int& end) {
    if (end >= 0) ::close(std::exchange(end, -1));
  }

  int ends_[2] = {-1, -1};
};

}  // namespace

class Engine::Child {
 public:
  explicit Child(const std::vector<std::string>& arguments)
      : process_(arguments, {.errorFile = {},
                             .output = fromChild_.write(),
                             .errors = STDERR_FILENO,
                             .input = toChild_.read()}),
        answers_(fromChild_.read(), kNothing, kAnswer.bytes),
        requests_(kNothing, toChild_.write(), 0) {
    toChild_.closeRead();
    fromChild_.closeWrite();
    reader_ = std::jthread([this] { readAnswers(); });
  }

  ~Child() {
    toChild_.closeWrite();  // it ends at the end of its input
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, kShutdown, [this] { return hasEnded_; })) process_.signal(SIGKILL);
  }

  bool hasEnded() {
    const std::lock_guard lock(mutex_);
    return hasEnded_;
  }

  Json call(const std::string& method, const Json& params, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const std::int64_t id = nextId_++;
    waiting_[id];
    send(id, method, params);
    const auto answered = [&] { return hasEnded_ || waiting_[id].has_value(); };
    changed_.wait(lock, stop, answered);
    const std::optional<Json> answer = std::move(waiting_[id]);
    waiting_.erase(id);
    if (!answer && !hasEnded_) {
      send(nextId_++, "cancel", {{"id", id}});
      throw Cancelled();
    }
    if (!answer) {
      throw Error(
          "the engine {} during {}; it starts again with the next call, this one is not "
          "repeated",
          end_, method);
    }
    if (answer->contains("result")) return answer->at("result");
    const Json& error = answer->at("error");
    if (error.value("code", 0) == rpc::kCancelled) throw Cancelled();
    throw Error("{}", error.value("message", "the engine gave no reason"));
  }

 private:
  // With the lock held.
  void send(std::int64_t id, const std::string& method, const Json& params) {
    requests_.write(rpc::line(rpc::Request{.id = id, .method = method, .params = params}));
  }

  void readAnswers() {
    std::string line;
    while (answers_.read(line) == ServeLines::Read::kLine) {
      Json message = tryParseJson(line, kAnswer).value_or(nullptr);
      if (!message.is_object() || !message.contains("id") || !message["id"].is_number_integer())
        continue;
      const std::lock_guard lock(mutex_);
      const auto found = waiting_.find(message["id"].get<std::int64_t>());
      if (found == waiting_.end()) continue;  // cancelled, or the answer to a cancel
      found->second = std::move(message);
      changed_.notify_all();
    }
    const std::string end = ChildProcess::describe(process_.wait(), "");
    const std::lock_guard lock(mutex_);
    end_ = end;
    hasEnded_ = true;
    changed_.notify_all();
  }

  Pipe toChild_, fromChild_;
  ChildProcess process_;
  ServeLines answers_, requests_;

  std::mutex mutex_;  // guards the members below
  std::condition_variable_any changed_;
  std::int64_t nextId_ = 1;
  std::map<std::int64_t, std::optional<Json>> waiting_;
  bool hasEnded_ = false;
  std::string end_;      // how it ended
  std::jthread reader_;  // the last member: its thread uses the others
};

Engine::Engine(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}

Engine::~Engine() = default;

Json Engine::call(const std::string& method, const Json& params, const std::stop_token& stop) {
  std::shared_ptr<Child> child;
  {
    const std::lock_guard lock(mutex_);
    if (child_ == nullptr || child_->hasEnded()) child_ = std::make_shared<Child>(arguments_);
    child = child_;
  }
  return child->call(method, params, stop);
}

}  // namespace strata::mcp
