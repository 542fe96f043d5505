// Items ahead of a reviewer: the next one is shown at once, and every answer is kept here until the server has it on disk.

const AGAIN = 3000; // milliseconds after which what was not acknowledged is sent anew
const OWN_KEYS = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true], [role=dialog]';
const desks = new WeakMap(); // element: its desk

export default function ({data, parentElement, setStateValue}) {
  const root = parentElement.querySelector('.examboard-review');
  if (!desks.has(root)) desks.set(root, new Desk(root, data.key));
  const desk = desks.get(root);
  desk.tell = (told) => setStateValue('told', told);
  desk.hear(data);
  return () => {
    desk.close();
    desks.delete(root);
  };
}

// What is not acknowledged, one entry for each review: two tabs do not overwrite each other, and a reload finds it.
class Unacknowledged {
  constructor(key) {
    this.prefix = `examboard ${key} `;
    this.list = this.stored();
  }

  stored() {
    try {
      const names = Object.keys(localStorage).filter((name) => name.startsWith(this.prefix));
      const found = names.map((name) => JSON.parse(localStorage.getItem(name)));
      return found.filter((one) => one && one.id).sort((one, other) => one.at - other.at || one.nth - other.nth);
    } catch {
      return []; // this browser keeps nothing: then it is kept as long as the page is open
    }
  }

  add(review) {
    this.list.push(review);
    try {
      localStorage.setItem(this.prefix + review.id, JSON.stringify(review));
    } catch {}
  }

  drop(ids) {
    const gone = new Set(ids);
    this.list = this.list.filter(({id}) => !gone.has(id));
    try {
      for (const id of gone) localStorage.removeItem(this.prefix + id);
    } catch {}
  }

  last(place) {
    return this.list.findLast(({item}) => item === place);
  }

  has(place) { // whether an answer or a skip of this item is on its way
    const last = this.last(place);
    return Boolean(last) && last.kind !== 'undo';
  }
}

// Items whose grade by the model was to be seen; also after a reload, which makes nobody blind again.
class Seen {
  constructor(key) {
    this.name = `examboard seen ${key}`;
    this.places = new Set();
    try {
      this.places = new Set(JSON.parse(localStorage.getItem(this.name)));
    } catch {}
  }

  has(place) {
    return this.places.has(place);
  }

  add(place) {
    if (this.has(place)) return;
    this.places.add(place);
    try {
      localStorage.setItem(this.name, JSON.stringify([...this.places]));
    } catch {}
  }
}

// Time that somebody looked at an item: none while the tab is hidden.
class Watch {
  constructor() {
    this.restart();
  }

  restart() {
    this.spent = 0;
    this.since = document.hidden ? null : performance.now();
  }

  turn() {
    if (this.since !== null) this.spent += performance.now() - this.since;
    this.since = document.hidden ? null : performance.now();
  }

  seconds() {
    this.turn();
    return this.spent / 1000;
  }
}

class Desk {
  constructor(root, key) {
    this.root = root;
    this.waiting = new Unacknowledged(key);
    this.watch = new Watch();
    this.done = []; // what was answered or skipped here, for undo
    this.seen = new Seen(key);
    this.current = null;
    this.note = '';
    this.writing = '';
    this.times = 0;
    this.sentAt = 0;
    this.listeners = new AbortController();
    const {signal} = this.listeners;
    document.addEventListener('keydown', (event) => this.press(event), {signal});
    document.addEventListener('visibilitychange', () => this.watch.turn(), {signal});
    root.addEventListener('click', (event) => this.click(event), {signal});
    this.part('.writing').addEventListener('submit', (event) => this.written(event), {signal});
    this.clock = setInterval(() => this.sendAgain(), 1000);
  }

  close() {
    this.listeners.abort();
    clearInterval(this.clock);
  }

  part(selector) {
    return this.root.querySelector(selector);
  }

  hear(data) {
    const first = !this.data;
    this.data = data;
    this.waiting.drop(data.on_disk);
    this.waiting.drop(Object.keys(data.refused));
    for (const why of Object.values(data.refused)) this.refused = why;
    const anew = this.current && data.items.find(({item}) => item === this.current.item);
    if (anew) this.current = anew;
    if (first) this.build();
    if (this.current) this.draw();
    else this.next();
    if (!first) return;
    // Keys go here from now on, and not into the field in which a name was typed.
    this.root.focus({preventScroll: true});
    if (this.waiting.list.length) this.send();
  }

