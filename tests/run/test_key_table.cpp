// A struct's keys described once: the list of keys, the strict reader and the writer.
#include <QtTest>

#include "core/run/key_table.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

enum class Colour { kRed, kBlue };
constexpr std::pair<const char*, Colour> kColours[] = {{"red", Colour::kRed},
                                                       {"blue", Colour::kBlue}};

struct Room {
  std::int64_t doors = 2;
};

struct House {
  std::int64_t floors = 2, windows = 8;
  double height = 6.5;
  bool garden = false;
  Colour colour = Colour::kBlue;
  double low = 0.5, high = 1.5;
  std::optional<double> price;
  std::vector<Room> rooms;
  Room common{3};
};

void describe(KeyTable& keys, Room& room) {
  keys.add("doors", room.doors, "Doors of the room.").atLeast(1).atMost(4);
}

void describe(KeyTable& keys, House& house) {
  keys.add("floors", house.floors, "Floors.").atLeast(1).unit("floors");
  keys.section("outside.");
  keys.add("windows", house.windows, "Windows; default: four per floor.")
      .atLeast(0)
      .follows([&house] { house.windows = 4 * house.floors; });
  keys.add("colour", house.colour, kColours, "Colour of the walls.");
  keys.add("garden", house.garden, "Whether there is a garden.").onlyIf([&house] {
    return house.colour == Colour::kRed;
  });
  keys.section("", /*resumable=*/true);
  keys.add("limits", {&house.low, &house.high}, "Two numbers.").atLeast(0);
  keys.add("price", house.price, "Price; empty: not for sale.").above(0);
  keys.addList("rooms", house.rooms, "The rooms.", [&house] { return house.common; });
}

const ConfigKey& keyOf(const std::vector<ConfigKey>& keys, const std::string& path) {
  for (const ConfigKey& key : keys) {
    if (key.path == path) return key;
  }
  throw usageError("no key {}", path);
}

House read(const Json& json) {
  House house;
  tableOf(house).readStrictly(json, "house.json");
  return house;
}

}  // namespace

class TestKeyTable : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void keysSayWhatTheDescriptionSays();
  void absentValuesKeepOrFollow();
  void listItemsStartFromTheBlankOne();
  void wrongValuesAreNamed();
  void whatIsWrittenIsReadBack();
  void nullsAreFilledIn();
};

void TestKeyTable::keysSayWhatTheDescriptionSays() {
  House house;
  const auto keys = tableOf(house).keys("house.");
  QCOMPARE(keys.size(), std::size_t{7});
  QCOMPARE(keys.front().path, "house.floors");
  QCOMPARE(keys.front().unit, "floors");
  QCOMPARE(keys.front().defaultValue, Json(2));
  QCOMPARE(keys.front().minimum.value(), 1.0);
  QVERIFY(!keys.front().resumable);
  QVERIFY(keyOf(keys, "house.outside.windows").defaultValue.is_null());
  QCOMPARE(keyOf(keys, "house.outside.colour").choices, (std::vector<std::string>{"red", "blue"}));
  QCOMPARE(keyOf(keys, "house.outside.colour").defaultValue, Json("blue"));
  QCOMPARE(keyOf(keys, "house.limits").length, 2);
  QVERIFY(keyOf(keys, "house.limits").resumable);
  QVERIFY(keyOf(keys, "house.price").exclusive);
  QCOMPARE(keyOf(keys, "house.rooms").items.at(0).defaultValue, Json(3));
}

void TestKeyTable::absentValuesKeepOrFollow() {
  QCOMPARE(read(Json::object()).windows, 8);
  QCOMPARE(read({{"floors", 5}}).windows, 20);
  QCOMPARE(read({{"floors", 5}, {"outside", {{"windows", nullptr}}}}).windows, 20);
  QCOMPARE(read({{"floors", 5}, {"outside", {{"windows", 3}}}}).windows, 3);
  QVERIFY(!read(Json::object()).price);
  QCOMPARE(read({{"price", 2}}).price.value(), 2.0);
  QCOMPARE(read({{"limits", {1, 2}}}).high, 2.0);
  QCOMPARE(read({{"floors", 4e0}}).floors, 4);
}

void TestKeyTable::listItemsStartFromTheBlankOne() {
  const House house = read({{"rooms", Json::array({Json::object(), {{"doors", 1}}})}});
  QCOMPARE(house.rooms.size(), std::size_t{2});
  QCOMPARE(house.rooms[0].doors, 3);
  QCOMPARE(house.rooms[1].doors, 1);
}

void TestKeyTable::wrongValuesAreNamed() {
  const auto refused = [](const Json& json) { return usageErrorOf([&] { read(json); }); };
  QHOLDS(refused({{"flors", 2}}),
         "house.json: unknown key 'flors'; the nearest valid key is 'floors'");
  QHOLDS(refused({{"floors", 0}}), "'floors' must be an integer of at least 1 (floors), not 0");
  QHOLDS(refused({{"floors", nullptr}}), "'floors' must be an integer");
  QHOLDS(refused({{"price", 0}}), "'price' must be a number greater than 0");
  QHOLDS(refused({{"limits", {1}}}), "'limits' must be a list of 2 numbers");
  QHOLDS(refused({{"outside", {{"colour", "bleu"}}}}), "did you mean 'blue'?");
  QHOLDS(refused({{"rooms", Json::array({{{"doors", 5}}})}}), "'rooms.0.doors'");
  House house;
  QHOLDS(usageErrorOf([&] {
           tableOf(house).readAll({{"floors", 2}}, "house.json");
         }),
         "no key 'outside.windows'");
}

void TestKeyTable::whatIsWrittenIsReadBack() {
  House house = read({{"floors", 3}, {"price", 1.5}, {"outside", {{"colour", "red"}}}});
  house.garden = true;
  const Json written = tableOf(house).json();
  QCOMPARE(written["outside"]["windows"], Json(12));
  QCOMPARE(written["outside"]["garden"], Json(true));
  House again = read(written);
  QCOMPARE(tableOf(again).json(), written);
  again.colour = Colour::kBlue;  // then the garden does not matter
  QVERIFY(!tableOf(again).json()["outside"].contains("garden"));
}

void TestKeyTable::nullsAreFilledIn() {
  House house = read({{"floors", 3}});
  Json tree{{"floors", 7}, {"outside", {{"windows", nullptr}}}};
  tableOf(house).fillIn(tree);
  QCOMPARE(tree["floors"], Json(7));
  QCOMPARE(tree["outside"]["windows"], Json(12));
}

STRATA_GUILESS_TEST(TestKeyTable)
#include "test_key_table.moc"
