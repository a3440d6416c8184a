import { randomBytes } from 'node:crypto';
import type { ModelCall, TurnMessage } from '../../domain/threads/message.ts';
import type { RawCall } from '../model/collect-answer.ts';

/** OpenAI refuses longer ids in requests. */
const MAX_CALL_ID = 40;
/** Mistral requires ids of exactly nine letters and digits. */
const OWN_ID_LENGTH = 9;

/** Gives each call an id that is unique in the turn: some models repeat or omit ids. */
export function withUniqueCallIds(
  calls: readonly RawCall[],
  messages: readonly TurnMessage[],
): readonly ModelCall[] {
  const taken = new Set(
    messages.flatMap((message) =>
      message.role === 'assistant' ? message.calls.map(({ id }) => id) : [],
    ),
  );
  return calls.map(({ id: given, tool, args, fields }) => {
    const isUsable = given !== '' && given.length <= MAX_CALL_ID && !taken.has(given);
    const id = isUsable ? given : freshId(taken);
    taken.add(id);
    return { id, tool, args, ...(fields && { fields }) };
  });
}

function freshId(taken: ReadonlySet<string>): string {
  for (;;) {
    const id = randomBytes(OWN_ID_LENGTH).toString('hex').slice(0, OWN_ID_LENGTH);
    if (!taken.has(id)) return id;
  }
}
