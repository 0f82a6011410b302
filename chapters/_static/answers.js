// Exercises whose answer a page checks: a box where the build left a place for one. The page holds hashes of the texts that
// are right (lib/pages/answers.py writes the same texts). What a reader enters stays in this tab, until it is closed.

// A number as people write it: 1,200; 0.25; 0,25; 2/3; 1.2e6; 5%. NaN for anything else.
function answerNumber(text) {
  let plain = text.trim().replace(/[\u2212\u2013]/g, "-").replace(/\s*%$/, "").replace(/[\s_\u202f]/g, "");
  if (/^-?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(plain)) plain = plain.replaceAll(",", "");
  plain = plain.replace(/^(-?\d*),(\d+)$/, "$1.$2");
  const [, over, under] = plain.match(/^(-?[\d.]+)\/([\d.]+)$/) || [];
  return over ? Number(over) / Number(under) : plain ? Number(plain) : NaN;
}

// As Python writes it with the same format: 3.5e-02, 0.25, 12.
function answerText(number, spec) {
  const [, places, kind] = spec.match(/(\d+)([ef])$/);
  if (kind === "e") return number.toExponential(places).replace(/(e[+-])(\d)$/, "$10$2");
  if (spec === ".0f" && !Number.isInteger(number)) return String(number);
  const text = number.toFixed(places);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

// Slow on purpose: PBKDF2, as press/exercises.py does it.
async function answerSeal(salt, text, iterations) {
  const bytes = (words) => new TextEncoder().encode(words);
  const key = await crypto.subtle.importKey("raw", bytes(text), "PBKDF2", false, ["deriveBits"]);
  const sum = await crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt: bytes(salt), iterations }, key, 64);
  return [...new Uint8Array(sum)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function answerPrecision(spec) {
  const [, places, kind] = spec.match(/(\d+)([ef])$/);
  const count = Number(places) + (kind === "e");
  return count ? `to ${count} ${kind === "e" ? "significant digit" : "decimal"}${count > 1 ? "s" : ""}` : "a whole number";
}

function answerBox(place, number) {
  const { label, spec, choices, many, salt, rounds, keys, hints, live } = JSON.parse(place.dataset.answer);
  const add = (parent, tag, properties, text) => {
    const made = Object.assign(document.createElement(tag), properties);
    if (text) made.textContent = text;
    parent.append(made);
    return made;
  };
  const id = `answer-${salt}-${number}`;
  const form = add(place, "form", { className: "answer-box", noValidate: true });
  let read, write;
  if (choices) {
    const group = add(form, "fieldset", {});
    add(group, "legend", {}, many ? `${label} (choose all that fit)` : label);
    const options = choices.map((choice) => {
      const line = add(group, "label", {});
      const option = add(line, "input", { type: many ? "checkbox" : "radio", name: id, value: choice });
      line.append(` ${choice}`);
      return option;
    });
    const chosen = () => options.filter((option) => option.checked).map((option) => option.value);
    read = () => chosen().join("|");
    write = (stored) => options.forEach((option) => { option.checked = stored.split("|").includes(option.value); });
  } else {
    add(form, "label", { htmlFor: id }, `${label} (${answerPrecision(spec)})`);
    const input = add(form, "input", { id, type: "text", inputMode: "text", autocomplete: "off", spellcheck: false });
    read = () => input.value;
    write = (stored) => { input.value = stored; };
  }
  const button = add(form, "button", { type: "submit", className: "btn btn-sm btn-primary" }, "Check");
  button.setAttribute("aria-label", `Check: ${label}`);
  const reply = add(form, "p", { className: "answer-reply" });
  reply.setAttribute("role", "status");
  if (live) add(form, "p", { className: "ran-on" }, live);

  const check = async () => {
    const entered = read();
    const value = choices ? entered : answerNumber(entered);
    form.dataset.state = "";
    if (choices ? !entered : !Number.isFinite(value)) {
      reply.textContent = choices ? "Choose an answer first." : "Please enter a number, such as 0.25.";
      return;
    }
    const seal = (text) => answerSeal(salt, text, rounds);
    const key = await seal(choices ? value : answerText(value, spec));
    // a box may ask for a share (0.3) or for percent (30): 30% is right in both
    const share = !choices && /%\s*$/.test(entered) && await seal(answerText(value / 100, spec));
    const right = keys.includes(key) || keys.includes(share);
    form.dataset.state = right ? "right" : "wrong";
    reply.textContent = right ? "Right." : `Not yet: ${hints[key] || "look at the hint below, and try again."}`;
  };
  const kept = `answer ${location.pathname} ${salt}`;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    try { sessionStorage.setItem(kept, read()); } catch { /* the box works without it */ }
    check();
  });
  form.addEventListener("input", () => { form.dataset.state = reply.textContent = ""; });
  try {
    const stored = sessionStorage.getItem(kept);
    if (stored) { write(stored); check(); }
  } catch { /* nothing is stored */ }
}

// a page that comes over plain http cannot hash, and keeps its solutions as they are
document.addEventListener("DOMContentLoaded", () => {
  if (window.crypto?.subtle) document.querySelectorAll("div.answer[data-answer]").forEach(answerBox);
});
