import type { Person } from '../../domain/people/person.ts';
import type { PersonLookup } from '../../domain/policy/policy.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { SlackConnection } from '../transport/connect-slack.ts';
import { isPayload, listAt, objectAt, type Payload, textAt } from '../transport/payload.ts';
import { toChatError } from '../transport/slack-errors.ts';

/** How long a change in Slack takes to reach policies, at most. */
const MAX_AGE_MS = 60_000;

/** Creates the lookup of people for policy conditions. It asks Slack at most once a minute per person and for the groups. */
export function createSlackPeople(deps: {
  readonly connection: Pick<SlackConnection, 'client' | 'identity'>;
  readonly clock: Clock;
}): PersonLookup {
  const { client, identity } = deps.connection;
  const cached = createCache(deps.clock);

  async function readEmail(user: string): Promise<string> {
    try {
      const answer = await client.users.info({ user });
      const profile = isPayload(answer.user) ? objectAt(answer.user, 'profile') : {};
      const email = textAt(profile, 'email');
      if (email !== undefined) return email;
    } catch (error) {
      throw toChatError(error, 'read an email address');
    }
    throw new Error(
      'Slack did not return the requester’s email address. The app needs the scope users:read.email. Install it again with manifest.yml.',
    );
  }

  async function readGroups(): Promise<readonly Payload[]> {
    try {
      return listAt({ ...(await client.usergroups.list({ include_users: true })) }, 'usergroups');
    } catch (error) {
      throw toChatError(error, 'read the members of user groups');
    }
  }

  function assertOwn({ team }: Person): void {
    if (team !== identity.team) throw new Error('The requester is from another workspace.');
  }

  return {
    async emailOf(person) {
      assertOwn(person);
      return await cached(`email:${person.user}`, () => readEmail(person.user));
    },
    async groupsOf(person) {
      assertOwn(person);
      const groups = await cached('groups', readGroups);
      return groups
        .filter(({ users }) => Array.isArray(users) && users.includes(person.user))
        .flatMap((group) => textAt(group, 'id') ?? []);
    },
  };
}

/** Creates a cache of answers. Failures are not cached. */
function createCache(clock: Clock) {
  const entries = new Map<string, { readonly value: unknown; readonly askedAt: number }>();

  /** A negative age means that the clock was set back, so the real age is unknown. */
  function isFresh({ askedAt }: { readonly askedAt: number }): boolean {
    const ageMs = clock.now() - askedAt;
    return ageMs >= 0 && ageMs < MAX_AGE_MS;
  }

  return async function cached<Value>(key: string, ask: () => Promise<Value>): Promise<Value> {
    const known = entries.get(key);
    if (known && isFresh(known)) return known.value as Value;
    for (const [old, each] of entries) if (!isFresh(each)) entries.delete(old);
    const value = await ask();
    entries.set(key, { value, askedAt: clock.now() });
    return value;
  };
}
