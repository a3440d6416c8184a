/** What of a call is secret, who may see it, and who has. */
import type { Call } from '../calls/call.ts';
import { type Step, stepFrom } from '../calls/transitions.ts';
import { readStoredJson } from '../json/json.ts';
import { isSamePerson, type Person } from '../people/person.ts';
import {
  addCounts,
  countSecrets,
  type Masking,
  maskingOf,
  maskText,
  needsOpening,
} from './mask-secrets.ts';
import { type SecretsOfCall, type SecretsOfTool, secretPathsOfCall } from './secret-paths.ts';

/** What of a call holds the values of its secrets. */
export type MaskedCall = SecretsOfCall & Pick<Call, 'args' | 'proposedArgs'>;

/** Makes the masking of all that is shown of a call. */
export function maskingOfCall(
  call: MaskedCall,
  tool: SecretsOfTool | undefined,
  how: Pick<Masking, 'reveals' | 'mark'>,
): Masking {
  const texts = new Set([call.args, call.proposedArgs]);
  return maskingOf([...texts].map(readStoredJson), secretPathsOfCall(call, tool), how);
}

/** Tells whether a person has to open a call before their approval counts: what its card masks of it could be anything. */
export function requiresOpening(call: Call, tool?: SecretsOfTool): boolean {
  const masking = maskingOfCall(call, tool, { reveals: false });
  const { args, outside, preview = '', tool: name } = call;
  const texts = [name, preview, ...(outside?.choices ?? [])];
  return needsOpening(
    addCounts(
      countSecrets(readStoredJson(args), masking),
      ...texts.map((text) => maskText(text, masking).secrets),
    ),
  );
}

/** Tells whether a person has opened a call as it is now. */
export function hasOpened({ digest, openings = [] }: Call, person: Person): boolean {
  return openings.some((each) => each.digest === digest && isSamePerson(each.by, person));
}

/** Tells whether a person has still to open a call before their approval counts. */
export function mustStillOpen(call: Call, person: Person, tool?: SecretsOfTool): boolean {
  return !hasOpened(call, person) && requiresOpening(call, tool);
}

/** Notes that a person is shown what is masked of a call; undefined where nothing is, or they have been before. */
export function recordOpening(
  call: Call,
  by: Person,
  now: number,
  tool?: SecretsOfTool,
): Step | undefined {
  if (!mustStillOpen(call, by, tool)) return undefined;
  const { digest, openings = [], status } = call;
  // Those of what it was before are over.
  const kept = openings.filter((each) => each.digest === digest);
  return stepFrom(call, 'open', now, { status, openings: [...kept, { by, at: now, digest }] });
}
