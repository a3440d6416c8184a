import type { Call } from '../../../src/domain/calls/call.ts';
import { callDigestOf, shortDigest } from '../../../src/domain/calls/digest.ts';
import { RUN_TOOLS } from '../lean/policy.ts';
import type { EffectEntry } from '../record.ts';
import { type Edge, type Evidence, parseKey } from './finding.ts';

/** I1: approved before, by enough different people with permission, and claimed before the deadline. */
export function* checkApproved(evidence: Evidence): Iterable<string> {
  for (const effect of evidence.effects) {
    const why = whyNotApproved(effect, evidence);
    if (why !== undefined) yield `${effect.tool} was asked for by ${effect.key}: ${why}`;
  }
}

function whyNotApproved(effect: EffectEntry, evidence: Evidence): string | undefined {
  const { callId, attempt } = parseKey(effect.key);
  const call = evidence.call(callId);
  if (!call) return 'there is no such call';
  if (call.tool !== effect.tool) return `the call is of ${call.tool}`;
  const edges = evidence.edgesOf(callId);
  const claim = edges.findIndex(
    (edge) => edge.cause === 'claim' && edge.attempt === attempt && edge.at <= effect.at,
  );
  const claimed = edges[claim];
  if (!claimed) return 'it was not claimed before';
  const before = edges.slice(0, claim);
  const approved = before.findLast((edge) => edge.to === 'approved');
  if (!approved || approved.attempt !== attempt) return 'it was not approved before its claim';
  if (approved.digest !== claimed.digest) return 'its digest changed between approval and claim';
  return whyTooLate(before, claimed, call) ?? whyTooFew(before, attempt, call);
}

function whyTooLate(before: readonly Edge[], claimed: Edge, call: Call): string | undefined {
  const asked = before.findLast(({ cause }) => cause === 'gate' || cause === 'rerun');
  const route = call.route ?? RUN_TOOLS[call.tool]?.route;
  if (!asked || !route || asked.to === 'approved') return undefined;
  return claimed.at < asked.at + route.deadlineMs ? undefined : 'it was claimed past its deadline';
}

function whyTooFew(before: readonly Edge[], attempt: number, call: Call): string | undefined {
  const tool = RUN_TOOLS[call.tool];
  if (!tool) return 'there is no such tool';
  const isAgain = before.some(({ cause }) => cause === 'rerun');
  if (!tool.route && !isAgain) return undefined;
  const { people, needed } = tool.counts;
  const approved = new Set(
    before
      .filter((edge) => edge.attempt === attempt && APPROVALS.has(edge.cause))
      .map(({ actor }) => actor)
      .filter((actor) => people.includes(actor)),
  );
  if (approved.size >= needed) return undefined;
  return `${approved.size} of ${needed} people had approved attempt ${attempt}`;
}

/** An edit and a rerun count as approval by their author for the attempt that they create. */
const APPROVALS: ReadonlySet<string> = new Set(['vote', 'approve', 'edit', 'rerun']);

/** I2: one effect per call; one start if it may not run again, otherwise one key. */
export function* checkOnce({ effects, end }: Evidence): Iterable<string> {
  for (const call of end.calls) {
    const own = effects.filter(({ key }) => parseKey(key).callId === call.id);
    const done = own.filter(({ kind }) => kind === 'effect');
    if (done.length > 1) {
      yield `${call.id} (${call.tool}) had ${done.length} effects, by ${list(done)}`;
    }
    if (call.idempotent) continue;
    const starts = own.filter(({ kind }) => kind === 'start');
    const keys = new Set(starts.map(({ key }) => key));
    if (starts.length > keys.size) {
      yield `${call.id} (${call.tool}) may not run again, and was started twice by ${list(starts)}`;
    }
  }
}

function list(entries: readonly EffectEntry[]): string {
  return entries.map(({ key, n }) => `${key} (entry ${n})`).join(', ');
}

/** I6: the arguments and digests on the card, in the approval, in the claim and at the tool server are the same. */
export function* checkSame(evidence: Evidence): Iterable<string> {
  for (const call of evidence.end.calls) {
    if (callDigestOf(call) !== call.digest) yield `the stored digest of ${call.id} is not its own`;
    yield* checkDrawings(call, evidence);
  }
  for (const effect of evidence.effects) {
    const { callId, attempt } = parseKey(effect.key);
    const call = evidence.call(callId);
    if (call?.attempt === attempt && call.args !== effect.args) {
      yield `${effect.key} ran with ${effect.args}; stored is ${call.args}`;
    }
    for (const shown of drawings(evidence, callId, attempt)) {
      if (shown.args === effect.args) continue;
      yield `${effect.key} ran with ${effect.args}; the card showed ${shown.args}`;
    }
  }
}

/** A digest belongs to an attempt, from the card to the claim; only a changed preview makes another one, and no tool here has one. */
function* checkDrawings(call: Call, evidence: Evidence): Iterable<string> {
  const edges = evidence.edgesOf(call.id).filter(({ attempt }) => attempt !== undefined);
  const digests = new Map<number, string>([[call.attempt, shortDigest(call.digest)]]);
  for (const { attempt = 0, digest, cause } of edges) {
    const known = digests.get(attempt) ?? digest;
    digests.set(attempt, known);
    if (known !== digest)
      yield `${cause} of ${call.id}.${attempt} has digest ${digest}, not ${known}`;
  }
  for (const [attempt, digest] of digests) {
    for (const shown of drawings(evidence, call.id, attempt)) {
      if (shown.digest !== digest) {
        yield `the card showed ${shown.digest} of ${call.id}.${attempt}, which is ${digest}`;
      }
    }
  }
}

function drawings({ slack }: Evidence, callId: string, attempt: number) {
  return slack.flatMap((entry) =>
    entry.op === 'card' && entry.callId === callId && entry.attempt === attempt ? [entry] : [],
  );
}
