import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { z } from 'zod';
import type { Clock } from '../../../domain/ports/clock.ts';
import { type DefinedTool, defineTool } from '../define-tool.ts';
import {
  type CommandPlace,
  type Confinement,
  commandEnvironment,
  sandboxArguments,
} from './confinement.ts';
import { describeCommand } from './describe-command.ts';
import { type ProcessEnd, runProcess } from './run-process.ts';

const NAME = 'run_command';
/** Linux limits one argument to 128 KB; a character has up to four bytes. */
const MAX_COMMAND = 30_000;
const MAX_SECONDS = 600;

/** Creates the tool that runs commands, or returns why it is left out. */
export function createRunCommand(options: {
  readonly place: CommandPlace;
  readonly confinement: Confinement;
  readonly clock: Clock;
}): DefinedTool {
  const { place, confinement, clock } = options;
  if (confinement.kind === 'none') {
    return { kind: 'left-out', name: NAME, reason: confinement.reason };
  }
  const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
  const mode = modeOf(confinement);
  return defineTool({
    name: NAME,
    description: `Runs a command line with ${shell} in the workspace folder and returns its exit code and what it prints. ${describeSandboxAccess(confinement)} Standard input is empty. Background processes are killed when the command ends.`,
    schema: z.object({
      command: z
        .string()
        .min(1)
        .max(MAX_COMMAND)
        .refine((text) => !text.includes('\0'), 'A command can’t hold a NUL character.'),
      timeoutSeconds: z
        .int()
        .min(1)
        .max(MAX_SECONDS)
        .default(60)
        .describe('After this, the command and all that it started are killed'),
      // An argument, so that it is hashed: approving a sandboxed run does not approve an unsandboxed one.
      sandbox: z.enum([mode]).default(mode).describe('Leave it out'),
    }),
    risk: 'high',
    async run({ command, timeoutSeconds }, { signal }) {
      const inShell = [shell, '-c', '--', command];
      const end = await runProcess({
        command:
          confinement.kind === 'sandboxed'
            ? ['bwrap', ...sandboxArguments(place, confinement.hasNetwork), ...inShell]
            : inShell,
        folder: place.workspaceDir,
        env: commandEnvironment(place.workspaceDir),
        timeoutMs: timeoutSeconds * 1000,
        clock,
        signal,
      });
      if (end.kind === 'timed-out') throw new Error(describeTimeout(end, timeoutSeconds));
      return `${describeEnd(end)}\n${end.output}`.trimEnd();
    },
    previewed: ['command'],
    preview: ({ command }) =>
      `${describeCommandMode(confinement)}\nIn ${realpathSync(place.workspaceDir)}\n$ ${command}`,
    summary: ({ command }) => describeCommand(command),
  });
}

type Offered = Exclude<Confinement, { kind: 'none' }>;

function modeOf(confinement: Offered): string {
  if (confinement.kind === 'unsandboxed') return 'off';
  return confinement.hasNetwork ? 'on, with network' : 'on, without network';
}

function describeCommandMode(confinement: Offered): string {
  if (confinement.kind === 'unsandboxed') {
    return 'UNSANDBOXED: it can read, change and send everything that the app can.';
  }
  return confinement.hasNetwork
    ? 'Sandboxed, WITH network: it can write only to the workspace, and can send what it reads anywhere.'
    : 'Sandboxed, without network: it can write only to the workspace.';
}

function describeSandboxAccess(confinement: Offered): string {
  if (confinement.kind === 'unsandboxed') return 'It is not confined to the workspace.';
  const network = confinement.hasNetwork ? 'It has network access.' : 'It has no network access.';
  return `It can write only to the workspace and to /tmp, which is emptied afterwards. ${network}`;
}

function describeTimeout({ output }: ProcessEnd, seconds: number): string {
  const printed = output.trim() === '' ? 'It printed nothing.' : `It printed:\n${output}`;
  return `the command did not end within ${seconds} s and was killed, with all that it had started. It may have done part of its work. ${printed}`;
}

function describeEnd({ code, signalName, tookMs }: ProcessEnd): string {
  const seconds = `${(tookMs / 1000).toFixed(1)} s`;
  if (code === undefined) return `[ended by ${signalName ?? 'a signal'} after ${seconds}]`;
  // Shells and the sandbox report a signal as exit code 128 + signal.
  const [name] = Object.entries(constants.signals).find(([, at]) => at + 128 === code) ?? [];
  return `[exit code ${code}${name ? `, as after ${name}` : ''}, ${seconds}]`;
}
