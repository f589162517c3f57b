// SPDX-License-Identifier: Apache-2.0
// compare.js COSIM DATA SCHEMA FOLDER [PATTERN...]: the models of DATA, and single operators, through TensorFlow Lite (tfjs-tflite)
// and ONNX Runtime, and through COSIM, on the same seeded inputs; value by value. SCHEMA is the importer's, of TensorFlow
// Lite files. FOLDER takes temporary files. With patterns only the operators of TensorFlow Lite whose names one of them matches.
// The last line is `N passed, N failed`.
'use strict';

const {execFileSync} = require('child_process');
const fs = require('fs');
const path = require('path');
const ort = require('onnxruntime-node');
const {openSchema, writeModel} = require('./model.js');
const {readNpz} = require('./npy.js');
const operators = require('./operators.js');
const ofTypes = require('./types_operators.js');
const onnx = require('./onnx_operators.js');

const [cosim, data, importersSchema, folder, ...only] = process.argv.slice(2);
const schema = openSchema(importersSchema, folder);
const SEEDS = [1, 2, 3];

// splitmix64, of which the upper bits are used.
function generator(seed) {
  let state = BigInt(seed);
  const mask = (1n << 64n) - 1n;
  return () => {
    state = (state + 0x9e3779b97f4a7c15n) & mask;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    return Number(((z ^ (z >> 31n)) & mask) >> 40n) / (1 << 24);
  };
}

function draw(array, seed, range) {
  const next = generator(seed);
  for (let i = 0; i < array.length; ++i) {
    const v = range[0] + (range[1] - range[0]) * next();
    array[i] = array instanceof Float32Array ? v : Math.floor(v);
  }
  return array;
}

function runCosim(model, inputs, options) {
  const output = path.join(folder, 'output.npz');
  const given = Object.entries(inputs).map(([name, input]) => {
    const file = path.join(folder, `input${name}.bin`);
    fs.writeFileSync(file, Buffer.from(input.buffer, input.byteOffset, input.byteLength));
    return `--input=${name ? name + '=' : ''}${file}`;
  });
  execFileSync(cosim, ['run', model, ...given, `--output=${output}`, '--device=functional', '--check=none', ...options],
               {stdio: ['ignore', 'ignore', 'pipe']});
  return readNpz(fs.readFileSync(output))[0];
}

let passed = 0, failed = 0;
const lacking = [];

// `tolerance`: the largest difference that passes.
function report(runtime, model, pairs, tolerance) {
  let values = 0, equal = 0, largest = 0;
  for (const [ours, theirs] of pairs) {
    if (ours.length !== theirs.length) throw new Error(`${model}: ${ours.length} values, not ${theirs.length}`);
    for (let i = 0; i < ours.length; ++i) {
      const difference = Math.abs(Number(ours[i]) - Number(theirs[i]));
      ++values;
      if (difference === 0) ++equal;
      if (!(difference <= largest)) largest = difference;
    }
  }
  const good = largest <= tolerance;
  good ? ++passed : ++failed;
  console.log(`${good ? 'pass' : 'FAIL'}  ${runtime.padEnd(12)} ${path.basename(model).padEnd(36)} ${
      String(equal).padStart(6)} of ${String(values).padStart(6)} equal, largest difference ${
      largest.toPrecision(3)}, allowed ${tolerance}`);
}

// tfjs-tflite hands int8 and uint8 operators to XNNPACK where it takes them, which multiplies a sum by a float32 and rounds
// half to even; the rest runs in TensorFlow Lite's own kernels. report() prints which it was, from its profile.
async function loadTflite() {
  const wasm = path.join(path.dirname(require.resolve('@tensorflow/tfjs-tflite/package.json')), 'wasm');
  const factory = require(path.join(wasm, 'tflite_web_api_cc_simd.js'));
  return factory({
    wasmBinary: fs.readFileSync(path.join(wasm, 'tflite_web_api_cc_simd.wasm')),
    print: () => {}, printErr: () => {},
  });
}

