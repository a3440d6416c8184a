/** Which parts of a call are secret, who may see them, and who has. */

import { readStoredJson } from '../json/json.ts';
import { isSamePerson, type Person } from '../people/person.ts';
import {
  addCounts,
  countSecrets,
  type Masking,
  maskingOf,
  maskText,
  needsOpening,
} from '../secrets/mask-secrets.ts';
import {
  type SecretsOfCall,
  type SecretsOfTool,
  secretPathsOfCall,
} from '../secrets/secret-paths.ts';
import type { Call } from './call.ts';
import { type Step, stepFrom } from './transitions.ts';

/** The fields of a call that hold its secrets. */
export type MaskedCall = SecretsOfCall & Pick<Call, 'args' | 'proposedArgs'>;

/** Creates the masking for everything shown of a call. */
export function maskingOfCall(
  call: MaskedCall,
  tool: SecretsOfTool | undefined,
  how: Pick<Masking, 'reveals' | 'mark'>,
): Masking {
  const texts = new Set([call.args, call.proposedArgs]);
  return maskingOf([...texts].map(readStoredJson), secretPathsOfCall(call, tool), how);
}

/**
 * Returns whether people have to open a call before approving, because its card masks unverified
 * parts.
 */
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

/** Returns whether a person has opened the current version of a call. */
export function hasOpened({ digest, openings = [] }: Call, person: Person): boolean {
  return openings.some((each) => each.digest === digest && isSamePerson(each.by, person));
}

/** Returns whether a person still has to open a call before their approval counts. */
export function mustStillOpen(call: Call, person: Person, tool?: SecretsOfTool): boolean {
  return !hasOpened(call, person) && requiresOpening(call, tool);
}

/**
 * Records that a person opened a call's masked parts; undefined if not needed or already recorded.
 */
export function recordOpening(
  call: Call,
  by: Person,
  now: number,
  tool?: SecretsOfTool,
): Step | undefined {
  if (!mustStillOpen(call, by, tool)) return undefined;
  const { digest, openings = [], status } = call;
  // Openings of earlier versions no longer count.
  const kept = openings.filter((each) => each.digest === digest);
  return stepFrom(call, 'open', now, { status, openings: [...kept, { by, at: now, digest }] });
}
