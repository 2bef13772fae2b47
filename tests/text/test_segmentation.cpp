#include <QTest>
#include <thread>

#include "core/base/utf8.h"
#include "core/text/character_classes.h"
#include "core/text/language.h"
#include "core/text/segmentation.h"
#include "core/text/tokenizer.h"
#include "tests/fixture.h"
#include "tests/program.h"
#include "text/same.h"

using namespace strata;
using strata::testing::same;

namespace {

std::string segmented(const std::string& line) {
  std::string out = "left over";
  segment(line, out);
  return out;
}

std::string joined(const std::string& words) {
  std::string out = "left over";
  joinSegments(words, out);
  return out;
}

// A line that is the same after it was split and joined.
void comesBack(const char* line) {
  same(joined(segmented(line)), line);
}

// What must be left of a line: all but white space, control characters and zero-width spaces.
std::string bytesOf(std::string_view line) {
  const CharacterClasses classes;
  std::string kept;
  forEachCharacter(line, [&](char32_t c, std::string_view bytes) {
    if (c >= 0x20 && c != 0x200B && !classes.is(c, kWhiteSpace)) kept += bytes;
  });
  return kept;
}

}  // namespace

class TestSegmentation : public QObject {
  Q_OBJECT
 private slots:
  void splitsAtWordsOfTheScript();
  void keepsWhatBelongsTogether();
  void losesNoByte();
  void dependsOnNoThread();
  void joinsWithoutSpaces();
  void keepsSpacesOfOtherScripts();
  void textComesBack();
  void knowsLanguagesWithoutSpaces();
  void countsWords();
};

void TestSegmentation::splitsAtWordsOfTheScript() {
  same(segmented("一个男人在街上骑自行车。"), "一个 男人 在 街上 骑 自行 车 。");
  same(segmented("老师喜欢音乐。"), "老师 喜欢 音乐 。");
  same(segmented("コンピューターを使う"), "コンピューター を 使う");
  same(segmented("ประเทศไทย สวัสดี"), "ประเทศไทย สวัสดี");
  same(segmented("ภาษาไทยง่าย"), "ภาษา ไทย ง่าย");
}

void TestSegmentation::keepsWhatBelongsTogether() {
  // Latin words, numbers and marks between Chinese.
  same(segmented("2023年买iPhone，1,299.50元！"), "2023 年 买 iPhone ， 1,299.50 元 ！");
  same(segmented("don't停"), "don't 停");
  // Full-width digits and letters, an emoji of several characters, flags, combining marks.
  same(segmented("１０００円ＡＢＣ"), "１０００ 円 ＡＢＣ");
  same(segmented("好👨‍👩‍👧❤️🇨🇳🇯🇵"),
       "好 👨‍👩‍👧 ❤️ 🇨🇳 🇯🇵");
  same(segmented("e\u0301te\u0301好"), "e\u0301te\u0301 好");
  same(segmented("\U00020000\U00020001"), "\U00020000 \U00020001");
  // Nothing is an entity: these are the marks of the line.
  same(segmented("<b>&amp;|[好]"), "< b > & amp ; | [ 好 ]");
}

void TestSegmentation::losesNoByte() {
  same(segmented("  北京\t\u3000上海\u00A0广州 "), "北京 上海 广州");
  same(segmented(""), "");
  same(segmented(" \u3000 "), "");
  same(segmented("ខ្ញុំ\u200Bស្រលាញ់"), "ខ្ញុំ ស្រលាញ់");
  same(segmented(std::string("北\x01京")), "北京");
  same(segmented("好 \u0301a"), "好 \u0301 a");  // a combining mark of its own
  // All characters, in steps that meet every block, next to each other and to Chinese.
  std::string line;
  for (char32_t c = 1; c < 0x110000; c += c < 0x3400 ? 1 : 37) {
    if (c >= 0xD800 && c < 0xE000) continue;
    appendUtf8(line, c);
    if (c % 5 == 0) line += "北京";
    if (c % 7 == 0) line += " ";
    if (line.size() < 300) continue;
    const std::string out = segmented(line);
    QCOMPARE(bytesOf(out), bytesOf(line));
    QVERIFY(isValidUtf8(out));
    QVERIFY(!out.starts_with(' ') && !out.ends_with(' ') && !holds(out, "  "));
    QCOMPARE(segmented(out), out);  // of words it makes the same words
    line.clear();
  }
}

