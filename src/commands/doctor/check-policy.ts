import { basename } from 'node:path';
import type { Config } from '../../config/config.ts';
import { agentWritableFileProblems } from '../../config/paths/agent-writable-problems.ts';
import type { KnownNames } from '../../policy/file/read-rules.ts';
import { loadPolicy } from '../../policy/load-policy.ts';
import { formatPolicyProblem } from '../../policy/policy-problem.ts';
import { createSlackNames } from '../../slack/people/slack-names.ts';
import type { SlackConnection } from '../../slack/transport/connect-slack.ts';
import { type Finding, messageOf } from './finding.ts';

/**
 * Reads the policy as the app does at its start, with names looked up in Slack. Skipped without a
 * connection.
 */
export async function checkPolicyFile(
  { policyFile, workspaceDir }: Pick<Config, 'policyFile' | 'workspaceDir'>,
  connection: SlackConnection | undefined,
  known: KnownNames,
): Promise<readonly Finding[]> {
  if (policyFile === undefined) {
    return [{ status: 'ok', message: 'There is no policy file. The built-in rules apply.' }];
  }
  if (!connection) {
    const message =
      'The names in the policy can’t be looked up without Slack. “npx --no -- countersign policy check” checks the rest.';
    return [{ status: 'skipped', message }];
  }
  try {
    const { policy, warnings } = await loadPolicy(policyFile, {
      names: createSlackNames({ connection }),
      known: async () => known,
      problemsOfPlace: (path) => agentWritableFileProblems('POLICY_FILE', path, workspaceDir),
    });
    const ok: Finding = {
      status: 'ok',
      message: `${policyFile} can be used: ${policy.rules.length} rules.`,
    };
    const file = basename(policyFile);
    return [
      ok,
      ...warnings.map(
        (each): Finding => ({ status: 'warning', message: formatPolicyProblem(file, each) }),
      ),
    ];
  } catch (error) {
    return [{ status: 'problem', message: messageOf(error) }];
  }
}
