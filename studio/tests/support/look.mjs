// Takes pictures of the page for people to look at: node tests/support/look.mjs ADDRESS FOLDER [steps…]

import { chromium } from "playwright-core";

const [address, folder, script] = process.argv.slice(2);
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && console.log(message.type(), message.text().slice(0, 900)));
  page.on("pageerror", (error) => console.log("ERROR", error.message, error.stack?.slice(0, 600)));
  await page.goto(address);
  await page.waitForTimeout(2500);
  const shot = (name) => page.screenshot({ path: `${folder}/${name}.png` });
  if (script) await (await import(script)).default({ page, shot });
  else await shot("first");
} finally {
  await browser.close();
}
