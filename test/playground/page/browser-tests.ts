/** For test files that use a browser: it closes after the last of them in this process. */
import { after } from 'node:test';
import { endChromium, executablePath } from './chromium.ts';

after(endChromium);

/** Why tests in a browser are skipped here; undefined when they run. With CI=true they run, and fail without one. */
export const whyNoBrowser =
  executablePath === undefined && process.env.CI !== 'true'
    ? 'There is no Chromium here; install it, or set CHROMIUM to its path.'
    : undefined;
