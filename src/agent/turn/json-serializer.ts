import { JsonPlusSerializer, type SerializerProtocol } from '@langchain/langgraph-checkpoint';
import { refuseBigInt } from '../../domain/json/find-big-int.ts';
import { UnreadableStateError } from '../../domain/ports/agent.ts';

/** Makes the serializer of our own graph, which reads JSON only: no stored data makes it look up a class or run a constructor. A BigInt is refused. */
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

/** The stock serializer writes a value that is undefined so. */
function toUndefined(_key: string, value: unknown): unknown {
  const isMark =
    typeof value === 'object' &&
    value !== null &&
    'lc' in value &&
    value.lc === 2 &&
    'type' in value &&
    value.type === 'undefined';
  return isMark ? undefined : value;
}
