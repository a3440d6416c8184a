import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HumanMessage } from '@langchain/core/messages';
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint';
import fc from 'fast-check';
import { createJsonSerializer } from '../../../src/agent/turn/json-serializer.ts';
import { UnreadableStateError } from '../../../src/domain/ports/agent.ts';
import { createStrictSerializer } from '../../../src/stores/checkpoints/strict-serializer.ts';

const SERIALIZERS = { plain: createJsonSerializer(), strict: createStrictSerializer() };

async function dump(serializer: SerializerProtocol, value: unknown): Promise<string> {
  const [type, bytes] = await serializer.dumpsTyped(value);
  assert.equal(type, 'json');
  return Buffer.from(bytes).toString();
}

/** Everything that the library, or an earlier version, would turn into an object. */
const ENVELOPES: Readonly<Record<string, unknown>> = {
  message: new HumanMessage('hello').toJSON(),
  prompt: {
    lc: 1,
    type: 'constructor',
    id: ['langchain_core', 'prompts', 'prompt', 'PromptTemplate'],
    kwargs: { template: '{x}', input_variables: ['x'] },
  },
  'a function of the library': {
    lc: 1,
    type: 'constructor',
    id: ['langchain_core', 'utils', 'env', 'getEnvironmentVariable'],
    kwargs: {},
  },
  secret: { lc: 1, type: 'secret', id: ['OPENAI_API_KEY'] },
  'what has no constructor': { lc: 1, type: 'not_implemented', id: ['x'] },
  set: { lc: 2, type: 'constructor', id: ['Set'], method: null, args: [[1]], kwargs: {} },
  map: { lc: 2, type: 'constructor', id: ['Map'], args: [[[1, 2]]] },
  pattern: { lc: 2, type: 'constructor', id: ['RegExp'], args: ['(a+)+$', ''] },
  error: { lc: 2, type: 'constructor', id: ['Error'], args: ['x'] },
  bytes: { lc: 2, type: 'constructor', id: ['Uint8Array'], method: 'from', args: [[1]] },
  method: { lc: 2, type: 'constructor', id: ['Map'], method: 'groupBy', args: [] },
  snapshot: { lc: 2, type: 'delta_snapshot', value: [] },
};

function assertPlain(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const made: unknown = Object.getPrototypeOf(value);
  assert.ok(made === Object.prototype || made === Array.prototype);
  for (const each of Object.values(value)) assertPlain(each);
}

describe('the strict serializer constructs no objects from stored data', () => {
  for (const [what, envelope] of Object.entries(ENVELOPES)) {
    it(what, async () => {
      const stored = { a: [{ deep: envelope }], envelope };
      for (const text of [JSON.stringify(stored), await dump(SERIALIZERS.plain, stored)]) {
        const loaded = await SERIALIZERS.plain.loadsTyped('json', text);
        assert.deepEqual(loaded, JSON.parse(JSON.stringify(stored)));
        assertPlain(loaded);
      }
    });
  }

  it('a key that names a prototype', async () => {
    const text = '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}}}';
    const loaded = await SERIALIZERS.plain.loadsTyped('json', text);
    assert.equal(Object.getPrototypeOf(loaded), Object.prototype);
    assert.equal('isAdmin' in {}, false);
    assert.equal(JSON.stringify(loaded), text);
  });

  it('an undefined value survives a round trip', async () => {
    const text = await dump(SERIALIZERS.plain, { a: undefined, b: 1 });
    assert.deepEqual(await SERIALIZERS.plain.loadsTyped('json', text), { b: 1 });
  });
});

it('the LangGraph serializer restores its messages', async () => {
  const text = await dump(SERIALIZERS.strict, [new HumanMessage({ content: 'hi', id: 'm' })]);
  const [message] = (await SERIALIZERS.strict.loadsTyped('json', text)) as readonly unknown[];
  assert.ok(message instanceof HumanMessage);
  assert.equal(message.content, 'hi');
});

const anyState = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, maxKeys: 3 });

// The store adds its own checksum to the output of the plain serializer.
it('the strict serializer refuses data with any changed byte', async () => {
  const serializer = SERIALIZERS.strict;
  await fc.assert(
    fc.asyncProperty(anyState, fc.nat(), fc.integer({ min: 1, max: 255 }), async (...made) => {
      const [state, place, change] = made;
      const [type, bytes] = await serializer.dumpsTyped(state);
      const damaged = Buffer.from(bytes);
      const at = place % damaged.length;
      damaged[at] = (damaged[at] ?? 0) ^ change;
      await assert.rejects(
        async () => await serializer.loadsTyped(type, damaged),
        UnreadableStateError,
      );
    }),
  );
});

/** States with a BigInt, by its place. */
const WITH_BIG_INT: Readonly<Record<string, unknown>> = {
  'its root': 1n,
  '/n': { text: 'kept', n: 2n ** 64n },
  '/list/1/n': { list: [1, { n: 3n }] },
  '/map/key': { map: new Map([['key', 4n]]) },
  '/set/0': { set: new Set([5n]) },
};

for (const [name, serializer] of Object.entries(SERIALIZERS)) {
  it(`the ${name} serializer rejects a BigInt and names its place`, async () => {
    for (const [place, state] of Object.entries(WITH_BIG_INT)) {
      await assert.rejects(
        async () => await serializer.dumpsTyped(state),
        (error) => error instanceof TypeError && error.message.includes(`BigInt at ${place},`),
      );
    }
  });

  it(`the ${name} serializer refuses data truncated anywhere, and reads data without a checksum`, async () => {
    await fc.assert(
      fc.asyncProperty(anyState, fc.nat(), async (state, place) => {
        const text = await dump(serializer, state);
        const json = text.replace(/\n#[0-9a-f]{8}$/, '');
        // With a cut checksum it may be read as data from before checksums existed.
        const cut = text.slice(0, place % json.length);
        await assert.rejects(
          async () => await serializer.loadsTyped('json', cut),
          UnreadableStateError,
        );
      }),
    );
    assert.deepEqual(await serializer.loadsTyped('json', '{"a":[1]}'), { a: [1] });
  });
}
