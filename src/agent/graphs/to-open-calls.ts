import { createHash } from 'node:crypto';
import type { ForeignDecision, ToolReply } from '../../domain/calls/outcome.ts';
import { canonicalJson, type JsonValue } from '../../domain/json/json.ts';
import { parseStrictJson } from '../../domain/json/strict-json.ts';
import { toWellFormed } from '../../domain/json/to-plain-json.ts';
import type { OpenCall } from '../../domain/ports/agent.ts';
import type { TurnMessage } from '../../domain/threads/message.ts';
import { type JsonSchema, readJsonSchema } from '../tools/schema/read-json-schema.ts';
import { acceptNumbersAsText } from './accept-numbers-as-text.ts';
import type { OpenInterrupt } from './foreign-graph.ts';
import { fillOtherAnswers } from './graph-messages.ts';
import { inferSchema } from './infer-schema.ts';
import { findProtocol } from './protocols/find-protocol.ts';
import type { ForeignRequest } from './protocols/protocol.ts';

/**
 * Turns what a graph asks into open calls, one for each request. An interrupt that comes again with
 * another value under the same id, as the second one of a task does, makes another call.
 */
export function toOpenCalls(
  isRenewed: boolean,
  interrupts: readonly OpenInterrupt[],
  turn: { readonly id: string; readonly messages: readonly TurnMessage[] },
  name: string,
): readonly OpenCall[] {
  const asker = turn.messages.findLast((message) => message.role === 'assistant');
  const asked = interrupts.flatMap(({ id, value }) =>
    requestsOf(value).map((request, index) => ({ id, index, request })),
  );
  return asked.map(({ id, index, request }, position) => {
    const { tool, description, decisions } = request;
    const args = toObject(request.args);
    const given = request.schema === undefined ? undefined : readSchema(request.schema, args);
    const inferred = inferSchema(args);
    const own = readJsonSchema(inferred).ok ? inferred : { type: 'object' };
    const schema = given?.ok ? given.schema : own;
    const address = addressOf(id, index, request);
    return {
      interruptId: address,
      batch: id,
      ...(isRenewed && { isRenewed }),
      messageId: asker?.id ?? turn.id,
      toolCallId: address,
      position,
      siblings: asked.length,
      tool: toWellFormed(tool),
      argsText: JSON.stringify(args),
      words: toWellFormed(description ?? asker?.text ?? ''),
      outside: { by: 'graph', name, decisions, schema },
    };
  });
}

/** Says why people can't be asked what a graph asks; undefined when they can. */
export function explainUnsupportedInterrupt(
  interrupts: readonly OpenInterrupt[],
  name: string,
): string | undefined {
  for (const { value } of interrupts) {
    const takesWords = findProtocol(value).takesOnlyPeople === true;
    for (const request of requestsOf(value)) {
      const why = requestProblem(request, takesWords);
      if (why !== undefined) return `“${name}” ${why}`;
    }
  }
  return undefined;
}

/** Answers the interrupts that allow no answer, by their ids, with why nobody is asked. */
export function answerUnsupportedInterrupts(
  interrupts: readonly OpenInterrupt[],
): Readonly<Record<string, JsonValue>> {
  const answers: Record<string, JsonValue> = {};
  for (const { id, value } of interrupts) {
    const requests = requestsOf(value);
    if (requests.length === 0 || requests.some(({ decisions }) => decisions.length > 0)) continue;
    const refusals = requests.map(({ tool }) => ({
      kind: 'reply' as const,
      text: `Nobody was asked about “${toWellFormed(tool)}”: the request allows no decision. Allow at least one, or don’t ask.`,
    }));
    answers[id] = findProtocol(value).encode(value, refusals);
  }
  return answers;
}

function requestProblem(
  { tool, args, decisions, schema }: ForeignRequest,
  takesWords: boolean,
): string | undefined {
  const about = `asks about “${toWellFormed(tool)}”`;
  const ended = 'so its turn ended here.';
  if (decisions.length === 0) return `${about} and allows no answer to it, ${ended}`;
  // Where a call is asked about, the model is told, and can mend it.
  const json = takesWords ? parseStrictJson(JSON.stringify(toObject(args))) : undefined;
  if (json?.ok === false)
    return `asks something that I can’t show on a card, ${ended} ${json.reason}`;
  const read = schema === undefined ? undefined : readSchema(schema, toObject(args));
  if (read?.ok !== false) return undefined;
  return `${about} with a schema of its arguments that can’t be used, ${ended} ${read.reason}`;
}

