// Keys of the stage, as remote controls send them, and the coefficients beside the chart.

const TURNS = {PageDown: 1, ' ': 1, ArrowRight: 1, PageUp: -1, ArrowLeft: -1};
const TAUS = {ArrowUp: 1, ArrowDown: -1};
const HELP = [
  ['Page Down, Space, →', 'next slide'], ['Page Up, ←', 'previous slide'], ['Home, End', 'first and last slide'],
  ['↑, ↓', 'larger and smaller tau'], ['T', 'the figures behind the chart, and notes; arrows move them'],
  ['?', 'these keys'], ['Escape', 'close, or leave'],
];
let stage = null; // what is shown, and how the server is asked
let ahead = null; // what was asked for and has not come yet, so that quick keys add up
let later = 0; // steps of tau that were asked for while another slide was on its way

export default function ({data, parentElement, setTriggerValue}) {
  const panel = parentElement.querySelector('.stage-panel');
  const first = stage?.panel !== panel;
  stage = {data, panel, ask: (asked) => setTriggerValue('asked', asked)};
  if (ahead && Object.keys(ahead).every((name) => ahead[name] === now()[name])) ahead = null;
  if (first) build(panel);
  fill();
  const by = later;
  if (by && state().slide === data.at) { later = 0; move(by); }
  return () => { if (stage?.panel === panel) { stage = ahead = null; later = 0; } };
}

// One for good: Streamlit may build a new panel before it drops the old one.
addEventListener('keydown', onKey, true);

const now = () => ({slide: stage.data.at, tau: stage.data.tau, table: stage.data.table});
const state = () => ({...now(), ...ahead});

function go(changes) {
  ahead = {...ahead, ...changes};
  stage.panel.querySelector('.stage-ticks').classList.add('stage-behind');
  stage.ask(ahead);
}

const jump = (slide) => { if (slide && slide !== state().slide) { later = 0; go({slide, table: false}); } };

function turn(by) {
  const {slides} = stage.data;
  jump(slides[slides.indexOf(state().slide) + by]);
}

function move(by) {
  if (state().slide !== stage.data.at) { later += by; return; } // the slide that comes may have another tau
  const {taus} = stage.data, {tau} = state(), place = taus.indexOf(tau) + by;
  const next = taus[Math.max(0, Math.min(taus.length - 1, place))];
  if (stage.data.tau && next !== tau) go({tau: next});
}

const figures = () => { if (stage.data.figures) go({table: !state().table}); };
const leave = () => stage.ask({leave: true});

// Whether the figures went to the left or right, as they do where there is more of them.
function sideways(key) {
  const table = state().table ? document.querySelector('.stage-table') : null;
  const wide = table?.querySelector('.untitled') ?? table;
  const by = {ArrowRight: 300, ArrowLeft: -300}[key];
  if (!table || !by || wide.scrollWidth <= wide.clientWidth) return false;
  wide.scrollBy({left: by});
  return true;
}

function onKey(event) {
  if (!stage?.panel.isConnected || event.ctrlKey || event.altKey || event.metaKey) return;
  const {key, target} = event;
  if (target.closest?.('input, textarea, select')) return;
  // A button that was reached by the keyboard is pressed by it.
  if ((key === ' ' || key === 'Enter') && target.closest?.('button, a')?.matches(':focus-visible')) return;
  const keys = stage.panel.querySelector('.stage-help');
  if (sideways(key)) { /* it was done */ } else if (key in TURNS) turn(TURNS[key]);
  else if (key in TAUS && state().table) document.querySelector('.stage-table')?.scrollBy({top: -200 * TAUS[key]});
  else if (key in TAUS) move(TAUS[key]);
  else if (key === 'Home') jump(stage.data.slides[0]);
  else if (key === 'End') jump(stage.data.slides.at(-1));
  else if (key === 't' || key === 'T') figures();
  else if (key === '?') keys.hidden = !keys.hidden;
  else if (key === 'Escape' && !keys.hidden) keys.hidden = true;
  else if (key === 'Escape' && state().table) go({table: false});
  else if (key === 'Escape') leave();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function build(panel) {
  const ticks = make('dl', '', 'stage-ticks'), of = make('p', '', 'stage-of');
  const turns = make('div', '', 'stage-turns');
  turns.append(make('p', '', 'stage-place'));
  const buttons = [
    ['Previous', () => turn(-1)], ['Next', () => turn(1)], ['Figures', figures],
    ['Keys ?', () => { keys.hidden = !keys.hidden; }], ['Leave', leave],
  ];
  for (const [name, act] of buttons) {
    const button = make('button', name, `stage-${name.toLowerCase().replace(/\W/g, '')}`);
    button.type = 'button';
    button.addEventListener('pointerdown', (event) => event.preventDefault()); // Space goes on turning slides
    button.addEventListener('click', act);
    turns.append(button);
  }
  const keys = make('div', '', 'stage-help');
  keys.hidden = true;
  keys.setAttribute('role', 'dialog');
  keys.setAttribute('aria-label', 'Keys');
  const list = make('dl');
  for (const [key, what] of HELP) list.append(make('dt', key), make('dd', what));
  keys.append(list);
  panel.replaceChildren(of, ticks, turns, keys);
}

function make(name, text = '', kind = '') {
  const element = document.createElement(name);
  element.textContent = text;
  if (kind) element.className = kind;
  return element;
}

function fill() {
  const {data, panel} = stage;
  const told = data.tau ? [{name: data.tauName, value: data.tau, whole: Number.isInteger(data.tau)}, ...data.ticks] : data.ticks;
  panel.querySelector('.stage-of').textContent = data.ticks.length ? data.of : '';
  const list = panel.querySelector('.stage-ticks');
  list.classList.toggle('stage-behind', ahead !== null);
  list.replaceChildren(...told.map(({name, value, whole}) => {
    const row = make('div');
    row.append(make('dt', name), make('dd', value === null ? '-' : value.toFixed(whole ? 0 : 3)));
    return row;
  }));
  panel.querySelector('.stage-figures').hidden = !data.figures;
  const place = data.slides.indexOf(data.at) + 1;
  panel.querySelector('.stage-place').textContent = `Slide ${place} of ${data.slides.length}`;
}
