import type { Group } from '../../domain/people/person.ts';
import type { Profile, WorkspaceMembership } from '../../domain/people/profile.ts';
import { ChatError } from '../../domain/ports/chat.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Directory } from '../../domain/ports/directory.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { SlackConnection } from '../transport/connect-slack.ts';
import { isPayload, objectAt, type Payload, textAt } from '../transport/payload.ts';
import { slackErrorName, toChatError } from '../transport/slack-errors.ts';
import { createGroupLookup } from './slack-groups.ts';
import { createTtlCache } from './ttl-cache.ts';

const PERSON_MAX_AGE_MS = 5 * 60_000;
const GROUP_MAX_AGE_MS = 60_000;
const MAX_PEOPLE = 5_000;
const MAX_GROUPS = 200;
/** Short enough to answer a click within Slack’s 3 s. */
const ANSWER_TIMEOUT_MS = 1_500;

/** Errors for a user who is not in this workspace. https://docs.slack.dev/reference/methods/users.info#errors */
const NOT_IN_WORKSPACE: ReadonlySet<string> = new Set(['user_not_found', 'user_not_visible']);

/** Creates the directory of a workspace. It caches answers up to the caller’s `maxAgeMs`; failures are not cached. */
export function createSlackDirectory(deps: {
  readonly connection: Pick<SlackConnection, 'client' | 'identity'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  /** Ids of users who are admins of the app, whatever their role in Slack. */
  readonly adminUsers: ReadonlySet<string>;
}): Directory {
  const { clock, adminUsers } = deps;
  const { client, identity } = deps.connection;
  const people = createTtlCache({ clock, maxEntries: MAX_PEOPLE, load: fetchPerson });
  const lookUpGroup = createGroupLookup(deps);
  const groups = createTtlCache({
    clock,
    maxEntries: MAX_GROUPS,
    load: (group) => lookUpGroup(group as Group),
  });

  async function fetchPerson(user: string): Promise<Profile> {
    try {
      const { user: found } = await client.users.info({ user });
      return toProfile(user, isPayload(found) ? found : {});
    } catch (error) {
      if (NOT_IN_WORKSPACE.has(slackErrorName(error) ?? ''))
        return { standing: 'stranger', isAdmin: false };
      throw toChatError(error, 'look up a person');
    }
  }

  function toProfile(id: string, user: Payload): Profile {
    const standing = standingOf(user, identity.team);
    const isAdmin = ADMIN_FIELDS.some((field) => user[field] === true) || adminUsers.has(id);
    const name = nameOfUser(user);
    const timezone = timezoneOf(user);
    return {
      standing,
      isAdmin: standing === 'member' && isAdmin,
      ...(name !== undefined && { name }),
      ...(timezone !== undefined && { timezone }),
    };
  }

  return {
    async profileOf({ team, user }, { maxAgeMs = PERSON_MAX_AGE_MS, mayWaitForLimit } = {}) {
      if (team !== identity.team) return { standing: 'stranger', isAdmin: false };
      return await withTimeout(clock, people.get(user, maxAgeMs), mayWaitForLimit);
    },
    groupOf: (group, { maxAgeMs = GROUP_MAX_AGE_MS, mayWaitForLimit } = {}) =>
      withTimeout(clock, groups.get(group, maxAgeMs), mayWaitForLimit),
  };
}

/** Rejects if Slack does not answer in time, unless the caller may wait. */
async function withTimeout<T>(
  clock: Clock,
  answer: Promise<T>,
  mayWaitForLimit: boolean | undefined,
): Promise<T> {
  if (mayWaitForLimit) return await answer;
  let cancel = () => {};
  const timeout = new Promise<never>((_resolve, reject) => {
    cancel = clock.schedule(clock.now() + ANSWER_TIMEOUT_MS, () =>
      reject(new ChatError('temporary', 'Slack did not answer in time.')),
    );
  });
  return await Promise.race([answer, timeout]).finally(() => cancel());
}

/** Returns a person’s name as Slack shows it: the display name, else the full name. */
export function nameOfUser(user: Payload): string | undefined {
  const profile = objectAt(user, 'profile');
  const names = [textAt(profile, 'display_name'), textAt(profile, 'real_name')];
  return names.find((name) => name !== undefined && name.trim() !== '');
}

/** Returns the user’s time zone if this machine knows it. https://docs.slack.dev/reference/objects/user-object */
function timezoneOf(user: Payload): string | undefined {
  const zone = textAt(user, 'tz');
  return zone !== undefined && isZone(zone) ? zone : undefined;
}

function isZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const ADMIN_FIELDS = ['is_admin', 'is_owner', 'is_primary_owner'] as const;

/** https://docs.slack.dev/reference/objects/user-object */
function standingOf(user: Payload, team: string): WorkspaceMembership {
  if (user.deleted === true) return 'gone';
  if (user.is_bot === true || user.is_workflow_bot === true || user.id === 'USLACKBOT')
    return 'bot';
  if (user.is_stranger === true || !isOfTeam(user, team)) return 'stranger';
  if (user.is_restricted === true || user.is_ultra_restricted === true) return 'guest';
  return 'member';
}

/** Returns whether a user belongs to a workspace. In Enterprise Grid `team_id` names only one of several. */
export function isOfTeam(user: Payload, team: string): boolean {
  const { teams } = objectAt(user, 'enterprise_user');
  return user.team_id === team || (Array.isArray(teams) && teams.includes(team));
}
