// Puts the page together.

import "./styles/theme.css";
import "./styles/layout.css";
import "./styles/panels.css";
import { start } from "./start.ts";
import { h } from "./ui/dom.ts";

const root = document.getElementById("app")!;

start(root).catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  root.replaceChildren(h("p", { class: "noscript", role: "alert" }, `The studio cannot start: ${message}`));
});
