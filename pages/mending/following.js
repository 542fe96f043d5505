// Tells a chart when the slider that it depends on has moved, with the figure that is held for that place.

let held = null;
let watching = false;

export default function ({data}) {
  held = data;
  if (!watching) {
    watching = true;
    // React writes a slider's words at each move, whoever moves it: keys, a mouse, a screen reader.
    const moves = {subtree: true, attributes: true, attributeFilter: ['aria-valuetext']};
    new MutationObserver(tell).observe(document.body, moves);
  }
  return () => { if (held === data) held = null; };
}

function tell() {
  const frame = held && document.querySelector(`.st-key-${held.chart} .examboard-chart`);
  frame?.dispatchEvent(new CustomEvent('follow', {detail: held}));
}
