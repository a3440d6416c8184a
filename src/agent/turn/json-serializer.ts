import { JsonPlusSerializer, type SerializerProtocol } from '@langchain/langgraph-checkpoint';
import { refuseBigInt } from '../../domain/json/find-big-int.ts';
import { UnreadableStateError } from '../../domain/ports/agent.ts';

/**
 * Creates the serializer of our own graph. Plain JSON only: stored data cannot run a constructor.
 * Refuses a BigInt.
 */
export function createJsonSerializer(): SerializerProtocol {
  const stock = new JsonPlusSerializer();
  return {
    async dumpsTyped(value) {
      refuseBigInt(value);
      return await stock.dumpsTyped(value);
    },
    async loadsTyped(type, data) {
      if (type !== 'json') return await stock.loadsTyped(type, data);
      const json = typeof data === 'string' ? data : new TextDecoder().decode(data);
      try {
        return JSON.parse(json, toUndefined);
      } catch (error) {
        throw new UnreadableStateError('The stored state of a graph is not valid JSON.', {
          cause: error,
        });
      }
    },
  };
}

/** Restores undefined, which the stock serializer writes as a marker object. */
function toUndefined(_key: string, value: unknown): unknown {
  const isMarker =
    typeof value === 'object' &&
    value !== null &&
    'lc' in value &&
    value.lc === 2 &&
    'type' in value &&
    value.type === 'undefined';
  return isMarker ? undefined : value;
}
