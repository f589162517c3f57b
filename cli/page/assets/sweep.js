// SPDX-License-Identifier: Apache-2.0
// The page of a sweep: its points as a table, those that are not what they seem marked as such, those that failed with
// their diagnostic.

const isDone = (point) => point.status === 'done';
const figure = (name) => (point) => isDone(point) && point.figures && isNumber(point.figures[name]) ? point.figures[name] : null;
/// Of these the larger is the better.
const wantsMore = (name) => /utilization|per_s|top|sqnr|accuracy/.test(name);

/// Keys that a point sets, in the order in which they come up, with those that all points share left out.
function axesOf(points) {
  const keys = [...new Set(points.flatMap((point) => point.settings.map((setting) => setting[0])))];
  const fixedColumns = ['network', 'config'].map((key) => ({key, of: (point) => point[key]}));
  const settings = keys.map((key) => ({key, of: (point) => {
    const found = point.settings.filter((setting) => setting[0] === key);
    return found.length ? found[found.length - 1][1] : '';
  }}));
  const asNumber = (text) => text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  return [...fixedColumns, ...settings].map((axis) => ({...axis, of: (point) => asNumber(axis.of(point))}))
      .filter((axis) => new Set(points.map(axis.of)).size > 1);
}

/// "block_out" of "parameters.block_out", where no other key ends so.
function shortKey(key, axes) {
  const last = key.slice(key.lastIndexOf('.') + 1);
  return axes.filter((axis) => axis.key === last || axis.key.endsWith('.' + last)).length === 1 ? last : key;
}

/// What a reader has to know of a point: [mark, why].
function marksOf(point, least) {
  const marks = [];
  if (point.status === 'failed') marks.push(['failed', point.diagnostic]);
  if (point.status === 'excluded') marks.push([/fits\(board\)/.test(point.diagnostic) ? 'does not fit' : 'excluded', point.diagnostic]);
  if (!isDone(point)) return marks;
  if (point.fit) marks.push(['does not fit', point.fit]);
  const more = point.host.length - least.get(point.network);
  if (point.figures.macs_host > 0) marks.push(['MACs on host', `${whole(point.figures.macs_host)} MACs are left to the host`]);
  if (more > 0) marks.push([`${more} more on host`, `${point.host.length} layers on the host, ${more} more than the point with fewest: ` +
    point.host.slice(0, 12).map((layer) => layer[0]).join(', ') + (point.host.length > 12 ? ', …' : '')]);
  return marks;
}

function prepare(sweep) {
  const least = new Map();
  for (const point of sweep.points.filter(isDone))
    least.set(point.network, Math.min(point.host.length, least.has(point.network) ? least.get(point.network) : Infinity));
  for (const point of sweep.points) point.marks = marksOf(point, least);
}

function badges(point) {
  const box = el('span', {class: 'badges'});
  for (const [mark, why] of point.marks)
    box.append(el('span', {class: 'badge', title: why, tabindex: 0, 'aria-label': `${mark}: ${why}`,
      mousemove: (event) => showTip(event, [mark, why]), mouseleave: hideTip}, mark));
  return box;
}

function sweepHead(sweep) {
  const count = (status) => sweep.points.filter((point) => point.status === status).length;
  const done = sweep.points.filter(isDone).filter((point) => isNumber(point.figures.frame_ms));
  const best = done.reduce((best, point) => !best || point.figures.frame_ms < best.figures.frame_ms ? point : best, null);
  const missing = sweep.head.points - sweep.points.length;
  headline('Sweep of ' + [...new Set(sweep.points.map((point) => point.network))].join(', '), `${sweep.source}; ${sweep.head.version}`);
  document.getElementById('head').append(totals([
    ['points', whole(sweep.points.length), missing > 0 ? `of ${whole(sweep.head.points)}` : null],
    ['done', whole(count('done'))], ['failed', whole(count('failed'))], ['excluded', whole(count('excluded'))],
    ['do not fit the board', whole(sweep.points.filter((point) => point.marks.some((mark) => mark[0] === 'does not fit')).length)],
    ['leave work to the host', whole(sweep.points.filter((point) => point.marks.some((mark) => mark[0].endsWith('on host'))).length)],
    ['shortest frame', best ? fixed(2)(best.figures.frame_ms) : '', best ? `ms, point ${best.id}` : null]]));
  if (missing > 0) document.getElementById('head').append(el('p', {class: 'warning'}, `Warning: ${counted(missing, 'point')} of the plan ${missing === 1 ? 'has' : 'have'} not run yet.`));
}

function pointName(point, axes) {
  return point.name || axes.map((axis) => `${shortKey(axis.key, axes)} ${axis.of(point)}`).filter((text) => !text.endsWith(' ')).join(', ') || 'point ' + point.id;
}