function openTflite(tflite, file) {
  const bytes = fs.readFileSync(file);
  const pointer = tflite._malloc(bytes.length);
  tflite.HEAPU8.set(bytes, pointer);
  const made = tflite.TFLiteWebModelRunner.CreateFromBufferAndOptions(
      pointer, bytes.length, {numThreads: 1, enableWebNNDelegate: false, webNNDevicePreference: 0, enableProfiling: true,
        maxProfilingBufferEntries: 1000, bufferedProfiling: true});
  if (!made.ok()) throw new Error(`${file}: ${made.errorMessage()}`);
  return made.value();
}

// `fill(array, i)` writes input i. Gives the inputs and the output.
function runTflite(runner, fill) {
  const inputs = runner.GetInputs(), copies = [];
  for (let i = 0; i < inputs.size(); ++i) {
    fill(inputs.get(i).data(), i);
    copies.push(inputs.get(i).data().slice());
  }
  if (!runner.Infer()) throw new Error('tfjs-tflite cannot run a model');
  return [copies, runner.GetOutputs().get(0).data().slice()];
}

// What ran the model, from the lines of its profile.
function engine(runner) {
  const delegated = /TfLiteXNNPackDelegate/.test(runner.GetProfilingSummary());
  return delegated ? 'xnnpack' : 'tflite';
}

const range = array => array instanceof Int8Array ? [-128, 128] : array instanceof Int16Array ? [-32768, 32768] :
    array instanceof Uint8Array ? [0, 256] : array instanceof Uint16Array ? [0, 65536] : [-2, 2];

function compareTflite(tflite, file, tolerance) {
  const model = path.join(data, 'tflite', file), runner = openTflite(tflite, model);
  const pairs = SEEDS.map(seed => {
    const [[input], theirs] = runTflite(runner, array => draw(array, seed, array instanceof Float32Array ? [0, 256] : range(array)));
    return [runCosim(model, {'': input}, []), theirs];
  });
  report(engine(runner), model, pairs, tolerance);
}

// Whether this TensorFlow Lite computes it: its kernels have fewer types than the operators have by now.
function takes(tflite, file) {
  try {
    runTflite(openTflite(tflite, file), array => array.fill(1));
    return true;
  } catch {
    return false;
  }
}

function compareOperator(tflite, name, {tensors, operators, inputs, outputs}, tolerance, seeds) {
  const model = path.join(folder, `${name}.tflite`);
  writeModel(schema, model, tensors, operators, inputs, outputs);
  if (!takes(tflite, model)) return void lacking.push(name);
  let runner = openTflite(tflite, model);
  const pairs = seeds.map(seed => {
    if (tensors.some(t => t.variable)) runner = openTflite(tflite, model);  // cosim begins anew in each run
    const [arrays, theirs] = runTflite(runner, (array, i) => draw(array, seed + 10 * i, range(array)));
    return [runCosim(model, Object.fromEntries(arrays.map((array, i) => [`t${inputs[i]}`, array])), []), theirs];
  });
  report(engine(runner), model, pairs, tolerance);
}

// What cosim refuses has failed, and the rest goes on.
async function attempt(name, compare) {
  try {
    await compare();
  } catch (error) {
    ++failed;
    console.log(`FAIL  ${name}: ${error.stderr || error}`.trimEnd());
  }
}

function compareGoldens(tflite, tolerance) {
  const goldens = JSON.parse(fs.readFileSync(path.join(data, 'goldens.json'))).filter(g => g.output_int8);
  const pairs = goldens.map(golden => {
    const bytes = fs.readFileSync(path.join(data, golden.input));
    const offset = golden.input_dtype.startsWith('uint8 image bytes') ? 128 : 0;
    const [, theirs] = runTflite(openTflite(tflite, path.join(data, 'tflite', golden.model)), array => {
      for (let i = 0; i < array.length; ++i) array[i] = offset ? bytes[i] - offset : bytes.readInt8(i);
    });
    return [golden.output_int8, theirs];
  });
  report('xnnpack', 'goldens.json', pairs, tolerance);
}

