#include "core/store/database.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <spdlog/spdlog.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <mutex>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/lock_wait.h"

namespace strata {
namespace {

// "STRT" in the header of the file marks it as an index of this program.
constexpr std::int64_t kApplicationId = 0x53545254;
constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};

constexpr std::size_t kLongestPath = 500;        // bytes: SQLite's 512 less what it adds
constexpr std::uintmax_t kLeastSpace = 1 << 20;  // of a log, and what readers share

Error noSpaceFor(const std::filesystem::path& file) {
  return Error("no space left for {}: free some and try again", file.string());
}

IndexDamaged damaged(const std::filesystem::path& file, std::string_view why) {
  return IndexDamaged(
      "{} is damaged ({}): run `strata-run workspace repair`, which rebuilds it from the runs' "
      "folders",
      file.string(), why);
}

// Of SQLite's messages about a statement: those of which a damaged schema is the cause, since the
// program's statements fit its own.
bool blamesSchema(std::string_view message) {
  for (const char* part : {"no such ", "unsupported file format", "foreign key mismatch"}) {
    if (message.find(part) != std::string_view::npos) return true;
  }
  return message.starts_with("table ");  // "... has no column named", "... already exists"
}

// In WAL mode the writer's lock is on the file of shared memory, otherwise on the index itself.
Error inUse(const std::filesystem::path& file) {
  std::string owner = writeLockOwner(file.string() + "-shm");
  if (owner.empty()) owner = writeLockOwner(file);
  if (owner.empty()) owner = "another process";
  return Error(
      "{} has been in use by {} for too long: let it go on (kill -CONT) or end it, "
      "then try again",
      file.string(), owner);
}

[[noreturn]] void throwTranslated(const SQLite::Exception& error,
                                  const std::filesystem::path& file) {
  switch (error.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw inUse(file);
    case SQLITE_FULL:
      throw noSpaceFor(file);
    case SQLITE_IOERR:  // also of a file next to it that cannot be made longer
      if (freeSpace(file) < kLeastSpace) throw noSpaceFor(file);
      throw Error("{}: {}", file.string(), error.what());
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      throw damaged(file, error.what());
    case SQLITE_CANTOPEN:
      if (file.string().size() > kLongestPath)
        throw Error("{} is too long a path for the index: choose another folder with --workspace",
                    file.string());
      [[fallthrough]];
    case SQLITE_READONLY:
    case SQLITE_PERM:
      throw Error("cannot open {} for writing ({}): check the folder's permissions", file.string(),
                  error.what());
    case SQLITE_ERROR:
      if (blamesSchema(error.what())) throw damaged(file, error.what());
      [[fallthrough]];
    default:
      throw Error("{}: {}", file.string(), error.what());
  }
}

template <typename Work>
auto guarded(const std::filesystem::path& file, Work&& work) {
  try {
    return work();
  } catch (const SQLite::Exception& error) {
    throwTranslated(error, file);
  }
}

std::uint32_t bigEndian(const char* bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// The files that this process has connections to. When a process closes any descriptor of a file,
// the system drops all locks that the process has on it, SQLite's, too; another process would then
// take the index for its own and remove the log that this one writes. So nobody may read a file
// that is open by itself. (By device and number: a file may have several names.)
struct OpenFiles {
  using File = std::pair<dev_t, ino_t>;
  std::mutex mutex;
  std::multiset<File> files;

  static OpenFiles& all() {
    static OpenFiles open;
    return open;
  }
  static File fileAt(const std::filesystem::path& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 ? File(info.st_dev, info.st_ino) : File();
  }
  // Counts the file until the last copy of the result is gone. The caller holds the mutex.
  std::shared_ptr<void> count(const File& file) {
    files.insert(file);
    return {nullptr, [this, file](void*) {
              const std::lock_guard lock(mutex);
              files.erase(files.find(file));
            }};
  }
};

// Reads a file as it is, without its log and without locks.
std::unique_ptr<SQLite::Database> openUnchanging(const std::filesystem::path& file) {
  std::string path;
  for (const char c : file.string()) {
    const bool special = c == '%' || c == '?' || c == '#';
    path += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return std::make_unique<SQLite::Database>("file:" + path + "?immutable=1",
                                            SQLite::OPEN_READONLY | SQLite::OPEN_URI);
}

constexpr const char* kSchemaRows =
    "SELECT type || ' ' || name, COALESCE(sql, '') FROM sqlite_master WHERE name NOT LIKE "
    "'sqlite\\_stat%' ESCAPE '\\'";

bool hasTables(const std::filesystem::path& file) {
  try {
    return openUnchanging(file)->execAndGet("SELECT COUNT(*) FROM sqlite_master").getInt() > 0;
  } catch (const SQLite::Exception&) {
    return false;
  }
}

IndexIsNewer tooNew(const std::filesystem::path& file, std::int64_t found, int known) {
  return IndexIsNewer(
      "{} was written by a newer version of this program (format {}, this one knows {}): "
      "use that version; nothing was changed",
      file.string(), found, known);
}

}  // namespace

bool isNetworkFileSystem(const std::filesystem::path& path) {
  struct statfs info {};
  if (::statfs(path.c_str(), &info) != 0) return false;
  constexpr std::array<std::uint32_t, 14> kRemote{
      0x6969,      // NFS
      0x517B,      // SMB
      0xFF534D42,  // CIFS
      0xFE534D42,  // SMB2
      0x0BD00BD0,  // Lustre
      0x47504653,  // GPFS
      0x5346414F,  // AFS
      0x6B414653,  // kAFS
      0x00C36400,  // Ceph
      0x19830326,  // BeeGFS
      0x01021997,  // 9P
      0x73757245,  // Coda
      0xAAD7AAEA,  // PanFS
      0x20030528,  // OrangeFS
  };
  return std::ranges::find(kRemote, static_cast<std::uint32_t>(info.f_type)) != kRemote.end();
}

Database::Database(const std::filesystem::path& file, const DatabaseOptions& options)
    : file_(file), options_(options) {
  {
    OpenFiles& all = OpenFiles::all();
    const std::lock_guard lock(all.mutex);
    if (!all.files.contains(OpenFiles::fileAt(file_))) refuseForeign();
    guarded(file_, [&] { open(); });
    isOpen_ = all.count(OpenFiles::fileAt(file_));
  }
  const int known = indexSchema().version;
  if (version() == 0 && !options_.readOnly) createTables();
  const int found = version();
  if (found > known) throw tooNew(file_, found, known);
  if (found < known && !options_.older) {
    throw IndexIsOlder(
        "{} has an older format ({}; this program's is {}): open the workspace for "
        "writing once, for example with `strata-run runs list`",
        file_.string(), found, known);
  }
  if (options_.readOnly) execute("PRAGMA query_only = 1");
}

Database::~Database() {
  idle_.clear();  // statements are destroyed before their connection
}

// Checks the file's header before SQLite may touch it: a file of another or a newer program stays
// unchanged.
void Database::refuseForeign() const {
  std::array<char, 100> header{};
  std::ifstream in(file_, std::ios::binary);
  if (!in) return;
  in.read(header.data(), header.size());
  if (in.gcount() == 0) return;
  // The versions of formats that a program needs to write and to read the file; SQLite knows 2.
  const bool known = header[18] <= 2 && header[19] <= 2 && header[18] >= 0 && header[19] >= 0;
  if (std::string_view(header.data(), 16) != kSqliteMagic || in.gcount() < 100 || !known) {
    throw IndexDamaged(
        "{} is damaged or not an index of this program: run `strata-run workspace repair`, "
        "which keeps it under another name and rebuilds it from the runs' folders",
        file_.string());
  }
  const std::int64_t found = bigEndian(header.data() + 60);
  const std::int64_t application = bigEndian(header.data() + 68);
  // Killed before it had made the tables, this program leaves no number.
  if (application != kApplicationId && (application != 0 || hasTables(file_))) {
    throw IndexIsForeign("{} belongs to another program: choose another folder with --workspace",
                         file_.string());
  }
  if (found > indexSchema().version) throw tooNew(file_, found, indexSchema().version);
}

// SQLite keeps a file next to the index even for readers. Where it cannot, nobody else on this
// computer writes the index either.
void Database::openUnwritable() {
  try {
    version();
  } catch (const IndexDamaged&) {
    throw;
  } catch (const Error&) {
    connection_ = openUnchanging(file_);
  }
}

void Database::open() {
  const int flags =
      options_.readOnly ? SQLite::OPEN_READWRITE : SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
  connection_ =
      std::make_unique<SQLite::Database>(file_.string(), flags, options_.busyMilliseconds);
  if (options_.readOnly) openUnwritable();
  connection_->exec("PRAGMA foreign_keys = 1");
  if (version() > indexSchema().version) return;  // the constructor rejects it
  if (!options_.readOnly) {
    connection_->exec("PRAGMA page_size = 8192");
    connection_->exec(options_.network ? "PRAGMA journal_mode = DELETE"
                                       : "PRAGMA journal_mode = WAL");
  }
  // In WAL mode NORMAL keeps the index consistent through a power cut; its lost last seconds are
  // read again from the runs' logs.
  connection_->exec(options_.network ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  connection_->exec("PRAGMA cache_size = -16000");
  if (!options_.network) connection_->exec("PRAGMA mmap_size = 1073741824");
}

void Database::createTables() {
  write([&] {
    if (version() != 0) return;  // another process was faster
    execute(indexSchema().sql);
    execute("PRAGMA application_id = " + std::to_string(kApplicationId));
    execute("PRAGMA user_version = " + std::to_string(indexSchema().version));
  });
}

void Database::execute(const std::string& sql) {
  const std::lock_guard lock(mutex_);
  guarded(file_, [&] { connection_->exec(sql); });
}

int Database::version() {
  const std::lock_guard lock(mutex_);
  return guarded(file_, [&] { return connection_->execAndGet("PRAGMA user_version").getInt(); });
}

std::int64_t Database::dataVersion() {
  Query query(*this, "PRAGMA data_version");
  query.next();
  return query.integer(0);
}

Database::TransactionScope::TransactionScope(Database& database, bool writing)
    : database_(database), outermost_(database.depth_ == 0) {
  if (!outermost_ && writing && !database_.writing_)
    throw Error("{}: writing inside a reading transaction", database_.file_.string());
  if (outermost_) {
    database_.execute(!writing                     ? "BEGIN"
                      : database_.options_.network ? "BEGIN EXCLUSIVE"
                                                   : "BEGIN IMMEDIATE");
    database_.writing_ = writing;
  }
  ++database_.depth_;
}

Database::TransactionScope::~TransactionScope() {
  --database_.depth_;
  if (outermost_ && !done_) database_.connection_->tryExec("ROLLBACK");
}

void Database::TransactionScope::commit() const {
  if (outermost_) database_.execute("COMMIT");
  done_ = true;
}

std::unique_ptr<SQLite::Statement> Database::takeStatement(std::string_view sql) {
  auto& kept = idle_[sql];
  if (kept.empty()) return std::make_unique<SQLite::Statement>(*connection_, std::string(sql));
  auto statement = std::move(kept.back());
  kept.pop_back();
  return statement;
}

void Database::returnStatement(std::string_view sql, std::unique_ptr<SQLite::Statement> statement) {
  statement->tryReset();
  statement->clearBindings();
  idle_[sql].push_back(std::move(statement));
}

Query::Query(Database& database, std::string_view sql)
    : database_(database),
      lock_(database.mutex_),
      sql_(sql),
      statement_(guarded(database.file_, [&] { return database.takeStatement(sql); })) {}

Query::~Query() {
  database_.returnStatement(sql_, std::move(statement_));
}

bool Query::next() {
  return guarded(database_.file_, [&] { return statement_->executeStep(); });
}

std::int64_t Query::run() {
  return guarded(database_.file_, [&] {
    const std::int64_t changed = statement_->exec();
    statement_->reset();
    return changed;
  });
}

std::int64_t Query::integer(int column) {
  return statement_->getColumn(column).getInt64();
}

double Query::number(int column) {
  return isNull(column) ? std::numeric_limits<double>::quiet_NaN()
                        : statement_->getColumn(column).getDouble();
}

std::string Query::text(int column) {
  return statement_->getColumn(column).getString();
}

std::span<const std::byte> Query::blob(int column) {
  const auto value = statement_->getColumn(column);
  const auto* bytes = static_cast<const std::byte*>(value.getBlob());
  return {bytes, static_cast<std::size_t>(value.getBytes())};
}

bool Query::isNull(int column) {
  return statement_->isColumnNull(column);
}

void Query::bindNext(std::int64_t value) {
  guarded(database_.file_, [&] { statement_->bind(++bound_, value); });
}

void Query::bindNext(double value) {
  guarded(database_.file_, [&] {
    if (std::isnan(value)) {
      statement_->bind(++bound_);
    } else {
      statement_->bind(++bound_, value);
    }
  });
}

void Query::bindNext(std::string_view value) {
  guarded(database_.file_, [&] { statement_->bind(++bound_, std::string(value)); });
}

void Query::bindNext(std::span<const std::byte> value) {
  guarded(database_.file_,
          [&] { statement_->bind(++bound_, value.data(), static_cast<int>(value.size())); });
}

std::map<std::string, std::string> schemaOf(Database& database) {
  std::map<std::string, std::string> schema;
  Query row(database, kSchemaRows);
  while (row.next()) schema[row.text(0)] = row.text(1);
  return schema;
}

bool onlyHeaderIsWrong(const std::filesystem::path& file) {
  try {
    std::map<std::string, std::string> schema;
    const auto connection = openUnchanging(file);
    const std::uint32_t known = static_cast<std::uint32_t>(indexSchema().version),
                        found = connection->execAndGet("PRAGMA user_version").getUInt();
    constexpr std::uint32_t kLargestVersion = 255;
    if (found > known && found <= kLargestVersion && std::popcount(found ^ known) > 1) return false;
    SQLite::Statement row(*connection, kSchemaRows);
    while (row.executeStep()) schema[row.getColumn(0)] = row.getColumn(1).getString();
    Database fresh(kInMemory, {});
    return schema == schemaOf(fresh);
  } catch (const SQLite::Exception&) {
    return false;
  }
}

std::int64_t lastInsertId(Database& database) {
  return database.connection().getLastInsertRowid();
}

}  // namespace strata
