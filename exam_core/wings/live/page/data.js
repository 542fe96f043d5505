"use strict";
// The live page: shows numbers of the data, and computes none. Choices are kept in the address behind #.

const byId = (id) => document.getElementById(id);
let data, reading, values, state, drawing;

// Data and Plotly are compressed: neither may be fetched, since the page stands alone.

function bytes(id) {
  const letters = atob(byId(id).textContent);
  const found = new Uint8Array(letters.length);
  for (let place = 0; place < letters.length; place += 1) found[place] = letters.charCodeAt(place);
  return found;
}

const parsed = new Promise((done) => {
  if (document.readyState !== "loading") done();
  else document.addEventListener("DOMContentLoaded", done, {once: true});
});

function unpacked(id) {
  const stream = new Blob([bytes(id)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream);
}

async function readValues() {
  await parsed;
  reading ??= unpacked("values").json();
  values = await reading;
}

async function loadPlotly() {
  const code = new Blob([await unpacked("plotly").blob()], {type: "text/javascript"});
  const script = document.createElement("script");
  script.src = URL.createObjectURL(code);
  await new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = reject;
    document.head.append(script);
  });
}
