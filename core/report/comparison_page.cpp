#include "core/report/comparison_page.h"

#include <fmt/ranges.h>

#include "core/report/comparison_charts.h"
#include "core/report/comparison_page_parts.h"
#include "core/report/comparison_tables.h"
#include "core/report/html.h"
#include "core/report/page_files.h"

namespace strata {
namespace {

std::string tableHtml(const Table& table) {
  return htmlTable(table, {.rowTitles = true});
}

// A table with its caption as a paragraph, since a narrow table would break it into many lines.
std::string titledTable(Table table) {
  const std::string title = element("p", table.caption);
  table.caption.clear();
  return title + tableHtml(table);
}

std::string figure(const std::string& svg) {
  return "<figure class=\"scroll\">" + svg + "</figure>\n";
}

// The contents of the page's sections follow, as HTML.

std::string scoresPart(const Comparison& comparison) {
  std::string out;
  for (const std::string& note : comparisonNotes(comparison)) out += element("p", note);
  if (comparison.metrics.size() > 1) out += tableHtml(overviewTable(comparison));
  for (std::size_t m = 0; m < comparison.metrics.size(); ++m) {
    out += element("h3", comparison.metrics[m].metric->name());
    out += tableHtml(scoreTable(comparison, m)) + figure(scoresSvg(comparison, m));
  }
  if (comparison.systems.size() < 2) return out;
  return out + element("h3", "Oracle: the best translation of each sentence") +
         titledTable(oracleTable(comparison));
}

// Runs, likelihoods, n-best lists and own scores; empty if there are none.
std::string analysesPart(const Comparison& comparison) {
  std::string out;
  for (const NotedTable& noted : analysisTables(comparison)) {
    out += element("h3", noted.title) + element("p", noted.note);
    for (const Table& table : noted.tables) out += tableHtml(table);
  }
  return out;
}

std::string bucketsPart(const Comparison& comparison) {
  std::string out =
      element("p",
              "The score of a bucket is the corpus score of its sentences, with the 95 % "
              "interval from resamples within the bucket.");
  for (const BucketTable& table : comparison.buckets) {
    out += element("h3", table.title);
    if (!table.note.empty()) out += element("p", table.note);
    Table shown = bucketTable(comparison, table);
    shown.caption = comparison.first().metric->name();
    out += tableHtml(shown) + figure(bucketsSvg(comparison, table));
  }
  if (!comparison.wordAccuracy.empty()) {
    out += element("h3", "Words by training frequency");
    out += titledTable(wordAccuracyTable(comparison));
  }
  return out;
}

std::string ngramsPart(const Comparison& comparison) {
  std::string out = tableHtml(ngramTotalsTable(comparison));
  out += element("p",
                 "An n-gram of a translation is confirmed if it matches a reference, at most as "
                 "often as it occurs in the reference that has it most often. Lists are sorted by "
                 "(a + 1) / (a + b + 2) with the counts a in one and b in the other, so that the "
                 "largest differences come first.");
  for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
    out += "<details><summary>" + escapedHtml(comparison.systems[s].name) +
           "</summary>\n<div class=\"lists\">\n";
    for (const Table& table : ngramListTables(comparison, s)) out += tableHtml(table);
    out += "</div></details>\n";
  }
  return out;
}

std::string differencesPart(const Comparison& comparison) {
  if (comparison.systems.size() < 2) return "";
  const Metric& metric = *comparison.first().metric;
  std::string out = element("p", fmt::format("Sentence {} minus that of {}{}.", metric.name(),
                                             comparison.systems[comparison.baseline].name,
                                             metric.higherIsBetter() ? "" : "; below 0 is better"));
  out += "<div class=\"charts\">\n";
  for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
    if (s != comparison.baseline) out += differencesSvg(comparison, s);
  }
  return out + "</div>";
}

constexpr std::string_view kFilter = R"(<form id="filter" role="search">
<p><label>Pattern (regular expression) <input id="pattern" type="search" size="28" aria-describedby="wrong"></label>
<label>in <select id="where"></select></label>
<label><input id="case" type="checkbox"> match case</label> <span id="wrong" role="alert"></span></p>
<p><label>Words of the reference from <input id="shortest" type="number" min="0"></label>
<label>to <input id="longest" type="number" min="0"></label>
<label id="unknown-part" hidden>at most <input id="unknown" type="number" min="0"> of them outside the vocabulary</label></p>
<p><label>Score or difference of <select id="column"></select></label>
<label>from <input id="lowest" type="number" step="any"></label>
<label>to <input id="highest" type="number" step="any"></label>
<button type="reset">Clear</button></p>
</form>
<p id="remain" role="status"></p>
)";

