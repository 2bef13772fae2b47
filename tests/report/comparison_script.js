// Runs the script of a comparison's page: node comparison_script.js PAGE FILTERS
// FILTERS is a JSON list of what a reader enters: {pattern, case, where, shortest, longest, unknown, lowest, highest,
// column: {kind, system}}. Written to standard output: for each filter the figures as the script computes them and the
// texts that it puts into the page; and the translations of the first sentences with their marks against "baseline" and
// "reference".
'use strict';
const fs = require('fs');
const page = fs.readFileSync(process.argv[2], 'utf8');
const filters = JSON.parse(fs.readFileSync(process.argv[3], 'utf8'));
const script = page.match(/<script>([^]*?)<\/script>/)[1];
const dataText = page.match(/<script type="application\/json" id="data">([^<]*)<\/script>/)[1];
const data = JSON.parse(dataText);
const kDetails = 40;  // sentences

// As much of a document as the script uses. Only the ids that the page has are found.
class Element {
  constructor(tag) {
    Object.assign(this, {tag, attributes: {}, children: [], listeners: {}, value: '', checked: false, disabled: false});
  }
  setAttribute(name, value) { this.attributes[name] = String(value); }
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  addEventListener(type, listener) { (this.listeners[type] = this.listeners[type] || []).push(listener); }
  fire(type) { for (const listener of this.listeners[type]) listener({preventDefault() {}}); }
  get textContent() {
    return this.children.map((child) => child instanceof Element ? child.textContent : child).join('');
  }
  set textContent(text) { this.children = [text]; }
  get valueAsNumber() { return this.value === '' ? NaN : Number(this.value); }
}
const ids = {};
const document = {
  createElement: (tag) => new Element(tag),
  getElementById: (id) => ids[id] || (page.includes(' id="' + id + '"') ? ids[id] = new Element('') : null),
  querySelector: () => null,
  querySelectorAll: () => [],
};
const window = {addEventListener() {}, getSelection: () => ''};
const atOnce = (call) => call();

function columnIndex({kind, system}) {
  const others = data.systems.map((name, s) => s).filter((s) => s !== data.baseline);
  return 2 + (kind === 'score' ? system : data.systems.length + others.indexOf(system));
}

// The figures alone: the script finds no document.
new Function('document', script)(undefined);
const {figuresOf, valueOf, sorted} = globalThis.strataComparison;
function computed(entered) {
  const bound = (text, otherwise) => text === '' ? otherwise : Number(text);
  const figures = figuresOf(data, {
    pattern: entered.pattern ? new RegExp(entered.pattern, entered.case ? 'u' : 'iu') : null,
    where: entered.where, column: entered.column, unknown: bound(entered.unknown, Infinity),
    length: [bound(entered.shortest, -Infinity), bound(entered.longest, Infinity)],
    range: [bound(entered.lowest, -Infinity), bound(entered.highest, Infinity)]});
  const of = (kind, i) => data.systems.map((name, system) => valueOf(data, {kind, system}, i));
  return {...figures, lengths: figures.sentences.map((i) => valueOf(data, {kind: 'length'}, i)),
          sentenceScores: figures.sentences.map((i) => of('score', i)),
          sentenceDifferences: figures.sentences.map((i) => of('difference', i)),
          best: sorted(data, figures.sentences, {kind: 'score', system: 0}, true)};
}

// The page as a reader sees it.
const text = (element) => element.textContent;
const texts = (id) => ids[id].children.map((row) => row.children.map(text));
function shown(entered) {
  for (const id of ['pattern', 'where', 'shortest', 'longest', 'unknown', 'lowest', 'highest'])
    document.getElementById(id).value = entered[id];
  document.getElementById('case').checked = entered.case;
  document.getElementById('column').value = String(columnIndex(entered.column));
  ids.filter.fire('input');
  const rows = texts('rows');
  while (!ids.next.disabled) {
    ids.next.fire('click');
    rows.push(...texts('rows'));
  }
  return {remain: text(ids.remain), scores: ids.left ? texts('left') : [], rows, wrong: text(ids.wrong)};
}

// The parts of each translation: tag, class, text.
function details(against) {
  ids.against.value = against;
  return ids.rows.children.slice(0, kDetails).map((row, i) => {
    row.fire('click');
    const detail = ids.rows.children[i + 1].children[0].children[0];
    const lines = detail.children[1].children.slice(-data.systems.length);
    const parts = lines.map((line) => line.children[2].children.filter((part) => part instanceof Element)
        .map((part) => [part.tag, part.attributes.class, text(part)]));
    ids.rows.children[i].fire('click');
    return parts;
  });
}

document.getElementById('data').textContent = dataText;
for (const [id, value] of [['where', 'any'], ['column', '2'], ['against', 'baseline']])
  document.getElementById(id).value = value;
new Function('document', 'window', 'setTimeout', 'clearTimeout', script)(document, window, atOnce, () => {});
const marked = {baseline: details('baseline'), reference: details('reference')};
process.stdout.write(JSON.stringify(
    {...marked, filters: filters.map((entered) => ({computed: computed(entered), shown: shown(entered)}))}));