/** Writes what an interrupt is resumed with, with the approved calls that it does not reach all the same; undefined while a request of it has no answer, and the first request whose protocol has no word for its answer. */
export function toResumeValue(
  { id, value }: OpenInterrupt,
  replies: Readonly<Record<string, ToolReply>>,
  messages: readonly unknown[],
):
  | {
      readonly kind: 'answer';
      readonly value: JsonValue;
      readonly lost: readonly string[];
      /** Answers to calls that are dropped with it, which the graph would leave without one. */
      readonly messages: readonly JsonValue[];
    }
  | { readonly kind: 'unsayable'; readonly request: ForeignRequest; readonly reply: ToolReply }
  | undefined {
  const decisions: ForeignDecision[] = [];
  const addresses: string[] = [];
  const protocol = findProtocol(value);
  const requests = requestsOf(value);
  for (const [index, request] of requests.entries()) {
    const address = addressOf(id, index, request);
    addresses.push(address);
    const reply = replies[address];
    if (!reply) return undefined;
    const decision = toDecision(reply, request, protocol.takesOnlyPeople === true);
    if (!decision) return { kind: 'unsayable', request, reply };
    decisions.push(decision);
  }
  const places = protocol.lost?.(value, decisions) ?? [];
  const lost = addresses.filter((_address, place) => places.includes(place));
  const closed = fillOtherAnswers(messages, requests, DROPPED);
  const answer = protocol.encode(value, decisions, closed ? 'graph' : 'helper');
  const drops = protocol.dropsOthers?.(value, answer) === true;
  return { kind: 'answer', value: answer, lost, messages: drops ? (closed ?? []) : [] };
}

const DROPPED =
  'Not run: the graph’s middleware drops it, since another call of the message was not approved. It may be made again.';

/** What the protocol has for it; what is said in no person's place is refused where it could be taken for a person's word. */
function toDecision(
  { decision, text }: ToolReply,
  { decisions }: ForeignRequest,
  isForPeople: boolean,
): ForeignDecision | undefined {
  if (!decision && isForPeople) return undefined;
  const wanted = decision ?? { kind: 'reply', text };
  if (decisions.includes(wanted.kind)) return wanted;
  if (wanted.kind === 'reply' && decisions.includes('ignore')) return { kind: 'ignore' };
  if (wanted.kind === 'ignore' && decisions.includes('reply')) return { kind: 'reply', text };
  return undefined;
}

function requestsOf(value: unknown): readonly ForeignRequest[] {
  return findProtocol(value).parse(value) ?? [];
}

/** Cards and forms show objects. */
function toObject(args: JsonValue): { readonly [key: string]: JsonValue } {
  const isObject = typeof args === 'object' && args !== null && !Array.isArray(args);
  return isObject ? (args as { readonly [key: string]: JsonValue }) : { value: args };
}

type GivenSchema =
  | { readonly ok: true; readonly schema: JsonSchema }
  | { readonly ok: false; readonly reason: string };

/** People edit by it, and what it marks is hidden: one that is not understood whole is not used in part. */
function readSchema(given: JsonValue, args: JsonValue): GivenSchema {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return { ok: false, reason: 'It is no object.' };
  }
  const schema = acceptNumbersAsText(given as JsonSchema, args);
  const reading = readJsonSchema(schema);
  return reading.ok ? { ok: true, schema } : { ok: false, reason: `${reading.reason}.` };
}

/** The second question of a task comes under the id of its first one: an answer is for what was asked. */
function addressOf(id: string, index: number, { tool, args, description }: ForeignRequest): string {
  const asked = textOf([tool, args, description ?? '']);
  return `${id}#${index}~${createHash('sha256').update(asked).digest('hex').slice(0, 12)}`;
}

/** Halves of characters have no canonical text. */
function textOf(value: JsonValue): string {
  const text = JSON.stringify(value);
  return /\\ud[89a-f]/.test(text) ? text : canonicalJson(value);
}
