// Elements are made here and nowhere else. Text enters as text nodes, so no name is ever markup.

const SVG = "http://www.w3.org/2000/svg";

function furnish(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : shown(String(child)));
  }
  return node;
}

function h(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

function s(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG, tag), attributes, children);
}

// A speaker's name: kept apart from the direction of the text around it.
function who(name) {
  return h("bdi", { class: "who" }, name);
}

function announce(text) {
  document.getElementById("announce").textContent = shown(text);
}

let lastId = 0;
function freshId(stem) {
  lastId += 1;
  return `${stem}-${lastId}`;
}

// A row of radio buttons in a fieldset: one tab stop, arrow keys between them.
function segments(legend, options, chosen, change) {
  const name = freshId("segments");
  return h(
    "fieldset",
    { class: "segments" },
    h("legend", {}, legend),
    options.map(([value, label]) => {
      const input = h("input", {
        type: "radio",
        name,
        value,
        onchange: () => change(value),
      });
      input.checked = value === chosen;
      return h("label", {}, input, h("span", {}, label));
    }),
  );
}

function dropdown(label, options, chosen, change) {
  const id = freshId("select");
  const list = h(
    "select",
    { id, onchange: () => change(list.value) },
    options.map(([value, text]) => h("option", { value, selected: value === chosen }, text)),
  );
  return h("div", { class: "dropdown" }, h("label", { for: id }, label), list);
}
