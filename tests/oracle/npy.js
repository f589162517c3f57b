// SPDX-License-Identifier: Apache-2.0
// The arrays of an .npz whose members are stored, as `cosim run --output` writes it.
'use strict';

const TYPES = {
  '|i1': Int8Array, '|u1': Uint8Array, '<i2': Int16Array, '<u2': Uint16Array, '<i4': Int32Array,
  '<f4': Float32Array, '<f8': Float64Array, '<i8': BigInt64Array, '|b1': Uint8Array,
};

function readNpy(bytes) {
  const header = bytes.subarray(10, 10 + bytes.readUInt16LE(8)).toString('latin1');
  const Type = TYPES[header.match(/'descr': '([^']*)'/)[1]];
  const data = bytes.subarray(10 + bytes.readUInt16LE(8));
  return new Type(new Uint8Array(data).buffer);
}

// In the order of the archive.
function readNpz(bytes) {
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const arrays = [];
  let entry = bytes.readUInt32LE(end + 16);
  for (let i = bytes.readUInt16LE(end + 10); i > 0; --i) {
    if (bytes.readUInt16LE(entry + 10) !== 0) throw new Error('a compressed member');
    const size = bytes.readUInt32LE(entry + 20), local = bytes.readUInt32LE(entry + 42);
    const data = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    arrays.push(readNpy(bytes.subarray(data, data + size)));
    entry += 46 + bytes.readUInt16LE(entry + 28) + bytes.readUInt16LE(entry + 30) + bytes.readUInt16LE(entry + 32);
  }
  return arrays;
}

module.exports = {readNpz};
