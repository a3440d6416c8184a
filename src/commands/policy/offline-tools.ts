import { BUILT_IN_HELPERS } from '../../agent/tools/built-in-helpers.ts';
import { createRunCommand } from '../../agent/tools/command/run-command.ts';
import { createToolbox } from '../../agent/tools/create-toolbox.ts';
import { createSendFile } from '../../agent/tools/files/send-file.ts';
import { createWorkspaceBytes } from '../../agent/tools/files/workspace-bytes.ts';
import { loadToolsModule, ToolsModuleError } from '../../agent/tools/load-tools-module.ts';
import { createFetchUrl } from '../../agent/tools/web/fetch-url.ts';
import { createSearchWeb } from '../../agent/tools/web/search-web.ts';
import { agentWritableFileProblems } from '../../config/paths/agent-writable-problems.ts';
import { DEFAULT_WORKSPACE_DIR } from '../../config/setting-variables.ts';
import type { Helper } from '../../domain/tools/helper.ts';
import type { Toolbox } from '../../domain/tools/tool.ts';
import type { CommandDeps } from '../command.ts';

/** All possible tools and helpers, for inspection only. None is ever run. */
export interface OfflineTools {
  readonly toolbox: Toolbox;
  readonly helpers: readonly Helper[];
  /** Why the operator's own tools could not be loaded. */
  readonly problem?: string;
}

/** Creates every built-in tool, regardless of settings, and those of TOOLS_MODULE. */
export async function createOfflineTools({ clock, env }: CommandDeps): Promise<OfflineTools> {
  const workspaceDir = env.WORKSPACE_DIR?.trim() || DEFAULT_WORKSPACE_DIR;
  const send = async () => {
    throw new Error('Nothing is sent from here.');
  };
  const place = { workspaceDir, hidden: [] };
  const confinement = { kind: 'sandboxed', hasNetwork: false } as const;
  const make = (own?: Awaited<ReturnType<typeof loadToolsModule>>) =>
    createToolbox({
      workspaceDir,
      withFiles: [
        createSendFile({ files: createWorkspaceBytes(workspaceDir), send }),
        createRunCommand({ place, confinement, clock }),
      ],
      offered: [
        createFetchUrl({ clock }),
        createSearchWeb({ apiKey: '', baseUrl: '', maxResults: 5 }, clock),
      ],
      ...(own && { extra: own.tools, agents: own.agents }),
    });
  const path = env.TOOLS_MODULE?.trim();
  if (!path) return make();
  const [misplaced] = agentWritableFileProblems('TOOLS_MODULE', path, workspaceDir);
  if (misplaced !== undefined) return { ...make(), problem: misplaced };
  try {
    return make(await loadToolsModule(path, clock));
  } catch (error) {
    if (!(error instanceof ToolsModuleError)) throw error;
    return { ...make(), helpers: BUILT_IN_HELPERS, problem: error.message };
  }
}
