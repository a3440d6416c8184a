import { createHash } from 'node:crypto';
import type { ForeignDecision, ToolReply } from '../../domain/calls/outcome.ts';
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/json/json.ts';
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
 * Turns a graph's interrupts into open calls, one per request. An interrupt with a known id and a new
 * value is a new call: a task's second interrupt has the id of its first.
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

/** Explains why an interrupt can't be shown to people; undefined if all can. */
export function explainUnsupportedInterrupt(
  interrupts: readonly OpenInterrupt[],
  name: string,
): string | undefined {
  for (const { value } of interrupts) {
    const isPlainQuestion = findProtocol(value).takesOnlyPeople === true;
    for (const request of requestsOf(value)) {
      const why = requestProblem(request, isPlainQuestion);
      if (why !== undefined) return `“${name}” ${why}`;
    }
  }
  return undefined;
}

/**
 * Answers interrupts that allow no decision with the reason why nobody was asked. Keyed by
 * interrupt id.
 */
export function answerUnsupportedInterrupts(
  interrupts: readonly OpenInterrupt[],
): Readonly<Record<string, JsonValue>> {
  const answers: Record<string, JsonValue> = {};
  for (const { id, value } of interrupts) {
    const requests = requestsOf(value);
    if (requests.length === 0 || requests.some(({ decisions }) => decisions.length > 0)) continue;
    const refusals = requests.map(({ tool }) => ({
      kind: 'reply' as const,
      text: `Nobody was asked about “${toWellFormed(tool)}”: the request allows no decision. Allow at least one, or don’t interrupt.`,
    }));
    answers[id] = findProtocol(value).encode(value, refusals);
  }
  return answers;
}

function requestProblem(
  { tool, args, decisions, schema }: ForeignRequest,
  isPlainQuestion: boolean,
): string | undefined {
  const about = `asks about “${toWellFormed(tool)}”`;
  const ended = 'so its turn ended.';
  if (decisions.length === 0) return `${about} but allows no answer, ${ended}`;
  // For a call, the model gets the error and can correct its arguments.
  const json = isPlainQuestion ? parseStrictJson(JSON.stringify(toObject(args))) : undefined;
  if (json?.ok === false)
    return `asks something that I can’t show on a card, ${ended} ${json.reason}`;
  const read = schema === undefined ? undefined : readSchema(schema, toObject(args));
  if (read?.ok !== false) return undefined;
  return `${about} with an argument schema that can’t be used, ${ended} ${read.reason}`;
}

/**
 * Encodes the value that resumes an interrupt. `lost` names approved calls that will not run anyway.
 * Returns undefined while a request has no reply, and `unsupported` for the first reply that the
 * request does not accept.
 */
export function toResumeValue(
  { id, value }: OpenInterrupt,
  replies: Readonly<Record<string, ToolReply>>,
  messages: readonly unknown[],
):
  | {
      readonly kind: 'answer';
      readonly value: JsonValue;
      readonly lost: readonly string[];
      /** Answers to calls that the graph drops and would leave without one. */
      readonly messages: readonly JsonValue[];
    }
  | { readonly kind: 'unsupported'; readonly request: ForeignRequest; readonly reply: ToolReply }
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
    if (!decision) return { kind: 'unsupported', request, reply };
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
  'Not run: the graph’s middleware dropped it because another call of the message was not approved. You may call it again.';

/**
 * Converts a reply to an allowed decision. Our own texts are refused where they could pass for a
 * person's.
 */
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
function toObject(args: JsonValue): JsonObject {
  return isJsonObject(args) ? args : { value: args };
}

type GivenSchema =
  | { readonly ok: true; readonly schema: JsonSchema }
  | { readonly ok: false; readonly reason: string };

/** Rejects a partly supported schema: it controls the edit form and hides secrets. */
function readSchema(given: JsonValue, args: JsonValue): GivenSchema {
  if (!isJsonObject(given)) return { ok: false, reason: 'It is not an object.' };
  const schema = acceptNumbersAsText(given, args);
  const reading = readJsonSchema(schema);
  return reading.ok ? { ok: true, schema } : { ok: false, reason: `${reading.reason}.` };
}

/** Includes a hash of the question: a task's second interrupt has the id of its first. */
function addressOf(id: string, index: number, { tool, args, description }: ForeignRequest): string {
  const asked = textOf([tool, args, description ?? '']);
  return `${id}#${index}~${createHash('sha256').update(asked).digest('hex').slice(0, 12)}`;
}

/** Text with unpaired surrogates has no canonical JSON. */
function textOf(value: JsonValue): string {
  const text = JSON.stringify(value);
  return /\\ud[89a-f]/.test(text) ? text : canonicalJson(value);
}
