import { createHash } from 'node:crypto';
import type { Call } from '../../domain/call.ts';
import { digestOf } from '../../domain/digest.ts';
import { canonicalJson } from '../../domain/json.ts';
import { choicesProblem, type Outside } from '../../domain/outside.ts';
import { channelKey } from '../../domain/thread-key.ts';
import type { FieldProblem, ParsedArgs, Tool } from '../../domain/tool.ts';
import type { DeskDeps } from '../deps.ts';
import { createPassGate } from '../pass-gate.ts';
import type { Caller, OutsideRequest, RequestOutcome } from './outside-request.ts';

export interface RequestDeps
  extends Pick<
    DeskDeps,
    'store' | 'clock' | 'gate' | 'log' | 'toolbox' | 'newId' | 'maxPendingPerPerson' | 'callbacks'
  > {
  /** Makes the same unguessable part of an id of the same text: at least 128 bits, under a secret of the installation. */
  readonly idOf: (text: string) => string;
  /** How many calls of one key may wait for people at a time. (Default: any number.) */
  readonly maxPendingPerKey?: number;
}

/** Builds the use case: puts a program's call in the ledger, once, with the gate's answer. */
export function createRequestCall(deps: RequestDeps) {
  const { store, clock } = deps;
  const passGate = createPassGate(deps);

  function draft(
    caller: Caller,
    request: OutsideRequest,
    outside: Outside,
    tool: Tool,
    args: string,
  ): Call {
    const now = clock.now();
    const { idempotencyKey } = request;
    const own =
      idempotencyKey === undefined ? deps.newId() : deps.idOf(`${caller.key}\0${idempotencyKey}`);
    const id = `call_${own}`;
    const call: Call = {
      id,
      thread: channelKey({ team: request.requester.team, channel: request.channel }),
      turn: id,
      messageId: `key:${caller.key}`,
      toolCallId: own,
      position: 0,
      siblings: 1,
      tool: request.tool,
      schemaHash: tool.schemaHash,
      risk: request.risk ?? tool.risk,
      idempotent: false,
      args,
      proposedArgs: args,
      ...(tool.secrets.length > 0 && { secrets: tool.secrets }),
      digest: '',
      attempt: 1,
      revision: 1,
      status: 'proposed',
      requester: request.requester,
      outside,
      askedAt: now,
      askedLine: '',
      words: request.words ?? '',
      votes: [],
      delivered: false,
      createdAt: now,
      updatedAt: now,
    };
    return { ...call, digest: digestOf(call) };
  }

  /** What was asked before is answered all the same. */
  async function tooMany({ key }: Caller, { id }: Call): Promise<number | undefined> {
    const { maxPendingPerKey: most = Number.POSITIVE_INFINITY } = deps;
    if (!Number.isFinite(most)) return undefined;
    const pending = await store.ledger.countPendingOfKey(key);
    if (pending < most || (await store.ledger.get(id))) return undefined;
    return pending;
  }

  return async function requestCall(
    caller: Caller,
    request: OutsideRequest,
  ): Promise<RequestOutcome> {
    const problems = problemsOf(request, deps);
    if (problems.length > 0) return { kind: 'invalid', problems };
    const outside = toOutside(caller, request, clock.now());
    const tool = deps.toolbox.of({ tool: request.tool, outside });
    if (!tool) return invalid('schema', 'is no JSON Schema that can be read');
    const parsed = tool.parse(request.args);
    if (!parsed.ok) return { kind: 'invalid', problems: inArgs(parsed) };
    const call = draft(caller, request, outside, tool, parsed.canonical);
    const pending = await tooMany(caller, call);
    if (pending !== undefined) return { kind: 'too-many', pending };
    const audit = {
      at: call.createdAt,
      event: 'call.propose',
      subject: call.id,
      actor: actorOfKey(caller),
      detail: { tool: call.tool, thread: call.thread, risk: call.risk },
    };
    const stored = await store.ledger.propose(call, { audit: [audit] });
    if (stored.outside?.request !== outside.request) return { kind: 'conflict', call: stored };
    const isNew = stored.status === 'proposed';
    const passed = await passGate(stored, parsed);
    return { kind: isNew ? 'made' : 'known', call: passed };
  };
}

/** Names a program's key as the audit does. */
export function actorOfKey({ key }: Pick<Caller, 'key'>): string {
  return `key:${key}`;
}

function toOutside(
  { key, name, owner, host }: Caller,
  request: OutsideRequest,
  now: number,
): Outside {
  const { schema, decisions, deadlineMs, choices, callbackUrl, metadata, isSilent } = request;
  const said = {
    ...(schema && { schema }),
    ...(decisions && { decisions }),
    ...(deadlineMs !== undefined && { deadlineMs }),
    ...(choices && { choices }),
    ...(callbackUrl !== undefined && { callbackUrl }),
    ...(metadata !== undefined && { metadata }),
    ...(isSilent && { isSilent }),
  };
  const { args, channel, deadlineAt, requester, risk = null, tool, words = null } = request;
  const until = deadlineAt === undefined ? {} : { deadlineAt };
  const all = { ...said, ...until, args, channel, requester: { ...requester }, risk, tool, words };
  return {
    by: 'key',
    name,
    key,
    ...(host !== undefined && { host }),
    ...(owner && { owner }),
    ...said,
    ...(deadlineAt !== undefined && { deadlineMs: Math.max(1, deadlineAt - now) }),
    request: createHash('sha256').update(canonicalJson(all)).digest('hex'),
  };
}

function problemsOf(
  { callbackUrl, choices }: OutsideRequest,
  { callbacks }: Pick<RequestDeps, 'callbacks'>,
): readonly FieldProblem[] {
  const found = {
    callbackUrl: callbackUrl === undefined ? undefined : callbacks?.problemOf(callbackUrl),
    choices: choices && choicesProblem(choices),
  };
  return Object.entries(found).flatMap(([field, message]) =>
    message === undefined ? [] : [{ path: [field], message }],
  );
}

function inArgs({ problems }: Extract<ParsedArgs, { ok: false }>) {
  return problems.map(({ path, message }) => ({ path: ['args', ...path], message }));
}

function invalid(field: string, message: string): RequestOutcome {
  return { kind: 'invalid', problems: [{ path: [field], message }] };
}
