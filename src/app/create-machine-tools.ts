import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { type CommandPlace, chooseConfinement } from '../agent/tools/command/confinement.ts';
import { createRunCommand } from '../agent/tools/command/run-command.ts';
import type { DefinedTool } from '../agent/tools/define-tool.ts';
import { createFetchUrl } from '../agent/tools/web/fetch-url.ts';
import { createSearchWeb } from '../agent/tools/web/search-web.ts';
import type { SlackModeConfig } from '../config/config.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { WebAccess } from '../net/ssrf-guard.ts';

/** Creates the tool that runs commands, confined as far as this machine allows. */
export async function createCommandTool(
  { workspaceDir, dataDir, commands }: SlackModeConfig,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<DefinedTool> {
  // `.env` holds every secret, so commands must not see it.
  const place: CommandPlace = { workspaceDir, hidden: [dataDir, resolve('.env')] };
  const confinement = await chooseConfinement(place, { ...commands, clock });
  if (confinement.kind === 'unsandboxed') {
    log.warn(
      { tool: 'run_command' },
      `ALLOW_UNSANDBOXED_COMMANDS: commands run with all the rights of the app, because ${confinement.reason}`,
    );
  }
  return createRunCommand({ place, confinement, clock });
}

/** Creates the web tools that the settings allow. */
export function createWebTools(
  { search }: SlackModeConfig,
  { clock, reach }: { readonly clock: Clock; readonly reach: WebAccess | undefined },
): readonly DefinedTool[] {
  return [
    ...(search ? [createSearchWeb(search, clock)] : []),
    createFetchUrl({ clock, ...(reach && { reach }) }),
  ];
}
