// SPDX-License-Identifier: Apache-2.0
// The timeline of units as one canvas: layers on top, a row a unit. Zoomed out a row's height is the share of cycles with
// an instruction in flight, zoomed in each instruction is a box.

const kRowHeight = 40, kRowGap = 6, kLayersHeight = 20, kAxisHeight = 20, kNameWidth = 92;
const kLeastCycles = 40, kBoxesAPixel = 1.5;

class TimelineView {
  constructor(timeline, names, clockMhz) {
    this.timeline = timeline;
    this.names = names;
    this.clockMhz = clockMhz;
    this.tracks = timeline.units.filter((unit) => unit.count > 0).map((unit) => new Track(unit));
    this.layerBegins = timeline.layers.map((layer) => layer[1]);
    this.from = 0;
    this.to = timeline.cycles;
    this.canvas = el('canvas', {tabindex: 0, id: 'timeline-canvas', role: 'img'});
    this.readout = el('span', {class: 'count', role: 'status'});
    this.height = kAxisHeight + kLayersHeight + kRowGap + this.tracks.length * (kRowHeight + kRowGap);
    this.canvas.style.height = this.height + 'px';
    listenTo(this);
    redraws.push(() => this.draw());
  }

  /// Shows [from, to), as much of it as there is.
  show(from, to) {
    const most = this.timeline.cycles, size = Math.min(most, Math.max(Math.min(kLeastCycles, most), to - from));
    const middle = (from + to) / 2;
    this.from = Math.max(0, Math.min(most - size, middle - size / 2));
    this.to = this.from + size;
    this.draw();
  }
  zoom(factor, at) {
    const pivot = at === undefined ? (this.from + this.to) / 2 : at;
    this.show(pivot - (pivot - this.from) * factor, pivot + (this.to - pivot) * factor);
  }
  pan(share) { this.show(this.from + share * (this.to - this.from), this.to + share * (this.to - this.from)); }
  showLayer(at) {
    const [, from, to] = this.timeline.layers[at];
    const margin = (to - from) * 0.02;
    this.show(from - margin, to + margin);
  }
  layerAt(cycle) { return Math.max(0, above(this.layerBegins, cycle, this.layerBegins.length) - 1); }

  x(cycle) { return kNameWidth + (cycle - this.from) * this.scale; }
  cycleAt(x) { return this.from + (x - kNameWidth) / this.scale; }

  draw() {
    const width = this.canvas.clientWidth;
    if (width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * ratio)) this.canvas.width = Math.round(width * ratio);
    if (this.canvas.height !== Math.round(this.height * ratio)) this.canvas.height = Math.round(this.height * ratio);
    const paint = this.canvas.getContext('2d');
    this.width = width;
    this.scale = (width - kNameWidth) / (this.to - this.from);
    this.colors = palette();
    this.ink = color('ink');
    this.soft = color('soft');
    this.card = color('card');
    this.faint = color('faint');
    paint.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint.fillStyle = this.card;
    paint.fillRect(0, 0, width, this.height);
    paint.font = '11px system-ui, "DejaVu Sans", sans-serif';
    paint.textBaseline = 'middle';
    paint.save();
    paint.beginPath();
    paint.rect(kNameWidth, 0, width - kNameWidth, this.height);
    paint.clip();
    this.drawAxis(paint);
    this.drawLayers(paint);
    this.tracks.forEach((track, i) => this.drawTrack(paint, track, this.top(i)));
    this.drawPrograms(paint);
    paint.restore();
    this.drawNames(paint);
    this.say();
  }

  top(row) { return kAxisHeight + kLayersHeight + kRowGap + row * (kRowHeight + kRowGap); }
  layerColor(layer) { return this.colors[layer % this.colors.length]; }

  drawNames(paint) {
    paint.fillStyle = this.soft;
    paint.textAlign = 'right';
    paint.fillText('cycles', kNameWidth - 10, kAxisHeight / 2);
    paint.fillText('layers', kNameWidth - 10, kAxisHeight + kLayersHeight / 2);
    paint.fillStyle = this.ink;
    this.tracks.forEach((track, i) => paint.fillText(track.name, kNameWidth - 10, this.top(i) + kRowHeight / 2, kNameWidth - 14));
    paint.textAlign = 'left';
  }

  drawAxis(paint) {
    const raw = (this.to - this.from) / Math.max(2, (this.width - kNameWidth) / 120);
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = Math.max(1, [1, 2, 5, 10].find((factor) => factor * power >= raw) * power);
    for (let tick = Math.ceil(this.from / step) * step; tick < this.to; tick += step) {
      paint.fillStyle = this.faint;
      paint.fillRect(this.x(tick), kAxisHeight, 1, this.height - kAxisHeight);
      paint.fillStyle = this.soft;
      paint.fillText(whole(tick), this.x(tick) + 3, kAxisHeight / 2);
    }
  }

  drawLayers(paint) {
    const layers = this.timeline.layers;
    for (let i = this.layerAt(this.from); i < layers.length && layers[i][1] < this.to; ++i) {
      const [layer, begin, end] = layers[i];
      const left = Math.max(kNameWidth, this.x(begin)), right = Math.min(this.width, this.x(end));
      paint.fillStyle = this.layerColor(layer);
      paint.fillRect(left, kAxisHeight + 1, Math.max(0.5, right - left - 0.5), kLayersHeight - 2);
      this.label(paint, this.names[layer], left, kAxisHeight + kLayersHeight / 2, right - left);
    }
  }

  /// Where there is room for at least some of it; of a layer's name the end says most.
  label(paint, text, left, middle, room) {
    if (room < 26) return;
    const letters = Math.floor((room - 8) / 6.4);
    paint.fillStyle = isDark() ? '#0d1013' : '#ffffff';
    paint.fillText(text.length <= letters ? text : '…' + text.slice(1 - Math.max(2, letters)), left + 4, middle, room - 6);
  }

  drawTrack(paint, track, top) {
    paint.fillStyle = this.faint;
    paint.fillRect(kNameWidth, top + kRowHeight - 1, this.width - kNameWidth, 1);
    const [first, last] = track.seen(this.from, this.to);
    if (last - first <= kBoxesAPixel * (this.width - kNameWidth)) this.drawBoxes(paint, track, top, first, last);
    else this.drawShares(paint, track, top);
  }

  drawBoxes(paint, track, top, first, last) {
    const {begin, end, layer, lane, format} = track.flights, height = (kRowHeight - 2) / track.lanes;
    for (let i = first; i < last; ++i) {
      if (end[i] <= this.from) continue;
      const left = Math.max(kNameWidth - 1, this.x(begin[i])), right = Math.min(this.width + 1, this.x(end[i]));
      paint.fillStyle = this.layerColor(layer[i]);
      paint.fillRect(left, top + lane[i] * height, Math.max(0.7, right - left - (right - left > 3 ? 1 : 0)), height - 1);
      if (height > 11) this.label(paint, this.timeline.formats[format[i]], left, top + (lane[i] + 0.5) * height, right - left);
    }
  }

  /// A column a pixel: as high as the share of its cycles in flight, in the colour of the layer that it begins in.
  drawShares(paint, track, top) {
    const {begin, layer, count} = track.flights;
    let before = track.busyBefore(this.from);
    for (let x = kNameWidth; x < this.width; ++x) {
      const to = this.cycleAt(x + 1), now = track.busyBefore(to);
      const share = (now - before) * this.scale;
      before = now;
      if (share <= 0) continue;
      const height = Math.max(1, Math.min(1, share) * (kRowHeight - 2));
      paint.fillStyle = this.layerColor(layer[Math.max(0, above(begin, to, count) - 1)]);
      paint.fillRect(x, top + kRowHeight - 1 - height, 1, height);
    }
  }

  drawPrograms(paint) {
    paint.fillStyle = this.ink;
    for (const begin of this.timeline.programs.slice(1))
      if (begin > this.from && begin < this.to) paint.fillRect(this.x(begin), kAxisHeight, 1, this.height - kAxisHeight);
  }

  say() {
    const size = this.to - this.from;
    this.readout.textContent = `${whole(this.from)} to ${whole(this.to)}: ${whole(size)} cycles, ` +
      (size >= 1000 * this.clockMhz ? fixed(2)(size / this.clockMhz / 1000) + ' ms' : fixed(2)(size / this.clockMhz) + ' µs');
    this.canvas.setAttribute('aria-label', `Timeline of units, cycles ${this.readout.textContent}; arrows move, plus and minus zoom`);
  }
}

