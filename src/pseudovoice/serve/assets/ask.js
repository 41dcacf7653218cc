// The server's answers. A refusal comes as a sentence and is thrown as one.

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("The server does not answer; look whether it still runs in its terminal.");
  }
  let tree = null;
  try {
    tree = await answer.json();
  } catch {
    // Cut off half-way; the status below says enough.
  }
  if (!answer.ok || tree === null) {
    const error = new Error(tree?.error ?? `The server refused (${answer.status}); try it again.`);
    error.status = answer.status;
    throw error;
  }
  return tree;
}

function tell(path, tree = {}) {
  return ask(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(tree),
  });
}

function lookInto(path) {
  return ask(`folders?path=${encodeURIComponent(path)}`);
}

function place(name) {
  return document.querySelector(`[data-part="${name}"]`);
}
