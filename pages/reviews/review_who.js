// Who reviewed in this browser before. This tab goes on under its name, after a reload or when the server was gone; another
// tab is only offered it, since others may sit here.

const NAME = 'examboard reviewer';

export default function ({data, parentElement, setTriggerValue}) {
  const button = parentElement.querySelector('.examboard-who');
  if (data.name) {
    keep(data.name);
    button.hidden = true;
    return;
  }
  if (!data.fresh) forget();
  const {here, before} = known();
  button.hidden = Boolean(here) || !before;
  button.textContent = `Go on as ${before}`;
  button.onclick = () => setTriggerValue('name', before);
  if (here) setTriggerValue('name', here);
}

function keep(name) {
  try {
    sessionStorage.setItem(NAME, name);
    localStorage.setItem(NAME, name);
  } catch {} // this browser keeps nothing
}

function forget() { // the name was taken out of its field
  try {
    sessionStorage.removeItem(NAME);
  } catch {}
}

function known() {
  try {
    return {here: sessionStorage.getItem(NAME), before: localStorage.getItem(NAME)};
  } catch {
    return {here: null, before: null};
  }
}