function pointsSection(sweep, axes) {
  const columns = [
    {title: '#', get: (point) => point.id, show: whole},
    ...(sweep.points.some((point) => point.name) ? [{title: 'name', text: true, get: (point) => point.name}] : []),
    {title: 'marks', text: true, get: (point) => point.marks.map((mark) => mark.join(' ')).join(' '), show: (value, point) => badges(point)},
    ...axes.map((axis) => ({title: shortKey(axis.key, axes), text: sweep.points.some((point) => typeof axis.of(point) === 'string' && axis.of(point) !== ''), get: axis.of})),
    {title: 'frame', unit: 'ms', get: figure('frame_ms'), show: fixed(2)},
    {title: 'accelerator', unit: 'ms', get: figure('ms'), show: fixed(2)},
    {title: 'cycles', get: figure('cycles'), show: whole},
    {title: 'utilisation', get: figure('utilization'), show: percent},
    {title: 'host', unit: 'ms, est.', get: figure('host_ms'), show: fixed(2)},
    {title: 'copies', unit: 'ms, est.', get: figure('copies_ms'), show: fixed(2)},
    {title: 'DRAM', unit: 'bytes', get: figure('dram_bytes'), show: whole},
    {title: 'LUT', unit: 'est.', get: figure('area.lut'), show: whole},
    {title: 'FF', unit: 'est.', get: figure('area.ff'), show: whole},
    {title: 'DSP', get: figure('area.dsp'), show: whole},
    {title: 'RAMB36', get: figure('area.ramb36')},
  ];
  const wanted = {status: 'all'};
  const list = table(columns, sweep.points, {id: 'points-table', label: 'Points', filter: true,
    keep: (point) => wanted.status === 'all' || (wanted.status === 'clean' ? point.marks.length === 0 : wanted.status === 'marked' ? point.marks.length > 0 : point.status === wanted.status),
    tools: [select('show', [['all', 'all'], ['clean', 'without marks'], ['marked', 'with marks'], ['done', 'done'], ['failed', 'failed'], ['excluded', 'excluded']], 'all',
        (value) => { wanted.status = value; list.refill(); })]});
  return section('points', 'Points', 'Host, copies, LUTs and flip-flops are estimates. Heads of columns sort; marks say why when pointed at.', list);
}

function failedSection(sweep, axes) {
  const failed = sweep.points.filter((point) => point.status === 'failed');
  if (failed.length === 0) return null;
  const byText = new Map();
  for (const point of failed) byText.set(point.diagnostic, [...(byText.get(point.diagnostic) || []), point]);
  return section('failed', 'Points that failed', `${counted(failed.length, 'point')}, by diagnostic.`,
    ...[...byText].map(([text, points]) => el('div', {class: 'failure'},
      el('h3', {}, points.length === 1 ? `Point ${points[0].id}: ${pointName(points[0], axes)}` : `${counted(points.length, 'point')}: ${points.slice(0, 20).map((point) => point.id).join(', ')}${points.length > 20 ? ', …' : ''}`),
      el('pre', {tabindex: 0}, text))));
}

function warningsSection(sweep) {
  const rows = sweep.warnings.map((text, i) => ({text, points: sweep.points.filter((point) => (point.warnings || []).includes(i)).map((point) => point.id)}));
  if (rows.length === 0) return null;
  return section('warnings', 'Warnings', null, table([
    {title: 'warning', text: true, long: true, get: (row) => row.text},
    {title: 'points', get: (row) => row.points.length, show: whole},
    {title: 'which', text: true, get: (row) => row.points.slice(0, 30).join(', ') + (row.points.length > 30 ? ', …' : '')},
  ], rows, {id: 'warnings-table', label: 'Warnings'}));
}

function hostSection(sweep) {
  const rows = sweep.reasons.map((reason, i) => {
    const points = sweep.points.filter((point) => (point.host || []).some((layer) => layer[1] === i));
    return {reason, points: points.map((point) => point.id), layers: [...new Set(points.flatMap((point) => point.host.filter((layer) => layer[1] === i).map((layer) => layer[0])))]};
  });
  if (rows.length === 0) return null;
  return section('host', 'What the host does, and why', 'Reasons over all points.', table([
    {title: 'why the host', text: true, long: true, get: (row) => row.reason},
    {title: 'points', get: (row) => row.points.length, show: whole},
    {title: 'which', text: true, get: (row) => row.points.slice(0, 20).join(', ') + (row.points.length > 20 ? ', …' : '')},
    {title: 'layers', text: true, get: (row) => row.layers.slice(0, 5).join(', ') + (row.layers.length > 5 ? `, … (${row.layers.length})` : '')},
  ], rows, {id: 'host-table', label: 'Work on the host by reason'}));
}

function planSection(sweep) {
  return section('plan', 'What it came from', null,
    facts([['database', sweep.source, true], ['digest', sweep.head.digest, true], ['cosim', sweep.head.version], ['points of the plan', whole(sweep.head.points)]]),
    el('h3', {}, 'Plan'), el('pre', {tabindex: 0}, sweep.head.plan));
}
