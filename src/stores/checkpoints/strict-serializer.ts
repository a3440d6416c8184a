import { crc32 } from 'node:zlib';
import { JsonPlusSerializer, type SerializerProtocol } from '@langchain/langgraph-checkpoint';
import { refuseBigInt } from '../../domain/json/find-big-int.ts';
import { UnreadableStateError } from '../../domain/ports/agent.ts';

/** It follows the JSON. State that an older version stored has none. */
const CHECKSUM = /\n#([0-9a-f]{8})$/;
const CHECKSUM_LENGTH = '\n#00000000'.length;

/** Makes the serializer for graphs that others made: LangChain's own, since they keep its message classes in their state. A BigInt is refused: the stock one replaces the whole value that holds it. Damaged data is refused with `UnreadableStateError`. */
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

/** Removes the checksum, for a reader that expects JSON. */
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