constexpr std::string_view kSentenceTable = R"(<p class="pager">
<label>Translations show changes against <select id="against"><option value="baseline">the baseline</option>
<option value="reference">the reference</option><option value="none">nothing</option></select></label>
<span class="legend">longest confirmed n-gram of a word: <span class="n0">none</span> <span class="n1">1</span>
<span class="n2">2</span> <span class="n3">3</span> <span class="n4">4 or more</span>;
<ins>added</ins> <del>removed</del></span></p>
<div class="scroll"><table id="sentence-table"><thead id="head"></thead><tbody id="rows"></tbody></table></div>
<p class="pager"><button type="button" id="previous">Previous</button> <span id="where-shown" role="status"></span>
<button type="button" id="next">Next</button></p>
)";

// The table into which the script writes the scores of the sentences that pass the filter.
std::string remainingScores(const MetricComparison& compared) {
  const std::string name = escapedHtml(compared.metric->name());
  return fmt::format(
      "<div class=\"scroll\"><table id=\"remaining\"><caption>Corpus {0} of these sentences"
      "</caption><thead><tr><th scope=\"col\">system</th><th scope=\"col\" "
      "class=\"right\">{0}</th><th scope=\"col\" class=\"right\">difference</th></tr></thead>"
      "<tbody id=\"left\"></tbody></table></div>\n",
      name);
}

std::string sentencesPart(const Comparison& comparison) {
  const Metric& metric = *comparison.first().metric;
  std::string out = "<noscript><p>The table of sentences needs JavaScript.</p></noscript>\n";
  out += "<div id=\"sentence-part\" hidden>\n";
  out +=
      element("p", fmt::format("Scores are sentence {}{}; \u0394 is the difference from {}. Click "
                               "the button of a line to show its translations.",
                               metric.name(), metric.higherIsBetter() ? "" : " (lower is better)",
                               comparison.systems[comparison.baseline].name));
  out += kFilter;
  if (const MetricComparison* bleu = pageBleu(comparison)) out += remainingScores(*bleu);
  out += kSentenceTable;
  return out + "</div>";
}

// Links to the sections that have contents, and these.
std::string sections(const Comparison& comparison) {
  std::vector<std::string> links;
  std::string parts;
  const auto add = [&](const char* id, const char* title, const std::string& part) {
    if (part.empty()) return;
    links.push_back(fmt::format("<a href=\"#{}\">{}</a>", id, title));
    parts += fmt::format("<section id=\"{}\"><h2>{}</h2>\n{}</section>\n", id, title, part);
  };
  add("scores", "Scores", scoresPart(comparison));
  add("analyses", "Analyses", analysesPart(comparison));
  add("texts", "Texts", tableHtml(statisticsTable(comparison)));
  add("buckets", "Buckets", bucketsPart(comparison));
  add("ngrams", "N-grams", ngramsPart(comparison));
  add("differences", "Sentence differences", differencesPart(comparison));
  add("sentences", "Sentences", sentencesPart(comparison));
  return fmt::format("<nav aria-label=\"Contents\">{}</nav>\n<main>\n{}</main>\n",
                     fmt::join(links, " "), parts);
}

}  // namespace

std::string comparisonPage(const Comparison& comparison) {
  const std::string baseline =
      comparison.systems.size() < 2
          ? ""
          : "; the baseline is " + comparison.systems[comparison.baseline].name;
  const std::string summary =
      element("p", fmt::format("{} sentences, {} reference{}{}.", comparison.sentences.size(),
                               comparison.references.size(),
                               comparison.references.size() == 1 ? "" : "s", baseline));
  const std::string scripts = fmt::format(
      "<script type=\"application/json\" id=\"data\">{}</script>\n<script>{}</script>\n",
      pageData(comparison), pageFile("comparison.js"));
  return documentHtml(
      {.title =
           comparison.systems.size() < 2
               ? fmt::format("{} on {}", comparison.systems.front().name, comparison.testSet)
               : fmt::format("{} systems on {}", comparison.systems.size(), comparison.testSet),
       .style = pageFile("comparison.css"),
       .head =
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
           "'unsafe-inline'; script-src 'unsafe-inline'\">\n",
       .body = summary + sections(comparison) + scripts});
}

}  // namespace strata
