import type { Call } from '../../domain/calls/call.ts';
import {
  type CallOrigin,
  choicesProblem,
  decisionsProblem,
} from '../../domain/calls/call-origin.ts';
import { withPreview } from '../../domain/calls/draft-call.ts';
import type { WorkspaceMembership } from '../../domain/people/profile.ts';
import { MEMBERSHIP_LABELS } from '../../domain/people/sender-policy.ts';
import { createKeyedQueues } from '../../domain/runtime/keyed-queues.ts';
import type { FieldProblem, ParsedArgs } from '../../domain/tools/tool.ts';
import { createApplyPolicy } from '../calls/policy/apply-policy.ts';
import { previewRun } from '../calls/preview-call.ts';
import type { DeskDeps } from '../deps.ts';
import { type DraftDeps, draftRequested, toOrigin } from './draft-requested.ts';
import type { ExternalCaller, ExternalRequest, RequestOutcome } from './external-request.ts';

export interface RequestDeps
  extends DraftDeps,
    Pick<
      DeskDeps,
      'store' | 'gate' | 'log' | 'toolbox' | 'maxPendingPerPerson' | 'callbacks' | 'directory'
    > {
  /** Parses a JSON Schema, or explains why it can't be used. */
  readonly readSchema: (
    schema: NonNullable<CallOrigin['schema']>,
  ) => { readonly ok: true } | { readonly ok: false; readonly reason: string };
  /** How many calls of one API key may be pending at a time. Default: unlimited. */
  readonly maxPendingPerKey?: number;
}

type Parsed = Extract<ParsedArgs, { ok: true }>;

/** Builds the use case: stores a program's call once, with the gate's answer. */
export function createRequestCall(deps: RequestDeps) {
  const { store, clock } = deps;
  const applyPolicy = createApplyPolicy(deps);
  /**
   * Handles the calls of one API key one at a time, so that its pending calls are counted
   * correctly.
   */
  const queueByKey = createKeyedQueues();

  async function propose(
    caller: ExternalCaller,
    call: Call,
    parsed: Parsed,
  ): Promise<RequestOutcome> {
    const refused = await checkLimit(deps, caller, call);
    if (refused) return refused;
    const audit = {
      at: call.createdAt,
      event: 'call.propose',
      subject: call.id,
      actor: actorOfKey(caller),
      detail: { tool: call.tool, thread: call.thread, risk: call.risk },
    };
    const stored = await store.ledger.propose(call, { audit: [audit] });
    if (stored.outside?.request !== call.outside?.request)
      return { kind: 'conflict', call: stored };
    const isNew = stored.status === 'proposed';
    const passed = await applyPolicy.pass(stored, parsed);
    return { kind: isNew ? 'made' : 'known', call: passed };
  }

  return async function requestCall(
    caller: ExternalCaller,
    request: ExternalRequest,
  ): Promise<RequestOutcome> {
    const problems = problemsOf(request, deps);
    if (problems.length > 0) return { kind: 'invalid', problems };
    const outside = toOrigin(caller, request, clock.now());
    const tool = deps.toolbox.of({ tool: request.tool, outside });
    if (!tool) return invalid('schema', 'it can’t be read');
    const parsed = tool.parse(request.args);
    if (!parsed.ok) return { kind: 'invalid', problems: inArgs(parsed) };
    const bare = draftRequested(deps, caller, request, outside, tool, parsed.canonical);
    const call = withPreview(bare, await previewRun(deps, bare, tool, parsed.value));
    const refused = await refuseNew(deps, caller, call);
    return refused ?? (await queueByKey(caller.key, () => propose(caller, call, parsed)));
  };
}

const INVALID_REQUESTERS: ReadonlySet<WorkspaceMembership> = new Set<WorkspaceMembership>([
  'gone',
  'bot',
  'stranger',
]);

/** A repeated request is not limited. */
async function checkLimit(
  { maxPendingPerKey: most = Number.POSITIVE_INFINITY, store }: RequestDeps,
  { key }: ExternalCaller,
  { id }: Call,
): Promise<RequestOutcome | undefined> {
  if (!Number.isFinite(most) || (await store.ledger.get(id))) return undefined;
  const pending = await store.ledger.countPendingOfKey(key);
  return pending < most ? undefined : { kind: 'too-many', pending };
}

/** If the lookup fails, the request continues: deciders are checked later. */
async function checkRequester(
  { directory, log }: RequestDeps,
  { requester }: Call,
): Promise<RequestOutcome | undefined> {
  try {
    const { standing } = await directory.profileOf(requester);
    if (!INVALID_REQUESTERS.has(standing)) return undefined;
    const who = `${requester.user}, who is ${MEMBERSHIP_LABELS[standing]}`;
    return invalid('requester', `can’t be ${who}: name a member of this workspace`);
  } catch (error) {
    log.warn({ err: error, requester }, 'Could not look up the requester of a program.');
    return undefined;
  }
}

/** A repeated request is not refused. */
async function refuseNew(
  deps: RequestDeps,
  caller: ExternalCaller,
  call: Call,
): Promise<RequestOutcome | undefined> {
  if (await deps.store.ledger.get(call.id)) return undefined;
  return (await checkLimit(deps, caller, call)) ?? (await checkRequester(deps, call));
}

/** The audit's name for a program's API key. */
export function actorOfKey({ key }: Pick<ExternalCaller, 'key'>): string {
  return `key:${key}`;
}

function problemsOf(
  { callbackUrl, choices, decisions, schema }: ExternalRequest,
  { callbacks, readSchema }: Pick<RequestDeps, 'callbacks' | 'readSchema'>,
): readonly FieldProblem[] {
  const reading = schema && readSchema(schema);
  const found = {
    callbackUrl: callbackUrl === undefined ? undefined : callbacks?.problemOf(callbackUrl),
    choices: choices && choicesProblem(choices),
    decisions: decisions && decisionsProblem(decisions, choices),
    schema: reading?.ok === false ? reading.reason : undefined,
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
