/** The API over real HTTP, on a desk with a real store. Every response is checked against the document. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { SignJWT } from 'jose';
import { createAuthorize } from '../../../src/desk/decisions/authorize.ts';
import { createSecretHider } from '../../../src/domain/cards/hide-args.ts';
import {
  type ApiKey,
  encodeKeyToken,
  hashKeySecret,
  newKeyId,
} from '../../../src/domain/people/api-key.ts';
import type { Gate } from '../../../src/domain/policy/route.ts';
import { createClientAddress } from '../../../src/http/api/auth/client-address.ts';
import { createConsumeTokens } from '../../../src/http/api/auth/consume-tokens.ts';
import {
  createPersonTokens,
  type PersonTokenSettings,
} from '../../../src/http/api/auth/person-tokens.ts';
import { type Api, createApi } from '../../../src/http/api/create-api.ts';
import { createServer } from '../../../src/http/create-server.ts';
import { createMcpHandler } from '../../../src/mcp/mcp-handler.ts';
import { createTestDirectory, type TestDirectory } from '../../support/builders/a-directory.ts';
import { askAll, buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { type StoreKind, storeOf } from '../../support/store/open-redis.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';

export const OWNER = 'U0OWNER';
export const APPROVER = 'U0APPROVER';
export const CHANNEL = 'C0OPS';
const AUDIENCE = 'countersign';
const SECRET = 'a secret of the tests that is of 64 bytes or more, so that HS512 takes it too';
const ROUTE = { approvers: [`user:${APPROVER}` as const, 'requester' as const] };

export interface Told {
  readonly status: number;
  readonly headers: Headers;
  // The tests check what a response contains.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any;
}

export interface Wish {
  readonly token?: string | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface ApiStage {
  readonly desk: TestDesk;
  readonly directory: TestDirectory;
  /** Of the store, if it is Redis. */
  readonly redisUrl: string | undefined;
  readonly url: () => string;
  readonly api: () => Api;
  /** Sends a request, and checks that the document describes the response. */
  ask(method: string, path: string, wish?: Wish): Promise<Told>;
  /** Makes a key, and returns its token. */
  key(patch?: Partial<ApiKey>): Promise<string>;
  /** Makes the token of a person. */
  person(
    user: string,
    claims?: Readonly<Record<string, unknown>>,
    secret?: string,
    alg?: string,
  ): Promise<string>;
  /** Stops the server as a crash would, and starts another one on the same store. */
  crash(meanwhile?: () => Promise<void>): Promise<void>;
  /** The responses so far: operation and status. */
  readonly answered: ReadonlySet<string>;
  /** The warnings in the log of the API so far. */
  readonly warned: readonly string[];
  readonly document: () => Document;
}

export interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

