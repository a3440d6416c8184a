import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
import { chooseConfinement } from '../../agent/tools/command/confinement.ts';
import type { Config, SlackModeConfig } from '../../config/config.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { type Finding, messageOf } from './finding.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

const CLOCK_TIMEOUT_MS = 10_000;
const NOTICEABLE_MS = 5_000;
/** Requests from Slack are rejected at five minutes of difference, so warn earlier. */
const HARMFUL_MS = 60_000;

/** Compares the clock with the `date` header of an answer from Slack. */
export async function checkClock(
  { slack }: SlackModeConfig,
  { clock }: { readonly clock: Clock },
): Promise<Finding> {
  const url = new URL('api.test', slack.apiUrl.replace(/\/*$/, '/'));
  const before = clock.now();
  let slackTime: number;
  try {
    const signal = AbortSignal.timeout(CLOCK_TIMEOUT_MS);
    const answer = await fetch(url, { method: 'POST', signal });
    await answer.body?.cancel();
    slackTime = Date.parse(answer.headers.get('date') ?? '');
  } catch (error) {
    const message = `The clock can’t be compared with Slack’s: ${messageOf(error)}. Check the network.`;
    return { status: 'warning', message };
  }
  if (Number.isNaN(slackTime)) {
    return {
      status: 'warning',
      message:
        'The clock can’t be checked, because Slack’s answer has no date. Make sure that NTP is on.',
    };
  }
  // The header has no milliseconds.
  const offMs = Math.max(0, before - (slackTime + 999), slackTime - clock.now());
  if (offMs < NOTICEABLE_MS) return { status: 'ok', message: 'The clock agrees with Slack’s.' };
  const seconds = Math.round(offMs / 1_000);
  return {
    status: offMs < HARMFUL_MS ? 'warning' : 'problem',
    message: `This machine’s clock is ${seconds} s off from Slack’s. Synchronize it with NTP: deadlines are wrong, and from five minutes on all requests from Slack are refused.`,
  };
}

/** Tries out the sandbox of `run_command`, as the app does. */
export async function checkSandbox(
  { commands, dataDir, workspaceDir }: Config,
  { clock }: { readonly clock: Clock },
): Promise<Finding> {
  const tryIn = (folder: string) =>
    chooseConfinement(
      { workspaceDir: folder, hidden: [dataDir, resolve('.env')] },
      { ...commands, clock },
    );
  const found = await (existsSync(workspaceDir) ? tryIn(workspaceDir) : withTemporaryFolder(tryIn));
  if (found.kind === 'sandboxed') {
    const network = found.hasNetwork ? 'with full network access' : 'without network access';
    return { status: 'ok', message: `Commands run in bwrap, ${network}.` };
  }
  const what =
    found.kind === 'unsandboxed'
      ? 'Commands run with all the rights of the app (ALLOW_UNSANDBOXED_COMMANDS), because'
      : 'run_command is not offered:';
  return { status: 'warning', message: `${what} ${found.reason}` };
}

/** Checks that the agent's folder is writable, or can be created. */
export function checkWorkspace({ workspaceDir }: Pick<Config, 'workspaceDir'>): Finding {
  let place = workspaceDir;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  try {
    if (!statSync(place).isDirectory()) throw new Error(`${place} is a file`);
    accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    return {
      status: 'problem',
      message: `WORKSPACE_DIR ${workspaceDir} can’t be used: ${messageOf(error)}. Name a folder that can be created and written.`,
    };
  }
  const state = place === workspaceDir ? 'can be written' : 'will be created at the start';
  return { status: 'ok', message: `The agent’s folder ${workspaceDir} ${state}.` };
}

/** Checks that the app's port is free. Call it only if no app is running. */
export async function checkPort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<Finding> {
  const server = createServer();
  try {
    await new Promise<void>((done, fail) => {
      server.once('error', fail);
      server.listen(port, host, done);
    });
    await new Promise((done) => server.close(done));
    return {
      status: 'ok',
      message:
        port === 0 ? 'PORT is 0, so any free port will be used.' : `${host}:${port} is free.`,
    };
  } catch (error) {
    return {
      status: 'problem',
      message: `HOST ${host} and PORT ${port} can’t be used: ${messageOf(error)}. Stop the program that has the port, or set another PORT.`,
    };
  }
}
