import type { Group } from '../../domain/policy/route.ts';
import { ChatError } from '../../domain/ports/chat.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Directory, Profile, WorkspaceMembership } from '../../domain/ports/directory.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { SlackConnection } from '../transport/connect-slack.ts';
import { isPayload, objectAt, type Payload, textAt } from '../transport/payload.ts';
import { slackErrorName, toChatError } from '../transport/slack-errors.ts';
import { createAskGroup } from './slack-groups.ts';
import { createTtlCache } from './ttl-cache.ts';

const PERSON_KEPT_MS = 5 * 60_000;
const GROUP_KEPT_MS = 60_000;
const MAX_PEOPLE = 5_000;
const MAX_GROUPS = 200;
/** A click is answered before Slack's three seconds are over. */
const PATIENCE_MS = 1_500;

/** Slack shows us nobody of that id: they are none of ours. https://docs.slack.dev/reference/methods/users.info#errors */
const UNSEEN: ReadonlySet<string> = new Set(['user_not_found', 'user_not_visible']);

/** Makes the directory of a workspace: Slack is asked as seldom as whoever asks allows, and what it fails to answer is not kept. */
export function createSlackDirectory(deps: {
  readonly connection: Pick<SlackConnection, 'client' | 'identity'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  /** Ids of people who are admins to us, whatever they are in Slack. */
  readonly adminUsers: ReadonlySet<string>;
}): Directory {
  const { clock, adminUsers } = deps;
  const { client, identity } = deps.connection;
  const people = createTtlCache({ clock, most: MAX_PEOPLE, ask: askPerson });
  const askGroup = createAskGroup(deps);
  const groups = createTtlCache({
    clock,
    most: MAX_GROUPS,
    ask: (group) => askGroup(group as Group),
  });

  async function askPerson(user: string): Promise<Profile> {
    try {
      const { user: found } = await client.users.info({ user });
      return toProfile(user, isPayload(found) ? found : {});
    } catch (error) {
      if (UNSEEN.has(slackErrorName(error) ?? '')) return { standing: 'stranger', isAdmin: false };
      throw toChatError(error, 'ask who a person is');
    }
  }

  function toProfile(id: string, user: Payload): Profile {
    const standing = standingOf(user, identity.team);
    const isAdmin = ADMIN_MARKS.some((mark) => user[mark] === true) || adminUsers.has(id);
    const name = nameOfUser(user);
    const timezone = timezoneOf(user);
    return {
      standing,
      isAdmin: standing === 'member' && isAdmin,
      ...(name !== undefined && { name }),
      ...(timezone !== undefined && { timezone }),
    };
  }

  async function inTime<T>(answer: Promise<T>, mayWaitForLimit: boolean | undefined): Promise<T> {
    if (mayWaitForLimit) return await answer;
    let cancel = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      cancel = clock.schedule(clock.now() + PATIENCE_MS, () =>
        reject(new ChatError('temporary', 'Slack did not say in time who a person is.')),
      );
    });
    return await Promise.race([answer, late]).finally(() => cancel());
  }

  return {
    async profileOf({ team, user }, { maxAgeMs = PERSON_KEPT_MS, mayWaitForLimit } = {}) {
      if (team !== identity.team) return { standing: 'stranger', isAdmin: false };
      return await inTime(people.get(user, maxAgeMs), mayWaitForLimit);
    },
    groupOf: (group, { maxAgeMs = GROUP_KEPT_MS, mayWaitForLimit } = {}) =>
      inTime(groups.get(group, maxAgeMs), mayWaitForLimit),
  };
}

/** Returns the name of a person as Slack shows it: the one that they chose, else their full name. */
export function nameOfUser(user: Payload): string | undefined {
  const profile = objectAt(user, 'profile');
  const names = [textAt(profile, 'display_name'), textAt(profile, 'real_name')];
  return names.find((name) => name !== undefined && name.trim() !== '');
}

/** Only a zone that this machine knows. https://docs.slack.dev/reference/objects/user-object */
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

const ADMIN_MARKS = ['is_admin', 'is_owner', 'is_primary_owner'] as const;

/** https://docs.slack.dev/reference/objects/user-object */
function standingOf(user: Payload, team: string): WorkspaceMembership {
  if (user.deleted === true) return 'gone';
  if (user.is_bot === true || user.is_workflow_bot === true || user.id === 'USLACKBOT')
    return 'bot';
  if (user.is_stranger === true || !isOfTeam(user, team)) return 'stranger';
  if (user.is_restricted === true || user.is_ultra_restricted === true) return 'guest';
  return 'member';
}

/** Tells whether a user of Slack belongs to a workspace: in Enterprise Grid to several, of which `team_id` names one. */
export function isOfTeam(user: Payload, team: string): boolean {
  const { teams } = objectAt(user, 'enterprise_user');
  return user.team_id === team || (Array.isArray(teams) && teams.includes(team));
}
