// SPDX-License-Identifier: Apache-2.0
// Put behind a report's own script by report_browser_test.cc: looks at the page as it stands, uses it, and leaves what it
// saw in the document. What that should be is the test's.
(() => {
  const text = (node) => node.textContent.trim();
  const rows = (id) => [...document.querySelectorAll(`#${id} tbody tr`)].map((row) => [...row.children].map(text));
  const heads = (id) => [...document.querySelectorAll(`#${id} thead th button`)].map(text);
  const click = (id, title) => [...document.querySelectorAll(`#${id} thead th button`)].find((button) => text(button) === title).click();
  const type = (id, words) => {
    const field = document.querySelector(`#${id} input[type=search]`);
    field.value = words;
    field.dispatchEvent(new Event('input'));
  };
  const choose = (id, at, value) => {
    const box = document.querySelectorAll(`#${id} select`)[at];
    box.value = value;
    box.dispatchEvent(new Event('change'));
  };
  const paper = () => getComputedStyle(document.body).backgroundColor;
  const isDrawn = (canvas) => {
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, seen = new Set();
    for (let i = 0; i < pixels.length; i += 4) seen.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
    return seen.size;
  };

  const kinds = {
    run() {
      const seen = {layers: rows('layers-table'), heads: heads('layers-table'), ledger: rows('ledger-table'), frame: rows('frame-table'),
        memories: rows('memory-table'), partition: rows('partition-table'), points: window.cosimReport.data.run.layers.length};
      click('layers-table', 'cycles');
      seen.sorted = rows('layers-table').map((row) => row[4]);
      click('layers-table', 'cycles');
      seen.reversed = rows('layers-table').map((row) => row[4]);
      type('layers-table', 'CONV1 accelerator');
      seen.filtered = rows('layers-table').map((row) => row[1]);
      type('layers-table', '');
      choose('layers-table', 0, 'host');
      seen.onHost = rows('layers-table').map((row) => row[1]);
      choose('layers-table', 0, 'all');
      const view = window.cosimReport.timeline;
      seen.timelineColors = isDrawn(view.canvas);
      view.canvas.focus();
      const press = (key) => view.canvas.dispatchEvent(new KeyboardEvent('keydown', {key}));
      press('+');
      press('ArrowRight');
      seen.zoomed = [view.from, view.to];
      press('Home');
      seen.whole = [view.from, view.to];
      seen.updates = updates(view);
      return seen;
    },
    sweep() {
      const seen = {points: rows('points-table'), heads: heads('points-table'), failures: [...document.querySelectorAll('#failed pre')].map(text),
        badges: [...document.querySelectorAll('#points-table tbody tr')].map((row) => [...row.querySelectorAll('.badge')].map(text))};
      const report = window.cosimReport.pareto;
      seen.front = report.front();
      seen.shown = rows('front-table').map((row) => Number(row[0]));
      choose('pareto', 1, 'dram_bytes');
      seen.otherFront = report.front();
      choose('points-table', 0, 'failed');
      seen.failed = rows('points-table').map((row) => Number(row[0]));
      choose('points-table', 0, 'all');
      return seen;
    },
  };

  /// Milliseconds of each of a row of zooms and moves, down to instructions and back, the picture's pixels read behind each.
  function updates(view) {
    const took = [], paint = view.canvas.getContext('2d');
    const timed = (act) => {
      const begin = performance.now();
      act();
      paint.getImageData(0, 0, 1, 1);
      took.push(performance.now() - begin);
    };
    const cycles = view.timeline.cycles;
    for (let place = 0; place < 8; ++place) {
      const at = cycles * (place + 0.5) / 8;
      while (view.to - view.from > 60 && took.length < 4000) timed(() => view.zoom(0.7, at));
      for (let i = 0; i < 10; ++i) timed(() => view.pan(0.3));
      while (view.to - view.from < cycles) timed(() => view.zoom(1.6, at));
    }
    took.sort((a, b) => a - b);
    return {count: took.length, median: took[took.length >> 1], p95: took[Math.floor(took.length * 0.95)], most: took[took.length - 1]};
  }

  const seen = {dark: matchMedia('(prefers-color-scheme: dark)').matches, paper: paper(), title: document.title, h1: text(document.querySelector('h1')),
    totals: Object.fromEntries([...document.querySelectorAll('.totals div')].map((box) => [text(box.children[0]), text(box.children[1])])),
    warnings: [...document.querySelectorAll('.warning')].map(text),
    sections: [...document.querySelectorAll('main section')].map((part) => part.id),
    links: [...document.querySelectorAll('nav a')].map((link) => link.getAttribute('href')),
    charts: Object.fromEntries([...document.querySelectorAll('.chart')].map((chart) => [chart.id, chart.querySelectorAll('svg path').length])),
    unnamed: [...document.querySelectorAll('[role=img],canvas,table,select,input,button')].filter((node) =>
      !(node.getAttribute('aria-label') || node.closest('label') || text(node))).map((node) => node.outerHTML.slice(0, 80)),
    scripts: document.scripts.length};
  Object.assign(seen, kinds[window.cosimReport.data.kind]());
  document.getElementById('theme').click();
  seen.paperSwitched = paper();
  seen.errors = window.seenErrors;
  const box = document.createElement('pre');
  box.id = 'seen';
  box.textContent = encodeURIComponent(JSON.stringify(seen));
  document.body.append(box);
})();
