import { isTerminal } from '../../../src/domain/calls/call.ts';
import type { SettledTurn } from '../../../src/domain/threads/message.ts';
import type { HistoryEntry } from '../record.ts';
import type { Edge, Evidence } from './finding.ts';

type Message = Extract<HistoryEntry, { op: 'message' }>;
type Decision = Extract<HistoryEntry, { op: 'decide' | 'settle' }>;

const MINUTE_MS = 60_000;

/** I3: an accepted message is in the audit, and became a turn, a reply or was answered; a turn has a result for each of its calls. */
export function* checkAccepted(evidence: Evidence): Iterable<string> {
  const { end, history } = evidence;
  const turns = Object.values(end.turns).flat();
  const received = end.audit.filter(({ event }) => event === 'message.receive');
  const accepted = history.filter((entry) => entry.op === 'message' && entry.answer === 'ok');
  for (const message of accepted as readonly Message[]) {
    const { id } = message;
    const count = received.filter(({ subject }) => subject === id).length;
    if (count !== 1) yield `message ${id} was accepted, and is in the audit ${count} times`;
    if (!becameSomething(message, evidence, turns)) yield `nothing became of message ${id}`;
  }
  for (const turn of turns) yield* checkTurn(turn, evidence);
  const ids = turns.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) yield `message ${twice} became two turns`;
}

function becameSomething(
  { id, text }: Message,
  { end, slack }: Evidence,
  turns: readonly SettledTurn[],
): boolean {
  const isReply = end.calls.some(
    ({ outcome }) => outcome?.kind === 'reply' && outcome.text === text,
  );
  const isAnswered = slack.some((entry) => entry.op === 'say' && entry.sayId === `use-card:${id}`);
  return turns.some((turn) => turn.id === id) || isReply || isAnswered;
}

/** The tool results of each call, from the messages of the turn. */
function* checkTurn({ id, messages }: SettledTurn, { end }: Evidence): Iterable<string> {
  for (const asker of messages) {
    if (asker.role !== 'assistant') continue;
    for (const { id: callId } of asker.calls) {
      const answers = messages.filter(
        (each) => each.role === 'tool' && each.id === `${asker.id}/${callId}`,
      );
      if (answers.length !== 1) yield `turn ${id}: call ${callId} has ${answers.length} answers`;
      const isKept = end.calls.some(
        (call) => call.messageId === asker.id && call.toolCallId === callId,
      );
      if (!isKept) yield `turn ${id}: call ${callId} of message ${asker.id} is not in the ledger`;
    }
  }
}

/** I4: each response to a person matches the audit. */
export function* checkAnswers(evidence: Evidence): Iterable<string> {
  const taken = new Set<Edge>();
  for (const entry of evidence.history) {
    if (entry.op !== 'decide' && entry.op !== 'settle') continue;
    if (entry.answer !== 'ok') continue;
    const why = whyNotInAudit(entry, evidence, taken);
    if (why === undefined) continue;
    const what = entry.op === 'decide' ? entry.kind : entry.finding;
    yield `${entry.by} was told “${entry.said}” of ${what} on ${entry.callId}.${entry.attempt} (entry ${entry.n}): ${why}`;
  }
}

/** I4: each decision in the audit was made by that person, on that very attempt. */
export function* checkDecided({ end, history, edgesOf }: Evidence): Iterable<string> {
  for (const { id } of end.calls) {
    for (const edge of edgesOf(id)) {
      if (!OF_PEOPLE.has(edge.cause) || history.some((entry) => hasMade(entry, id, edge))) continue;
      yield `entry ${edge.entry.seq} says that ${edge.actor} decided ${edge.cause} on ${id}.${edge.attempt}, and they did not`;
    }
  }
}

const OF_PEOPLE: ReadonlySet<string> = new Set([
  'vote',
  'approve',
  'edit',
  'reply',
  'ignore',
  'settle',
  'rerun',
]);

function hasMade(entry: HistoryEntry, callId: string, edge: Edge): boolean {
  if (entry.op === 'message') return edge.cause === 'reply' && entry.by === edge.actor;
  if (entry.op !== 'decide' && entry.op !== 'settle') return false;
  if (entry.callId !== callId) return false;
  const what = entry.op === 'decide' ? entry.kind : entry.finding;
  // The author of an attempt approves it with the same press.
  const isOwn = edge.cause === 'approve' && (what === 'edit' || what === 'rerun');
  return isOf(isOwn ? { ...edge, cause: what } : edge, entry);
}

function whyNotInAudit(entry: Decision, evidence: Evidence, taken: Set<Edge>): string | undefined {
  const edges = evidence.edgesOf(entry.callId);
  switch (entry.said) {
    case 'decided':
    case 'recorded': {
      const own = edges.find((edge) => !taken.has(edge) && isOf(edge, entry));
      if (own) taken.add(own);
      return own ? undefined : 'the audit has no such decision, or somebody else’s answer took it';
    }
    case 'not-allowed': {
      const isKept = evidence.end.audit.some(
        ({ event, subject, actor }) =>
          event === 'decision.not-allowed' && subject === entry.callId && actor === entry.by,
      );
      return isKept ? undefined : 'the audit has no such refusal';
    }
    case 'already-voted':
      return edges.some(({ actor, attempt }) => actor === entry.by && attempt === entry.attempt)
        ? undefined
        : 'the audit has no earlier approval of theirs';
    case 'already-decided':
      return edges.some(({ from, to }) => from === 'pending' && to !== 'pending') ||
        edges.some(({ from }) => from === 'unknown')
        ? undefined
        : 'nothing had been decided';
    case 'stale':
      return edges.some(({ attempt = 0 }) => attempt > entry.attempt)
        ? undefined
        : 'there is no later attempt';
    default:
      return 'no press of the run deserves that';
  }
}

function isOf(edge: Edge, entry: Decision): boolean {
  if (edge.actor !== entry.by) return false;
  const what = entry.op === 'decide' ? entry.kind : entry.finding;
  const makes = what === 'edit' || what === 'rerun' ? entry.attempt + 1 : entry.attempt;
  return edge.attempt === makes && CAUSES[what].some((cause) => cause === edge.cause);
}

const CAUSES = {
  approve: ['vote', 'approve'],
  edit: ['edit'],
  reply: ['reply'],
  ignore: ['ignore'],
  ran: ['settle'],
  leave: ['settle'],
  rerun: ['rerun'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** I10: nothing waits for more than a minute, and at the end nothing waits at all. */
export function* checkGoesOn({ history, end }: Evidence): Iterable<string> {
  for (const entry of history) {
    if (entry.op === 'healed' && entry.tookMs > MINUTE_MS) {
      yield `it took ${entry.tookMs} ms to come to rest (entry ${entry.n})`;
    }
    if ('answer' in entry && entry.answer === 'fail') {
      yield `${entry.op} failed with nothing broken (entry ${entry.n}): ${entry.said}`;
    }
  }
  for (const id of end.open) yield `message ${id} still waits, or its turn never ended`;
  for (const { key, reason } of end.parked) yield `${key.task} ${key.id} was given up: ${reason}`;
  for (const call of end.calls) {
    if (!isTerminal(call)) yield `${call.id} is still ${call.status}`;
    else if (!call.delivered) yield `the agent was not told the outcome of ${call.id}`;
  }
  for (const { event, subject } of end.audit) {
    if (event === 'turn.failed') yield `turn ${subject} failed with nothing broken`;
  }
  for (const turn of Object.values(end.turns).flat()) {
    if (turn.failure !== undefined) yield `turn ${turn.id} failed: ${turn.failure}`;
  }
}
