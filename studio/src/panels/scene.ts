// The panel of the scene: which file it is, its text, what is wrong with it, and running it.

import type { App } from "../app/app.ts";
import { applyDraft } from "../app/drafting.ts";
import { askText, openDialog } from "../ui/dialog.ts";
import { button, fileName, h, saveBlob } from "../ui/dom.ts";
import { notify } from "../ui/toast.ts";
import { Editor } from "./editor.ts";

export function scenePanel(app: App): HTMLElement {
  const name = h("p", { class: "file" });
  const run = h("button", { type: "button", class: "primary", id: "run", title: "Run the text (Ctrl-Enter)",
    onclick: () => void applyDraft(app) }, "Run");
  const problems = h("div", { class: "problems", role: "status" });
  const host = h("div", { class: "editor" });
  const { folder, readOnly } = app.engine.abilities;
  const panel = h("div", { class: "scene-panel" },
    h("div", { class: "bar-row" },
      button({ label: "New scene from a template", text: "New" }, () => chooseTemplate(app)),
      folder && button({ label: "Open a scene of the folder", text: "Open" }, () => void chooseScene(app)),
      folder && !readOnly && button({ label: "Save as, under a name", text: "Save as" }, () => void saveAs(app)),
      !folder && button({ label: "Download the text", text: "Download" }, () => download(app)),
      h("span", { class: "stretch" }), run),
    name, host, problems);
  const editor = new Editor(app, host);
  app.draft.watch((draft) => {
    const changed = draft.text !== app.running.value;
    name.textContent = `${draft.path ?? `${draft.name} (not saved)`}${changed ? " · changed" : ""}`;
    run.classList.toggle("idle", !changed);
  });
  app.running.watch(() => (app.draft.value = { ...app.draft.value }));
  app.check.watch((check) => {
    const found = check?.problems ?? [];
    const lines = found.map((problem) => h("div", { class: "problem" },
      h("button", { type: "button", class: "link", onclick: () => editor.goTo(problem.from ?? 0) },
        problem.line === null ? "Scene" : `Line ${problem.line}`),
      h("p", {}, problem.message, problem.help && h("span", { class: "quiet" }, ` ${problem.help}`)),
      problem.mend && button({ label: problem.mend.label, text: true }, () => editor.mend(editor.view, problem.mend!))));
    const warnings = (check?.warnings ?? []).map((text) => h("p", { class: "quiet" }, text));
    problems.replaceChildren(...lines, ...warnings);
    run.disabled = found.length > 0;
  });
  return panel;
}

function chooseTemplate(app: App): void {
  const { body, close } = openDialog("New scene", true);
  body.append(h("div", { class: "choices" }, app.templates.map((template) =>
    h("button", {
      type: "button", class: "choice",
      onclick: () => {
        close();
        void app.openScene({ text: template.text, path: null, name: template.name });
      },
    }, h("b", {}, template.title), h("span", { class: "quiet" }, firstComment(template.text))))));
}

/** The sentence that a scene begins with. */
export function firstComment(text: string): string {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    if (!line.startsWith("#")) break;
    if (line.replace(/^#\s*/, "") === "") break;
    lines.push(line.replace(/^#\s*/, ""));
  }
  return lines.join(" ");
}

async function chooseScene(app: App): Promise<void> {
  try {
    const scenes = await app.engine.scenes();
    const { body, close } = openDialog("Scenes of the folder");
    if (scenes.length === 0) body.append(h("p", { class: "quiet" }, "There is no scene in this folder yet. “New” makes one."));
    body.append(h("div", { class: "choices one" }, scenes.map((scene) =>
      h("button", {
        type: "button", class: "choice",
        onclick: () => {
          close();
          void openPath(app, scene.path);
        },
      }, h("b", {}, scene.title || scene.path), h("span", { class: "quiet" }, scene.path)))));
  } catch (error) {
    app.complain(error);
  }
}

export async function openPath(app: App, path: string): Promise<void> {
  try {
    const text = await app.engine.readScene(path);
    await app.openScene({ text, path, name: path.replace(/^.*\//, "").replace(/\.toml$/, "") });
  } catch (error) {
    app.complain(error);
  }
}

export async function saveAs(app: App): Promise<void> {
  const draft = app.draft.value;
  const wish = await askText("Save the scene", "Path inside the folder", draft.path ?? `${fileName(draft.name)}.toml`, "Save");
  if (!wish) return;
  const path = wish.endsWith(".toml") ? wish : `${wish}.toml`;
  try {
    const written = await app.engine.writeScene(path, draft.text, path === draft.path);
    app.draft.value = { ...app.draft.value, path: written };
    notify(`Saved as ${written}.`);
  } catch (error) {
    app.complain(error);
  }
}

function download(app: App): void {
  const draft = app.draft.value;
  saveBlob(new Blob([draft.text], { type: "text/plain" }), `${fileName(draft.name)}.toml`);
}
