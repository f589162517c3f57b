// SPDX-License-Identifier: Apache-2.0
// Bars of parts that make a whole: a frame's time, a unit's cycles. Plain elements, which print.

/// `parts`: [name, value, variable of its colour]; `total` is the whole bar's; `show` gives a value's text.
function stackedBar(parts, total, show) {
  const bar = el('div', {class: 'bar', role: 'img',
    'aria-label': parts.filter((part) => part[1] > 0).map((part) => `${part[0]} ${show(part[1])}`).join(', ')});
  for (const [name, value, variable] of parts) {
    if (!(value > 0)) continue;
    const piece = el('i', {style: `flex:0 0 ${100 * value / total}%;background:var(--${variable})`,
      mousemove: (event) => showTip(event, [name, show(value), percent(value / total)]), mouseleave: hideTip});
    bar.append(piece);
  }
  return bar;
}

/// Rows of [name, bar, text].
function barRows(rows) {
  const box = el('div', {class: 'bars'});
  for (const [name, bar, text] of rows) box.append(el('div', {}, name), bar, el('div', {class: 'num'}, text));
  return box;
}

function meter(share) {
  const bar = el('span', {class: 'meter', 'aria-hidden': true}, el('i', {style: `width:${100 * Math.min(1, Math.max(0, share))}%`}));
  return bar;
}
