// A chart that stays: Plotly changes what is drawn, where st.plotly_chart has it built anew at every new figure.

const SMALLEST = 150; // pixels, as in st.plotly_chart
const GLIDE = {duration: 700, easing: 'cubic-in-out'};
const SCREEN = {width: 1920, height: 1080, least: 0.45}; // where a large chart's letters have the size that is said
const AROUND = 180, LINE = 1.15; // pixels above and below such a chart's lines; height of a line in letters
const CORNERS = 'M0 0h6v2h-4v4h-2zM10 0h6v6h-2v-4h-4zM0 10h2v4h4v2h-6zM14 10h2v6h-6v-2h4z';
const GREYS = {
  light: {words: '#555b6a', names: '#262730', lines: '#e6eaf1'},
  dark: {words: '#e6eaf1', names: '#fafafa', lines: '#31333F'},
};
const THEME = [
  ...['background-color', 'border-color', 'font', 'base-font-weight'],
  ...['categorical', 'sequential', 'diverging'].map((kind) => `chart-${kind}-colors`),
]; // of Streamlit's theme what charts look at
const templates = new Map(); // text of a template and the theme: the template in its colours
const shown = new WeakMap(); // frame: what is shown in it, as it was sent
const watched = new WeakMap(); // frame: ends the watch over its size and its clicks
const told = new WeakMap(); // frame: how a click is told
const ranges = new WeakMap(); // frame: the ranges of the axes that its figure came with
const left = new WeakMap(); // frame: what it says of names without room
const drawn = new WeakMap(); // frame: the figure and the template that Plotly has drawn
const ahead = new WeakMap(); // frame: what the server answered last, where a slider's own figure is shown
const LATE = 300; // milliseconds after which a slider stands where the server's answer says

export default async function ({data, parentElement, setTriggerValue}) {
  const frame = parentElement.querySelector('.examboard-chart');
  told.set(frame, (custom) => setTriggerValue('clicked', custom));
  if (overtaken(frame, data)) {
    ahead.set(frame, data);
    setTimeout(() => { if (ahead.get(frame) === data && !overtaken(frame, data)) take(frame, data); }, LATE);
  } else {
    if (!window.Plotly) await load(data.libraries);
    take(frame, data);
  }
  if (!watched.has(frame)) watched.set(frame, watch(frame));
  return () => {
    watched.get(frame)?.();
    watched.delete(frame);
    end(frame);
  };
}

// The server's answer is what counts; a figure that is drawn already is not drawn again.
function take(frame, data) {
  ahead.delete(frame);
  shown.set(frame, data);
  frame.setAttribute('aria-label', data.alt);
  const {figure, template} = drawn.get(frame) ?? {};
  if (data.fills || figure !== data.figure || template !== themed(data.template, frame)) draw(frame);
  else nameFile(frame);
}

// A slider has moved: its figure is shown until the server's answer comes; see pages/mending/following.py.
function follow(frame, {of, held}) {
  const now = shown.get(frame), place = now.at && placeOf(now.at.slider), chart = held[place];
  if (!chart || now.at.of !== of || now.at.place === Number(place)) return;
  const answered = ahead.get(frame) ?? now;
  take(frame, {...now, ...chart, at: {...now.at, place: Number(place)}});
  ahead.set(frame, answered);
}

const placeOf = (slider) => document.querySelector(`.st-key-${slider} input[type=range]`)?.value;

// Whether an answer is for a place that the slider has left meanwhile, so that another one is on its way.
function overtaken(frame, {at}) {
  const now = ahead.has(frame) && shown.get(frame).at;
  return now && at?.of === now.of && at.place !== now.place && placeOf(at.slider) === String(now.place);
}

// A chart that glides goes on with it for a while, and what Plotly has of it must be there until then.
function end(frame) {
  const purge = () => { if (!watched.has(frame)) Plotly.purge(frame.firstChild); };
  if (shown.get(frame).fills) setTimeout(purge, 2 * GLIDE.duration);
  else purge();
}

// The page has asked for ours when it was loaded, so that this is no second download; see script_bundle.py.
function load(libraries) {
  const app = document.querySelector('script[type=module][src*="static/js/"]');
  const [ours, streamlits] = libraries.map((name) => new URL(name, app.src));
  return import(ours).catch(() => import(streamlits));
}

