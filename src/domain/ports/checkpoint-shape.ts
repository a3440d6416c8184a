import { UnreadableStateError } from './agent.ts';

/** Throws `UnreadableStateError` for a malformed checkpoint or a format above `newest`. */
export function assertCheckpoint<Checkpoint>(
  found: unknown,
  newest: number,
): asserts found is Checkpoint {
  if (!isRecord(found) || typeof found.v !== 'number' || typeof found.id !== 'string') {
    throw new UnreadableStateError('A stored checkpoint has no version or no id.');
  }
  if (found.v > newest) {
    throw new UnreadableStateError(
      `The checkpoint ${found.id} has format ${found.v}; this version reads formats up to ${newest}.`,
    );
  }
  const parts = [found.channel_values, found.channel_versions, found.versions_seen];
  if (parts.every(isRecord)) return;
  throw new UnreadableStateError(`The checkpoint ${found.id} is incomplete.`);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