void TestSegmentation::dependsOnNoThread() {
  const std::string line = "他说：“今天天气很好。”然后他去北京了";
  const std::string expected = segmented(line);
  std::vector<std::string> found(8);
  {
    std::vector<std::jthread> threads;
    for (std::string& out : found) {
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) segment(line, out);
      });
    }
  }
  for (const std::string& out : found) QCOMPARE(out, expected);
  QVERIFY(segmenterVersion().starts_with("ICU "));
}

void TestSegmentation::joinsWithoutSpaces() {
  same(joined("他 说 ： “ 你好 ！ ”"), "他说：“你好！”");
  same(joined("我 在 IBM 工作 , 2023 年 起 ."), "我在IBM工作,2023年起.");
  same(joined("こ れ は iPhone です 。"), "これはiPhoneです。");
  same(joined("你好 😀 👨‍👩‍👧 ！"), "你好😀👨‍👩‍👧！");
  same(joined("约 30 % 的 人 ， 25 ℃"), "约30%的人，25℃");
  same(joined("在 <unk> 里"), "在<unk>里");
  same(joined("ภาษา ไทย ง่าย"), "ภาษาไทยง่าย");
  same(joined(""), "");
  same(joined(" 你 "), "你");
}

void TestSegmentation::keepsSpacesOfOtherScripts() {
  same(joined("他 说 “ Hello , World ! ” 。"), "他说“Hello, World!”。");
  same(joined("New York 和 Dr . Smith ( 2019 )"), "New York和Dr. Smith (2019)");
  same(joined("AT & T 、 e - mail 、 10 : 30 、 $ 5"), "AT&T、e-mail、10:30、$5");
  same(joined("ใช้ iPhone ทุก วัน"), "ใช้ iPhone ทุกวัน");
  same(joined("한국어 문장"), "한국어 문장");
  same(joined("a \" b c \" d"), "a \"b c\" d");
}

void TestSegmentation::textComesBack() {
  comesBack("他在2023年买了iPhone，花了1,299.50元（约合$180）。");
  comesBack("乔治·布什——他……");
  comesBack("公交车来自Washington Park，它是白色的。");
  comesBack("これはiPhone 15です。ＡＢＣ");
  comesBack("สวัสดีครับ!");
  comesBack("ភាសាខ្មែរ។");
}

void TestSegmentation::knowsLanguagesWithoutSpaces() {
  for (const char* code : {"zh", "zho", "chi", "zh-TW", "zh_Hans", "cmn", "yue", "ja", "jpn", "th",
                           "tha", "lo", "km", "my", "bur", "ZH"}) {
    QVERIFY2(isWrittenWithoutSpaces(code), code);
    QCOMPARE(tokenizerFor("icu", code), std::string("icu"));
    QCOMPARE(tokenizerFor("moses", code), std::string("moses"));
  }
  for (const char* code : {"en", "de", "tr", "ko", "vi", "cn", "", "x", "../zh", "zh/.."}) {
    QVERIFY2(!isWrittenWithoutSpaces(code), code);
    QCOMPARE(tokenizerFor("icu", code), std::string("moses"));
    QCOMPARE(tokenizerFor("none", code), std::string("none"));
  }
  for (const char* name : kTokenizers) checkTokenizer(name);
  QHOLDS(usageErrorOf([] { checkTokenizer("jieba"); }),
         "'jieba'; expected one of moses, icu, none");
}

void TestSegmentation::countsWords() {
  QCOMPARE(unspacedWords("学生喜欢北京，OK"), 3);
  QCOMPARE(unspacedWords("Hello, world 5"), 0);
  QVERIFY(isUnspacedLetter(U'京') && isUnspacedLetter(U'か') && isUnspacedLetter(U'ก'));
  QVERIFY(!isUnspacedLetter(U'a') && !isUnspacedLetter(U'한') && !isUnspacedLetter(U'，'));
}

STRATA_GUILESS_TEST(TestSegmentation)
#include "test_segmentation.moc"
