/** What tests need from the machine beyond npm packages: found, installed if permitted, or else reported. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

interface Need {
  readonly what: string;
  readonly debianPackage: string;
  /** What is skipped without it. */
  readonly without: string;
  isThere(): boolean;
}

const NEEDS: readonly Need[] = [
  {
    what: 'Chromium',
    debianPackage: 'chromium',
    without:
      'The tests in a browser are skipped. Install Chromium or Chrome, or set CHROMIUM to its path.',
    isThere: () => findChromium() !== undefined,
  },
  {
    what: 'the font Lato',
    debianPackage: 'fonts-lato',
    without: 'Pictures are made with another font. Install Lato.',
    isThere: () => hasFont('Lato'),
  },
  {
    what: 'the font Noto Color Emoji',
    debianPackage: 'fonts-noto-color-emoji',
    without: 'Emoji are missing in pictures. Install Noto Color Emoji.',
    isThere: () => hasFont('Noto Color Emoji'),
  },
  {
    what: 'the sandbox bwrap',
    debianPackage: 'bubblewrap',
    without:
      'The tests of commands in it are skipped. Install bubblewrap, and let it make user namespaces.',
    isThere: hasSandbox,
  },
  {
    what: 'redis-server',
    debianPackage: 'redis-server',
    without: 'The test files that use it are left out. Install Redis 6.2 or newer, or Valkey.',
    isThere: hasRedis,
  },
  {
    what: 'curl',
    debianPackage: 'curl',
    without: 'The shell script of src/http/README.md is not tried. Install curl 7.76 or newer.',
    isThere: hasCurl,
  },
  {
    what: 'Python 3',
    debianPackage: 'python3',
    without: 'The Python snippet of src/http/README.md is not tried. Install Python 3.',
    isThere: hasPython,
  },
];

const BROWSERS = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Returns the path of a browser that starts: that of `CHROMIUM` if it does, otherwise the first one found. */
export function findChromium(): string | undefined {
  const { CHROMIUM } = process.env;
  const candidates = CHROMIUM ? [CHROMIUM, ...BROWSERS] : BROWSERS;
  return candidates.map(toPath).find((path) => path !== undefined && answers(path, '--version'));
}

/** Returns whether bwrap exists and can create the namespaces of a sandbox. */
export function hasSandbox(): boolean {
  const args = ['--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', 'true'];
  return spawnSync('bwrap', args, { stdio: 'ignore', timeout: 20_000 }).status === 0;
}

/** Returns whether a Redis server can be started here. */
export function hasRedis(): boolean {
  return answers('redis-server', '--version');
}

/** Returns whether curl is installed. */
export function hasCurl(): boolean {
  return answers('curl', '--version');
}

/** Returns whether Python 3 is installed. */
export function hasPython(): boolean {
  return answers('python3', '--version');
}

/** Installs what is missing if this process may, and returns what is still missing, each with its consequence. */
export function provideSystemNeeds(): readonly string[] {
  const missing = missingNeeds();
  if (missing.length > 0 && mayInstall())
    install(missing.map(({ debianPackage }) => debianPackage));
  return missingNeeds().map(({ what, without }) => `${what} is missing. ${without}`);
}

function missingNeeds(): readonly Need[] {
  return NEEDS.filter((need) => !need.isThere());
}

function toPath(command: string): string | undefined {
  if (command.includes('/')) return existsSync(command) ? command : undefined;
  const { status, stdout } = spawnSync('which', [command], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function answers(command: string, argument: string): boolean {
  return spawnSync(command, [argument], { stdio: 'ignore', timeout: 20_000 }).status === 0;
}

function hasFont(family: string): boolean {
  const { status, stdout } = spawnSync('fc-list', [family, 'family'], { encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '';
}

function mayInstall(): boolean {
  return (
    process.getuid?.() === 0 && existsSync('/etc/debian_version') && toPath('apt-get') !== undefined
  );
}

function install(packages: readonly string[]): void {
  console.log(`Installing the Debian packages ${packages.join(', ')}: the tests need them.`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const steps = [
    ['update', '--quiet=2'],
    ['install', '--quiet=2', '--yes', '--no-install-recommends', ...packages],
  ];
  for (const step of steps) {
    const { status } = spawnSync('apt-get', step, { env, stdio: ['ignore', 'inherit', 'inherit'] });
    if (status !== 0) {
      console.error(`apt-get ${step[0]} failed.`);
      return;
    }
  }
}
