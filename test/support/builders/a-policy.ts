import { BUILT_IN_HELPERS } from '../../../src/agent/tools/built-in-helpers.ts';
import type { PersonLookup } from '../../../src/domain/policy/policy.ts';
import { withRoutes } from '../../../src/domain/policy/policy.ts';
import { resolveRoutes } from '../../../src/domain/policy/policy-routes.ts';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { readPolicy } from '../../../src/policy/file/read-policy.ts';
import type { KnownNames } from '../../../src/policy/file/read-rules.ts';

/** People without known profiles. */
export const NOBODY_KNOWN: PersonLookup = {
  emailOf: async () => {
    throw new Error('Slack is away.');
  },
  groupsOf: async () => {
    throw new Error('Slack is away.');
  },
};

const HELPERS = BUILT_IN_HELPERS.map(({ name }) => ({ kind: 'helper', name }) as const);

/** Parses a policy without names and errors; the helpers are the built-in ones by default. */
export function loadText(text: string, known?: KnownNames) {
  const read = readPolicy(text, known ?? { tools: [], agents: HELPERS });
  if (!read.ok) throw new Error(JSON.stringify(read.problems, null, 2));
  const { hash, policy, routes } = read.file;
  const settled = resolveRoutes(routes, new Map());
  return { hash, policy: withRoutes(policy, (name) => settled.get(name) ?? REQUESTER_ROUTE) };
}
