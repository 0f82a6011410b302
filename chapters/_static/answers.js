// Exercises whose answer a page checks: a box where the build left a place for one. The page holds hashes of the texts that
// are right (lib/pages/answers.py writes the same texts). What a reader enters stays in this tab, until it is closed.

// A number as people write it: 1,200; 0.25; 0,25; 2/3; 1.2e6; 5%; ln 5; e^2/(1 + e^2). NaN for anything else. What is
// entered is read sign by sign and never run; "%" is left to the box, which knows whether percent is meant.
function answerNumber(text) {
  const plain = text.trim().toLowerCase().replace(/[\u2212\u2013]/g, "-").replace(/\s*(%|percent)$/, "").replace(/(?<=\d)[\s_\u202f](?=\d)/g, "");
  const pattern = /\s*(?:([1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?|\d+(?:[.,]\d*)?(?:e[+-]?\d+)?|[.,]\d+(?:e[+-]?\d+)?)|(log2|log10|ln|log|exp|sqrt|√|pi|π|e)|(\*\*|[-+*·×/:^()]))\s*/y;
  const tokens = [];
  while (pattern.lastIndex < plain.length) {
    const found = pattern.exec(plain);
    if (!found || tokens.length > 99) return NaN;
    const [, number, name, sign] = found;
    const grouped = /^[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(number);
    tokens.push(number ? Number(grouped ? number.replaceAll(",", "") : number.replace(",", ".")) : { "**": "^", "·": "*", "×": "*", ":": "/" }[sign] ?? sign ?? name);
  }
  const known = { e: Math.E, pi: Math.PI, "π": Math.PI };
  const functions = { ln: Math.log, log: Math.log, log2: Math.log2, log10: Math.log10, exp: Math.exp, sqrt: Math.sqrt, "√": Math.sqrt };
  const take = (...signs) => (signs.includes(tokens[0]) ? tokens.shift() : null);
  const sum = () => {
    let value = product();
    for (let sign; (sign = take("+", "-"));) value += (sign === "-" ? -1 : 1) * product();
    return value;
  };
  const product = () => {
    let value = signed();
    for (let sign; (sign = take("*", "/"));) value = sign === "*" ? value * signed() : value / signed();
    return value;
  };
  const signed = () => (take("-") ? -signed() : take("+") ? signed() : power());
  const power = () => {
    const base = atom();
    return take("^") ? base ** signed() : base;
  };
  const atom = () => {
    const token = tokens.shift();
    if (typeof token === "number") return typeof tokens[0] === "string" && (tokens[0] in known || tokens[0] in functions) ? token * power() : token;
    if (Object.hasOwn(known, token)) return known[token];
    if (Object.hasOwn(functions, token)) return functions[token](atom());
    if (token !== "(") return NaN;
    const inside = sum();
    return take(")") ? inside : NaN;
  };
  const value = sum();
  return tokens.length ? NaN : value;
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

// "100 times too small" if so many times the number is right; null otherwise, and where only its rounding to 0 is.
async function answerScale(number, spec, sealed, keys) {
  for (const times of [100, 1000]) {
    for (const [moved, words] of [[number * times, "small"], [number / times, "large"]]) {
      const text = answerText(moved, spec);
      if (Number(text) !== 0 && keys.includes(await sealed(text))) return `${times} times too ${words}`;
    }
  }
  return null;
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
    // "30%" is 30 where the box asks for percent, and else .3
    const part = !choices && /(%|percent)\s*$/i.test(entered) && !/percent|%/i.test(label);
    const value = choices ? entered : answerNumber(entered) / (part ? 100 : 1);
    form.dataset.state = "";
    if (choices ? !entered : !Number.isFinite(value)) {
      reply.textContent = choices ? "Choose an answer first." : "Please enter a number, such as 0.25, 2/3 or ln 5.";
      return;
    }
    if (!window.crypto?.subtle) {
      reply.textContent = "A browser cannot check answers on a page that came over plain http. Open the book over https, or from a file.";
      return;
    }
    const sealed = (text) => answerSeal(salt, text, rounds);
    const key = await sealed(choices ? value : answerText(value, spec));
    const right = keys.includes(key);
    const scale = !right && !choices && !hints[key] && await answerScale(value, spec, sealed, keys);
    const unit = scale && `your number is ${scale}. The box asks for: ${label}.`;
    form.dataset.state = right ? "right" : "wrong";
    reply.textContent = right ? "Right." : `Not yet: ${hints[key] || unit || "look at the hint below, and try again."}`;
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

document.addEventListener("DOMContentLoaded", () => document.querySelectorAll("div.answer[data-answer]").forEach(answerBox));