  send() {
    this.times += 1;
    this.sentAt = Date.now();
    // `times` makes each message another one: equal ones would not be sent.
    this.tell({times: this.times, at: this.sentAt, answers: this.waiting.list});
  }

  sendAgain() {
    if (this.waiting.list.length && Date.now() - this.sentAt > AGAIN) this.send();
    this.drawKept();
  }

  keep(told) {
    this.waiting.add({id: newId(), at: Date.now(), nth: this.times, ...told});
    this.send();
  }

  finish(told) {
    const {current} = this;
    if (!current) return;
    this.keep({
      item: current.item, note: this.note, shown: this.seen.has(current.item), seconds: this.watch.seconds(), ...told,
    });
    this.done.push(current);
    this.refused = '';
    this.next();
  }

  next() {
    this.current = this.data.items.find(({item}) => !this.waiting.has(item)) ?? null;
    this.begin();
  }

  begin() {
    this.note = '';
    this.writing = '';
    this.watch.restart();
    this.draw();
    this.part('.passage').scrollTop = 0;
  }

  undo() {
    const item = this.done.pop() ?? this.before();
    if (!item) return;
    this.keep({item: item.item, kind: 'undo'});
    this.current = item;
    this.begin();
  }

  before() { // what was answered before this page was opened
    const {before} = this.data;
    return before && !this.waiting.last(before.item) && this.current?.item !== before.item ? before : null;
  }

  press(event) {
    if (event.defaultPrevented || event.repeat || event.isComposing || !this.root.checkVisibility()) return;
    if (event.key === 'Escape' && this.writing) {
      event.preventDefault();
      event.stopPropagation();
      this.write('');
      return;
    }
    if (event.target.closest?.(OWN_KEYS)) return;
    const control = event.ctrlKey || event.metaKey;
    if (event.altKey || (control && event.key.toLowerCase() !== 'z') || (control && event.shiftKey)) return;
    const does = control ? 'undo' : {s: 'skip', n: 'note', u: 'undo', '?': 'keys'}[event.key];
    const answer = /^\d$/.test(event.key) && !control ? Number(event.key) : null;
    const answers = answer !== null && this.current && this.data.scale.some(({value}) => value === answer);
    if (!does && !answers) return;
    event.preventDefault();
    if (answers) this.finish({kind: 'answer', answer});
    else this.does(does);
  }

  click(event) {
    const button = event.target.closest('button');
    if (!button) return;
    if (button.dataset.value) this.finish({kind: 'answer', answer: Number(button.dataset.value)});
    else if (button.classList.contains('cancel')) this.write('');
    else if (button.dataset.does) this.does(button.dataset.does);
  }

  does(what) {
    if (what === 'undo') this.undo();
    else if (what === 'look') this.send();
    else if (what === 'keys') this.turnKeys();
    else if (this.current) this.write(what);
  }

  turnKeys() {
    const keys = this.part('.keys');
    keys.hidden = !keys.hidden;
    this.part('[data-does=keys]').setAttribute('aria-expanded', String(!keys.hidden));
  }

  write(what) { // a note, or the reason of a skip
    this.writing = what;
    this.draw();
    const input = this.part('.writing input');
    if (!what) return;
    input.value = what === 'note' ? this.note : this.data.reason;
    input.focus();
    input.select();
  }

  written(event) {
    event.preventDefault();
    const text = this.part('.writing input').value.trim();
    this.part('.writing input').blur();
    if (this.writing === 'skip') {
      this.finish({kind: 'skip', reason: text});
    } else {
      this.note = text;
      this.write('');
    }
  }

