// SPDX-License-Identifier: Apache-2.0
// What was in flight when, from what cosim packed; answers in logarithmic time, so that drawing costs what is seen and
// not what there is.

/// The numbers of cli/page/packed.h, five a flight.
function unpackFlights(text, count) {
  const raw = atob(text);
  const flights = {index: new Int32Array(count), begin: new Float64Array(count), end: new Float64Array(count),
    layer: new Int32Array(count), format: new Uint16Array(count), lane: new Uint8Array(count), count};
  let at = 0;
  const next = () => {
    let value = 0, scale = 1, byte;
    do {
      byte = raw.charCodeAt(at++);
      value += (byte & 0x7f) * scale;
      scale *= 128;
    } while (byte & 0x80);
    return value;
  };
  let index = 0, begin = 0, layer = 0;
  for (let i = 0; i < count; ++i) {
    index += next();
    begin += next();
    const duration = next(), coded = next();
    layer += coded % 2 ? -(coded + 1) / 2 : coded / 2;
    flights.index[i] = index;
    flights.begin[i] = begin;
    flights.end[i] = begin + duration;
    flights.layer[i] = layer;
    flights.format[i] = next();
  }
  return flights;
}

/// The first of `count` ascending numbers that is above `value`.
function above(numbers, value, count) {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/// Those in flight at a time stand side by side, up to four.
function spreadLanes(flights) {
  const ends = [0, 0, 0, 0];
  let lanes = 1;
  for (let i = 0; i < flights.count; ++i) {
    let lane = ends.findIndex((end) => end <= flights.begin[i]);
    if (lane < 0) lane = ends.indexOf(Math.min(...ends));
    ends[lane] = flights.end[i];
    flights.lane[i] = lane;
    lanes = Math.max(lanes, lane + 1);
  }
  return lanes;
}

class Track {
  constructor(unit) {
    this.name = unit.name;
    this.flights = unpackFlights(unit.flights, unit.count);
    this.lanes = spreadLanes(this.flights);
    // Flights that touch are one stretch; `before` counts the cycles of those before it.
    const {begin, end, count} = this.flights;
    this.from = new Float64Array(count);
    this.to = new Float64Array(count);
    this.before = new Float64Array(count + 1);
    this.longest = 0;
    let stretches = 0;
    for (let i = 0; i < count; ++i) {
      this.longest = Math.max(this.longest, end[i] - begin[i]);
      if (stretches > 0 && begin[i] <= this.to[stretches - 1]) {
        this.to[stretches - 1] = Math.max(this.to[stretches - 1], end[i]);
      } else {
        this.from[stretches] = begin[i];
        this.to[stretches++] = end[i];
      }
    }
    this.stretches = stretches;
    for (let s = 0; s < stretches; ++s) this.before[s + 1] = this.before[s] + this.to[s] - this.from[s];
  }

  /// Cycles before `cycle` with an instruction in flight.
  busyBefore(cycle) {
    const next = above(this.from, cycle, this.stretches);
    if (next === 0) return 0;
    return this.before[next - 1] + Math.min(cycle, this.to[next - 1]) - this.from[next - 1];
  }

  /// [first, past the last] of the flights that may be seen in [from, to).
  seen(from, to) {
    return [above(this.flights.begin, from - this.longest, this.flights.count), above(this.flights.begin, to, this.flights.count)];
  }

  /// The flight in `cycle`, of that lane if there is one; -1: none.
  at(cycle, lane) {
    const last = above(this.flights.begin, cycle, this.flights.count) - 1;
    let found = -1;
    for (let i = last; i >= 0 && this.flights.begin[i] > cycle - this.longest && i > last - 64; --i) {
      if (this.flights.end[i] <= cycle) continue;
      if (this.flights.lane[i] === lane) return i;
      if (found < 0) found = i;
    }
    return found;
  }
}
