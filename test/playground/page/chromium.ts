import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { findChromium } from '../../support/system-needs.ts';

/** Its path; undefined if there is none. */
export const executablePath = findChromium();

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
] as const;

/** One for all people of this process, because it starts slowly. */
let browser: Promise<Browser> | undefined;

/** Opens a headless Chromium with an empty profile. A narrow one behaves like a phone. */
export async function openChromium(size: {
  readonly width: number;
  readonly height: number;
}): Promise<BrowserContext> {
  if (executablePath === undefined) throw new Error('There is no Chromium here.');
  browser ??= chromium.launch({ executablePath, headless: true, args: [...ARGS] });
  const isPhone = size.width < 500;
  return await (await browser).newContext({
    viewport: size,
    hasTouch: isPhone,
    isMobile: isPhone,
    deviceScaleFactor: isPhone ? 2 : 1,
  });
}

/** Closes Chromium once everybody is done. */
export async function endChromium(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}
