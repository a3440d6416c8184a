import { JsonPlusSerializer, type SerializerProtocol } from '@langchain/langgraph-checkpoint';
import { findBigInt } from './find-big-int.ts';

/** Makes the stock serializer, but that it refuses a BigInt: the stock one puts a text of its own in place of a whole value that holds one. */
export function createStrictSerializer(): SerializerProtocol {
  const stock = new JsonPlusSerializer();
  return {
    async dumpsTyped(value: unknown) {
      const path = findBigInt(value);
      if (path !== undefined) {
        throw new TypeError(
          `The graph's state holds a BigInt at ${path || 'its root'}, which JSON can not carry. ` +
            'Keep it as a string.',
        );
      }
      return stock.dumpsTyped(value);
    },
    loadsTyped: (type, data) => stock.loadsTyped(type, data),
  };
}
