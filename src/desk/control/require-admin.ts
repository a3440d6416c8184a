import type { Person } from '../../domain/people/person.ts';
import type { Profile } from '../../domain/people/profile.ts';
import {
  explainRefusedMembership,
  explainRefusedSender,
} from '../../domain/people/sender-policy.ts';
import { actorOf } from '../calls/call-effects.ts';
import type { DeskDeps } from '../deps.ts';
import { findProfile, PROFILE_UNAVAILABLE } from '../people/find-profile.ts';

/** The person may not do this, or could not be looked up. `sentence` is for them. */
export interface NotAllowed {
  readonly kind: 'not-allowed';
  readonly sentence: string;
}

const ADMINS_ONLY = 'Only workspace admins and the people listed in ADMIN_USERS may do this.';

type AdminDeps = Pick<DeskDeps, 'store' | 'directory' | 'clock' | 'log'>;

/** True for admins who are full members: a guest or a deactivated account has no rights. */
export function isAdmin(profile: Pick<Profile, 'standing' | 'isAdmin'>): boolean {
  return profile.standing === 'member' && profile.isAdmin;
}

/** Looks up a person; a refusal if that fails. */
async function findProfileOrRefuse(
  deps: Pick<DeskDeps, 'directory' | 'log'>,
  by: Person,
  options?: Parameters<typeof findProfile>[2],
): Promise<Profile | NotAllowed> {
  const profile = await findProfile(deps, by, options);
  return profile ?? { kind: 'not-allowed', sentence: PROFILE_UNAVAILABLE };
}

/** Refuses a command, with an audit entry on its subject. */
export function createDeny({ clock, store }: Pick<AdminDeps, 'clock' | 'store'>) {
  return async function deny(
    by: Person,
    subject: string,
    { why, sentence }: { readonly why: string; readonly sentence: string },
  ): Promise<NotAllowed> {
    const audit = { at: clock.now(), event: 'control.not-allowed', actor: actorOf(by) };
    await store.audit.append([{ ...audit, subject, detail: { why } }]);
    return { kind: 'not-allowed', sentence };
  };
}

/** Builds the check of a command for admins: undefined if the person may go on. */
export function createRequireAdmin(deps: AdminDeps) {
  const deny = createDeny(deps);
  return async function requireAdmin(
    by: Person,
    subject: string,
    { sentence = ADMINS_ONLY, ...age }: { sentence?: string; maxAgeMs?: number } = {},
  ): Promise<NotAllowed | undefined> {
    const profile = await findProfileOrRefuse(deps, by, age);
    if ('kind' in profile) return profile;
    if (isAdmin(profile)) return undefined;
    const refusal = explainRefusedMembership(profile) ?? { why: 'not an admin', sentence };
    return await deny(by, subject, refusal);
  };
}

export interface InChannel {
  readonly team: string;
  readonly channel: string;
  readonly by: Person;
}

/** Builds the check of a command: admins anywhere, others only where they may talk to the agent. */
export function createRequireSender(deps: AdminDeps & Pick<DeskDeps, 'senderPolicy'>) {
  const deny = createDeny(deps);
  return async function requireSender({ channel, by }: InChannel, subject: string) {
    const profile = await findProfileOrRefuse(deps, by);
    if ('kind' in profile) return profile;
    if (isAdmin(profile)) return { isAdmin: true };
    const refusal = explainRefusedSender(profile, by, channel, deps.senderPolicy);
    return refusal ? await deny(by, subject, refusal) : { isAdmin: false };
  };
}
