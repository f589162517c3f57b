// SPDX-License-Identifier: Apache-2.0
// The page of one run: what it took, where, and what it came from. Every figure is the JSON's.

const onHost = (layer) => layer.where === 'cpu';

function runHead(run, source) {
  const frame = run.end_to_end, timed = run.cycles > 0;
  headline(`${run.network} on ${run.config} (${run.isa})`,
      `${run.device} device, ${run.virtual_threads} virtual threads, seed ${run.seed}` + (run.timing_only ? ', timing only' : '') + (source ? `; from ${source}` : ''));
  document.getElementById('head').append(totals([
    ['one frame', fixed(2)(frame.frame_ms), 'ms'],
    ['both at work', fixed(1)(frame.pipelined_frames_per_s), 'frames/s'],
    ['accelerator', timed ? fixed(2)(run.ms) : '', `ms at ${plain(run.clock_mhz)} MHz`],
    ['cycles', timed ? whole(run.cycles) : '', `ideal ${whole(run.ideal_cycles)}`],
    ['utilisation', timed ? percent(run.utilization) : '', 'of the array'],
    ['MACs', whole(run.macs), run.macs_host > 0 ? `${whole(run.macs_host)} on the host` : null],
    ['DRAM traffic', whole(run.dram_bytes), 'bytes'],
    ['instructions', whole(run.instructions)],
    ['outputs', run.outputs && run.outputs.values > 0 ? `${whole(run.outputs.mismatches)} wrong` : 'not compared',
      run.outputs && run.outputs.values > 0 ? `of ${whole(run.outputs.values)} values` : null],
  ]));
  const warnings = run.warnings.map((warning) => warning.text);
  if (run.clock && run.clock.evidence === 'unproven') warnings.push(`the clock of ${plain(run.clock_mhz)} MHz is unproven`);
  if (run.fit && run.fit.fits === false) warnings.unshift(run.fit.text);
  for (const text of warnings) document.getElementById('head').append(el('p', {class: 'warning', role: 'note'}, 'Warning: ' + text));
}

function frameSection(run) {
  const frame = run.end_to_end, ms = (value) => fixed(2)(value) + ' ms';
  if (!isNumber(frame.frame_ms)) return null;
  const parts = [['accelerator', frame.accelerator_ms, 'c0'], ['host', frame.host_ms, 'c1'], ['copies', frame.copies_ms, 'c2']];
  const model = {accelerator: `simulated: ${whole(run.cycles)} cycles at ${plain(run.clock_mhz)} MHz`, host: frame.host_model, copies: frame.copies_model};
  const rows = table([
    {title: 'part', text: true, get: (part) => part[0], show: (name, part) => el('span', {}, el('span', {class: 'key', style: `background:var(--${part[2]})`}), name)},
    {title: 'time', unit: 'ms', get: (part) => part[1], show: fixed(2)},
    {title: 'share', get: (part) => part[1] / frame.frame_ms, show: percent},
    {title: 'how it is known', text: true, long: true, get: (part) => model[part[0]] || (part[1] === 0 ? 'nothing to do' : '')},
  ], parts, {id: 'frame-table', label: 'Parts of the frame'});
  const band = run.memory && run.memory.frame_band_ms;
  return section('frame', 'Where the frame’s time goes', `One frame alone takes ${ms(frame.frame_ms)}` +
    (band ? `, ${fixed(2)(Math.min(...band))} to ${fixed(2)(Math.max(...band))} ms by its memory` : '') + '. The accelerator’s part is simulated, the others are estimates.',
    stackedBar(parts, frame.frame_ms, ms), rows);
}

/// The waits of a unit, in the order of the ledger.
function ledgerParts(row) {
  const tokens = Object.values(row.wait_token || {}).reduce((sum, value) => sum + value, 0);
  return [['busy', row.busy, 'c0'], ['waits for a token', tokens, 'c1'], ['waits for room to push', row.wait_push, 'c3'],
    ['waits for port or bank', row.wait_port, 'c5'], ['waits for memory', row.wait_memory, 'c4'], ['idle', row.idle, 'idle']];
}

function ledgerSection(run) {
  const units = Object.entries(run.ledger);
  if (units.length === 0) return null;
  const show = (value) => whole(value) + ' cycles';
  const tokens = (row) => Object.entries(row.wait_token || {}).sort((a, b) => b[1] - a[1])
      .map(([queue, value]) => `${queue} ${whole(value)} (${percent(value / run.cycles)})`).join(', ');
  const list = table([
    {title: 'unit', text: true, get: ([unit]) => unit},
    ...ledgerParts({}).map(([name], i) => ({title: name, unit: 'cycles', get: ([, row]) => ledgerParts(row)[i][1], show: whole})),
    {title: 'for tokens of', text: true, long: true, get: ([, row]) => tokens(row)},
  ], units, {id: 'ledger-table', label: 'Ledger of units'});
  return section('units', 'What each unit did', `Each cycle of each unit counts once; a row is ${whole(run.cycles)} cycles.`,
    barRows(units.map(([unit, row]) => [unit, stackedBar(ledgerParts(row), run.cycles, show), percent(row.busy / run.cycles) + ' busy'])),
    legend(ledgerParts({}).map(([name,, variable]) => [name, variable])), list);
}

