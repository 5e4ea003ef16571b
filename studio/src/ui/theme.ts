// Day and night: as the system has it, unless somebody chose. What was chosen is kept in this browser.

export type ThemeName = "day" | "night";

const KEY = "toile-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

function stored(): ThemeName | null {
  try {
    return localStorage.getItem(KEY) as ThemeName | null;
  } catch {
    return null; // a browser that keeps nothing
  }
}

export const currentTheme = (): ThemeName => stored() ?? (dark.matches ? "night" : "day");

export function applyTheme(changed: () => void): void {
  const apply = (): void => {
    document.documentElement.dataset.theme = currentTheme();
    changed();
  };
  dark.addEventListener("change", apply);
  apply();
}

export function flipTheme(changed: () => void): void {
  const next = currentTheme() === "day" ? "night" : "day";
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // It holds for this visit at least.
  }
  document.documentElement.dataset.theme = next;
  changed();
}
