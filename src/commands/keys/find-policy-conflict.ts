import { formatAgentPattern, matchAgent } from '../../domain/policy/agent-name.ts';
import type { CommandDeps } from '../command.ts';
import { readKnownNames } from '../policy/known-names.ts';
import { createOfflineTools } from '../policy/offline-tools.ts';
import { openPolicyFile } from '../policy/open-policy-file.ts';

/**
 * Returns why a key cannot have this name, if a policy rule uses it for another kind of agent.
 * Otherwise undefined.
 */
export async function findPolicyConflict(
  name: string,
  deps: CommandDeps,
): Promise<string | undefined> {
  const noNames = { tools: [], agents: [] };
  if ((await openPolicyFile(undefined, deps, noNames)).kind === 'none') return undefined;
  const tools = await createOfflineTools(deps);
  const { known } = await readKnownNames(tools, deps);
  const agents = known.agents.filter(({ kind }) => kind !== 'key');
  const found = await openPolicyFile(undefined, deps, { ...known, agents });
  const problem =
    tools.problem ?? (found.kind === 'broken' ? `${found.path} can't be used.` : undefined);
  if (problem !== undefined) {
    deps.err(`Warning: the name was not checked against the policy. ${problem}`);
  }
  if (found.kind !== 'policy') return undefined;
  const key = { kind: 'key', name } as const;
  for (const { agents = [], mentions = [], name: rule } of found.file.policy.rules) {
    const other = [...agents, ...mentions].find((each) => matchAgent(each, key) === 'unclear');
    if (other) {
      return `--name can’t be “${name}”: ${rule} of ${found.path} says “${other.text}”, which means ${formatAgentPattern(other)}. Choose another name, or add the kind in the policy.`;
    }
  }
  return undefined;
}
