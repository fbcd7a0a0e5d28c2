"use strict";
// The episodes of an entry. Data comes as scripts beside the page, since a page opened as a file may not fetch; text is
// only ever set as text.
const colbench = (() => {
  const holder = document.getElementById("episodes");
  const base = holder.dataset.from;
  const backend = holder.dataset.kind === "backend";
  const pageSize = 50;
  const chunks = new Map();
  let all = [], shown = [], page = 0, current = null;
  const $ = (id) => document.getElementById(id);
  const make = (tag, name, text) => {
    const node = document.createElement(tag);
    if (name) node.className = name;
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const load = (name) => new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = base + name;
    script.onload = done;
    script.onerror = () => failed(new Error(`${name} could not be loaded`));
    document.head.append(script);
  });
  const key = (item) => `${item[0]}#${item[1]}`;
  const verdict = (item) => item[2] === null ? item[3].toFixed(3) : item[2] ? "success" : "no success";

  function list() {
    const body = $("list").tBodies[0];
    body.replaceChildren();
    const from = page * pageSize;
    for (const item of shown.slice(from, from + pageSize)) {
      const row = make("tr", current === key(item) ? "current" : "");
      const name = make("td");
      const label = holder.dataset.repeats === "1" ? item[0] : `${item[0]}, repeat ${item[1]}`;
      if (item[6] < 0) name.append(make("bdi", "", `${label} (missing)`));
      else {
        const button = make("button", "open");
        button.type = "button";
        button.append(make("bdi", "", label));
        button.addEventListener("click", () => { location.hash = "t=" + encodeURIComponent(key(item)); });
        name.append(button);
      }
      if (item[7]) name.append(" ", make("span", "badge flagged", "flagged"));
      row.append(name, make("td", item[2] === null ? "" : item[2] ? "good" : "bad", verdict(item)));
      if (backend) row.append(make("td", "n", (100 * item[3]).toFixed(0) + "%"));
      row.append(make("td", "n", String(item[4])));
      body.append(row);
    }
    const pages = Math.max(1, Math.ceil(shown.length / pageSize));
    $("count").textContent = `${shown.length} of ${all.length} episodes, page ${page + 1} of ${pages}`;
    $("previous").disabled = page === 0;
    $("next").disabled = page >= pages - 1;
  }

  function filter() {
    const words = $("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const outcome = $("outcome").value, domain = $("domain").value;
    shown = all.filter((item) => {
      const text = `${item[0]} ${item[5]}`.toLowerCase();
      return words.every((word) => text.includes(word)) && (!domain || item[5] === domain)
        && (!outcome || (outcome === "flagged" ? item[7] : outcome === "missing" ? item[6] < 0 : outcome === "success" ? item[2] : item[2] === 0));
    });
    page = 0;
    list();
  }

  function said(role, who, text, code) {
    const box = make("div", `said ${role}`);
    const label = make("span", "who", who);
    box.append(label, make("pre", code ? "text code" : "text", text));
    box.lastChild.dir = "auto";
    box.lastChild.tabIndex = 0;
    return box;
  }

  function picture(hash, caption) {
    const figure = make("figure");
    const image = make("img");
    image.loading = "lazy";
    image.alt = caption;
    image.src = `../../pictures/${hash}.webp`;
    image.addEventListener("error", () => image.replaceWith(make("p", "note", "no picture was kept")));
    figure.append(make("figcaption", "", caption), image);
    return figure;
  }

  function show(d) {
    const box = $("dialogue");
    box.replaceChildren();
    const title = make("h3");
    title.tabIndex = -1;
    title.append(make("bdi", "", holder.dataset.repeats === "1" ? d.task : `${d.task}, repeat ${d.repeat}`));
    box.append(title);
    const facts = make("p", "facts");
    const parts = [];
    if (d.success !== null) parts.push(d.success ? "success" : "no success");
    parts.push(`${backend ? "calls passed" : holder.dataset.measure} ${d.score.toFixed(3)}`);
    if (d.other !== null) parts.push(`${holder.dataset.other} mode: ${d.other ? "success" : "no success"}`);
    if (d.claimed !== null && Math.abs(d.claimed - d.score) > 1e-3) parts.push(`claimed ${d.claimed.toFixed(3)}`);
    parts.push(d.ended === "turn_limit" ? "ended by the turn limit" : "ended by an answer");
    facts.textContent = parts.join(" · ");
    box.append(facts);
    if (d.outcomes.length) {
      const calls = make("ul", "calls");
      calls.setAttribute("aria-label", "outcome of each call");
      d.outcomes.forEach((o, i) => calls.append(make("li", o === "equal" ? "good" : "bad", `${i + 1} ${o.replaceAll("_", " ")}`)));
      box.append(calls);
    }
    box.append(said("other", "collaborator, request", d.request.trim(), false));
    d.turns.forEach((turn, i) => {
      if (turn.thought) {
        const more = make("details");
        more.append(make("summary", "note", `private thought of turn ${i + 1}`), make("pre", "text", turn.thought));
        more.lastChild.dir = "auto";
        more.lastChild.tabIndex = 0;
        box.append(more);
      }
      const code = turn.visible.includes("```") || turn.visible.includes("<");
      const message = said("agent", `${i + 1}. agent`, turn.visible, code);
      if (turn.picture) {
        // The picture says it; the source is there for who wants it.
        const more = make("details");
        more.append(make("summary", "", "message and source"), message.lastChild);
        message.append(more);
      }
      box.append(message);
      if (turn.picture) {
        const shots = make("div", "shots");
        shots.append(picture(turn.picture, `page of turn ${i + 1}`));
        if (d.reference) shots.append(picture(d.reference, "reference"));
        box.append(shots);
      }
      if (turn.reply !== null) {
        const who = "collaborator" + (turn.settled.length ? `, settles ${turn.settled.join(", ")}` : "") + (turn.cut ? ", cut" : "");
        box.append(said("other", who, turn.reply, false));
      }
    });
    box.hidden = false;
    title.focus({ preventScroll: true });
    title.scrollIntoView({ block: "start" });
  }

  async function openHash() {
    const wanted = location.hash.startsWith("#t=") ? decodeURIComponent(location.hash.slice(3)) : "";
    const item = all.find((each) => key(each) === wanted && each[6] >= 0);
    if (!item) return;
    current = wanted;
    const at = shown.indexOf(item);
    if (at >= 0) page = Math.floor(at / pageSize);
    list();
    try {
      if (!chunks.has(item[6])) await load(`${item[6]}.js`);
      if (current !== wanted) return;
      show(chunks.get(item[6]).find((d) => d.task === item[0] && d.repeat === item[1]));
    } catch (problem) {
      $("dialogue").replaceChildren(make("p", "bad", problem.message));
      $("dialogue").hidden = false;
    }
  }

  function start() {
    const domains = [...new Set(all.map((item) => item[5]))].filter(Boolean).sort();
    for (const name of domains) {
      const option = make("option", "", name);
      option.value = name;
      $("domain").append(option);
    }
    $("domain").parentElement.hidden = domains.length < 2;
    if (!backend) for (const option of [...$("outcome").options]) if (["success", "failure"].includes(option.value)) option.remove();
    for (const id of ["find", "outcome", "domain"]) $(id).addEventListener("input", filter);
    $("previous").addEventListener("click", () => { page -= 1; list(); });
    $("next").addEventListener("click", () => { page += 1; list(); });
    addEventListener("hashchange", openHash);
    $("browser").hidden = false;
    filter();
    openHash();
  }

  load("episodes.js").then(start, (problem) => { $("browser").replaceChildren(make("p", "bad", problem.message)); $("browser").hidden = false; });
  return {
    episodes(found) { all = found; },
    dialogues(number, found) { chunks.set(number, found); },
  };
})();
