import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { type CommandPlace, chooseConfinement } from './agent/tools/confinement.ts';
import type { DefinedTool } from './agent/tools/define-tool.ts';
import { createFetchUrl } from './agent/tools/fetch-url.ts';
import { createRunCommand } from './agent/tools/run-command.ts';
import { createSearchWeb } from './agent/tools/search-web.ts';
import type { SlackModeConfig } from './config.ts';
import type { Clock } from './domain/clock.ts';
import type { WebReach } from './net/web-reach.ts';

/** Makes the tool that runs commands, as this machine can confine them. */
export async function offerCommands(
  { workspaceDir, dataDir, commands }: SlackModeConfig,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<DefinedTool> {
  // The file that main reads the environment from holds every secret.
  const place: CommandPlace = { workspaceDir, hidden: [dataDir, resolve('.env')] };
  const confinement = await chooseConfinement(place, { ...commands, clock });
  if (confinement.kind === 'unsandboxed') {
    log.warn(
      { tool: 'run_command' },
      `ALLOW_UNSANDBOXED_COMMANDS: commands run with all the rights of the app, since ${confinement.reason}`,
    );
  }
  return createRunCommand({ place, confinement, clock });
}

/** Makes the tools that reach the web, as the settings have them. */
export function offerWeb(
  { search }: SlackModeConfig,
  { clock, reach }: { readonly clock: Clock; readonly reach: WebReach | undefined },
): readonly DefinedTool[] {
  return [
    ...(search ? [createSearchWeb(search, clock)] : []),
    createFetchUrl({ clock, ...(reach && { reach }) }),
  ];
}