interface OperationObject {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

/** Sets up the stage; it ends with the test. */
export async function setApiStage(
  t: TestContext,
  options: {
    readonly kind?: StoreKind;
    readonly gate?: Gate;
    readonly ratePerMinute?: number;
    readonly maxPendingPerKey?: number;
    readonly trustedProxies?: readonly string[];
    readonly corsOrigins?: readonly string[];
    readonly people?: PersonTokenSettings | undefined;
  } = {},
): Promise<ApiStage> {
  const directory = createTestDirectory();
  const store = await storeOf(t, options.kind ?? 'SQLite');
  const desk = await buildDesk(t, {
    tools: [],
    gate: options.gate ?? askAll(ROUTE),
    directory,
    ...(store.openStore && { openStore: store.openStore }),
    ...(options.maxPendingPerKey && { maxPendingPerKey: options.maxPendingPerKey }),
  });
  store.stop();
  const { clock } = desk;
  const silent = () => {};
  const warned: string[] = [];
  const warn = (_fields: object, message: string) => void warned.push(message);
  const log = { debug: silent, info: silent, warn, error: silent };
  const people = options.people ?? {
    by: { kind: 'secret' as const, secret: SECRET },
    audience: AUDIENCE,
  };

  async function open() {
    const api = createApi({
      team: 'T1',
      outside: desk.outside,
      desk: desk.desk,
      store: desk.store,
      authorize: createAuthorize({ directory, log }),
      hide: createSecretHider(TEST_MARK, desk.toolbox),
      tokens: await createConsumeTokens(new Uint8Array(32).fill(7), clock),
      readPersonToken: createPersonTokens(people, clock),
      clientAddress: createClientAddress(options.trustedProxies ?? []),
      corsOrigins: options.corsOrigins ?? [],
      ratePerMinute: options.ratePerMinute ?? 1_000_000,
      clock,
      log,
    });
    const mcp = createMcpHandler({ keyIdOf: api.keyIdOf, clock });
    const server = await createServer({
      host: '127.0.0.1',
      port: 0,
      // Open connections are cut at once when it closes, as by a crash.
      clock: { now: clock.now, schedule: scheduleSoon },
      log,
      checks: {},
      api: api.routes,
      mcp: mcp.handle,
    });
    return { api, mcp, server };
  }

  let opened = await open();
  t.after(async () => {
    await opened.mcp.close();
    await opened.server.close();
  });
  const document = (await (
    await fetch(`${opened.server.url}/api/openapi.json`)
  ).json()) as Document;
  const check = createCheck(document);
  const answered = new Set<string>();

  return {
    desk,
    directory,
    redisUrl: store.redis?.url,
    url: () => opened.server.url,
    api: () => opened.api,
    answered,
    warned,
    document: () => document,
    async ask(method, path, { body, headers, raw, signal, token } = {}) {
      const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const response = await fetch(`${opened.server.url}${path}`, {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(sent !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(sent !== undefined && { body: sent }),
        ...(signal && { signal }),
      });
      const text = await response.text();
      const isJson = /json/.test(response.headers.get('content-type') ?? '');
      const told = {
        status: response.status,
        headers: response.headers,
        body: isJson ? JSON.parse(text) : text,
      };
      answered.add(check(method, path, told));
      return told;
    },
    async key(patch = {}) {
      const secret = randomBytes(32).toString('base64url');
      const id = newKeyId();
      const key: ApiKey = {
        id,
        name: 'deploy bot',
        hash: hashKeySecret(secret),
        scopes: ['request'],
        channels: [CHANNEL],
        owner: OWNER,
        createdAt: clock.now(),
        revision: 1,
        ...patch,
      };
      assert.equal(await desk.store.keys.add(key, {}), true);
      return encodeKeyToken({ id, secret });
    },
    person: (user, claims = {}, secret = SECRET, alg = 'HS256') =>
      new SignJWT({
        sub: user,
        aud: AUDIENCE,
        exp: Math.floor(clock.now() / 1_000) + 3_600,
        ...claims,
      })
        .setProtectedHeader({ alg })
        .sign(new TextEncoder().encode(secret)),
    async crash(meanwhile = async () => {}) {
      await opened.server.close();
      await meanwhile();
      opened = await open();
    },
  };
}

function scheduleSoon(_at: number, run: () => void): () => void {
  const turn = setImmediate(run);
  return () => clearImmediate(turn);
}

/** Checks responses against the document, and records operation and status. */
function createCheck(document: Document) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'doc', components: document.components });
  const compiled = new Map<object, ValidateFunction>();

  function compile(schema: object): ValidateFunction {
    const known = compiled.get(schema);
    if (known) return known;
    const text = JSON.stringify(schema).replaceAll('"#/components', '"doc#/components');
    const made = ajv.compile(JSON.parse(text) as object);
    compiled.set(schema, made);
    return made;
  }

  function assertFits(schema: object, body: unknown, where: string): void {
    const fits = compile(schema);
    assert.ok(fits(body), `${where}: ${JSON.stringify(fits.errors)} in ${JSON.stringify(body)}`);
  }

  return (method: string, path: string, { body, headers, status }: Told): string => {
    // As the client writes it, without dots.
    const { pathname: plain } = new URL(path, 'http://localhost');
    const type = (headers.get('content-type') ?? '').split(';')[0] ?? '';
    const entry = Object.entries(document.paths).find(([template]) =>
      new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(plain),
    );
    const found = entry?.[1][method.toLowerCase()];
    const where = `${method} ${plain} answers ${status}`;
    const problem = { $ref: '#/components/schemas/Problem' };
    if (!found) {
      if (status >= 400) assertFits(problem, body, where);
      return where;
    }
    const answer = found.responses[String(status)];
    assert.ok(answer, `${where}, which the document does not know`);
    if (answer.content) {
      const media = answer.content[type];
      assert.ok(media, `${where} with ${type}, which the document does not know`);
      assertFits(media.schema, body, where);
    }
    return `${found.operationId} ${status}`;
  };
}
