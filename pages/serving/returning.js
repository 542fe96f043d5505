// The address at which somebody was asked to sign in is kept in this tab until they have, and then opened again.
// The provider sends everybody to the first page, whose address alone ends with a slash. What leads to another place
// than this dashboard is not followed.
const KEPT = "examboard: address to return to";
const here = location.pathname + location.search;
if (document.querySelector("[data-signs-in]")) {
  sessionStorage.setItem(KEPT, here);
} else if (location.pathname.endsWith("/")) {
  const asked = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  if (asked && asked !== here && asked.startsWith("/") && new URL(asked, location.origin).origin === location.origin) {
    location.replace(asked);
  }
}
