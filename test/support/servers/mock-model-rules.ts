/** The requests that the chat completions endpoint of OpenAI rejects with 400. */

export interface MockToolCall {
  readonly id: string;
  readonly type: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface MockMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly MockToolCall[];
  readonly tool_call_id?: string;
}

export interface MockRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly messages: readonly MockMessage[];
  readonly tools?: readonly {
    readonly type: string;
    readonly function: {
      readonly name: string;
      readonly description?: string;
      readonly parameters?: { readonly type?: unknown };
    };
  }[];
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

/** Returns why a request is rejected; undefined if it is valid. */
export function refusalOf(request: MockRequest): string | undefined {
  if (typeof request.model !== 'string') return 'no model';
  if (request.stream !== true) return 'this mock streams only';
  const unknown = Object.keys(request.stream_options ?? {}).filter(
    (key) => key !== 'include_usage',
  );
  if (unknown.length > 0) return `stream_options: unknown ${unknown.join(', ')}`;
  if (!Array.isArray(request.messages) || request.messages.length === 0) return 'no messages';
  if (holdsHalf(request.messages)) return 'no valid JSON: half of a surrogate pair in a string';
  return refusalOfTools(request.tools) ?? refusalOfMessages(request.messages);
}

/** Node writes half a surrogate pair as an escape that strict JSON parsers reject. */
function holdsHalf(value: unknown): boolean {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value);
  return value instanceof Object && Object.values(value).some(holdsHalf);
}

/** OpenAI rejects these at the top level of the parameters of a function. */
const AT_NO_TOP = ['anyOf', 'oneOf', 'allOf', 'not', 'enum'];

function refusalOfTools(tools: MockRequest['tools']): string | undefined {
  if (tools === undefined) return undefined;
  if (tools.length === 0) return 'tools: an empty list';
  const names = tools.map((tool) => tool.function.name);
  if (new Set(names).size < names.length) return 'tools: a name stands twice';
  for (const { type, function: offer } of tools) {
    if (type !== 'function') return `tools: the type ${type}`;
    if (!NAME.test(offer.name)) return `tools: the name ${JSON.stringify(offer.name)}`;
    if (offer.parameters && offer.parameters.type !== 'object') {
      return `tools: ${offer.name} has parameters that are not of type "object"`;
    }
    const refused = AT_NO_TOP.find((key) => Object.hasOwn(offer.parameters ?? {}, key));
    if (refused) return `tools: ${offer.name} has ${refused} at the top of its parameters`;
  }
  return undefined;
}

function refusalOfMessages(messages: readonly MockMessage[]): string | undefined {
  let owed: string[] = [];
  for (const [index, message] of messages.entries()) {
    const at = `messages.${index}`;
    if (!ROLES.has(message.role)) return `${at}: the role ${message.role}`;
    const refusal = refusalOfContent(message) ?? refusalOfCalls(message);
    if (refusal !== undefined) return `${at}: ${refusal}`;
    if (message.role === 'tool') {
      const expected = owed.shift();
      if (expected === undefined) return `${at}: a tool message without a preceding tool call`;
      if (message.tool_call_id !== expected) {
        return `${at}: an answer to ${message.tool_call_id} where ${expected} is due`;
      }
      continue;
    }
    if (owed.length > 0) return `${at}: no tool message answers ${owed.join(', ')}`;
    owed = (message.tool_calls ?? []).map(({ id }) => id);
  }
  return owed.length > 0 ? `no tool message answers ${owed.join(', ')}` : undefined;
}

function refusalOfContent({ role, content, tool_calls: calls }: MockMessage): string | undefined {
  if (typeof content === 'string') return undefined;
  if (Array.isArray(content)) return refusalOfParts(role, content);
  const mayBeNull = role === 'assistant' && calls !== undefined;
  return content === null && mayBeNull ? undefined : 'content must be a string';
}

const IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/;

/** https://platform.openai.com/docs/api-reference/chat/create: images only in messages of the user. */
function refusalOfParts(role: string, parts: readonly unknown[]): string | undefined {
  if (parts.length === 0) return 'content is an empty list';
  for (const part of parts as readonly {
    readonly type?: unknown;
    readonly text?: unknown;
    readonly image_url?: { readonly url?: unknown };
  }[]) {
    if (part.type === 'text' && typeof part.text === 'string') continue;
    const isImage = part.type === 'image_url' && IMAGE.test(String(part.image_url?.url));
    if (!isImage || role !== 'user') {
      return `a content part ${JSON.stringify(part).slice(0, 80)} of the role ${role}`;
    }
  }
  return undefined;
}

function refusalOfCalls({ role, tool_calls: calls }: MockMessage): string | undefined {
  if (calls === undefined) return undefined;
  if (role !== 'assistant') return 'tool_calls on a message that is not the assistant’s';
  if (calls.length === 0) return 'an empty tool_calls';
  if (new Set(calls.map(({ id }) => id)).size < calls.length) return 'a tool call id stands twice';
  for (const call of calls) {
    if (typeof call.id !== 'string' || call.id === '' || call.id.length > 40) {
      return `the tool call id ${JSON.stringify(call.id)}`;
    }
    if (call.type !== 'function') return `the tool call type ${call.type}`;
    if (!NAME.test(call.function.name)) return `the name ${JSON.stringify(call.function.name)}`;
    if (typeof call.function.arguments !== 'string') return 'arguments must be a string';
  }
  return undefined;
}
