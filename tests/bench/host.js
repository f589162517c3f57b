// SPDX-License-Identifier: Apache-2.0
// host.js COSIM FOLDER [--threads=N] [--tuned] [NETWORK...]: cosim's host code against ONNX Runtime on N threads (default 1), float32
// and for some int8 (QDQ, by `cosim quantize`). Turns alternate: a round is RUNS runs of the one, then of the other; a figure is the
// least of all rounds. The ratio is of the CPU time of the process that computes, on several threads of wall time. FOLDER
// takes the models, and keeps them. With --tuned, also by schedules that `cosim tune --device=host` finds first, for one thread,
// with a log in FOLDER that it keeps. Ends in a table.
'use strict';

const {spawnSync} = require('child_process');
const fs = require('fs');
const path = require('path');
const ort = require('onnxruntime-node');
const models = require('./onnx_models.js');

const [cosim, folder, ...rest] = process.argv.slice(2);
const option = rest.find(argument => argument.startsWith('--threads='));
const threads = option ? Number(option.slice('--threads='.length)) : 1;
const tunes = rest.includes('--tuned');
const asked = rest.filter(argument => !argument.startsWith('--'));
const ROUNDS = 4, RUNS = 5;
const GOALS = {'resnet18 float32': 1.2, 'mobilenet_v1 float32': 1.4, 'resnet18 int8': 1.5, 'mobilenet_v1 int8': 1.8,
               'transformer float32': 1.5, 'unet float32': 1.5};
const TUNED_GOALS = {'resnet18 float32': 0.9, 'mobilenet_v1 float32': 1.1};
const tuning = path.join(folder, 'host.tuning');

function run(arguments_) {
  const done = spawnSync(cosim, arguments_, {encoding: 'utf8', maxBuffer: 1 << 28});
  if (done.status !== 0) throw new Error(`cosim ${arguments_.join(' ')}: ${done.stderr}`);
  return done.stdout;
}

// [name, file, shape of the input] of each model, written where it is not there yet.
function writeModels() {
  const list = [];
  for (const [name, model] of Object.entries(models)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    const float = path.join(folder, `${name}.onnx`), int8 = path.join(folder, `${name}_int8.onnx`);
    if (!fs.existsSync(float)) fs.writeFileSync(float, model.make());
    list.push([`${name} float32`, float, model.input]);
    if (!model.int8) continue;
    if (!fs.existsSync(int8)) {
      console.error(`quantizing ${name}`);
      run(['quantize', float, '--calibrate=random', '--samples=1', '--per-channel', '-o', int8]);
    }
    list.push([`${name} int8`, int8, model.input]);
  }
  return list;
}

// CPU and wall milliseconds of a run.
async function timed(session, feeds) {
  const cpu = process.cpuUsage(), begin = process.hrtime.bigint();
  await session.run(feeds);
  const wall = Number(process.hrtime.bigint() - begin) / 1e6, used = process.cpuUsage(cpu);
  return {cpu: (used.user + used.system) / 1e3, wall};
}

function tune(file) {
  const begin = process.hrtime.bigint();
  run(['tune', file, '--device=host', `--db=${tuning}`]);
  console.error(`tuned ${file} in ${(Number(process.hrtime.bigint() - begin) / 1e9).toFixed(0)} s`);
}

async function measure(file, shape) {
  const session = await ort.InferenceSession.create(file, {intraOpNumThreads: threads, interOpNumThreads: 1, executionMode: 'sequential'});
  const data = Float32Array.from({length: shape.reduce((a, b) => a * b, 1)}, (_, i) => Math.sin(i));
  const feeds = {[session.inputNames[0]]: new ort.Tensor('float32', data, shape)};
  await timed(session, feeds);
  const theirs = [], ours = [], tuned = [];
  if (tunes) tune(file);
  for (let round = 0; round < ROUNDS; ++round) {
    for (let i = 0; i < RUNS; ++i) theirs.push(await timed(session, feeds));
    const own = (list, ...more) => {
      const report = JSON.parse(
          run(['run', file, '--device=host', `--threads=${threads}`, `--repeat=${RUNS}`, '--check=none', '--json=-', ...more]));
      list.push({cpu: report.cpu_ms, wall: report.latency_ms.min});
    };
    own(ours);
    if (tunes) own(tuned, `--tuned=${tuning}`);
  }
  const least = (list, key) => Math.min(...list.map(one => one[key]));
  const times = [least(theirs, 'cpu'), least(ours, 'cpu'), least(theirs, 'wall'), least(ours, 'wall')];
  return tunes ? [...times, least(tuned, 'cpu'), least(tuned, 'wall')] : times;
}

async function main() {
  const rows = [];
  for (const [name, file, shape] of writeModels()) {
    console.error(`measuring ${name}`);
    rows.push([name, await measure(file, shape)]);
  }
  const ms = value => `${value.toFixed(1)} ms`;
  console.log(`least of ${ROUNDS * RUNS} runs each, in turns, ${threads} ${threads > 1 ? 'threads' : 'thread'}; onnxruntime-node ${
      require('onnxruntime-node/package.json').version}`);
  const head = ['network', 'onnxruntime, CPU', 'cosim, CPU', 'ratio', 'goal', 'onnxruntime, wall', 'cosim, wall'];
  if (tunes) head.push('tuned, CPU', 'tuned, wall', 'ratio', 'goal');
  const print = cells => console.log(`| ${cells.join(' | ')} |`);
  print(head);
  console.log('|' + '---|'.repeat(head.length));
  for (const [name, [theirCpu, ourCpu, theirWall, ourWall, tunedCpu, tunedWall]] of rows) {
    const ratio = (cpu, wall) => (threads > 1 ? wall / theirWall : cpu / theirCpu).toFixed(2);
    const cells = [name, ms(theirCpu), ms(ourCpu), ratio(ourCpu, ourWall), GOALS[name], ms(theirWall), ms(ourWall)];
    if (tunes) cells.push(ms(tunedCpu), ms(tunedWall), ratio(tunedCpu, tunedWall), TUNED_GOALS[name] ?? '');
    print(cells);
  }
}

main().catch(error => {
  console.error(error.message);
  process.exit(1);
});
