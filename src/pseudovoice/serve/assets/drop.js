// Dropped folders. A browser gives the files of a folder, never its path, so they are handed to
// the server on this machine, which keeps them in a private folder until it stops.

const AT_ONCE = 4;

// [path parts, file] of everything that was dropped; hidden files stay behind.
async function droppedFiles(items) {
  // Entries must be taken before the first await: the list is emptied when the event is over.
  const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const found = [];
  async function walk(entry, parts) {
    if (entry.name.startsWith(".")) return;
    const here = [...parts, entry.name];
    if (entry.isFile) {
      found.push([here, await new Promise((yes, no) => entry.file(yes, no))]);
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      // A hundred at a time, until there are none.
      const some = await new Promise((yes, no) => reader.readEntries(yes, no));
      if (!some.length) return;
      for (const one of some) await walk(one, here);
    }
  }
  for (const entry of entries) await walk(entry, []);
  return found;
}

function pickedFiles(list) {
  return [...list]
    .map((file) => [(file.webkitRelativePath || file.name).split("/"), file])
    .filter(([parts]) => !parts.some((part) => part.startsWith(".")));
}

// Hand over files; `step` hears how many are there. Resolves to the dropped folder.
async function handOver(files, most, step) {
  if (!files.length) throw new Error("There are no files in it; drop a folder with recordings.");
  const { id } = await tell("drop");
  const refused = [];
  let bytes = 0;
  let next = 0;
  let done = 0;
  async function worker() {
    while (next < files.length) {
      const [parts, file] = files[next];
      next += 1;
      try {
        if (file.size > most) {
          throw Object.assign(new Error(`${file.name}: is too large to be copied.`), { status: 422 });
        }
        await ask(`drop/${[id, ...parts].map(encodeURIComponent).join("/")}`, {
          method: "PUT",
          body: file,
        });
        bytes += file.size;
      } catch (error) {
        // One file with an odd name costs itself only; anything else would fail again.
        if (error.status !== 422) {
          next = files.length;
          throw error;
        }
        refused.push(error.message);
      }
      done += 1;
      step(done, files.length);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const tops = new Set(files.map(([parts]) => parts[0]));
  const name = tops.size === 1 ? [...tops][0] : `${count(tops.size)} things`;
  return { id, name, files: done - refused.length, bytes, refused };
}