function draw(frame) {
  const {figure, config, template} = shown.get(frame);
  const {data, layout} = JSON.parse(figure);
  layout.template = themed(template, frame);
  drawn.set(frame, {figure, template: layout.template});
  Object.assign(layout, size(frame));
  keepZoom(frame, layout);
  if (left.get(frame) && !layout.xaxis?.title?.text) layout.xaxis = {...layout.xaxis, title: {text: left.get(frame)}};
  const fills = shown.get(frame).fills, missing = fills ? fit(layout) : 0;
  const patterned = data.some(({marker}) => marker?.pattern); // Plotly can't let such bars glide
  if (fills && !patterned && !matchMedia('(prefers-reduced-motion: reduce)').matches) layout.transition = GLIDE;
  nameFile(frame);
  const buttons = [isFull(frame) ? CLOSE_FULL_SCREEN : FULL_SCREEN];
  const removed = ['lasso2d', 'select2d', 'sendChartToCloud'];
  Plotly.react(frame.firstChild, data, layout, {
    ...config, displaylogo: false, displayModeBar: fills ? false : 'hover',
    modeBarButtonsToAdd: buttons, modeBarButtonsToRemove: removed,
  }).then(() => say(frame, missing));
}

// Plotly builds the chart anew, as nobody zoomed to it, when its settings change. The same objects each time are no
// change; a picture's name changes with tau, so that it is put into the settings that Plotly has.
function nameFile(frame) {
  const context = frame.firstChild._context;
  if (context) context.toImageButtonOptions = shown.get(frame).config.toImageButtonOptions;
}

// Plotly itself keeps what a user zoomed to only while the figure's own range stays the same.
function keepZoom(frame, layout) {
  const before = ranges.get(frame), shows = frame.firstChild.layout;
  const came = {};
  for (const name of ['xaxis', 'yaxis']) {
    const was = before?.[name], now = shows?.[name]?.range;
    const zoomed = layout.uirevision && layout.uirevision === shows?.uirevision && was && now && `${was}` !== `${now}`;
    if (zoomed) layout[name].range = [...was];
    came[name] = layout[name]?.range && [...layout[name].range];
  }
  ranges.set(frame, came);
}

// How many names are left out: of those that are listed, or that Plotly itself had no room for.
function say(frame, missing) {
  const plot = frame.firstChild, {xaxis} = plot._fullLayout ?? {};
  const all = xaxis?.type === 'category' ? xaxis._categories.length : 0;
  const out = missing || Math.max(0, all - frame.querySelectorAll('.xtick text').length);
  const words = out ? `${out} names left out for lack of room` : '';
  if (!shown.get(frame).fills) return below(frame, words);
  let note = frame.querySelector('.examboard-left-out');
  if (words && !note) {
    note = document.createElement('p');
    note.className = 'examboard-left-out';
    frame.append(note);
  }
  if (note) note.textContent = words;
}

// Said below the names, unless the axis has a title of its own.
function below(frame, words) {
  const said = left.get(frame) ?? '', title = frame.firstChild.layout?.xaxis?.title?.text ?? '';
  if (words === said || title !== said) return;
  left.set(frame, words);
  Plotly.relayout(frame.firstChild, {'xaxis.title.text': words});
}

// Letters grow with the screen and never shrink; names that would cover each other are left out, bold ones last: returns how many.
function fit({template, ...layout}) {
  const {height} = layout;
  const scale = Math.max(SCREEN.least, Math.min(innerWidth / SCREEN.width, innerHeight / SCREEN.height));
  let missing = 0;
  const enlarge = (part) => Object.entries(part).forEach(([name, value]) => {
    if (name.endsWith('font') && value.size) value.size *= scale;
    else if (value && typeof value === 'object') enlarge(value);
  });
  enlarge(layout);
  for (const [name, axis] of Object.entries(layout)) {
    const {tickvals, ticktext, tickfont, range} = axis ?? {};
    if (!name.startsWith('yaxis') || !(tickvals?.length > 1) || !range || !tickfont) continue;
    const pixel = Math.abs(range[1] - range[0]) / (height - AROUND * scale);
    const least = LINE * tickfont.size * pixel, strong = (place) => Boolean(ticktext?.[place]?.startsWith?.('<b>'));
    const kept = tickvals.map((_, place) => place)
      .sort((a, b) => strong(b) - strong(a) || tickvals[a] - tickvals[b])
      .reduce((some, place) => some.some((other) => Math.abs(tickvals[other] - tickvals[place]) < least) ? some : [...some, place], []);
    missing += tickvals.length - kept.length;
    axis.tickvals = kept.map((place) => tickvals[place]);
    if (ticktext) axis.ticktext = kept.map((place) => ticktext[place]);
  }
  return missing;
}

