// SPDX-License-Identifier: Apache-2.0
// The pictures of a run: roofline, timeline of units, memories.

const kSymbols = ['circle', 'diamond', 'triangle', 'rect', 'roundRect', 'pin'];
const firstOp = (layer) => layer.op.split('+')[0];

/// What the configuration allows: MACs a cycle of the array, bytes a cycle of the memory in one direction and in both.
function roofsOf(run) {
  const what = run.configuration, memory = what.memory || {};
  const ports = 1 + Math.max(0, ...Object.values(what.units || {}).map((unit) => unit.port || 0));
  const cap = (rate) => memory.dram_bytes > 0 ? Math.min(memory.dram_bytes, rate) : rate;
  const beat = ports * (memory.port_bits || 0) / 8;
  return {array: what.macs_per_cycle || 0, oneWay: cap(beat), bothWays: cap(2 * beat)};
}

/// Of the layers on the array: how much they compute for a byte, and how fast.
function rooflinePoints(run) {
  return run.layers.filter((layer) => !onHost(layer) && layer.macs > 0 && layer.cycles > 0 && layer.dram_bytes > 0)
      .map((layer) => ({layer, intensity: layer.macs / layer.dram_bytes, rate: layer.macs / layer.cycles}));
}

/// Of a logarithmic axis that does not end at powers of ten.
const powersOnly = {formatter: (value) => Math.abs(Math.log10(value) % 1) < 1e-9 ? plain(value) : ''};

function rooflineOption(run, points, roofs) {
  const ops = [...new Set(points.map((point) => firstOp(point.layer)))];
  const below = (value) => 10 ** (Math.floor(2 * Math.log10(value)) / 2), past = (value) => 10 ** (Math.ceil(2 * Math.log10(value * 1.05)) / 2);
  const knee = roofs.oneWay > 0 ? roofs.array / roofs.oneWay : 1;
  const left = below(Math.min(knee / 2, ...points.map((point) => point.intensity)));
  const right = past(Math.max(knee * 2, ...points.map((point) => point.intensity)));
  const bottom = below(Math.min(roofs.array / 4, ...points.map((point) => point.rate)));
  const roof = (name, rate, dashed) => ({
    type: 'line', name, silent: true, symbol: 'none', z: 1, lineStyle: {color: color('soft'), width: dashed ? 1 : 1.6, type: dashed ? 'dashed' : 'solid'},
    data: [[Math.max(left, bottom / rate), Math.max(left * rate, bottom)], [roofs.array / rate, roofs.array], ...(dashed ? [] : [[right, roofs.array]])]});
  const colors = palette();
  return {
    grid: {left: 70, right: 24, top: 18, bottom: 52},
    xAxis: axis('operational intensity, MAC a byte of DRAM traffic', {type: 'log', axisLabel: {...powersOnly, color: color('soft')}, min: left, max: right, nameGap: 30, minorSplitLine: {show: true, lineStyle: {color: color('faint')}}}),
    yAxis: axis('MACs a cycle', {type: 'log', axisLabel: {...powersOnly, color: color('soft')}, min: bottom, max: past(roofs.array), nameGap: 46}),
    series: [
      ...(roofs.oneWay > 0 && roofs.array > 0 ? [roof('memory, one way', roofs.oneWay, false)] : []),
      ...(roofs.bothWays > roofs.oneWay && roofs.array > 0 ? [roof('memory, both ways', roofs.bothWays, true)] : []),
      ...ops.map((op, i) => ({
        type: 'scatter', name: op, symbol: kSymbols[i % kSymbols.length], z: 2,
        itemStyle: {color: colors[i % colors.length], opacity: 0.8, borderColor: color('card'), borderWidth: 0.7},
        data: points.filter((point) => firstOp(point.layer) === op).map((point) => ({
          value: [point.intensity, point.rate], symbolSize: 8 + 26 * Math.sqrt(point.layer.cycles / run.cycles),
          tip: [point.layer.name, `${plain(point.intensity)} MAC/byte, ${plain(point.rate)} MAC/cycle`,
            `${percent(point.rate / Math.min(roofs.array, roofs.oneWay * point.intensity))} of its roof`,
            `${whole(point.layer.cycles)} cycles, ${percent(point.layer.cycles / run.cycles)} of all`]})),
      }))],
  };
}

function rooflineSection(run) {
  const points = rooflinePoints(run), roofs = roofsOf(run);
  if (points.length === 0 || !(roofs.array > 0)) return null;
  const ops = [...new Set(points.map((point) => firstOp(point.layer)))], keys = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5'];
  const memoryBound = points.filter((point) => roofs.oneWay * point.intensity < roofs.array).length;
  return section('roofline', 'Roofline',
    `Flat: the array’s ${whole(roofs.array)} MACs a cycle. Slope: ${plain(roofs.oneWay)} bytes a cycle from DRAM` +
    (roofs.bothWays > roofs.oneWay ? `, dashed ${plain(roofs.bothWays)} when reads and writes go on at once` : '') +
    '. A point is a layer, the larger the more cycles. One whose data arrive while the layer before still computes may stand above the slope.',
    el('div', {class: 'chart-block'},
      chart('roofline-chart', `Roofline: ${points.length} layers, ${memoryBound} of them left of the knee, where memory is the limit`, () => rooflineOption(run, points, roofs)),
      legend(ops.map((op, i) => [`${op} (${kSymbols[i % kSymbols.length]})`, keys[i % keys.length]]))));
}

