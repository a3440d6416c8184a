import type { PersonLookup } from '../../src/domain/policy.ts';
import { withRoutes } from '../../src/domain/policy.ts';
import { settleRoutes } from '../../src/domain/policy-routes.ts';
import { REQUESTER_ROUTE } from '../../src/domain/route.ts';
import { readPolicy } from '../../src/policy/read-policy.ts';

/** People of whom nothing is known. */
export const NOBODY_KNOWN: PersonLookup = {
  emailOf: async () => {
    throw new Error('Slack is away.');
  },
  groupsOf: async () => {
    throw new Error('Slack is away.');
  },
};

/** Reads a policy that has no names and no errors. */
export function loadText(text: string) {
  const read = readPolicy(text);
  if (!read.ok) throw new Error(JSON.stringify(read.problems, null, 2));
  const { hash, policy, routes } = read.file;
  const settled = settleRoutes(routes, new Map());
  return { hash, policy: withRoutes(policy, (name) => settled.get(name) ?? REQUESTER_ROUTE) };
}
