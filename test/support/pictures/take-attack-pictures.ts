/**
 * Takes pictures of the cards under attack, with the width of a phone:
 * `node --import tsx test/support/pictures/take-attack-pictures.ts FOLDER`. They are for a visual check, not for comparison.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WebClient } from '@slack/web-api';
import { endChromium } from '../../playground/page/chromium.ts';
import { startTinyPlayground } from '../../playground/page/start-tiny-playground.ts';
import { sitDown } from '../app/page-person.ts';

const FIXTURE = new URL('../../fixtures/slack/attacks.json', import.meta.url);
const SIZE = { width: 390, height: 2_400 };
const [folder = 'attack-pictures', ...words] = process.argv.slice(2);

const cards = JSON.parse(await readFile(FIXTURE, 'utf8')) as Readonly<
  Record<string, { text: string; blocks: [] }>
>;
await mkdir(folder, { recursive: true });
const playground = await startTinyPlayground();
const { workspace } = playground;
const client = new WebClient(workspace.botToken, { slackApiUrl: workspace.apiUrl });
const channel = workspace.channel('general').id;
const person = await sitDown(playground.url, SIZE);
try {
  for (const [name, card] of Object.entries(cards)) {
    if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
    const { ts } = await client.chat.postMessage({ channel, ...card });
    const shown = person.page.locator(`article[data-ts="${ts}"]`);
    await shown.waitFor();
    const file = `${name.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 60)}.png`;
    await shown.screenshot({ path: join(folder, file) });
    await client.chat.delete({ channel, ts: ts ?? '' });
  }
} finally {
  await person.close();
  await endChromium();
  await playground.close();
}
