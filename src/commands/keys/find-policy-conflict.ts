import { formatAgentPattern, matchAgent } from '../../domain/policy/agent-name.ts';
import type { CommandDeps } from '../command.ts';
import { readKnownNames } from '../policy/known-names.ts';
import { createOfflineTools } from '../policy/offline-tools.ts';
import { openPolicyFile } from '../policy/open-policy-file.ts';

/** Says why a key can't have a name that a rule of the policy uses for another agent; undefined when it can. */
export async function findPolicyConflict(
  name: string,
  deps: CommandDeps,
): Promise<string | undefined> {
  const nothing = { tools: [], agents: [] };
  if ((await openPolicyFile(undefined, deps, nothing)).kind === 'none') return undefined;
  const tools = await createOfflineTools(deps);
  const { known } = await readKnownNames(tools, deps);
  const agents = known.agents.filter(({ kind }) => kind !== 'key');
  const found = await openPolicyFile(undefined, deps, { ...known, agents });
  const problem =
    tools.problem ?? (found.kind === 'broken' ? `${found.path} can't be used.` : undefined);
  if (problem !== undefined) {
    deps.err(`Warning: the name is not compared with the policy’s. ${problem}`);
  }
  if (found.kind !== 'policy') return undefined;
  const key = { kind: 'key', name } as const;
  for (const { agents = [], mentions = [], name: rule } of found.file.policy.rules) {
    const other = [...agents, ...mentions].find((each) => matchAgent(each, key) === 'unclear');
    if (other) {
      return `--name can’t be “${name}”: ${rule} of ${found.path} says “${other.text}”, which means ${formatAgentPattern(other)}. Take another name, or write the kind in the policy.`;
    }
  }
  return undefined;
}
