import type { Person } from '../../domain/people/person.ts';
import type { AdminRouteDraft } from '../../domain/policy/admin-routes.ts';
import { describeChange, describeRoute, type Handles } from '../../domain/policy/describe-route.ts';
import { joinSentences, type Sentence, sentence } from '../../domain/text/sentence.ts';
import { type OutboxMessage, toOutboxWords } from '../../domain/threads/outbox-message.ts';
import { channelKey } from '../../domain/threads/thread-key.ts';

/** A route before and after a change; undefined if it did not exist. */
export interface RouteChange {
  readonly by: Person;
  readonly at: number;
  readonly before: AdminRouteDraft | undefined;
  readonly after: AdminRouteDraft | undefined;
  readonly handles: Handles;
}

/**
 * Announces a change in the route's old and new channel. If that fails, the admin who made the
 * change is told.
 */
export function announceRouteChange(
  change: RouteChange,
  revision: number,
): readonly OutboxMessage[] {
  const { after, at, before, by } = change;
  const channels = new Set([before?.channel, after?.channel]);
  const words = describeRouteChange(change);
  return [...channels].flatMap((channel) =>
    channel === undefined
      ? []
      : [
          {
            id: `route:${revision}:${channel}`,
            thread: channelKey({ team: by.team, channel }),
            kind: 'notice',
            to: by,
            ...toOutboxWords(words),
            createdAt: at,
          } satisfies OutboxMessage,
        ],
  );
}

function describeRouteChange({ after, before, by, handles }: RouteChange): Sentence {
  const admin = { person: by.user };
  const name = (after ?? before)?.name ?? '';
  if (after && before) {
    return list(
      sentence`${admin} has changed the route “${name}”:`,
      describeChange(before, after, handles),
    );
  }
  const route = after ?? before;
  const facts = route ? describeRoute(route, handles) : [];
  const lines = facts.map(({ label, words }) => sentence`${label}: ${words}`);
  return after
    ? list(sentence`${admin} has set up the route “${name}”:`, lines)
    : list(
        sentence`${admin} has removed the route “${name}”. Its calls now follow the policy only. It was:`,
        lines,
      );
}

function list(head: Sentence, lines: readonly Sentence[]): Sentence {
  return joinSentences([head, ...lines.map((line) => sentence`• ${line}`)], '\n');
}
