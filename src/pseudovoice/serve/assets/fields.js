// Fields of forms with their labels.

function checkbox(label, checked, help) {
  const input = h("input", { type: "checkbox" });
  input.checked = checked;
  const node = h("label", { class: "check" }, input, h("span", {}, label, help && h("small", {}, help)));
  return { node, value: () => input.checked };
}

function textField(id, label, help, attributes = {}) {
  const input = h("input", { type: "text", id, maxlength: 200, autocomplete: "off", ...attributes });
  const node = h("div", { class: "text" }, h("label", { for: id }, label), input, h("small", {}, help));
  return { node, input };
}