function watch(frame) {
  const plot = frame.firstChild;
  const resize = () => {
    const {width, height} = size(frame);
    if (!frame.clientWidth || (width === plot.layout.width && height === plot.layout.height)) return;
    if (shown.get(frame).fills) draw(frame);
    else Plotly.relayout(plot, {width, height}).then(() => say(frame, 0));
  };
  const turn = () => draw(frame);
  const move = ({detail}) => follow(frame, detail);
  const observer = new ResizeObserver(resize);
  observer.observe(frame);
  plot.on('plotly_click', ({points: [point]}) => {
    if (shown.get(frame).select && point.customdata) told.get(frame)(point.customdata);
  });
  // A hand only where a click does something.
  const point = (points) => frame.classList.toggle('pointing', Boolean(shown.get(frame).select && points?.[0].customdata));
  plot.on('plotly_hover', ({points}) => point(points));
  plot.on('plotly_unhover', () => point());
  frame.addEventListener('fullscreenchange', turn);
  frame.addEventListener('follow', move);
  return () => {
    observer.disconnect();
    frame.removeEventListener('fullscreenchange', turn);
    frame.removeEventListener('follow', move);
  };
}

function size(frame) {
  const width = Math.max(frame.clientWidth, SMALLEST);
  const {fills, height} = shown.get(frame);
  return {width, height: isFull(frame) || fills ? Math.max(frame.clientHeight, SMALLEST) : height};
}

const isFull = (frame) => document.fullscreenElement === frame;
const button = (name, click) => ({name, title: name, icon: {width: 16, height: 16, path: CORNERS}, click});
const FULL_SCREEN = button('Fullscreen', (plot) => plot.parentElement.requestFullscreen());
const CLOSE_FULL_SCREEN = button('Close fullscreen', () => document.exitFullscreen());

// The figure's template in the colours and sizes that st.plotly_chart gives it in Streamlit's present theme; the same
// object as long as both are the same.
function themed(template, frame) {
  const style = getComputedStyle(frame);
  const theme = (name) => style.getPropertyValue(`--st-${name}`).trim();
  const known = [template, rem(), ...THEME.map(theme)].join();
  if (!templates.has(known)) templates.set(known, inTheme(JSON.parse(template), theme));
  return templates.get(known);
}

function inTheme(template, theme) {
  // The template stands for the theme's colours with #000001 to #000030.
  const colours = ['categorical', 'sequential', 'diverging'].flatMap((kind) => theme(`chart-${kind}-colors`).split(','));
  const text = JSON.stringify(template).replace(/#0000(\d\d)(?=")/g, (mark, place) => colours[place - 1] ?? mark);
  const {data, layout} = JSON.parse(text);
  return {data, layout: {...layout, ...looks(theme, layout)}};
}

const rem = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

function looks(theme, {coloraxis}) {
  const letters = rem();
  const ground = theme('background-color');
  const {words, names, lines} = Number.parseInt(ground.slice(1, 3), 16) > 127 ? GREYS.light : GREYS.dark;
  const font = (size, color = words) => ({color, size: size * letters});
  // A picture that is saved is opened where the dashboard's own font is not: everybody has Arial, or one as wide.
  const body = {...font(0.75), family: `Arial, Helvetica, ${theme('font')}`};
  const axis = {
    automargin: true, gridcolor: lines, tickcolor: lines, zerolinecolor: lines, minor: {gridcolor: lines},
    tickfont: font(0.75),
  };
  const colorbar = {
    thickness: 16, xpad: 1.5 * letters, ticklabelposition: 'outside', outlinecolor: 'transparent', outlinewidth: 8,
    len: 0.75, y: 0.5745, title: {font: font(0.875)}, tickfont: font(0.75),
  };
  return {
    font: {...body, weight: Number(theme('base-font-weight'))},
    paper_bgcolor: ground,
    plot_bgcolor: ground,
    margin: {l: 0, r: 0, pad: 0.5 * letters},
    legend: {valign: 'top', font: font(0.75, names), title: {side: 'top', font: font(0.75)}},
    hoverlabel: {bgcolor: ground, bordercolor: theme('border-color'), font: body},
    xaxis: {...axis, showgrid: false, zeroline: false, title: {font: font(0.875), standoff: 1.25 * letters}},
    yaxis: {...axis, ticklabelposition: 'outside', title: {font: font(0.875), standoff: 1.5 * letters}},
    coloraxis: {...coloraxis, colorbar},
  };
}
