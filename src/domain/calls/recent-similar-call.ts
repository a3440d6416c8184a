import { canonicalJson, type JsonValue, readStoredJson } from '../json/json.ts';
import type { Call, SimilarCall } from './call.ts';

/** Older decisions say little about a new call. */
const RECENT_MS = 3_600_000;

/** Finds the newest similar call that a person recently edited, answered or ignored. */
export function findSimilarCall(
  asked: Pick<Call, 'tool' | 'args' | 'createdAt'>,
  calls: readonly Call[],
): SimilarCall | undefined {
  const matches = calls.flatMap((call): readonly SimilarCall[] => {
    const answer = answerOf(call);
    if (!answer || call.tool !== asked.tool) return [];
    if (asked.createdAt - answer.at > RECENT_MS) return [];
    const likeness = likenessOf(call.proposedArgs, asked.args);
    return likeness === undefined ? [] : [{ likeness, ...answer }];
  });
  return matches.sort((a, b) => b.at - a.at)[0];
}

function answerOf({ verdict, editedBy }: Call): Omit<SimilarCall, 'likeness'> | undefined {
  if (!verdict) return undefined;
  const { kind, by, at } = verdict;
  if (kind === 'reply' || kind === 'ignore' || kind === 'edit') return { how: kind, by, at };
  return editedBy && { how: 'edit', by: editedBy, at };
}

function likenessOf(earlier: string, asked: string): SimilarCall['likeness'] | undefined {
  if (earlier === asked) return 'same';
  const before = entriesOf(earlier);
  const now = entriesOf(asked);
  const shared = now.filter((entry) => before.includes(entry)).length;
  return shared > 0 && shared * 2 >= Math.max(before.length, now.length) ? 'similar' : undefined;
}

/** Returns each argument as one text. */
function entriesOf(args: string): readonly string[] {
  const value = readStoredJson(args);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([key, each]: [string, JsonValue]) =>
    canonicalJson([key, each]),
  );
}
