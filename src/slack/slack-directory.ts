import { ChatError } from '../domain/chat.ts';
import type { Clock } from '../domain/clock.ts';
import type { Directory, Profile, Standing } from '../domain/directory.ts';
import type { Person } from '../domain/person.ts';
import type { SlackConnection } from './connect-slack.ts';
import { isPayload, objectAt, type Payload } from './payload.ts';
import { slackErrorName, toChatError } from './slack-errors.ts';

const KEPT_MS = 5 * 60_000;
const MOST_KEPT = 5_000;
/** A click is answered before Slack's three seconds are over. */
const PATIENCE_MS = 1_500;

/** Slack shows us nobody of that id: they are none of ours. https://docs.slack.dev/reference/methods/users.info#errors */
const UNSEEN: ReadonlySet<string> = new Set(['user_not_found', 'user_not_visible']);

interface Kept {
  readonly profile: Promise<Profile>;
  readonly until: number;
}

/** Makes the directory of a workspace: Slack is asked at most every five minutes for each person, and what it fails to answer is not kept. */
export function createSlackDirectory(deps: {
  readonly connection: Pick<SlackConnection, 'client' | 'identity'>;
  readonly clock: Clock;
  /** Ids of people who are admins to us, whatever they are in Slack. */
  readonly adminUsers: ReadonlySet<string>;
}): Directory {
  const { clock, adminUsers } = deps;
  const { client, identity } = deps.connection;
  const kept = new Map<string, Kept>();

  async function ask(user: string): Promise<Profile> {
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
    return { standing, isAdmin: standing === 'member' && isAdmin };
  }

  async function inTime(profile: Promise<Profile>): Promise<Profile> {
    let cancel = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      cancel = clock.schedule(clock.now() + PATIENCE_MS, () =>
        reject(new ChatError('temporary', 'Slack did not say in time who a person is.')),
      );
    });
    return await Promise.race([profile, late]).finally(() => cancel());
  }

  function keep(user: string): Promise<Profile> {
    const profile = ask(user);
    const entry = { profile, until: clock.now() + KEPT_MS };
    kept.delete(user);
    kept.set(user, entry);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    profile.catch(() => {
      if (kept.get(user) === entry) kept.delete(user);
    });
    return profile;
  }

  return {
    async profileOf({ team, user }: Person) {
      if (team !== identity.team) return { standing: 'stranger', isAdmin: false };
      const known = kept.get(user);
      const isFresh = known !== undefined && clock.now() < known.until;
      return await inTime(isFresh ? known.profile : keep(user));
    },
  };
}

const ADMIN_MARKS = ['is_admin', 'is_owner', 'is_primary_owner'] as const;

/** https://docs.slack.dev/reference/objects/user-object */
function standingOf(user: Payload, team: string): Standing {
  if (user.deleted === true) return 'gone';
  if (user.is_bot === true || user.is_workflow_bot === true || user.id === 'USLACKBOT')
    return 'bot';
  if (user.is_stranger === true || !isOfTeam(user, team)) return 'stranger';
  if (user.is_restricted === true || user.is_ultra_restricted === true) return 'guest';
  return 'member';
}

/** In Enterprise Grid a person belongs to several workspaces, and names the first one. */
function isOfTeam(user: Payload, team: string): boolean {
  const { teams } = objectAt(user, 'enterprise_user');
  return user.team_id === team || (Array.isArray(teams) && teams.includes(team));
}
