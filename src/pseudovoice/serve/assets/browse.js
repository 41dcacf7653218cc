// Look for a folder, or a recording, on this machine, below the folders that the server was given.

function contents(found) {
  const folders = found.folders.length + found.more;
  const parts = [
    folders && plural(folders, "folder"),
    found.recordings && plural(found.recordings, "recording"),
  ].filter(Boolean);
  return parts.length ? `It holds ${parts.join(" and ")}.` : "It holds neither folders nor recordings.";
}

// `take` gets the folder that was found, or the path of the recording.
function browse(title, from, roots, take, wanted = "folder") {
  const dialog = document.getElementById("browser");
  const list = h("ul", { class: "folders" });
  const path = h("p", { class: "mono path" });
  const says = h("p", { class: "quiet", role: "status" });
  const up = h("button", { type: "button" }, "Folder above");
  const chosen = h("button", { type: "button", class: "primary" }, "Take this folder");
  chosen.hidden = wanted !== "folder";
  const leave = h("button", { type: "button", onclick: () => dialog.close() }, "Cancel");
  const shortcuts =
    roots.length > 1 &&
    h(
      "p",
      { class: "shortcuts" },
      "Begin at ",
      roots.map((root) => h("button", { type: "button", onclick: () => show(root) }, root)),
    );

  async function show(wish, otherwise) {
    let found;
    try {
      found = await lookInto(wish);
    } catch (error) {
      if (otherwise !== undefined) show(otherwise);
      else says.replaceChildren(shown(error.message));
      return;
    }
    path.replaceChildren(shown(found.path));
    const links = found.outside
      ? ` ${plural(found.outside, "link")} to elsewhere left out.`
      : "";
    const more = found.more ? ` ${count(found.more)} more folders: type the path instead.` : "";
    says.replaceChildren(`${contents(found)}${links}${more}`);
    up.disabled = found.up === null;
    up.onclick = () => show(found.up);
    chosen.onclick = () => {
      dialog.close();
      take(found);
    };
    const entry = (name, kind, way) =>
      h("li", {}, h("button", { type: "button", class: kind, onclick: way }, h("bdi", {}, name)));
    list.replaceChildren(
      ...found.folders.map((name) => entry(name, "folder", () => show(`${found.path}/${name}`))),
      ...(wanted === "recording" ? found.files : []).map((name) =>
        entry(name, "file", () => {
          dialog.close();
          take(`${found.path}/${name}`);
        }),
      ),
    );
    // What had the focus is gone; the first folder, or the decision, is where one goes on.
    (list.querySelector("button") ?? (chosen.hidden ? leave : chosen)).focus();
  }

  dialog.replaceChildren(
    h("h2", { id: "browser-title" }, title),
    path,
    ...(shortcuts ? [shortcuts] : []),
    says,
    list,
    h("p", { class: "actions" }, chosen, up, leave),
  );
  dialog.showModal();
  show(from || roots[0], roots[0]);
}
