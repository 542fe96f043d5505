// Before Streamlit's own script: where its server is, which it would look for under the page's own address first, and
// Plotly as soon as Streamlit stands, so that it is there when the first chart comes.
window.__streamlit = {BACKEND_BASE_URL: new URL('.', location).href};
addEventListener('load', () => import(new URL('./static/js/PLOTLY', location)));
