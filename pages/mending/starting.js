// Before Streamlit's own script: where its server is, which it would look for under the page's own address first, and
// as soon as Streamlit stands what the first chart is drawn in and with, so that it has run when the chart comes.
window.__streamlit = {BACKEND_BASE_URL: new URL('.', location).href};
addEventListener('load', () => SCRIPTS.forEach((name) => import(new URL(`./static/js/${name}`, location))));
