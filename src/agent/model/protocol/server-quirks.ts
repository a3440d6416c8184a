/**
 * Request parts that some OpenAI-compatible servers refuse and others require. If a refusal names such
 * a part, the request is changed as the table says and sent again. The process remembers the change.
 */
import type { JsonValue } from '../../../domain/json/json.ts';
import { lacksToolSupport } from '../model-failure.ts';
import type { ModelServerError } from './server-error.ts';

/** The parts of a request body that may be rewritten. */
export interface RequestBody {
  readonly messages: readonly RequestMessage[];
  readonly tools?: JsonValue;
  readonly stream_options?: JsonValue;
  readonly [key: string]: unknown;
}

export interface RequestMessage {
  readonly role: string;
  readonly content?: JsonValue;
  readonly tool_calls?: readonly { readonly [key: string]: JsonValue }[];
  readonly [key: string]: unknown;
}

interface Quirk {
  readonly name: string;
  isNamed(refusal: string, body: RequestBody): boolean;
  apply(body: RequestBody): RequestBody;
}

/** Placeholder for a missing signature. https://ai.google.dev/gemini-api/docs/thought-signatures */
const NO_SIGNATURE = { google: { thought_signature: 'skip_thought_signature_validator' } };
/** Wording of errors about a missing part. */
const IS_MISSING = /\b(?:miss(?:es|ing)|must|required?|needs?|passed back|expected)\b/i;

/** Wording of errors about a part that is not allowed. */
const IS_UNWANTED =
  /unsupported|not supported|unknown|unexpected|unrecogni[sz]ed|extra|not permitted|not allowed|forbidden|invalid|should not|cannot/i;

const QUIRKS: readonly Quirk[] = [
  {
    name: 'does not accept stream_options',
    isNamed: (refusal, body) =>
      body.stream_options !== undefined && /stream_options|include_usage/.test(refusal),
    apply: ({ stream_options: _, ...body }) => body,
  },
  {
    name: 'requires reasoning_content in every message',
    isNamed: (refusal, { messages }) =>
      /reasoning_content/.test(refusal) &&
      IS_MISSING.test(refusal) &&
      !IS_UNWANTED.test(refusal) &&
      messages.some((each) => isAssistant(each) && each.reasoning_content === undefined),
    apply: (body) => mapAssistant(body, (message) => ({ reasoning_content: '', ...message })),
  },
  {
    name: 'requires a thought signature in every call',
    isNamed: (refusal, { messages }) =>
      /thought_?signature/i.test(refusal) &&
      messages.some(({ tool_calls: calls }) => calls?.some((call) => !call.extra_content)),
    apply: (body) =>
      mapAssistant(body, ({ tool_calls: calls, ...message }) => ({
        ...message,
        ...(calls && {
          tool_calls: calls.map((call) => ({ extra_content: NO_SIGNATURE, ...call })),
        }),
      })),
  },
  {
    name: 'does not accept the developer role',
    isNamed: (refusal, { messages }) =>
      messages.some(({ role }) => role === 'developer') &&
      /developer|unexpected (?:message )?role|invalid role|unknown role/i.test(refusal),
    apply: (body) => ({
      ...body,
      messages: body.messages.map((message) =>
        message.role === 'developer' ? { ...message, role: 'system' } : message,
      ),
    }),
  },
  {
    name: 'does not accept the system role',
    isNamed: (refusal, { messages }) =>
      messages.some(({ role }) => role === 'system') &&
      /system(?: role| message)?s? (?:is |are )?not (?:supported|allowed)/i.test(refusal),
    apply: withoutSystem,
  },
];

const WITHOUT_TOOLS: Quirk = {
  name: 'can’t call tools',
  isNamed: (refusal, body) => body.tools !== undefined && lacksToolSupport(refusal),
  apply: ({ tools: _, ...body }) => body,
};

/** Remembers which request parts one server refuses. */
export interface ServerQuirks {
  /** Applies all known changes to a request. */
  apply(body: RequestBody): RequestBody;
  /** Learns from a refusal. Returns what was learned, or undefined if a retry is useless. */
  learn(refusal: ModelServerError, body: RequestBody): string | undefined;
}

/**
 * Creates the memory for one server. With `allowsNoTools`, tools are omitted if it can't call them.
 */
export function createServerQuirks({
  allowsNoTools,
}: {
  readonly allowsNoTools: boolean;
}): ServerQuirks {
  const table = allowsNoTools ? [...QUIRKS, WITHOUT_TOOLS] : QUIRKS;
  const known = new Set<Quirk>();
  const refusedFields = new Set<string>();

  function withoutFields(body: RequestBody): RequestBody {
    if (refusedFields.size === 0) return body;
    return mapAssistant(body, ({ tool_calls: calls, ...message }) => ({
      ...drop(message, refusedFields),
      role: message.role,
      ...(calls && { tool_calls: calls.map((call) => drop(call, refusedFields)) }),
    }));
  }

  return {
    apply(body) {
      // Drop refused fields first: a row of the table may add a field back.
      return [...known].reduce((changed, quirk) => quirk.apply(changed), withoutFields(body));
    },
    learn({ message: refusal, status }, body) {
      if (status === 401 || status === 403 || status === 429) return undefined;
      const quirk = table.find((each) => !known.has(each) && each.isNamed(refusal, body));
      if (quirk) {
        known.add(quirk);
        return quirk.name;
      }
      if (!IS_UNWANTED.test(refusal)) return undefined;
      const field = ownFieldsOf(body).find((name) => containsName(refusal, name));
      if (field === undefined || refusedFields.has(field)) return undefined;
      refusedFields.add(field);
      return `does not accept ${field}`;
    },
  };
}

const PROTOCOL: ReadonlySet<string> = new Set([
  ...['role', 'content', 'name', 'tool_calls', 'id', 'type', 'function', 'index'],
]);

/** The provider's own fields that a request sends back. */
function ownFieldsOf({ messages }: RequestBody): readonly string[] {
  const all = messages
    .filter(isAssistant)
    .flatMap((message) => [message, ...(message.tool_calls ?? [])].flatMap(Object.keys));
  return [...new Set(all)].filter((key) => !PROTOCOL.has(key));
}

function containsName(refusal: string, name: string): boolean {
  const at = refusal.indexOf(name);
  if (at < 0) return false;
  return ![refusal[at - 1], refusal[at + name.length]].some((next) => /\w/.test(next ?? ''));
}

function drop<T extends { readonly [key: string]: unknown }>(
  fields: T,
  names: ReadonlySet<string>,
): { readonly [key: string]: JsonValue } {
  const entries = Object.entries(fields).filter(([key]) => !names.has(key));
  return Object.fromEntries(entries) as { readonly [key: string]: JsonValue };
}

function mapAssistant(
  body: RequestBody,
  change: (message: RequestMessage) => RequestMessage,
): RequestBody {
  const messages = body.messages.map((each) => (isAssistant(each) ? change(each) : each));
  return { ...body, messages };
}

function isAssistant({ role }: RequestMessage): boolean {
  return role === 'assistant';
}

/** Moves the system prompt to the beginning of the first user message. */
function withoutSystem(body: RequestBody): RequestBody {
  const [system, first, ...rest] = body.messages;
  if (system?.role !== 'system' || first?.role !== 'user') return body;
  const instructions = String(system.content);
  const content = Array.isArray(first.content)
    ? [{ type: 'text', text: instructions }, ...first.content]
    : `${instructions}\n\n${String(first.content)}`;
  return { ...body, messages: [{ ...first, content }, ...rest] };
}
