// The page with a secret answers a form. Reloading it would send the form
// again: make another key, or end the secret just copied. So the address
// becomes that of the list, and a reload shows the list.
const home = document.querySelector("[data-home]");
if (home) history.replaceState(null, "", home.dataset.home);
