// SPDX-License-Identifier: Apache-2.0
// What all parts share: elements, numbers as people read them, the tip, sections, colours. Text is only ever
// set as text: nothing here or elsewhere makes markup of a name.
const data = JSON.parse(document.getElementById('data').textContent);

/// el('td', {class: 'num'}, 'text', child, …); a property that is a function is a listener.
function el(tag, properties, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(properties || {})) {
    if (typeof value === 'function') node.addEventListener(key, value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
const whole = (value) => isNumber(value) ? Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, ',') : '';
const fixed = (digits) => (value) => {
  if (!isNumber(value)) return '';
  const [head, tail] = value.toFixed(digits).split('.');
  return head.replace(/\B(?=(\d{3})+$)/g, ',') + (tail ? '.' + tail : '');
};
const percent = (value) => isNumber(value) ? (100 * value).toFixed(1) + ' %' : '';
/// Whole numbers in full, others to six places that count.
const plain = (value) => !isNumber(value) ? '' : Number.isInteger(value) ? whole(value) : String(Number(value.toPrecision(6)));
function bytes(value) {
  if (!isNumber(value)) return '';
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  let at = 0;
  while (value >= 1024 && at < 3) value /= 1024, ++at;
  return (at === 0 || Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : 1)) + ' ' + units[at];
}

const isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
};
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
const palette = () => ['c0', 'c1', 'c2', 'c3', 'c4', 'c5'].map(color);

const counted = (count, what) => whole(count) + ' ' + what + (count === 1 ? '' : 's');

/// What is drawn anew when colours or sizes change.
const redraws = [];
const redrawAll = () => redraws.forEach((redraw) => redraw());

const tip = document.getElementById('tip');
/// The first line stands out.
function tipContent(lines) {
  const box = el('div');
  lines.filter((line) => line).forEach((line, i) => box.append(i === 0 ? el('b', {}, line) : el('div', {}, line)));
  return box;
}
function showTip(event, lines) {
  tip.replaceChildren(tipContent(lines));
  tip.hidden = false;
  const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
  const y = event.clientY + 16 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 16;
  tip.style.left = Math.max(4, x) + 'px';
  tip.style.top = y + 'px';
}
const hideTip = () => { tip.hidden = true; };

const sections = [];
/// A part of the page, with its place in the navigation.
function section(id, title, note, ...children) {
  const node = el('section', {id, 'aria-labelledby': id + '-title'}, el('h2', {id: id + '-title'}, title),
      note ? el('p', {class: 'note'}, note) : null, ...children);
  sections.push({id, title, node});
  return node;
}

function facts(pairs) {
  const list = el('dl', {class: 'facts'});
  for (const [name, value, mono] of pairs)
    if (value !== null && value !== undefined && value !== '')
      list.append(el('dt', {}, name), el('dd', mono ? {class: 'mono'} : {}, value));
  return list;
}

/// The figures at the top: [name, value, what stands small behind it].
function totals(list) {
  const box = el('dl', {class: 'totals'});
  for (const [name, value, small] of list)
    if (value !== '' && value !== null && value !== undefined)
      box.append(el('div', {}, el('dt', {}, name), el('dd', {}, value, small ? el('small', {}, ' ' + small) : null)));
  return box;
}

function headline(title, sub) {
  document.getElementById('head').append(
      el('div', {class: 'headline'}, el('div', {}, el('h1', {}, title), el('div', {class: 'sub'}, sub)), themeButton()));
}

function themeButton() {
  const root = document.documentElement;
  const button = el('button', {id: 'theme', type: 'button', 'aria-live': 'polite'});
  const say = () => { button.textContent = isDark() ? 'Light colours' : 'Dark colours'; };
  button.addEventListener('click', () => { root.dataset.theme = isDark() ? 'light' : 'dark'; say(); redrawAll(); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { say(); redrawAll(); });
  say();
  return button;
}

function select(label, options, chosen, onChange) {
  const box = el('select', {change: () => onChange(box.value)});
  for (const [value, text] of options) box.append(el('option', {value, selected: value === chosen}, text));
  return el('label', {}, label, box);
}
