// SPDX-License-Identifier: Apache-2.0
// Charts by Apache ECharts, as SVG that prints sharply. What it would make markup of is left to the page's own tip.

/// A chart that is drawn by what `option` gives, anew when colours or sizes change. `label` is read aloud.
function chart(id, label, option, height) {
  const canvas = el('div', {class: 'chart', id, role: 'img', 'aria-label': label});
  if (height) canvas.style.height = height + 'px';
  let drawn = null;
  const draw = () => {
    if (!canvas.isConnected || canvas.clientWidth === 0) return;
    if (!drawn) {
      drawn = echarts.init(canvas, null, {renderer: 'svg'});
      drawn.on('mousemove', (event) => { if (event.data && event.data.tip) showTip(event.event.event, event.data.tip); });
      drawn.on('mouseout', hideTip);
      drawn.on('globalout', hideTip);
    }
    drawn.resize();
    drawn.setOption({animation: false, textStyle: {color: color('ink'), fontFamily: 'inherit', fontSize: 12}, ...option()}, true);
    canvas.setAttribute('aria-label', typeof label === 'function' ? label() : label);
  };
  redraws.push(draw);
  canvas.draw = draw;
  return canvas;
}

/// An axis of numbers with its title; `more` as ECharts has it.
function axis(title, more) {
  return {
    type: 'value', name: title, nameLocation: 'middle', scale: true,
    nameTextStyle: {color: color('soft')},
    axisLine: {show: true, lineStyle: {color: color('soft')}},
    axisLabel: {color: color('soft'), formatter: shortNumber},
    splitLine: {lineStyle: {color: color('faint')}},
    minorSplitLine: {lineStyle: {color: color('faint')}},
    ...more,
  };
}

/// 1234567 as 1.23 M; for axes, where places are few.
function shortNumber(value) {
  const size = Math.abs(value);
  for (const [unit, name] of [[1e9, ' G'], [1e6, ' M'], [1e3, ' k']])
    if (size >= unit * (unit === 1e3 ? 10 : 1)) return String(Number((value / unit).toPrecision(4))) + name;
  return String(Number(value.toPrecision(4)));
}

function legend(entries) {
  return el('ul', {class: 'legend'}, ...entries.map(([name, variable]) =>
    el('li', {}, el('span', {class: 'key', style: `background:var(--${variable})`}), name)));
}
