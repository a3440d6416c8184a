/** Requests by the schemas and at random: none causes a server error or changes the call of another sender. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { type ApiBench, CALL } from './api-bench.ts';
import type { Document, Told } from './api-stage.ts';

const RUNS = 10;
const AT_ONCE = 40;
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface Shot {
  readonly method: string;
  readonly path: string;
  readonly token: string | undefined;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const ABSENT = fc.constant<unknown>(undefined);

function mostly<T>(often: fc.Arbitrary<T>, seldom: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 4, arbitrary: often }, { weight: 1, arbitrary: seldom });
}

/** Values that mostly fit a schema. */
function fitting(schema: Schema, document: Document): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return fitting((document.components.schemas[name] ?? {}) as Schema, document);
  }
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => fitting(each, document)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.pattern !== undefined) {
    return mostly(fc.stringMatching(new RegExp(schema.pattern)), fc.string());
  }
  switch (schema.type) {
    case 'string':
      return fc.oneof(fc.string(), fc.webUrl(), fc.constant('2030-01-01T00:00:00Z'));
    case 'integer':
    case 'number':
      return fc.oneof(fc.integer(), fc.constant(1));
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(fitting(schema.items ?? {}, document), { maxLength: 4 });
    case 'object': {
      if (!schema.properties) return fc.object({ maxDepth: 2 });
      const fields = Object.entries(schema.properties).map(([key, each]) => {
        const value = fitting(each, document);
        const isNeeded = schema.required?.includes(key) === true;
        return [key, isNeeded ? mostly(value, ABSENT) : mostly(ABSENT, value)] as const;
      });
      return fc.record(Object.fromEntries(fields));
    }
    default:
      return fc.jsonValue();
  }
}

export function fuzzTests(bench: ApiBench): void {
  it('answers any request without a server error, and changes no call of others', async () => {
    const { stage } = bench;
    const document = stage.document();
    const theirs = (await bench.make()).body;
    await stage.desk.rest();
    const mine = await stage.key({ scopes: ['request', 'read', 'requesters'] });
    const stranger = await stage.person('U0STRANGER');
    const before = await stage.desk.store.ledger.get(theirs.id);
    const others = await stage.desk.store.ledger.newest({ key: keyOf(bench.token), limit: 1_000 });

    const ids = fc.oneof(
      fc.constantFrom(theirs.id as string, 'call_none', '%00', '..', '%2e%2e%2f', '%E0%A4%A'),
      fc.string({ maxLength: 200 }).map((text) => encodeURIComponent(text) || 'x'),
    );
    const tokens = mostly(
      fc.constant<string | undefined>(mine),
      fc.constantFrom(stranger, undefined, 'x', `csk_${'0'.repeat(16)}_${'A'.repeat(43)}`),
    );
    const headers = fc.constantFrom<Readonly<Record<string, string>>>(
      {},
      {},
      { 'idempotency-key': 'one' },
      { 'content-type': 'text/plain' },
      { 'last-event-id': 'x' },
      { accept: 'text/html', 'x-forwarded-for': '127.0.0.1' },
    );
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, each]) => ({
        path,
        method: method.toUpperCase(),
        each,
      })),
    );
    // A stream ends with its approval, which stays open here. An unknown one ends at once.
    const bySchema = fc.constantFrom(...operations).chain(({ each, method, path }) => {
      const schema = (each as { requestBody?: { content: Record<string, { schema: Schema }> } })
        .requestBody?.content['application/json']?.schema;
      const isStream = path.endsWith('/events');
      return fc.record<Shot>({
        method: fc.constant(method),
        path: (isStream ? fc.constant('call_none') : ids).chain((id) =>
          mostly(
            fc.constant(''),
            fc.constantFrom('?wait=0', '?wait=-1', '?limit=3', '?status=pending', '?after=x', '?x'),
          ).map((query) => `${path.replace('{id}', id)}${query}`),
        ),
        token: tokens,
        body: schema
          ? fitting(schema, document).map((value) => JSON.stringify(value) ?? '')
          : fc.constant(''),
        headers,
      });
    });
    const atRandom = fc.record<Shot>({
      method: fc.constantFrom(...METHODS),
      path: fc.oneof(
        fc.constantFrom(
          '/api',
          '/api/',
          '/api//approvals',
          '/api/approvals/',
          '/api/approvals/x/y/z',
        ),
        fc.webPath().map((path) => `/api${path.startsWith('/') ? path : `/${path}`}`),
      ),
      token: tokens,
      body: fc.oneof(fc.string(), fc.json(), fc.constant('{"action":"x","args":{"__proto__":1}}')),
      headers,
    });

    // Random requests are seldom valid, so one valid request is in every batch.
    const wellFormed = fc
      .dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string(), { maxKeys: 3 })
      .map<Shot>((args) => ({
        method: 'POST',
        path: '/api/approvals',
        token: mine,
        body: JSON.stringify({ ...CALL, args }),
        headers: {},
      }));

    await fc.assert(
      fc.asyncProperty(
        wellFormed,
        fc.array(fc.oneof(bySchema, bySchema, atRandom), {
          minLength: AT_ONCE,
          maxLength: AT_ONCE,
        }),
        async (sound, shots) => {
          const [first, ...told] = await Promise.all([sound, ...shots].map(shoot));
          assert.equal(first?.status, 201);
          for (const [i, { status }] of told.entries()) {
            assert.ok(status < 500, `${status} for ${JSON.stringify(shots[i])}`);
          }
        },
      ),
      { numRuns: RUNS, endOnFailure: true, includeErrorInReport: true },
    );
    assert.deepEqual(await stage.desk.store.ledger.get(theirs.id), before);
    assert.deepEqual(
      await stage.desk.store.ledger.newest({ key: keyOf(bench.token), limit: 1_000 }),
      others,
    );
    // None of these calls was decided or run.
    const counts = await stage.desk.store.ledger.newest({ key: keyOf(mine), limit: 1_000 });
    assert.ok(counts.length >= RUNS);
    assert.deepEqual(
      [...new Set(counts.map(({ status }) => status))].filter(
        (status) => !['pending', 'withdrawn'].includes(status),
      ),
      [],
    );
    assert.equal((await bench.post('/api/approvals', { body: CALL })).status, 201);
  });

  async function shoot({ body, headers, method, path, token }: Shot): Promise<Told> {
    const hasBody = method !== 'GET' && body !== '';
    return await bench.stage.ask(method, path, { token, headers, ...(hasBody && { raw: body }) });
  }
}

function keyOf(token: string): string {
  return token.split('_')[1] ?? '';
}