async function compareOnnx(model, range, options, tolerance) {
  // Optimized graphs replace QDQ by kernels of their own, which round elsewhere.
  const session = await ort.InferenceSession.create(model, {graphOptimizationLevel: 'disabled', logSeverityLevel: 3});
  const info = session.inputMetadata[0], shape = info.shape.map(n => typeof n === 'number' ? n : 1);
  const pairs = [];
  for (const seed of SEEDS) {
    const input = draw(new Float32Array(shape.reduce((a, b) => a * b, 1)), seed, range);
    const results = await session.run({[info.name]: new ort.Tensor('float32', input, shape)});
    pairs.push([runCosim(model, {'': input}, options), results[session.outputNames[0]].data]);
  }
  report('onnxruntime', model, pairs, tolerance);
}

const ARRAYS = {float: Float32Array, uint8: Uint8Array, int8: Int8Array, int32: Int32Array, uint16: Uint16Array, int16: Int16Array};

// Without the graph's optimizations the node itself runs.
async function compareOnnxOperator(name, model) {
  const file = path.join(folder, `${name}.onnx`);
  onnx.writeOnnx(file, model);
  const session = await ort.InferenceSession.create(file, {graphOptimizationLevel: 'disabled', logSeverityLevel: 3});
  const feeds = {}, arrays = {};
  for (const [input, {type, shape, data}] of Object.entries(model.inputs)) {
    if (data) continue;
    const array = new ARRAYS[type](shape.reduce((a, b) => a * b, 1));
    draw(array, 1 + Object.keys(feeds).length, type === 'int32' ? [-1000, 1000] : range(array));
    arrays[input] = array;
    feeds[input] = new ort.Tensor(type === 'float' ? 'float32' : type, array, shape);
  }
  const results = await session.run(feeds);
  const tolerance = onnx.TOLERANCES[name] || (model.output[1] === 'float' ? 2e-5 : 0);
  report('onnxruntime', file, [[runCosim(file, arrays, []), results[model.output[0]].data]], tolerance);
}

function quantize(file, options) {
  const model = path.join(data, file), output = path.join(folder, path.parse(file).name + '_quantized.onnx');
  execFileSync(cosim, ['quantize', model, '--calibrate=random', '--per-channel', '-o', output, ...options],
               {stdio: ['ignore', 'ignore', 'inherit']});
  return output;
}

async function main() {
  const tflite = await loadTflite();
  const wanted = only.length ? new RegExp(only.join('|')) : null;
  for (const [name, {model, tolerance}] of Object.entries({...ofTypes, ...operators}))
    if (!wanted || wanted.test(name)) await attempt(name, () => compareOperator(tflite, name, model, tolerance, name in operators ? SEEDS : [1]));
  if (wanted) return finish();
  for (const [name, model] of Object.entries(onnx.operators)) await attempt(name, () => compareOnnxOperator(name, model));
  for (const file of fs.readdirSync(path.join(data, 'tflite')).sort())
    compareTflite(tflite, file, file.includes('fp32') ? 1e-4 : 24);
  compareGoldens(tflite, 24);
  await compareOnnx(path.join(data, 'onnx/micro_kws_fp32.onnx'), [-1, 1], [], 1e-5);
  await compareOnnx(path.join(data, 'onnx/micro_kws_qdq.onnx'), [-1, 1], [], 1 / 256);
  await compareOnnx(path.join(data, 'onnx/micro_kws_qoperator.onnx'), [-1, 1], [], 1 / 256);
  await compareOnnx(quantize('tflite/resnet8_cifar10_fp32.tflite', []), [-1, 1], [], 0.02);
  await compareOnnx(quantize('onnx/micro_kws_fp32.onnx', []), [-1, 1], [], 0.02);
  finish();
}

function finish() {
  console.log(`not in this TensorFlow Lite: ${lacking.join(', ')}`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed ? 1 : 0;
}

main().catch(error => {
  console.error(error);
  process.exitCode = 1;
});
