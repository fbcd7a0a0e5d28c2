"use strict";
// Light, dark, or as the system says; remembered where the browser allows it.
(() => {
  const root = document.documentElement;
  const read = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const keep = (value) => { try { localStorage.setItem("theme", value); } catch { /* a page from a file may not */ } };
  const chosen = read();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    const label = () => { button.textContent = isDark() ? "Light" : "Dark"; button.setAttribute("aria-label", `Use ${isDark() ? "light" : "dark"} colours`); };
    button.hidden = false;
    label();
    button.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; keep(root.dataset.theme); label(); });
  });
})();
