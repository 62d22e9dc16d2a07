// Tries a page out as a reader would, and tells the page around it what it found, as JSON.
(function () {
  'use strict';
  var found = { sorted: [], tip: '', contrast: [], loaded: 0, overflow: 0, focusable: 0 };

  // Sorting the first sortable table by a column of numbers, up and down.
  var table = document.querySelector('table.sortable');
  if (table) {
    var button = table.querySelectorAll('thead button')[1];
    [0, 1].forEach(function () {
      button.click();
      found.sorted.push(Array.from(table.tBodies[0].rows).map(function (row) { return row.cells[1].textContent; }));
    });
    button.focus();
    found.focusable = document.activeElement === button ? 1 : 0;
  }

  // Stepping through the buckets of a plot by keyboard.
  var plots = document.querySelectorAll('.plot[data-rows]');
  if (plots.length > 0) {
    var plot = plots[plots.length - 1];
    plot.focus();
    ['ArrowRight', 'ArrowRight', 'ArrowLeft'].forEach(function (key) {
      plot.dispatchEvent(new KeyboardEvent('keydown', { key: key, bubbles: true }));
    });
    found.tip = document.getElementById(plot.dataset.tip).textContent;
    found.marked = !plot.querySelector('.mark').hidden;
  }

  // Contrast of all text, by the rule of WCAG 2.
  function channels(colour) { return colour.match(/[\d.]+/g).map(Number); }
  function luminance(rgb) {
    var parts = rgb.slice(0, 3).map(function (part) {
      var share = part / 255;
      return share <= 0.03928 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
    });
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  }
  function background(element) {
    for (var at = element; at; at = at.parentElement) {
      var rgb = channels(getComputedStyle(at).backgroundColor);
      if (rgb.length < 4 || rgb[3] > 0) { return rgb; }
    }
    return [255, 255, 255];
  }
  var isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  found.dark = isDark;
  document.querySelectorAll('details').forEach(function (details) { details.open = true; });
  document.querySelectorAll('body *').forEach(function (element) {
    var own = Array.from(element.childNodes).some(function (node) { return node.nodeType === 3 && node.textContent.trim(); });
    var isPicture = element.closest('svg') !== null;
    // A picture turns its lightness over in the dark; its colours are those of the light.
    if (!own || element.localName === 'script' || isPicture && isDark) { return; }
    var style = getComputedStyle(element);
    var front = luminance(channels(isPicture ? style.fill : style.color));
    var back = isPicture ? 1 : luminance(background(element));
    var ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    if (ratio < 4.5) { found.contrast.push(element.localName + ' ' + ratio.toFixed(2) + ' ' + element.textContent.trim().slice(0, 30)); }
  });
  document.querySelectorAll('details').forEach(function (details) { details.open = false; });

  found.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  found.width = document.documentElement.clientWidth;
  found.loaded = performance.getEntriesByType('resource').length;
  parent.postMessage(JSON.stringify(found), '*');
})();
