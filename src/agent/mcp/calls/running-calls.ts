import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { isJsonObject, type JsonValue } from '../../../domain/json/json.ts';
import { isSamePerson } from '../../../domain/people/person.ts';
import type { Log } from '../../../domain/ports/log.ts';
import { rootOf } from '../../../domain/threads/thread-key.ts';
import type {
  AskPeople,
  QuestionAnswer,
  ServerQuestion,
} from '../../../domain/tools/server-tools.ts';
import type { ToolContext } from '../../../domain/tools/tool.ts';
import { type JsonSchema, readJsonSchema } from '../../tools/schema/read-json-schema.ts';

/** A running call of a server's tool. */
export interface RunningCall {
  readonly context: ToolContext;
  /** When it times out. */
  readonly deadlineAt: number;
}

export interface RunningCalls {
  /** Registers a call while its work runs. */
  during<Result>(call: RunningCall, work: () => Promise<Result>): Promise<Result>;
  /** Asks the requester of the running call a server's question. */
  ask(question: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult>;
}

const MAX_MESSAGE = 2_000;
/** Per call, so that a server cannot wear people down. */
const MAX_QUESTIONS = 5;

/** Creates the list of a server's running calls. */
export function createRunningCalls(
  server: string,
  { askPeople, log }: { readonly askPeople: AskPeople; readonly log: Pick<Log, 'warn'> },
): RunningCalls {
  const running = new Map<RunningCall, { asked: number }>();

  function rejectQuestion(why: string): ElicitResult {
    log.warn({ server, why }, 'A question of an MCP server was rejected.');
    return { action: 'cancel', _meta: { 'countersign/reason': why } };
  }

  function count(call: RunningCall): number {
    const found = running.get(call);
    if (found) found.asked += 1;
    return found?.asked ?? 0;
  }

  return {
    async during(call, work) {
      running.set(call, { asked: 0 });
      try {
        return await work();
      } finally {
        running.delete(call);
      }
    },
    async ask(params, signal) {
      if (params.mode === 'url')
        return rejectQuestion('This app does not support questions with links.');
      const call = findAskingCall([...running.keys()]);
      if (!call)
        return rejectQuestion('It is unclear which person’s call this question belongs to.');
      const { schema, problem } = toSchema(params.requestedSchema);
      if (!schema) return rejectQuestion(`The schema of the answer can’t be used: ${problem}.`);
      if (count(call) > MAX_QUESTIONS)
        return rejectQuestion('The server asked too many questions in this call.');
      const question: ServerQuestion = {
        callId: call.context.callId,
        server,
        message: params.message.replaceAll(/\p{Surrogate}/gu, '\ufffd').slice(0, MAX_MESSAGE),
        schema,
        initial: initialOf(schema),
        deadlineAt: call.deadlineAt,
      };
      const answer = await askPeople(question, AbortSignal.any([signal, call.context.signal]));
      return toResult(answer);
    },
  };
}

/**
 * Finds the call of a question. Servers do not name it, so it is unclear if several people or
 * threads have calls.
 */
function findAskingCall(calls: readonly RunningCall[]): RunningCall | undefined {
  const newest = calls.at(-1);
  const isClear = calls.every(
    ({ context }) =>
      newest &&
      isSamePerson(context.requester, newest.context.requester) &&
      rootOf(context.thread) === rootOf(newest.context.thread),
  );
  return isClear ? newest : undefined;
}

/** Allows no properties except the requested ones. */
function toSchema(requested: object): { readonly schema?: JsonSchema; readonly problem?: string } {
  const whole: unknown = JSON.parse(JSON.stringify({ ...requested, additionalProperties: false }));
  const schema = whole as JsonSchema;
  const reading = readJsonSchema(schema);
  return reading.ok ? { schema } : { problem: reading.reason };
}

/** Returns the server's defaults to prefill the form, if they are valid. */
function initialOf(schema: JsonSchema): ServerQuestion['initial'] {
  const properties = Object.entries(schema.properties ?? {});
  const proposed = properties.flatMap(([key, property]): readonly [string, JsonValue][] =>
    isJsonObject(property) && property.default !== undefined ? [[key, property.default]] : [],
  );
  const { required: _required, ...loose } = schema;
  const reading = readJsonSchema(loose);
  const initial = Object.fromEntries(proposed);
  return reading.ok && reading.parse(initial).ok ? initial : {};
}

function toResult(answer: QuestionAnswer): ElicitResult {
  if (answer.kind !== 'accept') return { action: answer.kind };
  // The protocol's schema allows only such values.
  return { action: 'accept', content: answer.content as NonNullable<ElicitResult['content']> };
}

/** Awaits work that must finish before a call is sent. Rejects as soon as `signal` aborts. */
export async function unlessAborted<Result>(
  signal: AbortSignal,
  work: Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