  build() { // what stays the same for a queue
    const {scale, keys, asked, longest} = this.data;
    this.part('.asked').textContent = asked;
    this.part('.answers').setAttribute('aria-label', asked);
    this.part('.answers').replaceChildren(...scale.map(({value, name, meaning}) => {
      const button = element('button', '', {type: 'button', 'data-value': value, 'aria-keyshortcuts': value});
      const words = element('span', name);
      words.append(element('small', meaning));
      button.append(element('strong', value), words);
      return button;
    }));
    this.part('.keys').replaceChildren(...keys.flatMap(([key, does]) => {
      const term = element('dt', '');
      term.append(element('kbd', key));
      return [term, element('dd', does)];
    }));
    this.part('.writing input').maxLength = longest;
  }

  draw() {
    const {data, current} = this;
    this.part('.item').hidden = !current;
    this.part('.nothing').hidden = Boolean(current);
    if (current) this.drawItem(current);
    else this.drawNothing();
    say(this.part('.instruction'), data.instruction);
    this.drawProgress();
    this.drawKept();
    // What was undone says nothing: its answer is to be found anew.
    const last = this.waiting.list.at(-1);
    const hides = !data.said || (current && current.item === data.said.item) || last?.kind === 'undo';
    put(this.part('.said'), hides ? '' : data.said.words);
    say(this.part('.refused'), this.refused);
  }

  drawItem(item) {
    put(this.part('.names'), item.names);
    put(this.part('.query'), item.query);
    say(this.part('.question'), item.question);
    say(this.part('.model'), item.model && `The model: ${item.model}.`);
    if (item.model) this.seen.add(item.item);
    const passage = this.part('.passage');
    passage.hidden = !item.passage;
    if (passage.dataset.item !== String(item.item)) {
      passage.dataset.item = item.item;
      const pieces = item.passage ?? [];
      passage.replaceChildren(...pieces.map((piece, nth) => (nth % 2 ? element('mark', piece) : piece)));
    }
    say(this.part('.note'), this.note && `Note: ${this.note}`);
    const form = this.part('.writing');
    form.hidden = !this.writing;
    form.querySelector('span').textContent = this.writing === 'skip' ? 'Why skip it?' : 'Note';
  }

  drawNothing() {
    const {left, together} = this.data;
    const ahead = left - this.onTheirWay();
    const others = together === 1 ? 'another reviewer' : `${together} other reviewers`;
    const words = this.data.items.length ? 'The next items come as soon as the server answers.'
      : `${others[0].toUpperCase()}${others.slice(1)} ${together === 1 ? 'has' : 'have'} the last items before them.`;
    this.part('.nothing p').textContent = ahead > 0 ? words : 'You are done with this queue. Thank you.';
    this.part('.nothing [data-does=look]').hidden = ahead <= 0;
  }

  onTheirWay() {
    const places = new Set(this.waiting.list.map(({item}) => item));
    return [...places].reduce((sum, place) => sum + (this.waiting.has(place) ? 1 : 0), 0);
  }

  drawProgress() {
    const {finished, left, seconds} = this.data;
    const going = this.onTheirWay();
    const ahead = Math.max(0, left - going);
    const bar = this.part('progress');
    bar.max = Math.max(1, finished + left);
    bar.value = finished + going;
    const pace = seconds === null ? [] : [`${seconds < 10 ? seconds.toFixed(1) : seconds.toFixed(0)} s each`];
    const time = seconds === null || !ahead ? [] : [`about ${duration(seconds * ahead)} left`];
    this.part('.pace').textContent = [`${finished + going} done`, `${ahead} left`, ...pace, ...time].join(' · ');
  }

  drawKept() {
    const {length} = this.waiting.list;
    const late = length && Date.now() - this.waiting.list[0].at > AGAIN;
    const words = late ? `${length} not saved on the server yet; kept in this browser` : length ? '' : 'All saved';
    put(this.part('.kept'), words);
  }
}

function element(name, text, attributes = {}) {
  const found = document.createElement(name);
  found.textContent = text;
  for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
  return found;
}

function put(place, words) { // what stays the same is not drawn, nor read out, again
  if (place.textContent !== words) place.textContent = words;
}

function say(place, words) { // nothing is shown where there is nothing to say
  place.hidden = !words;
  put(place, words || '');
}

function newId() { // randomUUID is there on secure addresses only, which another machine's may not be
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function duration(seconds) {
  if (seconds < 100) return `${seconds.toFixed(0)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
