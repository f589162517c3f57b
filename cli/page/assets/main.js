// SPDX-License-Identifier: Apache-2.0
// Puts the page together, and keeps it right when the window, the colours or the paper change.

const page = {data};
window.cosimReport = page;

function build() {
  if (data.kind === 'run') {
    const run = data.run;
    runHead(run, data.source);
    frameSection(run);
    ledgerSection(run);
    timelineSection(run, data.timeline);
    layersSection(run);
    rooflineSection(run);
    partitionSection(run);
    memorySection(run, data.dram);
    provenanceSection(run);
  } else {
    prepare(data);
    const axes = axesOf(data.points);
    sweepHead(data);
    paretoSection(data, axes);
    pointsSection(data, axes);
    parallelSection(data, axes);
    failedSection(data, axes);
    warningsSection(data);
    hostSection(data);
    planSection(data);
  }
}

function navigation() {
  const links = new Map(sections.map(({id, title}) => [id, el('a', {href: '#' + id}, title)]));
  document.getElementById('nav').append(el('ul', {}, ...[...links.values()].map((link) => el('li', {}, link))));
  const mark = () => {
    const passed = sections.filter(({node}) => node.getBoundingClientRect().top < innerHeight * 0.35);
    const now = (scrollY > 0 && passed.length ? passed[passed.length - 1] : sections[0]).id;
    for (const [id, link] of links) id === now ? link.setAttribute('aria-current', 'true') : link.removeAttribute('aria-current');
  };
  addEventListener('scroll', mark, {passive: true});
  mark();
}

/// Paper is white.
function onPaper() {
  const root = document.documentElement;
  let chosen;
  addEventListener('beforeprint', () => { chosen = root.dataset.theme; root.dataset.theme = 'light'; redrawAll(); });
  addEventListener('afterprint', () => {
    if (chosen) root.dataset.theme = chosen;
    else delete root.dataset.theme;
    redrawAll();
  });
}

build();
document.getElementById('main').replaceChildren(...sections.map((part) => part.node));
document.getElementById('foot').append('Made by cosim. Charts by Apache ECharts ' + echarts.version +
  ', Apache License 2.0; its text, and those of what it is made with, stand at the head of its script in this file.');
navigation();
onPaper();
redrawAll();
let waiting = 0;
addEventListener('resize', () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(redrawAll); });
