import { type Checkpoint, emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import { UnreadableStateError } from '../domain/agent.ts';

/** The newest format of checkpoints that the library reads. */
const NEWEST = emptyCheckpoint().v;

/** Throws `UnreadableStateError` for a checkpoint of another shape than the library reads. */
export function assertCheckpoint(found: unknown): asserts found is Checkpoint {
  if (!isRecord(found) || typeof found.v !== 'number' || typeof found.id !== 'string') {
    throw new UnreadableStateError('A stored checkpoint has no version or no id.');
  }
  if (found.v > NEWEST) {
    throw new UnreadableStateError(
      `The checkpoint ${found.id} has format ${found.v}; this version reads formats up to ${NEWEST}.`,
    );
  }
  const parts = [found.channel_values, found.channel_versions, found.versions_seen];
  if (parts.every(isRecord)) return;
  throw new UnreadableStateError(`The checkpoint ${found.id} is incomplete.`);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
