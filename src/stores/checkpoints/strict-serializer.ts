import { crc32 } from 'node:zlib';
import { JsonPlusSerializer, type SerializerProtocol } from '@langchain/langgraph-checkpoint';
import { refuseBigInt } from '../../domain/json/find-big-int.ts';
import { UnreadableStateError } from '../../domain/ports/agent.ts';

/** Appended to the JSON. State from older versions has none. */
const CHECKSUM = /\n#([0-9a-f]{8})$/;
const CHECKSUM_LENGTH = '\n#00000000'.length;

/**
 * Creates the serializer for third-party graphs: LangChain's own, since they keep its message classes,
 * with a checksum. Throws on a BigInt, for which the stock one replaces the whole value that holds it.
 * Throws an `UnreadableStateError` on damaged data.
 */
export function createStrictSerializer(): SerializerProtocol {
  const stock = new JsonPlusSerializer();
  return {
    async dumpsTyped(value: unknown) {
      refuseBigInt(value);
      const [type, bytes] = await stock.dumpsTyped(value);
      if (type !== 'json') return [type, bytes];
      return [type, Buffer.concat([bytes, Buffer.from(`\n#${checksumOf(bytes)}`)])];
    },
    async loadsTyped(type: string, data: Uint8Array | string) {
      if (type !== 'json') return await stock.loadsTyped(type, data);
      const json = readJson(Buffer.from(data).toString());
      try {
        return await stock.loadsTyped('json', json);
      } catch (error) {
        throw new UnreadableStateError('The stored state of a graph is not valid JSON.', {
          cause: error,
        });
      }
    },
  };
}

/** Removes the checksum, for readers of plain JSON. */
export function withoutChecksum(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, -CHECKSUM_LENGTH);
}

function readJson(text: string): string {
  const [mark, checksum] = CHECKSUM.exec(text) ?? [];
  if (mark === undefined) return text;
  const json = text.slice(0, -mark.length);
  if (checksum === checksumOf(json)) return json;
  throw new UnreadableStateError('The checksum of the stored state of a graph does not match.');
}

function checksumOf(data: string | Uint8Array): string {
  return crc32(data).toString(16).padStart(8, '0');
}