/// Wheel, drag, double click and keys.
function listenTo(view) {
  const canvas = view.canvas;
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) view.pan(event.deltaX / view.width);
    else view.zoom(Math.exp(event.deltaY * 0.002), view.cycleAt(event.offsetX));
  }, {passive: false});
  let held = null;
  canvas.addEventListener('pointerdown', (event) => {
    held = {x: event.offsetX, from: view.from, to: view.to};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointerup', () => { held = null; });
  canvas.addEventListener('pointercancel', () => { held = null; });
  canvas.addEventListener('pointermove', (event) => {
    if (!held) return pointAt(view, event);
    const cycles = (held.x - event.offsetX) / view.scale;
    view.show(held.from + cycles, held.to + cycles);
  });
  canvas.addEventListener('pointerleave', hideTip);
  canvas.addEventListener('dblclick', (event) => {
    if (event.offsetX > kNameWidth) view.showLayer(view.layerAt(view.cycleAt(event.offsetX)));
  });
  canvas.addEventListener('keydown', (event) => {
    const act = {ArrowLeft: () => view.pan(-0.2), ArrowRight: () => view.pan(0.2), '+': () => view.zoom(0.6),
      '=': () => view.zoom(0.6), '-': () => view.zoom(1 / 0.6), Home: () => view.show(0, view.timeline.cycles),
      '0': () => view.show(0, view.timeline.cycles)}[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

/// What stands under the pointer.
function pointAt(view, event) {
  const cycle = view.cycleAt(event.offsetX);
  if (event.offsetX < kNameWidth) return hideTip();
  if (event.offsetY < kAxisHeight + kLayersHeight) {
    const [layer, begin, end] = view.timeline.layers[view.layerAt(cycle)];
    return showTip(event, [view.names[layer], `${whole(end - begin)} cycles, from ${whole(begin)}`]);
  }
  const row = Math.floor((event.offsetY - view.top(0)) / (kRowHeight + kRowGap)), track = view.tracks[row];
  if (!track) return hideTip();
  const lane = Math.floor((event.offsetY - view.top(row)) / ((kRowHeight - 2) / track.lanes));
  const pixel = 1 / view.scale, found = track.at(cycle, lane), flights = track.flights;
  const share = (track.busyBefore(cycle + pixel) - track.busyBefore(cycle)) / pixel;
  if (found < 0) return showTip(event, [`${track.name}: nothing in flight`, `cycle ${whole(cycle)}`]);
  showTip(event, [`#${whole(flights.index[found])} ${view.timeline.formats[flights.format[found]]}`, view.names[flights.layer[found]],
    `issued ${whole(flights.begin[found])}, retired ${whole(flights.end[found] - 1)}: ${whole(flights.end[found] - flights.begin[found])} cycles`,
    pixel > 1 ? `${track.name} has something in flight in ${percent(Math.min(1, share))} of the cycles under the pointer` : null]);
}
