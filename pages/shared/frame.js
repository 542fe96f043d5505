// What Streamlit leaves to the browser: its history, help for whoever uses the keyboard, long names on chips, and how a page
// is printed.

const CHIP = 18; // characters that a chip has room for
const ROW = 35; // pixels of a table's row, as Streamlit has them
const HELP = 'button[aria-label^="Help"]'; // the icon that shows a help text
const CONTROL = `input, textarea, [role=toolbar], [role=radiogroup], button:not(${HELP})`;
let notes = 0;

export default function ({data}) {
  if (window.examboardFrame) return;
  window.examboardFrame = true;
  if (!data?.plain) keepHistory();
  explain();
  print();
}

// A sheet has the width of the page, its address, and whole tables: Ctrl-P opens the page anew with these (print=1).
// The browser's menu prints tables as they are seen, and the sheet says what they leave out.
function print() {
  const main = () => document.querySelector('[data-testid="stMainBlockContainer"]');
  addEventListener('beforeprint', () => {
    document.documentElement.style.setProperty('--sheet', Math.min(1, 690 / main().clientWidth));
    main().dataset.address = location.href.replace(/[?&]print=1/, '');
    for (const shown of main().querySelectorAll('[data-testid="stDataFrame"]')) {
      shown.closest('[data-testid="stElementContainer"]').dataset.cut = missing(shown);
    }
  });
  const asked = new URL(location.href).searchParams.get('print') === '1';
  addEventListener('keydown', event => {
    if (asked || event.key !== 'p' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    const sheet = new URL(location.href);
    sheet.searchParams.set('print', '1');
    if (window.open(sheet)) event.preventDefault();
  }, {capture: true});
  if (!asked) return;
  let still = 0;
  const watch = setInterval(() => {
    const busy = document.querySelector('[data-testid="stStatusWidget"], [data-stale="true"]');
    still = busy || !document.querySelector('[data-testid="stMain"] h1') ? 0 : still + 1;
    if (still < 8) return;
    clearInterval(watch);
    window.print();
  }, 250);
}

// What a table's box does not show; empty where it shows all.
function missing(table) {
  const box = table.querySelector('.dvn-scroller');
  const rows = box ? Math.round((box.scrollHeight - box.clientHeight) / ROW) : 0;
  const cut = [rows > 0 && `${rows} rows`, box?.scrollWidth > box?.clientWidth + 1 && 'columns on the right'].filter(Boolean);
  return cut.length ? `Not on this sheet: ${cut.join(', ')}. Ctrl-P prints whole tables.` : '';
}

// Streamlit cuts the ends of names, which many share: chips show what tells them apart, and the whole name on hover.
function nameChips(box) {
  const chips = [...box.querySelectorAll('[data-tag] > span[title]')].filter(chip => chip.firstChild?.nodeType === 3);
  const short = shortened(chips.map(chip => chip.title));
  chips.forEach((chip, at) => {
    if (chip.firstChild.nodeValue !== short[at]) chip.firstChild.nodeValue = short[at];
  });
}

// Names of at most CHIP characters: of each long one its part that differs from those that begin with the same word,
// and as many words around it as fit.
function shortened(names) {
  const words = name => name.split(/(?<=[-_./ ])/);
  const shared = family => {
    let count = 0;
    const alike = one => count < one.length - 1 && one[count] === family[0][count];
    while (family.length > 1 && family.every(alike)) count += 1;
    return count;
  };
  return names.map(name => {
    if (name.length <= CHIP) return name;
    const all = words(name);
    const family = names.filter(one => one.length > CHIP && words(one)[0] === all[0]).map(words);
    let start = shared(family);
    let end = Math.max(start + 1, all.length - shared(family.map(one => one.toReversed())));
    const fits = (from, to) => from >= 0 && to <= all.length && all.slice(from, to).join('').length <= CHIP - 2;
    while (fits(start - 1, end)) start -= 1;
    while (fits(start, end + 1)) end += 1;
    const found = (start > 0 ? '…' : '') + all.slice(start, end).join('') + (end < all.length ? '…' : '');
    return found.length <= CHIP ? found : `${found.slice(0, CHIP / 2 - 1)}…${found.slice(-CHIP / 2)}`;
  });
}

// Streamlit shows a help text beside the mouse. A control's is read with it, too, and shown when Tab comes to the control,
// so that Tab need not stop at its icon.
function explain() {
  let asked = 0, tabbed = false;
  const look = () => {
    asked = 0;
    document.querySelectorAll('[data-testid="stTooltipIcon"] button').forEach(describe);
    for (const box of document.querySelectorAll('[data-testid="stMultiSelect"]')) nameChips(box);
  };
  const soon = () => { asked ||= requestAnimationFrame(look); };
  new MutationObserver(soon).observe(document.body, {childList: true, subtree: true});
  soon();
  const point = (target, to) => {
    const id = target.closest?.('[aria-describedby^="help-"]')?.getAttribute('aria-describedby');
    document.getElementById(id)?.parentElement.dispatchEvent(new PointerEvent(to, {bubbles: true}));
  };
  addEventListener('keydown', ({key, target}) => {
    tabbed = key === 'Tab';
    if (!tabbed) point(target, 'pointerout');
  }, {capture: true});
  addEventListener('pointerdown', () => { tabbed = false; }, {capture: true});
  addEventListener('focusin', ({target}) => { if (tabbed) point(target, 'pointerover'); });
  addEventListener('focusout', ({target}) => point(target, 'pointerout'));
}

// Let a control name its help text, which Streamlit keeps to itself until it is shown: React knows it.
function describe(icon) {
  let part = icon[Object.keys(icon).find(name => name.startsWith('__reactFiber$'))];
  while (part && typeof part.memoizedProps?.content !== 'string') part = part.return;
  const control = icon.matches(HELP) ? icon.closest('[data-testid="stElementContainer"]')?.querySelector(CONTROL) : icon;
  if (!part || !control) return;
  if (control !== icon) icon.tabIndex = -1;
  const around = icon.parentElement, note = around.querySelector('[id^="help-"]') ?? document.createElement('span');
  const text = part.memoizedProps.content.replace(/[\\*`]/g, '');
  if (note.textContent !== text) note.textContent = text;
  if (!note.id) around.append(Object.assign(note, {id: `help-${notes += 1}`, hidden: true}));
  if (control.getAttribute('aria-describedby') !== note.id) control.setAttribute('aria-describedby', note.id);
}

// One entry in the browser's history for each page that is turned.
//
// When a page is turned, Streamlit first takes the left page's choices out of the address, as an entry of its own,
// and then makes the entry of the new page. Back would lead to the left page without its choices. So an entry of
// the same page waits for a moment, and is dropped where a page is turned meanwhile.
function keepHistory() {
  const WAIT = 500; // milliseconds; a busy browser takes a while from one to the other
  const push = history.pushState.bind(history), replace = history.replaceState.bind(history);
  let waiting = null;
  const drop = () => { clearTimeout(waiting?.timer); waiting = null; };
  const make = () => {
    const entry = waiting;
    drop();
    if (entry) (entry.asked ? push : replace)({}, '', entry.url);
  };
  history.pushState = (state, title, url) => {
    drop();
    if (new URL(url, location.href).pathname !== location.pathname) return push(state, title, url);
    // What nobody asked for, such as an address that is put right when it is opened, is no step to go back.
    waiting = {url, asked: navigator.userActivation?.hasBeenActive ?? true, timer: setTimeout(make, WAIT)};
  };
  history.replaceState = (...parts) => { make(); replace(...parts); };
  addEventListener('popstate', drop, {capture: true});
}
