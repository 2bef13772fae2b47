// The sentence table of a comparison's page. The page contains each sentence's statistics and marks
// (core/report/comparison_page_data.cpp); this script sums, filters, sorts and shows them.
(function () {
'use strict';
const kRows = 100;  // rows of the sentence table shown at a time

// Sums of sentence statistics for corpus BLEU: a row has the hypothesis length, the reference length, and per order the
// matched n-grams, then all n-grams.
function bleuSums(bleu, system, sentences) {
  const rows = bleu.rows[system], width = 2 + 2 * bleu.order;
  const sums = new Array(width).fill(0);
  for (const i of sentences) {
    for (let c = 0; c < width; ++c) sums[c] += rows[i * width + c];
  }
  return {hypothesis: sums[0], reference: sums[1], correct: sums.slice(2, 2 + bleu.order),
          total: sums.slice(2 + bleu.order)};
}

// BLEU from such sums, as in core/metrics/bleu.cpp.
const logOrLowest = (x) => x === 0 ? -9999999999 : Math.log(x);

function brevityPenalty(sums) {
  if (sums.hypothesis >= sums.reference) return 1;
  return sums.hypothesis > 0 ? Math.exp(1 - sums.reference / sums.hypothesis) : 0;
}

function multiBleu(bleu, sums) {
  if (sums.hypothesis === 0 || sums.reference === 0) return 0;
  let logs = 0;
  for (let n = 0; n < bleu.order; ++n)
    logs += logOrLowest(sums.total[n] > 0 ? sums.correct[n] / sums.total[n] : 0);
  return 100 * brevityPenalty(sums) * Math.exp(logs / bleu.order);
}

function bleuScore(bleu, sums) {
  if (bleu.moses) return multiBleu(bleu, sums);
  if (sums.correct.every((count) => count === 0)) return 0;
  const precisions = new Array(bleu.order).fill(0);
  let halving = 1, effective = bleu.order;
  for (let n = 0; n < bleu.order; ++n) {
    const added = bleu.smoothing === 'add-k' && n > 0 ? bleu.value : 0;
    const correct = sums.correct[n] + added, total = sums.total[n] + added;
    if (total === 0) break;
    if (bleu.effective) effective = n + 1;
    if (correct > 0) precisions[n] = 100 * correct / total;
    else if (bleu.smoothing === 'exp') precisions[n] = 100 / ((halving *= 2) * total);
    else if (bleu.smoothing === 'floor') precisions[n] = 100 * bleu.value / total;
  }
  let logs = 0;
  for (let n = 0; n < effective; ++n) logs += logOrLowest(precisions[n]);
  return brevityPenalty(sums) * Math.exp(logs / effective);
}

// A text is a string with a line end wherever the tokenizer has split a word; or, if the tokenizer changes more than
// spaces, the pair of the tokenised line and the plain line.
const lineOf = (text) => Array.isArray(text) ? text[1] : text.replace(/\n/g, '');

// The tokenizer's words, each with the characters before it in the line.
function wordsOf(text) {
  const words = [];
  for (const [, gap, word] of (Array.isArray(text) ? text[0] : text).matchAll(/([ \n]*)([^ \n]+)/g))
    words.push({gap: gap.replace(/\n/g, ''), word});
  return words;
}

// "=3-1+2": one step per word, '=' takes a word from both sides, '-' from the left, '+' from the right.
const stepsOf = (changes) =>
  [...changes.matchAll(/([=+-])([0-9]+)/g)].flatMap(([, step, count]) => new Array(Number(count)).fill(step));

// The value of a sentence in a column; null: it has none.
function valueOf(data, column, i) {
  switch (column.kind) {
    case 'line': return data.lines[i];
    case 'length': return data.lengths[i];
    case 'score': return data.scores[column.system][i];
    default: {
      const [score, baseline] = [data.scores[column.system][i], data.scores[data.baseline][i]];
      return score === null || baseline === null ? null : score - baseline;
    }
  }
}

function textsIn(data, where, i) {
  if (where === 'source') return data.source.length ? [data.source[i]] : [];
  if (where === 'references') return data.references.map((lines) => lines[i]);
  if (where === 'texts') return data.texts.map((lines) => lines[i]);
  if (where !== 'any') return [data.texts[Number(where)][i]];
  return ['source', 'references', 'texts'].flatMap((part) => textsIn(data, part, i));
}

// filter: {pattern: RegExp or null, where, length: [from, to], unknown, column, range: [from, to]}
function matching(data, filter) {
  const within = (value, [from, to]) =>
    value === null ? from === -Infinity && to === Infinity : value >= from && value <= to;
  const found = [];
  for (let i = 0; i < data.lines.length; ++i) {
    if (!within(data.lengths[i], filter.length)) continue;
    if (data.unknown.length && data.unknown[i] > filter.unknown) continue;
    if (!within(valueOf(data, filter.column, i), filter.range)) continue;
    if (filter.pattern && !textsIn(data, filter.where, i).some(
        (text) => filter.pattern.test(lineOf(text)))) continue;
    found.push(i);
  }
  return found;
}

function sorted(data, sentences, column, descending) {
  const values = sentences.map((i) => [valueOf(data, column, i), i]);
  const missing = (each) => each[0] === null ? 1 : 0;  // last, in both orders
  values.sort((a, b) => missing(a) - missing(b) || (descending ? b[0] - a[0] : a[0] - b[0]) || a[1] - b[1]);
  return values.map((each) => each[1]);
}

// The sentences that pass a filter, their share of all, and the corpus BLEU of each system with its difference from the
// baseline's (not means of sentence scores).
function figuresOf(data, filter) {
  const sentences = matching(data, filter);
  const score = (name, s) => bleuScore(data.bleu, bleuSums(data.bleu, s, sentences));
  const scores = data.bleu ? data.systems.map(score) : [];
  return {sentences, share: sentences.length / data.lines.length, scores,
          differences: scores.map((each) => each - scores[data.baseline])};
}

if (typeof document === 'undefined') {  // without a page: only the functions above, for tests
  globalThis.strataComparison = {figuresOf, valueOf, sorted, wordsOf, stepsOf};
  return;
}

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId('data').textContent);
const others = data.systems.map((name, s) => s).filter((s) => s !== data.baseline);
const columns = [{kind: 'line', title: 'line'}, {kind: 'length', title: 'words'}];
data.systems.forEach((name, s) => columns.push({kind: 'score', system: s, title: name}));
others.forEach((s) => columns.push({kind: 'difference', system: s, title: '\u0394 ' + data.systems[s]}));
const state = {sentences: [], page: 0, sort: columns[0], descending: false, open: -1};

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const signed = (value) => (value > 0 ? '+' : '') + value.toFixed(2);
const scoreText = (value) => value === null ? '\u2013' : value.toFixed(data.digits);
const shown = (column, value) => column.kind === 'difference' && value !== null
    ? (value > 0 ? '+' : '') + scoreText(value)
    : column.kind === 'score' || value === null ? scoreText(value) : String(value);

function differenceClass(value) {
  if (value === 0 || value === null) return 'right';
  return (value > 0) === data.higher ? 'right up' : 'right down';
}

// A translation with its confirmed n-grams underlined; `changes` (null: none) are the edits from `base` to it.
function markedText(text, confirmed, base, changes) {
  const words = wordsOf(text), left = wordsOf(base);
  const steps = changes === null ? words.map(() => '=') : stepsOf(changes);
  const parts = [];
  let i = 0, j = 0;
  for (const step of steps) {
    const token = step === '-' ? left[i] : words[j];
    const kind = step + (step === '-' ? 0 : confirmed[j]);
    const last = parts[parts.length - 1];
    if (last && last.kind === kind) last.text += token.gap + token.word;
    else parts.push({kind, gap: token.gap || (parts.length && (step === '-' || j === 0) ? ' ' : ''), text: token.word});
    if (step !== '+') ++i;
    if (step !== '-') ++j;
  }
  const cell = element('td', {dir: 'auto'});
  for (const part of parts) {
    const tag = {'-': 'del', '+': 'ins', '=': 'span'}[part.kind[0]];
    cell.append(part.gap, element(tag, {class: 'n' + part.kind[1]}, part.text));
  }
  return cell;
}

function detailRow(i) {
  const against = byId('against').value;
  const body = element('tbody');
  const add = (name, score, cell) =>
    body.append(element('tr', {}, element('th', {scope: 'row'}, name), element('td', {class: 'right'}, score), cell));
  const plain = (text) => element('td', {dir: 'auto'}, lineOf(text));
  if (data.source.length) add('source', '', plain(data.source[i]));
  data.references.forEach((lines, r) =>
    add(data.references.length > 1 ? 'reference ' + (r + 1) : 'reference', '', plain(lines[i])));
  data.systems.forEach((name, s) => {
    const marks = data.marks[s];
    const unmarked = against === 'none' || (against === 'baseline' && s === data.baseline);
    const base = against === 'baseline' ? data.texts[data.baseline][i] : data.references[0][i];
    const changes = unmarked ? null : marks[against][i];
    add(name, scoreText(data.scores[s][i]), markedText(data.texts[s][i], marks.confirmed[i], base, changes));
  });
  const table = element('table', {class: 'detail'}, element('caption', {}, 'Line ' + data.lines[i]), body);
  return element('tr', {id: 'detail'}, element('td', {colspan: columns.length + 1}, table));
}

function sentenceRow(i) {
  const open = i === state.open;
  const button = element('button', {type: 'button', 'aria-expanded': String(open), 'data-sentence': i,
                                    title: 'Show or hide the translations'}, String(data.lines[i]));
  const row = element('tr', {class: open ? 'marked' : ''}, element('th', {scope: 'row'}, button),
      element('td', {class: 'right'}, String(data.lengths[i])),
      element('td', {class: 'text', dir: 'auto'}, lineOf(data.references[0][i])));
  for (const column of columns.slice(2)) {
    const value = valueOf(data, column, i);
    row.append(element('td', {class: column.kind === 'difference' ? differenceClass(value) : 'right'},
                       shown(column, value)));
  }
  row.addEventListener('click', () => {
    if (!String(window.getSelection())) toggle(i);
  });
  return row;
}

function toggle(i) {
  state.open = state.open === i ? -1 : i;
  showRows();
  const button = document.querySelector('[data-sentence="' + i + '"]');
  if (button) button.focus({preventScroll: true});
}

function showHead() {
  const row = element('tr');
  columns.forEach((column, c) => {
    const by = column === state.sort;
    const order = by ? (state.descending ? 'descending' : 'ascending') : 'none';
    const arrow = state.descending ? ' \u2193' : ' \u2191';
    const button = element('button', {type: 'button'}, column.title, by ? arrow : '');
    button.addEventListener('click', () => {
      state.descending = column === state.sort ? !state.descending : column.kind !== 'line';
      state.sort = column;
      state.page = 0;
      showHead();
      sortAndShow();
      byId('head').querySelectorAll('button')[c].focus();
    });
    if (c === 2) row.append(element('th', {scope: 'col'}, 'reference'));
    row.append(element('th', {scope: 'col', 'aria-sort': order, class: c > 1 ? 'right' : ''}, button));
  });
  byId('head').replaceChildren(row);
}

function showRows() {
  const from = state.page * kRows, rows = [];
  for (const i of state.sentences.slice(from, from + kRows)) {
    rows.push(sentenceRow(i));
    if (i === state.open) rows.push(detailRow(i));
  }
  byId('rows').replaceChildren(...rows);
  const last = Math.min(from + kRows, state.sentences.length);
  byId('where-shown').textContent = last ? (from + 1) + ' to ' + last + ' of ' + state.sentences.length : 'none';
  byId('previous').disabled = state.page === 0;
  byId('next').disabled = last >= state.sentences.length;
}

function sortAndShow() {
  state.sentences = sorted(data, state.sentences, state.sort, state.descending);
  showRows();
}

function numberOf(id, otherwise) {
  const field = byId(id);
  return field.value === '' || Number.isNaN(field.valueAsNumber) ? otherwise : field.valueAsNumber;
}

function readFilter() {
  const field = byId('pattern');
  let pattern = null, wrong = '';
  try {
    if (field.value) pattern = new RegExp(field.value, byId('case').checked ? 'u' : 'iu');
  } catch (error) {
    wrong = error.message;
  }
  byId('wrong').textContent = wrong;
  field.setAttribute('aria-invalid', String(wrong !== ''));
  return {pattern, where: byId('where').value, column: columns[Number(byId('column').value)],
          length: [numberOf('shortest', -Infinity), numberOf('longest', Infinity)],
          unknown: numberOf('unknown', Infinity),
          range: [numberOf('lowest', -Infinity), numberOf('highest', Infinity)]};
}

function showScores({sentences, scores, differences}) {
  if (!data.bleu) return;
  byId('left').replaceChildren(...data.systems.map((name, s) => {
    const none = sentences.length === 0;
    return element('tr', {class: s === data.baseline ? 'marked' : ''}, element('th', {scope: 'row'}, name),
        element('td', {class: 'right'}, none ? '\u2013' : scores[s].toFixed(2)),
        element('td', {class: differenceClass(differences[s])},
                s === data.baseline || none ? '' : signed(differences[s])));
  }));
}

function applyFilter() {
  const figures = figuresOf(data, readFilter());
  state.sentences = figures.sentences;
  state.page = 0;
  byId('remain').textContent = state.sentences.length + ' of ' + data.lines.length + ' sentences (' +
      (100 * figures.share).toFixed(1) + ' %)';
  showScores(figures);
  sortAndShow();
}

byId('where').append(element('option', {value: 'any'}, 'any text'));
if (data.source.length) byId('where').append(element('option', {value: 'source'}, 'the source'));
byId('where').append(element('option', {value: 'references'}, 'the references'),
                     element('option', {value: 'texts'}, 'any translation'));
data.systems.forEach((name, s) => byId('where').append(element('option', {value: s}, name)));
byId('unknown-part').hidden = data.unknown.length === 0;
columns.forEach((column, c) => {
  if (c > 1) byId('column').append(element('option', {value: c}, column.title));
});
let waiting = 0;
byId('filter').addEventListener('input', () => {
  clearTimeout(waiting);
  waiting = setTimeout(applyFilter, 150);  // ms; a search per keystroke would lag behind typing
});
byId('filter').addEventListener('reset', () => setTimeout(applyFilter, 0));
byId('filter').addEventListener('submit', (event) => event.preventDefault());
byId('against').addEventListener('change', showRows);
byId('previous').addEventListener('click', () => { --state.page; showRows(); });
byId('next').addEventListener('click', () => { ++state.page; showRows(); });
window.addEventListener('beforeprint', () =>
  document.querySelectorAll('details').forEach((each) => { each.open = true; }));
byId('sentence-part').hidden = false;
showHead();
applyFilter();
})();
