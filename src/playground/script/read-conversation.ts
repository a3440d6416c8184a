import type { ChatCompletionRequest, ChatMessage } from '@copilotkit/aimock';

/** The outcome of a tool call, parsed from the text that the app sends the model. */
export type CallEnd =
  | { readonly kind: 'ran'; readonly text: string; readonly ranWith?: string }
  | { readonly kind: 'failed'; readonly text: string; readonly ranWith?: string }
  | { readonly kind: 'answered'; readonly text: string }
  | { readonly kind: 'not-run'; readonly text: string };

/** A call of the turn and its outcome. */
export interface EndedCall {
  readonly tool: string;
  /** The `path` argument of the call. */
  readonly path: string | undefined;
  readonly end: CallEnd;
}

/** The current turn: the person's message, and the calls of each model message since. */
export interface ConversationTurn {
  readonly said: string;
  /** Names of the available tools. */
  readonly tools: readonly string[];
  /** Paths of the attached files. */
  readonly attached: readonly string[];
  readonly rounds: readonly (readonly EndedCall[])[];
}

/** Parses the current turn. Everything before the last user message is history. */
export function parseConversation({
  messages,
  tools = [],
}: ChatCompletionRequest): ConversationTurn {
  const start = messages.findLastIndex(({ role }) => role === 'user');
  const turn = messages.slice(start + 1);
  const results = new Map(
    turn.flatMap((message) =>
      message.role === 'tool' ? [[message.tool_call_id, textOf(message)] as const] : [],
    ),
  );
  const asked = messages.findLast((each) => each.role === 'user' && !AGAIN.test(textOf(each)));
  const [words = '', files = ''] = textOf(asked).split(ATTACHED);
  return {
    said: toWords(words),
    tools: tools.map((tool) => tool.function.name),
    attached: [...files.matchAll(/ is at (inbox\/.+)$/gm)].map(([, path = '']) => path),
    rounds: turn
      .map(({ tool_calls: calls = [] }) => calls.map((call) => toEndedCall(call, results)))
      .filter((calls) => calls.length > 0),
  };
}

/**
 * Matches the message of the “ask again” button on an expired call. The earlier request is then
 * repeated.
 */
const AGAIN = /make the very same call again/;

/** How the app starts its note about attached files. */
const ATTACHED = '\n\nAttached files, as Countersign reports.';

type WireCall = NonNullable<ChatMessage['tool_calls']>[number];

function toEndedCall(
  { id, function: { name: tool, arguments: args } }: WireCall,
  results: ReadonlyMap<string | undefined, string>,
): EndedCall {
  const end = parseCallEnd(tool, results.get(id) ?? 'Not run: there is no outcome.');
  const ranWith = 'ranWith' in end ? end.ranWith : undefined;
  return { tool, end, path: pathIn(ranWith ?? args) };
}

/** Removes mentions, and the author's id before each message. */
function toWords(text: string): string {
  return text
    .replace(/<@[^>]*>:?/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function textOf(message: ChatMessage | undefined): string {
  const content = message?.content ?? '';
  if (typeof content === 'string') return content;
  return content.map(({ text = '' }) => text).join('');
}

function pathIn(args: string): string | undefined {
  return /"path"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(args)?.[1];
}

const EDITED =
  /^A person changed the arguments before approving\..*? Do not ask for the old call again\.(?:\nIt ran with: (.*))?\n/;
const REASONS = /^(?:Approved by [^\n:]+: [^\n]*\n)+/;
const ANSWERED = /^Not run\. A person answered instead of approving: ([\s\S]*)$/;
const NOT_RUN = /^(?:Not run\b|It is not known whether this ran\b)/;

/** Parses the outcome of a call, as worded by `toToolReply`. */
export function parseCallEnd(tool: string, text: string): CallEnd {
  const answered = ANSWERED.exec(text)?.[1];
  if (answered !== undefined) return { kind: 'answered', text: answered };
  if (NOT_RUN.test(text)) return { kind: 'not-run', text };
  const edited = EDITED.exec(text);
  const result = text.slice(edited?.[0].length ?? 0).replace(REASONS, '');
  const isFailure =
    result.startsWith(`${tool} failed: `) || result.startsWith(`${tool} took longer than `);
  return {
    kind: isFailure ? 'failed' : 'ran',
    text: result,
    ...(edited && { ranWith: edited[1] ?? 'other arguments' }),
  };
}
