// Views that somebody pinned: each is a choice with words

let opened = 0;

const isShownNow = ({choice}) => Object.entries(choice).every(([name, value]) => String(state[name]) === String(value));

// Of views with the same choice, the one that was opened last.
function viewNow() {
  return data.views[opened] && isShownNow(data.views[opened]) ? opened : data.views.findIndex(isShownNow);
}

function showViews() {
  if (!data.views.length) return;
  const now = viewNow();
  byId("views").querySelectorAll("button").forEach((button, place) => {
    button.setAttribute("aria-current", String(place === now));
  });
  byId("note").textContent = data.views[now]?.note ?? "";
}

// Its note stands where it is to be seen.
async function openView(place) {
  const {choice, section} = data.views[place];
  opened = place;
  await change({...choice, run: "", query: ""});
  fillRest();
  const atTop = section === "title";
  (atTop ? byId("said") : byId(section).querySelector("h2")).after(byId("note"));
  if (atTop) scrollTo({top: 0});
  else leadTo(section);
}