/// Without the times of instructions: the layers alone.
function layersAlone(run) {
  const layers = [];
  let at = 0;
  run.layers.forEach((layer, i) => {
    if (onHost(layer) || layer.cycles <= 0) return;
    layers.push([i, at, at + layer.cycles]);
    at += layer.cycles;
  });
  return {cycles: at, programs: [], formats: [], layers, units: []};
}

function timelineSection(run, timeline) {
  const shown = timeline && timeline.cycles > 0 ? timeline : layersAlone(run);
  if (!(shown.cycles > 0)) return null;
  const names = run.layers.map((layer) => layer.name), view = new TimelineView(shown, names, run.clock_mhz);
  const button = (text, label, act) => el('button', {type: 'button', 'aria-label': label, title: label, click: act}, text);
  const jump = select('layer', [['', 'all'], ...shown.layers.map((layer, i) => [String(i), names[layer[0]]])], '',
      (value) => value === '' ? view.show(0, shown.cycles) : view.showLayer(Number(value)));
  page.timeline = view;
  return section('timeline', 'Timeline of units',
    view.tracks.length > 0 ? 'Zoomed out, a row’s height is the share of cycles with an instruction in flight, in the colour of its layer; zoomed in, each box is an instruction from issue to retirement. Wheel or + and − zoom, drag or arrows move, a double click shows a layer.'
      : timeline ? 'The network has more instructions than a page takes: layers only.'
      : `Layers only: a run’s JSON has no times of instructions. “cosim report ${run.network} --config=…” runs the network and shows them.`,
    el('div', {class: 'tools'}, button('+', 'zoom in', () => view.zoom(0.5)), button('−', 'zoom out', () => view.zoom(2)),
      button('◀', 'earlier', () => view.pan(-0.4)), button('▶', 'later', () => view.pan(0.4)),
      button('all', 'the whole run', () => view.show(0, shown.cycles)), jump, view.readout),
    el('div', {class: 'timeline'}, view.canvas));
}

function onChip(run) {
  const memories = Object.entries(run.configuration.memories || {}).map(([name, memory]) =>
    ({name, ...memory, bytes: memory.depth * memory.element_bits / 8}));
  const most = Math.max(1, ...memories.map((memory) => memory.bytes));
  return memories.map((memory) => ({...memory, most}));
}

function memorySection(run, dram) {
  const memories = onChip(run);
  const all = memories.reduce((sum, memory) => sum + memory.bytes, 0);
  const chip = table([
    {title: 'memory', text: true, get: (memory) => memory.name},
    {title: 'size', get: (memory) => memory.bytes, show: (value, memory) => el('span', {}, bytes(value), meter(value / memory.most))},
    {title: 'elements', get: (memory) => memory.depth, show: whole},
    {title: 'bits', unit: 'an element', get: (memory) => memory.element_bits, show: whole},
    {title: 'banks', get: (memory) => memory.banks, show: whole},
  ], memories, {id: 'memory-table', label: 'Memories on chip'});
  return section('memory', 'Memories', `On chip: ${bytes(all)} in ${memories.length} memories.`, chip, dram ? dramMap(dram) : null);
}

function dramMap(dram) {
  const keys = {values: 'c0', constants: 'c2', 'micro-ops': 'c1', instructions: 'c5'};
  const used = dram.regions.reduce((sum, region) => sum + region.bytes, 0), sum = new Map();
  for (const region of dram.regions) sum.set(region.kind, (sum.get(region.kind) || 0) + region.bytes);
  const parts = [...sum].map(([kind, size]) => [kind, size, keys[kind]]);
  return el('div', {},
    el('h3', {}, `DRAM: ${bytes(dram.bytes)} of addresses, ${bytes(used)} used`),
    stackedBar([...parts, ['between them', Math.max(0, dram.bytes - used), 'idle']], Math.max(dram.bytes, used), bytes),
    legend(parts.map(([kind, size, key]) => [`${kind} ${bytes(size)}`, key])),
    table([
      {title: 'address', get: (region) => region.address, show: (value) => el('code', {}, '0x' + value.toString(16).padStart(8, '0'))},
      {title: 'size', unit: 'bytes', get: (region) => region.bytes, show: whole},
      {title: 'holds', text: true, get: (region) => region.kind},
      {title: 'name', text: true, get: (region) => region.name},
    ], dram.regions, {id: 'dram-table', label: 'DRAM', filter: dram.regions.length > 12}));
}
