// SPDX-License-Identifier: Apache-2.0
// Tables that are sorted by their heads and filtered by a text.
//
// A column: {title, unit, get(row), show(value, row), text, long}; `get` gives what is sorted by, `show` a text or a
// node, `text` says that it is none of numbers, `long` that it takes the room there is.

const kRowsShown = 400;

/// Missing values last, whatever the direction.
function compareBy(column, ascending) {
  return (a, b) => {
    const x = column.get(a), y = column.get(b);
    const noX = x === null || x === undefined || x === '', noY = y === null || y === undefined || y === '';
    if (noX || noY) return noX - noY;
    const order = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y), 'en', {numeric: true});
    return ascending ? order : -order;
  };
}

function cellOf(column, row) {
  const value = column.get(row);
  const shown = column.show ? column.show(value, row) : column.text ? value : plain(value);
  const cell = el('td', {class: column.text ? 'text' + (column.long ? ' long' : '') : 'num'});
  if (shown !== null && shown !== undefined) cell.append(shown);
  return cell;
}

const textOf = (columns, row) => columns.map((column) => {
  const value = column.get(row);
  return value === null || value === undefined ? '' : String(value);
}).join(' ').toLowerCase();

/// `options`: id; label, for those who hear it; filter: whether there is a search field; keep: rows that the
/// caller filters by; tools: elements beside the search; onRow(row).
function table(columns, rows, options) {
  const state = {column: -1, ascending: true, words: [], all: false};
  const body = el('tbody'), count = el('span', {class: 'count', role: 'status'});
  const more = el('button', {type: 'button', hidden: true, click: () => { state.all = true; fill(); }}, 'Show all');
  const heads = columns.map((column, i) => {
    const head = el('th', {scope: 'col', class: column.text ? '' : 'num'},
        el('button', {type: 'button', click: () => sortBy(i)}, column.title), column.unit ? el('small', {}, column.unit) : null);
    return head;
  });
  function sortBy(i) {
    state.ascending = state.column === i ? !state.ascending : Boolean(columns[i].text);
    state.column = i;
    heads.forEach((head, h) => h === i ? head.setAttribute('aria-sort', state.ascending ? 'ascending' : 'descending') : head.removeAttribute('aria-sort'));
    fill();
  }
  function fill() {
    let kept = rows.filter((row) => (!options.keep || options.keep(row)) &&
        (state.words.length === 0 || ((text) => state.words.every((word) => text.includes(word)))(textOf(columns, row))));
    if (state.column >= 0) kept = kept.slice().sort(compareBy(columns[state.column], state.ascending));
    const shown = state.all ? kept : kept.slice(0, kRowsShown);
    body.replaceChildren(...shown.map((row) => el('tr', {}, ...columns.map((column) => cellOf(column, row)))));
    more.hidden = shown.length === kept.length;
    count.textContent = `${whole(shown.length)} of ${whole(rows.length)} rows`;
  }
  const search = el('input', {type: 'search', placeholder: 'Filter', 'aria-label': 'Filter: ' + options.label,
    input: () => { state.words = search.value.toLowerCase().split(/\s+/).filter((word) => word); fill(); }});
  const tools = options.filter ? el('div', {class: 'tools'}, search, ...(options.tools || []), more, count) : null;
  const grid = el('table', {'aria-label': options.label}, el('thead', {}, el('tr', {}, ...heads)), body);
  fill();
  const box = el('div', {id: options.id}, tools, el('div', {class: 'wide', tabindex: 0, role: 'region', 'aria-label': options.label}, grid));
  box.refill = fill;
  return box;
}
