/**
 * Takes the picture of the README again: `node --import tsx test/support/pictures/take-picture.ts`. It shows a pending
 * card on a phone, as the app draws it without configuration.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endChromium } from '../../playground/page/chromium.ts';
import { startApp } from '../app/app-process.ts';
import { sitDown } from '../app/page-person.ts';
import { makeTempDir } from '../temp-dir.ts';
import { shrinkPng } from './shrink-png.ts';

const PICTURE = fileURLToPath(
  new URL('../../fixtures/pictures/card-on-a-phone.png', import.meta.url),
);
/** The width of a phone, and enough height for the whole card. */
const SIZE = { width: 390, height: 1500 };
const GREETING = 'Hello, team!\nThe next release is on Thursday.\nAsk if you need anything.\n';

const folder = await makeTempDir();
const workspace = join(folder.path, 'workspace');
await mkdir(workspace);
await writeFile(join(workspace, 'greeting.txt'), GREETING);
const app = await startApp({
  PORT: '0',
  DATA_DIR: join(folder.path, 'data'),
  WORKSPACE_DIR: workspace,
});
const person = await sitDown(app.url, SIZE);
try {
  await person.ask('Change a file');
  const card = person.card('greeting.txt');
  await card.getByRole('button', { name: 'Ignore' }).waitFor();
  const top = await person.thread.boundingBox();
  const last = await card.boundingBox();
  if (top === null || last === null) throw new Error('The card is not on the page.');
  const height = Math.ceil(last.y + last.height - top.y);
  await mkdir(dirname(PICTURE), { recursive: true });
  const clip = { x: 0, y: top.y, width: SIZE.width, height };
  await writeFile(PICTURE, shrinkPng(await person.page.screenshot({ clip })));
  console.log(`Took ${PICTURE}`);
} finally {
  await person.close();
  await endChromium();
  await app.stop();
  await folder.remove();
}