/// "conv2d+bias_add" that may be broken behind its signs.
function breakable(text) {
  const box = el('span', {class: 'op'});
  text.split('+').forEach((part, i) => i === 0 ? box.append(part) : box.append('+', el('wbr'), part));
  return box;
}

function layersSection(run) {
  const columns = [
    {title: '#', get: (layer) => layer.number, show: whole},
    {title: 'layer', text: true, get: (layer) => layer.name},
    {title: 'operation', text: true, get: (layer) => layer.op, show: breakable},
    {title: 'where', text: true, get: (layer) => onHost(layer) ? 'host' : 'accelerator'},
    {title: 'cycles', get: (layer) => onHost(layer) ? null : layer.cycles, show: whole},
    {title: 'share', unit: 'of cycles', get: (layer) => onHost(layer) || !run.cycles ? null : layer.cycles / run.cycles, show: percent},
    {title: 'utilisation', unit: 'of the array', get: (layer) => onHost(layer) || !layer.macs ? null : layer.utilization,
      show: (value) => value === null ? null : el('span', {}, percent(value), meter(value))},
    {title: 'MACs', get: (layer) => layer.macs || null, show: whole},
    {title: 'DRAM', unit: 'bytes', get: (layer) => onHost(layer) ? null : layer.dram_bytes, show: whole},
    {title: 'host', unit: 'ms, estimated', get: (layer) => isNumber(layer.host_ms) ? layer.host_ms : null, show: fixed(3)},
    {title: 'why there, or how', text: true, long: true, get: (layer) => onHost(layer) ? layer.reason : layer.schedule},
  ];
  const layers = run.layers.map((layer, i) => ({...layer, number: i + 1}));
  let place = 'all';
  const list = table(columns, layers, {id: 'layers-table', label: 'Layers', filter: true,
    keep: (layer) => place === 'all' || onHost(layer) === (place === 'host'),
    tools: [select('where', [['all', 'anywhere'], ['accelerator', 'accelerator'], ['host', 'host']], 'all',
        (value) => { place = value; list.refill(); })]});
  return section('layers', 'Layers', 'Cycles of a layer are from the end of the one before to its own, and add up to the total. Heads of columns sort.', list);
}

function partitionSection(run) {
  const host = run.layers.filter(onHost), byReason = new Map();
  for (const layer of host) byReason.set(layer.reason, [...(byReason.get(layer.reason) || []), layer]);
  const rows = [...byReason].map(([reason, layers]) => ({reason, layers, macs: layers.reduce((sum, layer) => sum + layer.macs, 0),
    ms: layers.every((layer) => isNumber(layer.host_ms)) ? layers.reduce((sum, layer) => sum + layer.host_ms, 0) : null}));
  const accelerated = run.layers.length - host.length;
  const unchecked = run.unchecked_layers || [];
  return section('partition', 'What runs where, and why',
    `${accelerated} of ${run.layers.length} layers run on the accelerator, with ${whole(run.macs - run.macs_host)} of ${whole(run.macs)} MACs.` +
    (unchecked.length ? ` Not checked independently: ${unchecked.join(', ')}.` : ''),
    host.length === 0 ? el('p', {}, 'The host does nothing.') : table([
      {title: 'why the host', text: true, long: true, get: (row) => row.reason},
      {title: 'layers', get: (row) => row.layers.length, show: whole},
      {title: 'MACs', get: (row) => row.macs, show: whole},
      {title: 'host', unit: 'ms, estimated', get: (row) => row.ms, show: fixed(3)},
      {title: 'which', text: true, get: (row) => row.layers.map((layer) => layer.name).join(', ')},
    ], rows, {id: 'partition-table', label: 'Layers on the host by reason'}));
}

function provenanceSection(run) {
  const from = run.provenance || {}, file = (source) => source ? `${source.name} (${source.file}), sha256 ${source.sha256}` : '';
  const what = run.configuration;
  const entries = (object) => Object.entries(object || {}).map(([key, value]) => [key, plain(value), true]);
  return section('provenance', 'What it came from', null,
    facts([['ISA', file(from.isa), true], ['configuration', file(from.config), true],
      ['set', from.set && from.set.length ? from.set.join('  ') : 'nothing overridden', true],
      ['hardware fingerprint', from.hardware_fingerprint, true], ['experiment fingerprint', from.experiment_fingerprint, true],
      ['specification', run.fingerprint, true], ['cosim', from.version ? `${from.version} (commit ${from.commit})` : '', true],
      ['module', run.module ? `${run.module.file}, compiled by ${run.module.producer}` : ''],
      ['clock', run.clock ? `${plain(run.clock_mhz)} MHz, ${run.clock.evidence}` : ''], ['memory', run.memory ? run.memory.setting : ''],
      ['on the board', run.fit ? run.fit.text : '']]),
    el('div', {class: 'two'},
      el('div', {}, el('h3', {}, 'Parameters'), facts(entries(what.parameters)), el('h3', {}, 'DRAM behind its ports, cycles and bytes'), facts(entries(what.memory))),
      el('div', {}, el('h3', {}, 'Units'), facts(Object.entries(what.units || {}).map(([name, unit]) =>
        [name, Object.entries(unit).map(([key, value]) => `${key} ${value}`).join(', ')])),
      el('h3', {}, 'Queues, places'), facts(entries(what.queues)))));
}
