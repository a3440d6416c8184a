import type { ChatCompletionRequest, ChatMessage } from '@copilotkit/aimock';

/** What came of a tool call, read from the text that the app tells the model. */
export type CallEnd =
  | { readonly kind: 'ran'; readonly text: string; readonly ranWith?: string }
  | { readonly kind: 'failed'; readonly text: string; readonly ranWith?: string }
  | { readonly kind: 'answered'; readonly text: string }
  | { readonly kind: 'not-run'; readonly text: string };

/** A call of the turn, and its end. */
export interface EndedCall {
  readonly tool: string;
  /** What it was about: the path among its arguments. */
  readonly path: string | undefined;
  readonly end: CallEnd;
}

/** The current turn: what the person said, and what each message of the model's called since. */
export interface ConversationTurn {
  readonly said: string;
  /** Names of the tools that there are. */
  readonly tools: readonly string[];
  /** Paths of the files that came with it. */
  readonly attached: readonly string[];
  readonly rounds: readonly (readonly EndedCall[])[];
}

/** Reads the current turn of a conversation; what stands before the last message of a person is history. */
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

/** What the button that asks for an expired call again says for its presser: what was said before is wanted once more. */
const AGAIN = /make the very same call again/;

/** How the app begins what it says of attached files. */
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

/** The mention that called the agent, and the author's id before each message, are no part of the words. */
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

/** Reads the end of a call as `toToolReply` words it. */
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
