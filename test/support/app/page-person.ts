/** A person at the playground page, in a real browser: a mouse on a desktop, touch on a phone. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { SCENARIOS } from '../../../src/playground/script/scenarios.ts';
import { assertFits } from '../../playground/page/assert-fits.ts';
import { openChromium } from '../../playground/page/chromium.ts';

export interface PageSize {
  readonly width: number;
  readonly height: number;
}

export interface PagePerson {
  readonly page: Page;
  readonly thread: Locator;
  /** Errors of the browser, and each request to another machine. */
  readonly problems: readonly string[];
  actAs(name: string): Promise<void>;
  /** Types the message of a scene of the scripted model, sends it and opens its thread. */
  ask(scene: string): Promise<void>;
  /** Presses a suggestion. */
  tryOut(suggestion: string): Promise<void>;
  /** The card in the open thread for the call with this argument. */
  card(argument: string): Locator;
  press(target: Locator): Promise<void>;
  /** Two presses of a button, the second before the response to the first, on any machine. */
  pressTwice(target: Locator): Promise<void>;
  /** Checks the current layout of the page; with `SCREENSHOTS` set to a folder, saves a picture there. */
  look(name: string): Promise<void>;
  /** Goes from a thread back to the list of channels. */
  toChannels(): Promise<void>;
  close(): Promise<void>;
}

export const DESKTOP: PageSize = { width: 1280, height: 900 };
export const PHONE: PageSize = { width: 390, height: 844 };

/** Journeys rotate among these sizes. */
export const PAGE_SIZES = [DESKTOP, PHONE] as const;

/** Opens the page as a first-time visitor. */
export async function sitDown(url: string, size: PageSize): Promise<PagePerson> {
  const isPhone = size.width < 500;
  const context = await openChromium(size);
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const problems = listProblems(page);
  await page.goto(url);
  // The page is ready before its workspace.
  await page.locator('.starting').waitFor({ state: 'detached', timeout: 60_000 });
  const thread = page.getByRole('region', { name: 'Thread' });
  const back = (to: string) => page.getByRole('button', { name: `Back to ${to}`, exact: true });
  const press = (target: Locator) => (isPhone ? target.tap() : target.click());

  async function toChannel(): Promise<void> {
    if (isPhone && (await thread.isVisible())) await press(back('channel'));
  }

  return {
    page,
    thread,
    problems,
    press,
    close: () => context.close(),
    async actAs(name) {
      const people = page.getByRole('group', { name: 'Act as' });
      await press(people.getByRole('button', { name }));
      await people.getByRole('button', { name, pressed: true }).waitFor();
      await page.locator('.panes').waitFor();
    },
    async ask(scene) {
      await toChannel();
      const channel = page.getByRole('main');
      const text = SCENARIOS.find(({ label }) => label === scene)?.text;
      assert.ok(text, `The scripted model has no scene “${scene}”.`);
      await channel.getByRole('textbox', { name: /^Message/ }).fill(`@Countersign ${text}`);
      await press(channel.getByRole('button', { name: 'Send', exact: true }));
      const asked = channel.getByRole('article').filter({ hasText: text }).last();
      await press(asked.getByRole('button', { name: /repl(?:y|ies)|Countersign is/ }));
      await thread.getByRole('article').filter({ hasText: text }).first().waitFor();
    },
    async tryOut(suggestion) {
      await toChannel();
      const suggestions = page.getByRole('group', { name: 'Suggested messages' });
      await press(suggestions.getByRole('button', { name: suggestion, exact: true }));
    },
    card: (argument) =>
      thread
        .getByRole('article')
        .filter({ has: page.getByRole('button', { name: /^(?:Details|Open|More options)/ }) })
        .filter({ hasText: argument }),
    async pressTwice(target) {
      await target.scrollIntoViewIfNeeded();
      const box = await target.boundingBox();
      assert.ok(box);
      const at = [box.x + box.width / 2, box.y + box.height / 2] as const;
      const { sent } = await holdPresses(page, 2);
      if (isPhone) {
        await page.touchscreen.tap(...at);
        await page.touchscreen.tap(...at);
      } else await page.mouse.dblclick(...at);
      await sent;
    },
    async look(name) {
      const { SCREENSHOTS } = process.env;
      if (SCREENSHOTS) {
        await mkdir(SCREENSHOTS, { recursive: true });
        await page.screenshot({ path: join(SCREENSHOTS, `${size.width}-${name}.png`) });
      }
      await assertFits(page);
    },
    async toChannels() {
      await toChannel();
      if (isPhone) await press(back('channels'));
    },
  };
}

const PRESS = '**/ui/click';

/** Holds presses back until this number has arrived; the promise inside is rejected if they do not come. */
async function holdPresses(
  page: Page,
  count: number,
): Promise<{ readonly sent: Promise<unknown> }> {
  let seen = 0;
  const sent = page.waitForRequest((request) => {
    if (request.url().endsWith(PRESS.slice(2))) seen += 1;
    return seen === count;
  });
  await page.route(
    PRESS,
    async (route) => {
      await sent;
      await route.continue();
    },
    { times: count },
  );
  return { sent };
}

function listProblems(page: Page): readonly string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol !== 'data:' && hostname !== '127.0.0.1') problems.push(request.url());
  });
  return problems;
}
