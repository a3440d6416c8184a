import type { Person } from '../../domain/people/person.ts';
import type { PersonLookup } from '../../domain/policy/policy.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { SlackConnection } from '../transport/connect-slack.ts';
import { isPayload, listAt, objectAt, type Payload, textAt } from '../transport/payload.ts';
import { toChatError } from '../transport/slack-errors.ts';

/** A change in Slack holds for policies after this. */
const KEPT_MS = 60_000;

/** Makes what conditions of policies ask Slack about people: at most once a minute for each person, and for all groups. */
export function createSlackPeople(deps: {
  readonly connection: Pick<SlackConnection, 'client' | 'identity'>;
  readonly clock: Clock;
}): PersonLookup {
  const { client, identity } = deps.connection;
  const keep = createKeeper(deps.clock);

  async function readEmail(user: string): Promise<string> {
    try {
      const answer = await client.users.info({ user });
      const profile = isPayload(answer.user) ? objectAt(answer.user, 'profile') : {};
      const email = textAt(profile, 'email');
      if (email !== undefined) return email;
    } catch (error) {
      throw toChatError(error, 'ask for an e-mail address');
    }
    throw new Error(
      'Slack tells no e-mail address of the person who asks. The app needs the scope users:read.email: install it again with manifest.yml.',
    );
  }

  async function readGroups(): Promise<readonly Payload[]> {
    try {
      return listAt({ ...(await client.usergroups.list({ include_users: true })) }, 'usergroups');
    } catch (error) {
      throw toChatError(error, 'ask who is in which user group');
    }
  }

  function assertOwn({ team }: Person): void {
    if (team !== identity.team) throw new Error('The person who asks is of another workspace.');
  }

  return {
    async emailOf(person) {
      assertOwn(person);
      return await keep(`email:${person.user}`, () => readEmail(person.user));
    },
    async groupsOf(person) {
      assertOwn(person);
      const groups = await keep('groups', readGroups);
      return groups
        .filter(({ users }) => Array.isArray(users) && users.includes(person.user))
        .flatMap((group) => textAt(group, 'id') ?? []);
    },
  };
}

/** Keeps answers for a while; a failure is not kept. */
function createKeeper(clock: Clock) {
  const kept = new Map<string, { readonly value: unknown; readonly askedAt: number }>();

  /** What a clock that was put back shows as not yet asked may be of any age. */
  function isFresh({ askedAt }: { readonly askedAt: number }): boolean {
    const ageMs = clock.now() - askedAt;
    return ageMs >= 0 && ageMs < KEPT_MS;
  }

  return async function keep<Value>(key: string, ask: () => Promise<Value>): Promise<Value> {
    const known = kept.get(key);
    if (known && isFresh(known)) return known.value as Value;
    for (const [old, each] of kept) if (!isFresh(each)) kept.delete(old);
    const value = await ask();
    kept.set(key, { value, askedAt: clock.now() });
    return value;
  };
}
