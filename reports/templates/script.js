'use strict';
(function () {
  // Sorting: every heading of a sortable table becomes a button.
  function key(row, column) {
    var text = row.children[column] ? row.children[column].textContent.trim() : '';
    var plain = text.replace(/[\s\u00a0%]/g, '').replace('\u2212', '-');
    var number = plain.startsWith('0x') ? NaN : Number.parseFloat(plain);
    return { text: text, number: number };
  }
  function compare(a, b) {
    if (Number.isNaN(a.number)) { return Number.isNaN(b.number) ? a.text.localeCompare(b.text) : 1; }
    return Number.isNaN(b.number) ? -1 : a.number - b.number;
  }
  document.querySelectorAll('table.sortable').forEach(function (table) {
    var heads = Array.from(table.querySelectorAll('thead th'));
    heads.forEach(function (head, column) {
      var button = document.createElement('button');
      button.type = 'button';
      button.textContent = head.textContent;
      button.title = 'sort';
      head.replaceChildren(button);
      button.addEventListener('click', function () {
        var falls = head.getAttribute('aria-sort') === 'ascending';
        heads.forEach(function (other) { other.removeAttribute('aria-sort'); });
        head.setAttribute('aria-sort', falls ? 'descending' : 'ascending');
        var body = table.tBodies[0];
        var rows = Array.from(body.rows).map(function (row, place) {
          return { row: row, key: key(row, column), place: place };
        });
        rows.sort(function (a, b) {
          var order = compare(a.key, b.key);
          return (falls ? -order : order) || a.place - b.place;
        });
        rows.forEach(function (entry) { body.appendChild(entry.row); });
      });
    });
  });

  // Hovering: a plot against inputs names the bucket under the pointer, from the rows of its table.
  document.querySelectorAll('.plot[data-rows]').forEach(function (plot) {
    var table = document.getElementById(plot.dataset.rows);
    var tip = document.getElementById(plot.dataset.tip);
    if (!table || !tip) { return; }
    var heads = Array.from(table.querySelectorAll('thead th')).map(function (head) { return head.textContent; });
    var places = [];
    table.querySelectorAll('tr[data-x]').forEach(function (row) {
      row.dataset.x.split(',').forEach(function (pair) {
        var ends = pair.split(' ').map(Number);
        places.push({ left: ends[0], right: ends[1], row: row });
      });
    });
    places.sort(function (a, b) { return a.left - b.left; });
    var mark = document.createElement('div');
    mark.className = 'mark';
    mark.hidden = true;
    plot.appendChild(mark);
    var current = -1;
    function show(place) {
      if (place === current) { return; }
      if (places[current]) { places[current].row.classList.remove('here'); }
      current = place;
      var found = places[place];
      mark.hidden = !found;
      if (!found) { return; }
      found.row.classList.add('here');
      mark.style.left = found.left / 12 + '%';
      mark.style.width = (found.right - found.left) / 12 + '%';
      var cells = Array.from(found.row.children);
      tip.textContent = cells.map(function (cell, column) {
        var text = cell.textContent.trim();
        return text ? heads[column] + ' ' + text : '';
      }).filter(Boolean).join(' \u00b7 ');
    }
    function at(event) {
      var box = plot.getBoundingClientRect();
      var x = (event.clientX - box.left) / box.width * 1200;
      return places.findIndex(function (place) { return x >= place.left ? place.right > x : false; });
    }
    plot.addEventListener('pointermove', function (event) { show(at(event)); });
    plot.addEventListener('click', function (event) { show(at(event)); });
    function visit() {
      var found = places[current];
      if (!found) { return; }
      var details = table.closest('details');
      if (details) { details.open = true; }
      found.row.scrollIntoView({ block: 'center' });
    }
    plot.addEventListener('dblclick', visit);
    plot.tabIndex = 0;
    plot.addEventListener('keydown', function (event) {
      if (event.key === 'Enter') { visit(); }
      var step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      if (!step) { return; }
      event.preventDefault();
      show(Math.min(Math.max(current + step, 0), places.length - 1));
    });
  });
})();
