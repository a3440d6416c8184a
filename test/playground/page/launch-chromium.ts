import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import { findChromium } from '../../support/system-needs.ts';

const executablePath = findChromium();

/** Why tests in a browser are skipped here; undefined when they run. With CI=true they run, and fail without one. */
export const whyNoBrowser =
  executablePath === undefined && process.env.CI !== 'true'
    ? 'There is no Chromium here; install it, or set CHROMIUM to its path.'
    : undefined;

/** Starts a headless Chromium with a profile of its own, narrow ones as a phone; `close` ends it and removes the profile. */
export async function launchChromium(size: {
  width: number;
  height: number;
}): Promise<{ context: BrowserContext; close(): Promise<void> }> {
  if (executablePath === undefined) throw new Error('There is no Chromium here.');
  const profile = await mkdtemp(join(tmpdir(), 'countersign-page-'));
  const isPhone = size.width < 500;
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    viewport: size,
    hasTouch: isPhone,
    isMobile: isPhone,
    deviceScaleFactor: isPhone ? 2 : 1,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  return {
    context,
    close: async () => {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
