import { attemptOf } from './expected-call.ts';
import { keyOf, readCalls, type Side, THREADS, withoutNumber } from './side.ts';

const ALL = 100_000;

/** Everything in a sequence that does not depend on the store: calls, turns, posts, effects, audit; ids and times are replaced. */
export async function summarize(side: Side): Promise<unknown> {
  const { world } = side;
  const store = world.store();
  const stored = await readCalls(side);
  const calls = stored.map(({ claim, createdAt, deadlineAt, digest, updatedAt, ...rest }) => rest);
  const histories = await Promise.all(
    THREADS.map((thread) => store.history.newest(thread, ALL, 0)),
  );
  const turns = histories.flat().map(({ settledAt, messages, ...turn }) => ({
    ...turn,
    messages: messages.map((each) => ({ ...each, at: 0 })),
  }));
  const entries = await store.audit.read(1, ALL);
  const audit = entries.map(({ subject, event, actor, detail }) => {
    const { ms, digest, ...rest } = detail;
    return { subject, event, actor, rest };
  });
  const subjects = [...new Set(audit.map(({ subject }) => subject))];
  const bySubject = subjects.map((one) => audit.filter(({ subject }) => subject === one));
  const says = world.slack.said.map(({ createdAt, ...say }) => say);
  const effects = world.tools.effects.map(({ at, ...effect }) => effect);
  const whole = JSON.stringify({ calls, turns, says, effects, audit: bySubject });
  const timeless = whole.replaceAll(/"(at|pendingSince)":\d+/g, '"$1":0');
  const named = nameDigests(side, stored.reduce(nameCall, timeless));
  // Threads run side by side: only the order within each list entry counts.
  const lists: Readonly<Record<string, readonly unknown[]>> = JSON.parse(withoutNumber(named));
  return Object.entries(lists).map(([name, list]) => [name, sort(list.map(sortKeys))]);
}

function nameCall(text: string, call: Parameters<typeof keyOf>[0]): string {
  return text.replaceAll(call.id, `<${keyOf(call)}>`);
}

/** A digest covers the id of its call, so texts with a digest differ as the ids do. */
function nameDigests({ tokens }: Side, text: string): string {
  const shown = [...tokens].flatMap(([key, its]) => its.map((token) => ({ key, ...token })));
  return shown.reduce(
    (named, { key, attempt, digest }) =>
      named.replaceAll(digest, `<${attemptOf({ key, attempt })}>`),
    text,
  );
}

function sort<T>(all: readonly T[]): readonly T[] {
  return all.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, sortKeys(each)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
