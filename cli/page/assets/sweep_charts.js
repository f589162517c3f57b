// SPDX-License-Identifier: Apache-2.0
// The pictures of a sweep: the points under two objectives with their front, and all axes and objectives side by side.

/// Numbers of results that differ between points; the usual ones first.
function objectivesOf(points) {
  const names = [...new Set(points.flatMap((point) => Object.keys(point.figures)))];
  const usual = ['frame_ms', 'area.lut', 'area.dsp', 'area.ramb36', 'cycles', 'ms', 'host_ms', 'copies_ms', 'dram_bytes', 'utilization'];
  const differing = names.filter((name) => new Set(points.map(figure(name)).filter(isNumber)).size > 1);
  const rank = (name) => usual.includes(name) ? usual.indexOf(name) : usual.length;
  return differing.sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

/// Those that no other beats: at least as good in both and better in one.
function frontOf(points, x, y) {
  const cost = (name) => (point) => (wantsMore(name) ? -1 : 1) * figure(name)(point);
  const [costX, costY] = [cost(x), cost(y)];
  const sorted = points.slice().sort((a, b) => costX(a) - costX(b) || costY(a) - costY(b));
  const front = [];
  let least = Infinity, at = NaN;
  for (const point of sorted) {
    if (costY(point) > least || (costY(point) === least && costX(point) !== at)) continue;
    least = costY(point);
    at = costX(point);
    front.push(point);
  }
  return front;
}

function frontOption(state, points, front, axes) {
  const {x, y} = state, onFront = new Set(front), many = points.length > 400;
  const datum = (point) => ({number: String(point.id), value: [figure(x)(point), figure(y)(point)],
    tip: [`${point.id}: ${pointName(point, axes)}`, `${x} ${plain(figure(x)(point))}`, `${y} ${plain(figure(y)(point))}`, ...point.marks.map((mark) => mark[1])]});
  const kinds = [
    ['beaten', points.filter((point) => !onFront.has(point) && point.marks.length === 0), 'circle', 'c4', 8],
    ['beaten, with marks', points.filter((point) => !onFront.has(point) && point.marks.length > 0), 'triangle', 'c5', 9],
    ['on the front', front.filter((point) => point.marks.length === 0), 'diamond', 'c0', 14],
    ['on the front, with marks', front.filter((point) => point.marks.length > 0), 'triangle', 'c5', 13]];
  return {
    grid: {left: 80, right: 24, top: 16, bottom: 52},
    xAxis: axis(x + (wantsMore(x) ? ', more is better' : ''), {nameGap: 30}),
    yAxis: axis(y + (wantsMore(y) ? ', more is better' : ''), {nameGap: 58}),
    series: [
      {type: 'line', silent: true, symbol: 'none', step: wantsMore(x) === wantsMore(y) && !wantsMore(x) ? 'end' : false,
        lineStyle: {color: color('c0'), width: 1.4}, data: front.map((point) => [figure(x)(point), figure(y)(point)])},
      ...kinds.map(([name, list, symbol, variable, size]) => ({type: 'scatter', name, symbol, symbolSize: many ? size * 0.6 : size,
        itemStyle: {color: name === 'beaten, with marks' ? color('card') : color(variable), borderColor: color(variable), borderWidth: many ? 1 : 1.5}, data: list.map(datum),
        label: {show: name.startsWith('on') && list.length <= 24, position: 'right', color: color('ink'), fontSize: 11, formatter: (item) => item.data.number}}))],
  };
}

function paretoSection(sweep, axes) {
  const done = sweep.points.filter(isDone), objectives = objectivesOf(done), networks = [...new Set(done.map((point) => point.network))];
  if (objectives.length < 2) return null;
  const state = {x: objectives[0], y: objectives.find((name) => name.startsWith('area.')) || objectives[1], network: networks[0], fitting: 'all'};
  if (state.x === state.y) state.y = objectives[1];
  const chosen = () => done.filter((point) => point.network === state.network && isNumber(figure(state.x)(point)) && isNumber(figure(state.y)(point)) &&
    (state.fitting === 'all' || point.marks.length === 0));
  const list = el('div');
  const label = () => { const points = chosen(); return `${frontOf(points, state.x, state.y).length} of ${points.length} points of ${state.network} are on the front of ${state.x} and ${state.y}`; };
  const picture = chart('pareto-chart', label, () => { const points = chosen(); return frontOption(state, points, frontOf(points, state.x, state.y), axes); });
  const said = el('p', {class: 'note', id: 'pareto-said', role: 'status'});
  const update = () => {
    picture.draw();
    said.textContent = label() + '.';
    list.replaceChildren(table([
      {title: '#', get: (point) => point.id, show: whole},
      {title: 'point', text: true, get: (point) => pointName(point, axes)},
      {title: state.x, get: figure(state.x)},
      {title: state.y, get: figure(state.y)},
      {title: 'marks', text: true, get: (point) => point.marks.map((mark) => mark[0]).join(' '), show: (value, point) => badges(point)},
    ], frontOf(chosen(), state.x, state.y), {id: 'front-table', label: 'Points on the front'}));
  };
  const pick = (name) => select(name === 'x' ? 'across' : 'up', objectives.map((objective) => [objective, objective]), state[name], (value) => { state[name] = value; update(); });
  page.pareto = {state, update, front: () => frontOf(chosen(), state.x, state.y).map((point) => point.id)};
  update();
  return section('pareto', 'Pareto front', 'Points that no other beats in both objectives. Those with marks (triangles) do not fit the board or leave more work to the host than others.',
    el('div', {class: 'tools'}, pick('x'), pick('y'),
      networks.length > 1 ? select('network', networks.map((name) => [name, name]), state.network, (value) => { state.network = value; update(); }) : null,
      select('points', [['all', 'all that are done'], ['clean', 'without marks']], 'all', (value) => { state.fitting = value; update(); })),
    el('div', {class: 'chart-block'}, picture, legend([['on the front', 'c0'], ['beaten', 'c4'], ['with marks (triangle)', 'c5']])), said, list);
}

const kAsConfigured = 'as configured';

/// The texts of an axis that is none of numbers alone.
function textsOn(of, points) {
  const values = points.map(of);
  if (values.every((value) => value === null || isNumber(value))) return null;
  const texts = [...new Set(values.map((value) => String(value)))].sort((a, b) => a.localeCompare(b, 'en', {numeric: true}));
  return texts.map((text) => text || kAsConfigured);
}

function valueOn(column, point) {
  const value = column.of(point);
  if (column.texts) return String(value) || kAsConfigured;
  return isNumber(value) ? value : '-';
}

/// One vertical axis each for what was set and what came of it; a line is a point.
function parallelSection(sweep, axes) {
  const done = sweep.points.filter(isDone);
  const objectives = objectivesOf(done).filter((name) => ['frame_ms', 'cycles', 'host_ms', 'dram_bytes', 'utilization', 'area.dsp', 'area.ramb36', 'area.lut', 'energy.mj'].includes(name));
  const columns = [...axes.filter((axis) => new Set(done.map(axis.of)).size > 1).slice(0, 10).map((axis) => ({title: shortKey(axis.key, axes), of: axis.of})),
    ...objectives.map((name) => ({title: name, of: figure(name)}))].map((column) => ({...column, texts: textsOn(column.of, done)}));
  if (done.length < 2 || columns.length < 2) return null;
  const state = {by: objectives[0] || columns[0].title};
  const option = () => {
    const by = columns.find((column) => column.title === state.by), values = done.map(by.of).filter(isNumber);
    const low = Math.min(...values), span = Math.max(...values) - low || 1;
    const colors = [color('c0'), color('c4'), color('c1'), color('c5')];
    const shade = (value) => isNumber(value) ? colors[Math.min(3, Math.floor(4 * (value - low) / span))] : color('idle');
    return {
      parallel: {left: 60, right: 80, top: 36, bottom: 24, axisExpandable: false,
        parallelAxisDefault: {nameLocation: 'end', nameTextStyle: {color: color('ink'), fontSize: 11}, axisLine: {lineStyle: {color: color('soft')}}, axisTick: {show: false}, axisLabel: {color: color('soft'), fontSize: 10}}},
      parallelAxis: columns.map((column, dim) => ({dim, name: column.title, ...(column.texts
        ? {type: 'category', data: column.texts} : {type: 'value', scale: true, axisLabel: {formatter: shortNumber, color: color('soft'), fontSize: 10}})})),
      series: [{type: 'parallel', smooth: false, lineStyle: {width: 1.2, opacity: done.length > 200 ? 0.25 : 0.65},
        data: done.map((point) => ({value: columns.map((column) => valueOn(column, point)),
          lineStyle: {color: shade(by.of(point))}, tip: [`${point.id}: ${pointName(point, axes)}`, `${state.by} ${plain(by.of(point))}`]}))}],
    };
  };
  const picture = chart('parallel-chart', `Parallel coordinates of ${done.length} points over ${columns.map((column) => column.title).join(', ')}`, option, 340);
  return section('parallel', 'All axes and objectives', 'A line is a point. Colours are four equal parts of the chosen column, from its least (blue) to its most (vermilion).',
    el('div', {class: 'tools'}, select('colour by', objectives.map((name) => [name, name]), state.by, (value) => { state.by = value; picture.draw(); })),
    el('div', {class: 'chart-block'}, picture));
}
