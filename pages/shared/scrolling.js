// Brings an element into view, once for each time that it is asked for.

const ABOVE = '4.5rem'; // the links on top stay over the page

export default function ({data}) {
  // Streamlit may build the element anew; a time that was served is known to the window.
  if (window.examboardScrolled === data.times) return;
  window.examboardScrolled = data.times;
  requestAnimationFrame(() => {
    show(document.querySelector(`.st-key-${CSS.escape(data.to)}`));
    window.examboardShown = data.times;
  });
}

function show(element) {
  if (!element) return;
  const {top} = element.getBoundingClientRect();
  if (top > 0 && top < innerHeight / 2) return; // in view, and most of what follows is too
  element.style.scrollMarginTop = ABOVE;
  element.scrollIntoView();
  if (!element.querySelector('.examboard-chart')) return;
  element.tabIndex = -1; // who comes back to a chart by keyboard goes on from there
  element.focus({preventScroll: true});
}
